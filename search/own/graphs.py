"""Whether what a graph says of its states hangs together; see `frontrow.search.own.claims` for its claims."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from frontrow.search import contract, states
from frontrow.search.graph import StateGraph
from frontrow.search.own import claims
from frontrow.search.own.elsewhere import Answers, check_elsewhere
from frontrow.search.own.explored import Explored, symmetry_of, words_of
from frontrow.search.own.files import load_again
from frontrow.search.own.subject import InapplicableError, MismatchError, many
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows

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
    first = [answers_of(graph, row) for row in rows]
    draw, places = random.Random(SEED), list(range(rows.shape[0]))
    for asked, order in (
        (graph, places[::-1]),
        *((other, draw.sample(places, len(places))) for _ in range(SHUFFLES)),
    ):
        for place in order:
            for name, found in answers_of(asked, rows[place]).items():
                if found != first[place][name]:
                    raise MismatchError(
                        f"found {name} {shown(found)} after other calls, expected {shown(first[place][name])}"
                        " as before: nothing may depend on earlier calls",
                        rows[place],
                    )
    elsewhere = check_elsewhere(graph, rows, answers_of)
    return f"{many(len(places), 'state')} asked about again in {SHUFFLES + 1} orders, also afresh{elsewhere}"


def answers_of(graph: StateGraph, row: Rows) -> Answers:
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
    group = symmetry_of(graph)
    if group is not None:
        answers["the canonical state"] = group.canonical(rows).tolist()
    return answers


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
    "lookback": claims.check_lookback,
    "goal": claims.check_goal,
    "symmetry": claims.check_symmetry,
    "rank": claims.check_rank,
    "drawing": check_drawing,
}
