"""Whether a graph keeps its word: what it says of states, and the claims that tables rely on."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from frontrow.search import contract, states
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.own.explored import Explored, words_of
from frontrow.search.own.files import load_again
from frontrow.search.own.subject import InapplicableError, MismatchError, many
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows
from frontrow.search.symmetry import Group

UNDONE = 500
"""States whose moves are undone one by one."""
SHUFFLES = 2
"""Orders, drawn at random, in which all rows are asked about."""
SEED = 1
"""Shuffles the rows; the same in every check."""


def check_parameters(subject: Explored) -> str:
    """A reference to the problem, as it is stored and sent, makes the same problem again."""
    again = ProblemRef.of(subject.problem).load()
    if again != subject.problem:
        raise MismatchError(f"found {again!r} when it is made again, expected {subject.problem!r}")
    return "the problem is made again from what is stored and sent"


def check_start(subject: Explored) -> str:
    """The start is the same every time."""
    start, again = subject.problem.initial(), load_again(subject.problem)
    assert isinstance(again, StateGraph)
    for other in (subject.problem.initial(), again.initial()):
        if not np.array_equal(start, other):
            raise MismatchError("found another start the second time, expected the same", other[0])
    found = many(len(subject.depths), "state")
    return f"{found} of {many(subject.problem.words, 'word')}" + (", all there are" * subject.exhausted)


def check_packing(subject: Explored) -> str:
    """States come back from their rows as they were."""
    graph, rows = subject.problem, subject.rows
    if not graph.on_tuples():
        raise InapplicableError("states are rows already")
    again = states.to_rows(graph, states.to_states(graph, rows), "neighbours")
    for row in rows[(again != rows).any(axis=1)]:
        raise MismatchError("found another row when it is unpacked and packed, expected the same", row)
    return f"{many(rows.shape[0], 'state')} packed and unpacked"


def check_children(subject: Explored) -> str:
    """Children of rows are the same, alone or together, in any order of the rows."""
    rows = subject.sample
    for order in (slice(None), slice(None, None, -1)):
        asked = rows[order]
        together, parents = subject.expand(asked)
        for index, row in enumerate(asked):
            if not np.array_equal(subject.expand(row[None])[0], together[parents == index]):
                raise MismatchError(
                    "found other children of a state by itself than among others, expected the same", row
                )
    return f"those of {many(rows.shape[0], 'state')}, alone and together"


def check_order(subject: Explored) -> str:
    """What is said of a state is the same after other calls, and by a file imported anew."""
    graph, rows = subject.problem, subject.sample
    other = load_again(graph)
    assert isinstance(other, StateGraph)
    first = [_answers(graph, row) for row in rows]
    draw, places = random.Random(SEED), list(range(rows.shape[0]))
    for asked, order in (
        (graph, places[::-1]),
        *((other, draw.sample(places, len(places))) for _ in range(SHUFFLES)),
    ):
        for place in order:
            for name, found in _answers(asked, rows[place]).items():
                if found != first[place][name]:
                    raise MismatchError(
                        f"found {name} {shown(found)} after other calls, expected {shown(first[place][name])}"
                        " as before: nothing may depend on earlier calls",
                        rows[place],
                    )
    return f"{many(len(places), 'state')} asked about again in {SHUFFLES + 1} orders, also afresh"


def _answers(graph: StateGraph, row: Rows) -> dict[str, object]:
    """What a graph says of one row, shape ``(words,)``."""
    rows = row[None].copy()
    children, _ = contract.check_children(graph, rows, graph.expand(rows))
    answers: dict[str, object] = {
        "the neighbours": states.to_states(graph, children) if graph.on_tuples() else children.tolist()
    }
    if graph.has_goal:
        answers["the goal"] = graph.goal_mask(rows).tolist()
    if graph.states() is not None:
        answers["the rank"] = graph.rank_rows(rows).tolist()
    group = _symmetry(graph)
    if group is not None:
        answers["the canonical state"] = group.canonical(rows).tolist()
    return answers


def _symmetry(graph: StateGraph) -> Symmetry | None:
    """The symmetries; None if there are none."""
    group = graph.symmetries()
    return None if isinstance(group, Group) and group.order == 1 else group


def check_kernel(subject: Explored) -> str:
    """What takes rows says the same as what takes tuples, where both are there."""
    graph, rows = subject.problem, subject.sample
    if not graph.on_tuples():
        raise InapplicableError("no neighbours on tuples beside expand")
    pairs = [(name, plain) for name, plain in _PAIRS if _is_own(graph, name) and _is_own(graph, plain)]
    for name, plain in pairs:
        # What our own class does with rows is to ask the plain method.
        found, expected = (
            _by_row(rows, ask(rows)) for ask in (getattr(graph, name), _asks_plain(graph, name))
        )
        for row, ours, theirs in zip(rows, found, expected, strict=True):
            if ours != theirs:
                raise MismatchError(
                    f"found {shown(ours)} by {name}, expected {shown(theirs)} as by {plain}", row
                )
    if not pairs:
        raise InapplicableError("no expand on rows beside neighbours")
    agree = ", ".join(f"{name} as {plain}" for name, plain in pairs)
    return f"{agree}: the same of {many(rows.shape[0], 'state')}"


_PAIRS = (
    ("expand", "neighbours"),
    ("goal_mask", "is_goal"),
    ("canonical_rows", "canonical"),
    ("rank_rows", "rank"),
)
"""Methods on rows, and those on tuples that they stand in for."""


def _is_own(graph: StateGraph, name: str) -> bool:
    return getattr(type(graph), name) is not getattr(StateGraph, name)


def _asks_plain(graph: StateGraph, name: str) -> Callable[[Rows], Any]:
    """The default of a method on rows."""
    return lambda rows: getattr(StateGraph, name)(graph, rows)


def _by_row(rows: Rows, answer: Any) -> list[Any]:
    """An answer about rows for each of them; children in ascending order."""
    if not isinstance(answer, tuple):
        return list(answer.tolist())
    children: list[list[Any]] = [[] for _ in rows]
    for child, parent in zip(answer[0].tolist(), answer[1].tolist(), strict=True):
        children[parent].append(child)
    return [sorted(each) for each in children]


def check_lookback(subject: Explored) -> str:
    """Children are met in no earlier layer than `lookback` says, and where it is 2, moves can be undone."""
    lookback = subject.problem.lookback
    rows = subject.rows if lookback is not None else subject.sample
    for lo in range(0, rows.shape[0], 256):
        some = rows[lo : lo + 256]
        children, parents = subject.expand(some)
        for child, place in zip(words_of(children), parents.tolist(), strict=True):
            depth = subject.depths[tuple(some[place].tolist())]
            back = depth + 1 - subject.depths.get(child, depth + 1)
            if lookback is not None and back > lookback:
                raise MismatchError(
                    f"found a child in layer {depth + 1 - back} of a state in layer {depth}, expected none"
                    f" before layer {depth + 1 - lookback} (lookback = {lookback})",
                    some[place],
                )
    one_way = _one_way(subject)
    if lookback == 2:
        if one_way is not None:
            raise MismatchError("found a move that cannot be undone, expected none (lookback = 2)", one_way)
        return f"{many(rows.shape[0], 'state')} have no child before the last two layers; moves can be undone"
    if lookback is None:
        hint = "" if one_way is not None else "; every move seen can be undone: lookback = 2 saves memory"
        raise InapplicableError(f"lookback = None claims nothing{hint}")
    return f"{many(rows.shape[0], 'state')} have no child before layer d + {1 - lookback}"


def _one_way(subject: Explored) -> Rows | None:
    """A state with a move that cannot be undone, shape ``(words,)``; None if none was found."""
    for row in subject.rows[:UNDONE]:
        children, _ = subject.expand(row[None])
        back, origins = subject.expand(children)
        undone = origins[(back == row).all(axis=1)]
        if np.unique(undone).size < children.shape[0]:
            found: Rows = row
            return found
    return None


def check_goal(subject: Explored) -> str:
    """Which states are goals is the same every time, alone or together, and fits the list of goals."""
    graph, rows = subject.problem, subject.rows
    if not graph.has_goal:
        raise InapplicableError("no goal")
    mask = contract.check_mask(rows, graph.goal_mask(rows), "goal_mask")
    sample = subject.sample
    for row, together in zip(sample, mask.tolist(), strict=False):
        [alone] = graph.goal_mask(row[None]).tolist()
        if alone != together:
            raise MismatchError(
                f"found {alone} for a state by itself and {together} among others, expected the same", row
            )
    listed = graph.goals()
    if listed is not None:
        known = set(words_of(listed))
        for row, word, reached in zip(rows, words_of(rows), mask.tolist(), strict=True):
            if (word in known) != reached:
                raise MismatchError(f"found {reached} by is_goal, expected what goals() has", row)
    among = "all " if subject.exhausted else ""
    return f"{many(int(mask.sum()), 'goal')} among {among}{many(rows.shape[0], 'state')}"


def check_symmetry(subject: Explored) -> str:
    """Symmetries take moves to moves, goals to goals, and the start to itself."""
    graph, rows = subject.problem, subject.rows
    group = _symmetry(graph)
    if group is None:
        raise InapplicableError("no symmetries")
    found = group.canonical(rows)
    for row, word, again in zip(rows, words_of(found), words_of(group.canonical(found)), strict=True):
        if word != again:
            raise MismatchError("found another canonical state of a canonical one, expected the same", row)
    classes: dict[tuple[int, ...], int] = {}
    for row, word, depth in zip(rows, words_of(found), subject.depths.values(), strict=True):
        if classes.setdefault(word, depth) != depth:
            raise MismatchError(
                f"found states of one class {classes[word]} and {depth} moves from the start, expected one"
                " distance: symmetries have to leave the start where it is",
                row,
            )
    for row in subject.sample:
        _compare_class(subject, group, row)
    _compare_orbits(subject, group, found)
    return f"{many(rows.shape[0], 'state')} in classes, {len(classes):,} in all, of like moves and goals"


def _compare_class(subject: Explored, group: Symmetry, row: Rows) -> None:
    """Compare what is said of a state with what is said of the one that stands for its class."""
    graph, one = subject.problem, row[None]
    stands = group.canonical(one)
    ours, theirs = (sorted(words_of(group.canonical(subject.expand(each)[0]))) for each in (one, stands))
    if ours != theirs:
        raise MismatchError(
            "found moves to other classes than from the canonical state, expected the same classes", row
        )
    if graph.has_goal and graph.goal_mask(one)[0] != graph.goal_mask(stands)[0]:
        raise MismatchError("found a goal in a class with states that are none, expected all or none", row)


def _compare_orbits(subject: Explored, group: Symmetry, found: Rows) -> None:
    """Compare the sizes of classes with how many of their states were found, if that is all of them."""
    sizes = group.orbits(found)
    if sizes is None or not subject.exhausted:
        return
    _, places, counts = np.unique(found, axis=0, return_inverse=True, return_counts=True)
    seen = counts[places.reshape(-1)]
    for row, size, expected in zip(subject.rows, sizes.tolist(), seen.tolist(), strict=True):
        if size != expected:
            raise MismatchError(f"found a class of {size} states, expected {expected} as were reached", row)


def check_rank(subject: Explored) -> str:
    """Ranks of the states that were reached differ, are below `states`, and lead back."""
    graph, rows = subject.problem, subject.rows
    number = graph.states()
    if number is None:
        raise InapplicableError("no ranks")
    ranks = graph.rank_rows(rows)
    first: dict[int, int] = {}
    for place, rank in enumerate(ranks.tolist()):
        if first.setdefault(rank, place) != place:
            other = graph.render(rows[first[rank]])
            raise MismatchError(f"found rank {rank} of {other!r} as well, expected each once", rows[place])
    back = graph.unrank_rows(ranks)
    for place in np.flatnonzero((back != rows).any(axis=1)).tolist():
        raise MismatchError(
            f"found {graph.render(back[place])!r} by unrank of rank {ranks[place]}, expected the same state",
            rows[place],
        )
    return f"{many(rows.shape[0], 'state')} have ranks of their own below {number:,}, and come back"


def check_drawing(subject: Explored) -> str:
    """States can be drawn, and moves named."""
    graph, rows = subject.problem, subject.sample
    for row in rows:
        drawn = graph.render(row)
        if not isinstance(drawn, str):
            raise MismatchError(f"found the {type(drawn).__name__} {drawn!r}, expected a text", row)
    way = _way(subject)
    for name, texts, number in (
        ("render_way", graph.render_way(way), way.shape[0]),
        ("move_names", graph.move_names(way), way.shape[0] - 1),
    ):
        if len(texts) != number or not all(isinstance(text, str) for text in texts):
            raise MismatchError(f"found {shown(list(texts))} by {name}, expected {number} texts")
    return f"{many(rows.shape[0], 'state')} drawn, and a way of {many(way.shape[0] - 1, 'move')}"


def _way(subject: Explored) -> Rows:
    """The start and states one move apart, a few of them."""
    way = [subject.rows[:1]]
    for depth in range(1, 4):
        children = subject.expand(way[-1])[0]
        deeper = [place for place, word in enumerate(words_of(children)) if subject.depths.get(word) == depth]
        if not deeper:
            break
        way.append(children[deeper[0]][None])
    return np.concatenate(way)


CHECKS: dict[str, Callable[[Explored], str]] = {
    "parameters": check_parameters,
    "start": check_start,
    "packing": check_packing,
    "children": check_children,
    "order": check_order,
    "kernel": check_kernel,
    "lookback": check_lookback,
    "goal": check_goal,
    "symmetry": check_symmetry,
    "rank": check_rank,
    "drawing": check_drawing,
}
