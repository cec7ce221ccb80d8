"""Whether what a graph claims is true: tables rely on it, and a wrong claim makes wrong layers."""

import numpy as np

from frontrow.search import contract
from frontrow.search.graph import Symmetry
from frontrow.search.own.explored import BATCH, Explored, symmetry_of, words_of
from frontrow.search.own.subject import InapplicableError, MismatchError, many
from frontrow.search.rows import Rows

UNDONE = 500
"""States whose moves are undone one by one."""


def check_lookback(subject: Explored) -> str:
    """Children are met in no earlier layer than `lookback` says, and where it is 2, moves can be undone."""
    lookback = subject.problem.lookback
    rows = subject.rows if lookback is not None else subject.sample
    for lo in range(0, rows.shape[0], BATCH):
        some = rows[lo : lo + BATCH]
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
    group = symmetry_of(graph)
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
