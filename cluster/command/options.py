"""Options that several commands have, how their values are read, and lists of them."""

import logging
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from frontrow.cluster.command.words import Invocation
from frontrow.search.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])
Reader = Callable[[click.Context, click.Parameter, str | None], Any]
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


def _read_workers(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    from frontrow.cluster.arguments import MOST_WORKERS
    from frontrow.search.parameter import Parameter

    number: int = Parameter("workers", low=1, high=MOST_WORKERS).read("workers", value)
    return number


def number_of(value: str) -> float:
    """The number that a text is; 0, which no option takes, if it is none."""
    try:
        return float(value)
    except ValueError:
        return 0.0


def _read_limit(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    number = number_of(value)
    if not 0 < number < float("inf"):
        raise UsageError(f"{param.name}: found {value!r}, expected a number above 0")
    return number


def _read_whole_limit(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a whole number, also one such as ``1e9``."""
    number = _read_limit(ctx, param, value)
    if number is not None and not number.is_integer():
        raise UsageError(f"{param.name}: found {value!r}, expected a whole number above 0")
    return number


def read_natural(low: int) -> Reader:
    """What reads an integer from `low` on."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        from frontrow.search.parameter import Parameter

        if value is None:
            return None
        number: int = Parameter("", low=low).read(param.name or "", value)
        return number

    return read


def read_bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Read a size such as ``4G``, ``500M`` or ``1000000``; prefixes are binary."""
    if value is None:
        return None
    match = _SIZE.fullmatch(value.strip())
    number = 0 if match is None else int(float(match[1]) * 1024 ** " kmgt".index(match[2].lower() or " "))
    if number < 1:
        raise UsageError(f"{param.name}: found {value!r}, expected a size such as 4G or 500M")
    return number


def read_path(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Read the name of a file to write to; ``-``, which is often meant otherwise, is none."""
    if value is not None and not value.strip():
        raise UsageError(f"{param.name}: found {value!r}, expected a file to write to")
    if value == "-":
        raise UsageError(
            f"{param.name}: found -, expected a file to write to, or /dev/stdout (./- is a file of that name)"
        )
    return value


def _read_store(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise UsageError(f"store: found {value!r}, expected a folder")
    return value


class _Log(logging.Handler):
    """Writes to what stderr is at the time: the live line takes its place while it is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            sys.stderr.write(f"{self.format(record)}\n")


def _set_verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Invocation).verbose = True
        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", handlers=[_Log()])


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
store_option = click.option(
    "--store",
    metavar="DIR",
    callback=_read_store,
    help="Folder of the ledger (default FRONTROW_STORE, else your data folder).",
)
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, expose_value=False, callback=_set_verbose, is_eager=True,
    help="Say more: the method, the kernel and why; tracebacks.",
)  # fmt: skip
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, only the answer.")
workers_option = click.option(
    "--workers",
    metavar="K",
    callback=_read_workers,
    help="Workers (default: all cores this process may use).",
)
ray_option = click.option("--ray", is_flag=True, help="Run on a Ray that is started on this machine.")
ray_address_option = click.option(
    "--ray-address", metavar="ADDR", help="Run on the Ray cluster at ADDR: auto, or host:port."
)
fresh_option = click.option("--fresh", is_flag=True, help="Compute again although the ledger has the answer.")
time_limit_option = click.option(
    "--time-limit", metavar="S", callback=_read_limit, help="Stop after S seconds of work; resumable."
)
node_limit_option = click.option(
    "--node-limit", metavar="K", callback=_read_whole_limit, help="Stop after about K nodes; resumable."
)
memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=read_bytes,
    help="Memory that may be used, such as 4G (default 60 %).",
)
disk_option = click.option(
    "--disk", metavar="SIZE", callback=read_bytes, help="Disk that checkpoints may use (default 60 %)."
)
ANSWERING = (json_option, quiet_option, fresh_option, workers_option, time_limit_option)
"""How a question of the ledger is answered."""
WHERE = (ray_option, ray_address_option, store_option, verbose_option)
"""Where it is: the end of the list of options."""


def options(*decorators: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options as one decorator, in the order in which the help lists them."""

    def decorate(function: Function) -> Function:
        for option in reversed(decorators):
            function = option(function)
        return function

    return decorate
