"""How the words of a command line are read: commands, a problem's own options, completion."""

import contextlib
import difflib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.shell_completion import CompletionItem

from frontrow.cluster.command.interrupt import Interruption
from frontrow.search.errors import FrontrowError, StoppedError, UsageError

if TYPE_CHECKING:
    from frontrow.search.problem import Problem

NAME = "frontrow"
SHELLS = ("bash", "zsh", "fish")
_OPTIONS_OF = "frontrow.options"
_EXTRA = re.compile(r"unexpected extra arguments? \((.*)\)")  # as click words it


class _Aside(io.TextIOBase):
    """Writes to what stderr is at the time."""

    def write(self, text: str) -> int:
        """Write a text; without a stderr it is lost."""
        return sys.stderr.write(text) if sys.stderr is not None else len(text)

    def flush(self) -> None:
        """Write out what waits."""
        if sys.stderr is not None:
            sys.stderr.flush()


@contextlib.contextmanager
def prints_aside() -> "Iterator[TextIO | None]":
    """Have what a person's own problem prints, also past Python, go to stderr: stdout is for the answer.

    Yields:
        What leads to standard output meanwhile; None if there is none.
    """
    from frontrow.search.own.aside import descriptor_aside

    with descriptor_aside() as stdout, contextlib.redirect_stdout(_Aside()):
        yield stdout


@dataclass(slots=True)
class Invocation:
    """What one run of the command line shares between its parts."""

    interruption: Interruption = field(default_factory=Interruption)
    verbose: bool = False

    def engine(self, ray: bool, ray_address: str | None) -> str:
        """The name of the engine that ``--ray`` and ``--ray-address`` ask for; Ray gets time to end."""
        if not ray and ray_address is None:
            return "local"
        self.interruption.grace = 1.0  # Ray's own processes are ended meanwhile
        return "ray"


class Commands(click.Group):
    """The commands, with the nearest name for a mistyped one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names.

        Raises:
            UsageError: if there is none.
        """
        if (
            self.get_command(ctx, args[0]) is None
            and not args[0].startswith("-")
            and not ctx.resilient_parsing
        ):
            raise UsageError(
                f"command: found {args[0]!r}, expected {_nearest(args[0], sorted(self.commands))}"
            )
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what comes before the command.

        Raises:
            UsageError: for an option of a command, which has to come after it.
        """
        named = [word for word in args if word in self.commands]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            for command in (*named, *self.commands):
                if any(name in each.opts for each in self.commands[command].params):
                    raise UsageError(
                        f"option: found {name} before the command, expected it after: "
                        f"{ctx.command_path} {command} ... {name}"
                    ) from error
            raise

    def invoke(self, ctx: click.Context) -> object:
        """Parse and run the command named.

        Raises:
            StoppedError: if it was interrupted; click would write an empty line of its own.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError("interrupted") from None


class Question(click.Command):
    """A verb: the options of the problem that is asked about are options of the command."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Leave words such as ``-1`` and ``-,-,3`` to the problem, which names the range."""
        extra["ignore_unknown_options"] = True
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the options of the problem named.

        Raises:
            NoSuchOption: for an option that neither the command nor the problem has.
            UsageError: for an option of the problem without a value.
        """
        named = self._named_problem(args)
        ctx.meta[_OPTIONS_OF] = [] if named is None else self._options_of(named, ctx)
        try:
            rest = super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            specs = {} if named is None else named.parameters()
            name = error.option_name.strip("-").replace("-", "_")
            if name in specs and specs[name].option:
                raise UsageError(
                    f"{error.option_name}: found no value, expected {specs[name].expected}"
                ) from error
            error.ctx = error.ctx or ctx
            raise
        words = (ctx.params.get("problem") or "", *(ctx.params.get("words") or ()))
        for word in words:
            if (
                word[:1] == "-"
                and word[1:2] not in ("", ",", ".", *"0123456789")
                and not ctx.resilient_parsing
            ):
                name = word.partition("=")[0].strip("-").replace("-", "_")
                if named is not None and name in named.parameters():
                    raise UsageError(f"option: found {word.partition('=')[0]!r}, expected {name}=VALUE")
                known = [name for each in self.get_params(ctx) for name in each.opts if name.startswith("-")]
                raise click.NoSuchOption(word.partition("=")[0], possibilities=known, ctx=ctx)
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters of the command and the options of the problem."""
        return [*super().get_params(ctx), *ctx.meta.get(_OPTIONS_OF, [])]

    def _named_problem(self, args: Sequence[str]) -> "type[Problem] | None":
        """The class of the first word that is a problem's name, if there is one."""
        if all(word.startswith("-") for word in args):
            return None  # nothing named: ``--help`` stays quick
        from frontrow.search.own.files import is_file
        from frontrow.search.registry import find, names

        taking = {name for each in self.params if not getattr(each, "is_flag", True) for name in each.opts}
        known = names()
        for before, word in zip(["", *args], args, strict=False):
            if before not in taking and (word in known or (is_file(word) and word[:1] != "-")):
                return find(word)
        return None

    def _options_of(self, problem: "type[Problem]", ctx: click.Context) -> list[click.Parameter]:
        """The options of a problem.

        Raises:
            UsageError: if the command has one of the same name.
        """
        own = super().get_params(ctx)
        taken = {word for each in own for word in (each.name, *each.opts)}
        added = _problem_options(problem)
        for option in added:
            if taken & {option.name, *option.opts}:
                raise UsageError(
                    f"problem {problem.name}: found the option {option.opts[0]}, expected another name: "
                    f"{ctx.command_path} has one like it"
                )
        return added


