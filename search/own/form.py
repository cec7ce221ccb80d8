"""What the class of a problem has to define."""

import inspect
from collections.abc import Callable, Iterator, Mapping

from frontrow.search.contract import check_lookback, check_words
from frontrow.search.errors import MethodError
from frontrow.search.graph import StateGraph
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable, Problem
from frontrow.search.tree import CountingTree
from frontrow.search.tuples import check_size


def _are_words(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(word, str) for word in value)


def _is_positive(value: object) -> bool:
    return isinstance(value, int) and value > 0


_ATTRIBUTES: tuple[tuple[str, str, Callable[[object], bool]], ...] = (
    ("name", "a text", lambda value: isinstance(value, str)),
    ("summary_line", "a text", lambda value: isinstance(value, str)),
    ("version", "an integer from 1", _is_positive),
    ("unit_floor", "an integer from 1", _is_positive),
    ("examples", "a tuple of words", _are_words),
    ("maxima", "a tuple of words", _are_words),
    ("labels", "a dict", lambda value: isinstance(value, Mapping)),
)
"""Names, what they have to be in words, and whether they are."""


def faults(kind: type[Problem]) -> Iterator[tuple[str, str]]:
    """What a class lacks or has too much of: the attribute, if it is one, and ``found X, expected Y``."""
    missing = sorted(kind.__abstractmethods__)
    if missing:
        yield "", f"found no {', '.join(missing)}, expected it"
        return
    if issubclass(kind, CountingTree):
        yield from (("", fault) for fault in _tree_faults(kind))
        yield from _size_faults(kind)
    if issubclass(kind, StateGraph):
        yield from (("", fault) for fault in _graph_faults(kind))
        yield from _stated_faults(kind)
    if issubclass(kind, Countable):
        yield from _tally_faults(kind)
    for name, wanted, right in _ATTRIBUTES:
        value = getattr(kind, name, None)
        if value is not None and not isinstance(value, property) and not right(value):
            yield name, f"{name}: found {shown(value)}, expected {wanted}"


def _size_faults(kind: type[CountingTree]) -> Iterator[tuple[str, str]]:
    """Sizes that are none."""
    for name in ("cells", "bits") if kind.on_tuples() else ("words",):
        yield from _fault_of(kind, name)


def _stated_faults(kind: type[StateGraph]) -> Iterator[tuple[str, str]]:
    """What a graph states and is not so."""
    for name in ("lookback", "bits" if kind.on_tuples() else "words"):
        yield from _fault_of(kind, name)


def _fault_of(kind: type[Problem], name: str) -> Iterator[tuple[str, str]]:
    """What is wrong with an attribute; one that is a property is looked at when there are parameters."""
    value = inspect.getattr_static(kind, name)
    if isinstance(value, property):
        return
    try:
        if name == "words":
            check_words(value)
        elif name == "lookback":
            check_lookback(value)
        else:
            check_size(name, value, low=1)
    except MethodError as error:
        yield name, str(error)


def _graph_faults(kind: type[StateGraph]) -> Iterator[str]:
    """A graph says how states lead to others, in one of its two forms; what has a counterpart has both."""
    own = {name for name in dir(kind) if _has_own(kind, name)}
    if not own & {"neighbours", "expand"}:
        hint = ", not children as in a tree" if "children" in own else ""
        yield f"found neither neighbours nor expand, expected one of them{hint}"
    elif "neighbours" in own:
        if not _sets(kind, "bits"):
            yield "found no bits, expected them: a state is a tuple of integers of `bits` bits"
        if "root" not in own:
            yield "found no root, expected it: the state to start from"
    elif not own >= {"words", "initial"}:
        yield f"found no {' and no '.join(sorted({'words', 'initial'} - own))}, expected them beside expand"
    lacking = [name for name in ("states", "rank", "unrank") if not own & {name, f"{name}_rows"}]
    if 0 < len(lacking) < 3:
        yield f"found no {' and no '.join(lacking)}, expected states, rank and unrank together"


def _tree_faults(kind: type[CountingTree]) -> Iterator[str]:
    """A tree says how nodes unfold, in one of its two forms, and which are solutions."""
    own = {name for name in dir(kind) if _has_own(kind, name)}
    if not own & {"children", "expand", "tally"}:
        yield "found neither children nor expand, expected one of them"
    elif "children" in own:
        lacking = [name for name in ("bits", "cells") if not _sets(kind, name)]
        if lacking:
            yield (
                f"found no {' and no '.join(lacking)}, expected both: a node is a tuple of at most `cells`"
                " integers of `bits` bits"
            )
    elif not own >= {"words", "initial"}:
        lacking = sorted({"words", "initial"} - own)
        beside = "expand" if "expand" in own else "tally"
        yield f"found no {' and no '.join(lacking)}, expected them beside {beside}"
    if not own & {"is_solution", "measure_node", "measure", "tally"}:
        yield "found no is_solution, expected it"


def _tally_faults(kind: type[Countable]) -> Iterator[tuple[str, str]]:
    names = kind.tallies
    if isinstance(names, property):  # they may depend on the parameters
        return
    if not names or not _are_words(names):
        yield "tallies", f'tallies: found {shown(names)}, expected a tuple of words such as ("solutions",)'
        return
    if len(set(names)) != len(names):
        yield "tallies", f"tallies: found {shown(names)}, expected each name once"
    if _are_words(kind.maxima) and not set(kind.maxima) <= set(names):
        wanted = f"some of the tallies {', '.join(names)}"
        yield "maxima", f"maxima: found {shown(kind.maxima)}, expected {wanted}"
    if issubclass(kind, CountingTree) and len(names) > 1:
        wanted = "measure_node" if kind.on_tuples() else "measure"
        if not any(_has_own(kind, name) for name in (wanted, "measure", "tally")):
            found = f"found the tallies {', '.join(names)} and no {wanted}"
            yield "tallies", f"{found}, expected what a node adds to each"


def _language(kind: type[Problem]) -> type[Problem]:
    """The class of ours that a person's class derives from."""
    return StateGraph if issubclass(kind, StateGraph) else CountingTree


def _sets(kind: type[Problem], name: str) -> bool:
    """Whether a class, or one that it derives from, sets an attribute, be it to what our own class has."""
    return any(name in vars(base) for base in kind.__mro__ if base not in _language(kind).__mro__)


def _has_own(kind: type[Problem], name: str) -> bool:
    """Whether a class, or one that it derives from, replaces what our own class has."""
    return inspect.getattr_static(kind, name) is not inspect.getattr_static(_language(kind), name, None)
