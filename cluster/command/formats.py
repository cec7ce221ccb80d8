"""How listed solutions are written: as bytes, a block of rows at a time."""

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import UsageError
from frontrow.search.own.blame import explained
from frontrow.search.problem import Drawn
from frontrow.search.rows import Rows
from frontrow.search.tree import CountingTree

EXACT_BITS = 53
"""Bits up to which every program reads a JSON number exactly; longer ones are written as strings."""

Writer = Callable[[Rows], bytes]
"""Turns rows, shape ``(n, words)``, into text; called with one block after the other."""


def writer(problem: CountingTree, form: str, *, attacks: bool) -> Writer:
    """What writes a problem's solutions in one of four formats.

    Args:
        problem: what is listed.
        form: ``list`` (a line each: the integers; on rows what the problem's own `render` says, if that is
            one line), ``board`` (drawings with a blank line between them), ``json`` (an array a line) or
            ``csv``.
        attacks: draw the squares under attack on boards.

    Raises:
        UsageError: if the problem has no boards on which something is attacked.
    """
    if form == "board":
        return _Boards(problem, attacks)
    if form == "json" and (not _by_integers(problem) or problem.bits > EXACT_BITS):
        return lambda rows: b"".join(_json_line(line) for line in _texts(problem, rows))
    if form == "json":
        return lambda rows: number_lines(problem.integers(rows), opening="[", closing="]")
    if form == "csv":
        return lambda rows: number_lines(problem.integers(rows), pad=True)
    if _by_integers(problem):
        return lambda rows: number_lines(problem.integers(rows))
    return lambda rows: "".join(f"{_one_line(problem, row)}\n" for row in rows).encode()


def head(problem: CountingTree, form: str) -> bytes:
    """What comes before the first solution."""
    if form != "csv":
        return b""
    width = problem.integers(problem.initial()).shape[1]
    return (",".join(f"{problem.heading}{place}" for place in range(width)) + "\n").encode()


def drawn(problem: CountingTree, option: str) -> Drawn:
    """A problem as one whose boards can be drawn.

    Raises:
        UsageError: if they cannot; it names the option that asks for it.
    """
    if not isinstance(problem, Drawn):
        raise UsageError(
            f"{option}: found {problem.name}, which has no board, expected a problem with boards"
        )
    return problem


def number_lines(
    values: NDArray[np.integer], *, opening: str = "", closing: str = "", pad: bool = False
) -> bytes:
    """Lines of integers with commas between them.

    Args:
        values: from 0, shape ``(n, k)``; -1 after the end of a shorter line.
        opening: what every line begins with.
        closing: what every line ends with.
        pad: keep the commas between integers that a shorter line lacks.
    """
    count, width = values.shape
    digits = len(str(values.max())) if values.size else 1
    powers = 10 ** np.arange(digits - 1, -1, -1).astype(values.dtype)
    # Every integer is a comma and all its digits; what is too much is dropped at the end.
    text = np.full((count, width, 1 + digits), ord(","), np.uint8)
    kept = np.zeros(text.shape, np.bool_)
    text[:, :, 1:] = values[:, :, None] // powers % 10 + ord("0")
    kept[:, 1:, 0] = pad or values[:, 1:] >= 0
    kept[:, :, 1:] = values[:, :, None] >= powers
    kept[:, :, -1] = values >= 0
    frames = [np.frombuffer(end.encode(), np.uint8) for end in (opening, f"{closing}\n")]
    opened, closed = (np.broadcast_to(frame, (count, frame.size)) for frame in frames)
    size = width * (1 + digits)
    whole = np.concatenate([opened, text.reshape(count, size), closed], axis=1)
    sides = ((0, 0), (frames[0].size, frames[1].size))
    return whole[np.pad(kept.reshape(count, size), sides, constant_values=True)].tobytes()


class _Boards:
    """Draws every solution, with a blank line between two."""

    def __init__(self, problem: CountingTree, attacks: bool) -> None:
        self._problem = problem
        board = drawn(problem, "attacks") if attacks else None
        self._draw = problem.render if board is None else lambda row: board.draw(row, attacks=True)
        self._gap = ""

    def __call__(self, rows: Rows) -> bytes:
        parts = []
        for row in rows:
            with explained(self._problem):
                parts.append(f"{self._gap}{self._draw(row)}\n")
            self._gap = "\n"
        return "".join(parts).encode()


def _by_integers(problem: CountingTree) -> bool:
    """Whether a solution is listed as integers that mean something, and not as the words of a row."""
    return problem.on_tuples() or type(problem).integers is not CountingTree.integers


def _texts(problem: CountingTree, rows: Rows) -> list[list[str]]:
    return [[str(value) for value in line if value >= 0] for line in problem.integers(rows).tolist()]


def _json_line(texts: list[str]) -> bytes:
    return (json.dumps(texts, separators=(",", ":")) + "\n").encode()


def _one_line(problem: CountingTree, row: Rows) -> str:
    with explained(problem):
        text = problem.render(row)
    return text if len(text.splitlines()) == 1 else ",".join(map(str, row.tolist()))