def _problem_options(problem: "type[Problem]") -> list[click.Parameter]:
    return [
        click.Option(
            [f"--{name.replace('_', '-')}", name],
            help=spec.help,
            metavar="|".join(spec.choices) or None,
            shell_complete=completing(spec.choices),
        )
        for name, spec in problem.parameters().items()
        if spec.option
    ]


def _nearest(word: str, known: Sequence[str]) -> str:
    """What was expected instead of a word: the nearest names, or all."""
    return " or ".join(difflib.get_close_matches(word, known, n=2) or known)


def find_problem(name: str, base: "type[Problem] | None" = None) -> "type[Problem]":
    """The class of a problem.

    Args:
        name: of it, or a person's own file.
        base: what problems that are told as expected are to be; None for any.

    Raises:
        UsageError: if there is none of that name; it says which one is nearest.
    """
    from frontrow.search.own.files import is_file
    from frontrow.search.registry import find, names

    known = names()
    if is_file(name) or name.strip() in known:
        return find(name.strip())
    beside = f"{name.strip()}.py"
    if base is not None:
        known = [each for each in known if issubclass(find(each), base)]
    file = f"the file ./{beside}" if os.path.isfile(beside) else "a file such as ./mine.py"
    near = _nearest(name, known)
    others = ", another one of frontrow problems," if near != _nearest("", known) else ""
    raise UsageError(f"problem: found {name!r}, expected {near}{others} or {file}")


def completing(words: Sequence[str]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """What completes one of some words."""
    return lambda ctx, param, text: [word for word in words if word.startswith(text)]


def complete_problem(ctx: click.Context, param: click.Parameter, text: str) -> list[CompletionItem]:
    """The names of problems that begin with a text."""
    from frontrow.search.registry import names

    return [CompletionItem(name) for name in names() if name.startswith(text)]


def complete_word(ctx: click.Context, param: click.Parameter, text: str) -> list[CompletionItem]:
    """The parameters of the problem at hand that begin with a text."""
    from frontrow.search.registry import find

    with contextlib.suppress(FrontrowError):
        specs = find(ctx.params.get("problem") or "").parameters()
        return [
            CompletionItem(f"{name}=", help=spec.help)
            for name, spec in specs.items()
            if not spec.option and name.startswith(text)
        ]
    return []


def complete_job(ctx: click.Context, param: click.Parameter, text: str) -> list[CompletionItem]:
    """The ids of jobs that begin with a text."""
    from frontrow.cluster.store import Store

    with contextlib.suppress(FrontrowError), Store.open(ctx.params.get("store")) as store:
        return [CompletionItem(row.id, help=row.problem) for row in store.jobs() if row.id.startswith(text)]
    return []


def repeated(*, fresh: bool) -> str:
    """What goes on with a run that was interrupted."""
    return "the same command without --fresh" if fresh else "the same command"


def print_json(value: object) -> None:
    """Print what ``--json`` asks for."""
    click.echo(json.dumps(value))


def _shown_name(param: click.Parameter) -> str:
    """The name of an argument, or what the help calls it if that is another word, such as ID."""
    name, shown = param.name or "", (param.metavar or "").removesuffix("...")
    return shown if shown.isupper() and shown.isalpha() and shown.lower() != name else name


def click_line(error: click.ClickException) -> str:
    """One line for a command line that click refuses."""
    where = NAME
    if isinstance(error, click.UsageError) and error.ctx is not None:
        where = error.ctx.command_path
    see = f"(see {where} --help)"
    if isinstance(error, click.NoSuchOption):
        nearest = " or ".join(error.possibilities or ())
        return f"option: found {error.option_name!r}, expected {nearest or 'a known option'} {see}"
    if isinstance(error, click.BadOptionUsage):
        return f"{error.option_name}: found no value, expected one {see}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{_shown_name(error.param)}: found nothing, expected one {see}"
    extra = _EXTRA.search(error.format_message())
    if extra is not None and isinstance(error, click.UsageError) and error.ctx is not None:
        expected = " ".join([where, *error.ctx.command.collect_usage_pieces(error.ctx)])
        return f"{error.ctx.info_name}: found {extra[1]!r} as well, expected {expected}"
    return f"{error.format_message()} {see}"
