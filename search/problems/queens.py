"""N queens on an n by n board, none attacking another."""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frontrow.search.errors import FrontrowError, UsageError
from frontrow.search.listing import Listed
from frontrow.search.parameter import parameter, shown
from frontrow.search.problem import Slice, Totals
from frontrow.search.queens import board, counting, drawing, limits, quartered, split
from frontrow.search.rows import Rows, Stop
from frontrow.search.tree import CountingTree

_HELP = "the queen's column row by row from row 0, - for a free row, such as 1,3,-,0"
_COLUMN = re.compile(r"[0-9]{1,9}")
_QUARTERED = 18
"""Where the quadrants overtake the lanes."""
_SMALLEST, _LARGEST = 12, 34
"""Where the lanes are chosen: below, loading them takes longer than counting; above, nothing ends anyway and
boards with a few free rows do not fill them."""

_LANES = 20
"""Largest n that is counted as a whole by the lanes to check the quadrants: minutes."""

_SCALAR = 16
"""Largest n that is counted as a whole by the scalar kernel to check the lanes: half a minute."""

_KINDS = ("solutions", "half_turn", "quarter_turn")
"""What boards of each kind of `board.KINDS` are tallied as."""

_LISTED_IN_NUMPY = 10
"""Largest n whose solutions are listed before a kernel could be loaded."""


def _read_fixed(value: Any) -> tuple[int | None, ...]:
    """Read the fixed queens from a text or a sequence."""
    complaint = f"found {shown(value)}, expected {_HELP}"
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, Iterable) or isinstance(value, (bytes, dict)):
        raise ValueError(complaint)
    columns = []
    for item in value:
        text = "-" if item is None else str(item).strip()
        if isinstance(item, bool) or (text != "-" and not _COLUMN.fullmatch(text)):
            raise ValueError(complaint)
        columns.append(None if text == "-" else int(text))
    return tuple(columns)


class Queens(CountingTree):
    """Place n queens so that no two share a row, a column or a diagonal.

    A row of the search is a board as `frontrow.search.queens.board` lays it out.
    """

    name: ClassVar[str] = "queens"
    version: ClassVar[int] = 1
    heading: ClassVar[str] = "row"
    own_nodes: ClassVar[bool] = True
    summary_line: ClassVar[str] = "n queens on an n by n board, none attacking another"
    unit_floor: ClassVar[int] = 20_000_000
    examples: ClassVar[tuple[str, ...]] = ("16", "12 fixed=-,-,3", "12 --method scalar")
    labels: ClassVar[Mapping[str, str]] = {
        "unique": "up to rotation and reflection",
        "half_turn": "unchanged by a half turn",
        "quarter_turn": "unchanged by a quarter turn",
    }

    n: int = parameter(low=0, high=64, help="rows, columns and queens of the board")
    fixed: tuple[int | None, ...] = parameter(default=(), parse=_read_fixed, help=_HELP)
    method: str = parameter(
        default="auto",
        choices=("auto", "quadrant", "lanes", "scalar"),
        option=True,
        help="how it is counted",
    )
    order: int = parameter(
        default=0,
        low=0,
        high=len(limits.ORDERS) - 1,
        option=True,
        help="total order of sets by which quadrants are split",
    )

    def check(self) -> None:
        """Refuse fixed queens that do not fit or attack each other, and a method that is not for the board.

        Free rows at the end are dropped.
        """
        if len(self.fixed) > self.n:
            raise UsageError(f"fixed: found {len(self.fixed)} rows, expected at most {self.n}")
        queens = [(row, column) for row, column in enumerate(self.fixed) if column is not None]
        object.__setattr__(self, "fixed", self.fixed[: max((row + 1 for row, _ in queens), default=0)])
        for row, column in queens:
            if column >= self.n:
                expected = f"0 to {self.n - 1} or - for a free row"
                raise UsageError(f"fixed: found column {column} in row {row}, expected {expected}")
        for index, (row, column) in enumerate(queens):
            for other in queens[:index]:
                if board.attacks((row, column), other):
                    raise UsageError(
                        f"fixed: found queens that attack each other in row {other[0]} column {other[1]}"
                        f" and row {row} column {column}, expected none"
                    )
        self._check_method()
        if self.order and not self._is_quartered:
            raise UsageError(f"order: found {self.order}, expected 0: only quadrants have orders")

    def _check_method(self) -> None:
        if self.method == "quadrant" and self.fixed:
            raise UsageError("method: found quadrant for a board with fixed queens, expected lanes or scalar")
        if self.method == "quadrant" and not limits.LEAST <= self.n <= limits.MOST:
            bounds = f"n from {limits.LEAST} to {limits.MOST}"
            raise UsageError(
                f"method: found quadrant for n = {self.n}, expected lanes or scalar, or {bounds}"
            )

    def settle(self) -> Self:
        """Choose the method by n alone, so that every machine chooses alike."""
        if self.method != "auto":
            return self
        method = "lanes" if _SMALLEST <= self.n <= _LARGEST else "scalar"
        if _QUARTERED <= self.n <= limits.MOST and not self.fixed:
            method = "quadrant"
        return dataclasses.replace(self, method=method)

    @property
    def _is_quartered(self) -> bool:
        return self.settle().method == "quadrant"

    @property
    def worker_bytes(self) -> int:  # type: ignore[override]
        """What the heaviest units of large boards need."""
        return limits.WORKER_MB.get(self.n, 0) * 10**6 if self._is_quartered else 0

    @property
    def tallies(self) -> tuple[str, ...]:  # type: ignore[override]
        """Solutions by the kind of their boards; quadrants count them in parts."""
        return quartered.TALLIES if self._is_quartered else _KINDS

    @property
    def why(self) -> str:
        """Asked for, or chosen by n."""
        if self.method != "auto":
            return "asked for"
        chosen = self.settle().method
        if chosen == "quadrant":
            return f"the fastest for n = {_QUARTERED} to {limits.MOST}"
        if chosen == "lanes":
            return "the fastest for fixed queens" if self.fixed else f"the fastest for n = {self.n}"
        return "nothing to load" if self.n < _SMALLEST else f"the one for n above {_LARGEST}"

    @property
    def method_used(self) -> str:
        """The kernel, as ``--method`` names it; lanes become scalar where they do not compile."""
        return "quadrant" if self._is_quartered else counting.used(self.settle().method, self.n)

    @property
    def kernel(self) -> str:
        """The kernel in words; says why where it is not the one asked for."""
        return quartered.describe() if self._is_quartered else counting.describe(self.settle().method, self.n)

    @property
    def compiles(self) -> bool:
        """Whether the method has kernels: small boards are counted in numpy."""
        return counting.compiles(self.settle().method, self.n)

    def warm(self) -> None:
        """Compile or load the kernels that `tally` needs."""
        if self._is_quartered:
            quartered.warm(self.n)
        else:
            counting.warm(self.settle().method, self.n)

    @property
    def words(self) -> int:
        """Words of a packed board, or of what stands for some quadrants."""
        return quartered.words(self.n) if self._is_quartered else board.words(self.n)

    def _to_rows(self, cells: board.Cells) -> Rows:
        return quartered.pad(board.to_rows(cells), self.words)

    def initial(self) -> Rows:
        """The board on which only the fixed queens stand."""
        return self._to_rows(board.root(self.n, board.ALL, self.fixed))

    def split(self) -> Rows:
        """Boards with the centre lines filled, one an orbit, and those that a turn leaves unchanged.

        A board with fixed queens has no symmetry to use: it is expanded until there are enough boards.
        """
        if self._is_quartered:
            return quartered.split(self.n, self.order)
        if self.fixed:
            return self._to_rows(counting.spread(board.root(self.n, board.ALL, self.fixed)))
        return self._to_rows(np.concatenate([split.whole(self.n), split.turned(self.n)]))

    def cost(self, rows: Rows) -> NDArray[np.int64]:
        """Predicted nodes of the lanes that take as long, at least 1."""
        return quartered.cost(self.n, rows)

    def strata(self, rows: Rows) -> NDArray[np.int64]:
        """The kinds of rows: boards that a turn leaves unchanged have a kernel of their own."""
        return quartered.kinds(rows)

    def tables(self, rows: Rows) -> NDArray[np.int64]:
        """Which rows of quadrants share tables; boards need none."""
        return quartered.tables(self.n, rows) if self._is_quartered else super().tables(rows)

    def divide(self, rows: Rows, stop: Stop) -> Slice:
        """A row of quadrants in parts, as long as it has several; a board by its next line."""
        if quartered.kinds(rows)[0] != quartered.KIND:
            return super().divide(rows, stop)
        parts = quartered.divide(self.n, rows)
        if parts.shape[0] == 1:
            return self.tally(rows, None, stop)
        return Slice((0,) * len(self.tallies), 0, parts)

    def tally(self, rows: Rows, budget: int | None, stop: Stop) -> Slice:
        """Count the completions of boards of every kind.

        Raises:
            StoppedError: if `stop` was raised.
        """
        if self._is_quartered:
            return Slice(*quartered.tally(self.n, rows, budget, stop))
        counts, nodes, rest = counting.tally(board.to_cells(rows, self.n), self.settle().method, budget, stop)
        return Slice(counts, nodes, self._to_rows(rest))

    @property
    def splits_into_nodes(self) -> bool:
        """Whether the rows are boards; quadrants are none."""
        return not self._is_quartered

    def recount(self, rows: Rows, stop: Stop) -> tuple[int, ...]:
        """Count by the other kernel, or with the sides of quadrants exchanged.

        Boards that a turn leaves unchanged, and small ones, are counted by the default walk.
        """
        if self._is_quartered:
            return quartered.recount(self.n, rows, stop)
        method, cells = self.settle().method, board.to_cells(rows, self.n)
        second = counting.other(method, self.n)
        by_kernel = np.full(rows.shape[0], second != "") & (cells[:, 0] // board.WEIGHTS == board.ALL)
        totals = Totals(self)
        totals.add(super().recount(rows[~by_kernel], stop))
        if by_kernel.any():
            totals.add(counting.recount(cells[by_kernel], method, second, stop))
        return totals.counts

    def second(self) -> Self | None:
        """Another method, unless there is none or it would take hours.

        Lanes check quadrants and the other way round; beyond the lanes, another total order of sets makes
        other quadrants.
        """
        settled = self.settle()
        if settled.method == "quadrant" and self.n > _LANES:
            return dataclasses.replace(settled, order=(self.order + 1) % len(limits.ORDERS))
        if settled.method == "quadrant":
            return dataclasses.replace(settled, method="lanes", order=0)
        if settled.method == "lanes" and not self.fixed and _SMALLEST <= self.n <= limits.MOST:
            return dataclasses.replace(settled, method="quadrant")
        other = counting.other(settled.method, self.n)
        if not other or (other == "scalar" and self.n > _SCALAR):
            return None
        return dataclasses.replace(settled, method=other)

    def expand(self, rows: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Fill the lowest free row."""
        cells = board.to_cells(rows, self.n)
        children, parents = board.fill(cells, board.first_free(cells, np.arange(self.n)))
        return self._to_rows(children), parents

    def is_solution(self, rows: Rows) -> NDArray[np.bool_]:
        """Which boards are full and stand for all solutions, not only for symmetric ones."""
        cells = board.to_cells(rows, self.n)
        complete: NDArray[np.bool_] = (cells[:, 1:] > 0).all(axis=1) & (
            cells[:, 0] // board.WEIGHTS == board.ALL
        )
        return complete

    def measure(self, rows: Rows) -> NDArray[np.int64]:
        """A full board adds its weight to the tally of its kind; quadrants are counted by `tally` only."""
        cells = board.to_cells(rows, self.n)
        weights = np.where((cells[:, 1:] > 0).all(axis=1), cells[:, 0] % board.WEIGHTS, 0)
        kinds = cells[:, 0] // board.WEIGHTS
        places = np.array([_KINDS.index(name) if name in _KINDS else -1 for name in self.tallies])
        return np.where(kinds[:, None] == places, weights[:, None], 0)

    def integers(self, rows: Rows) -> NDArray[np.int64]:
        """The queen's column of every row, shape ``(k, n)``; -1 for a free row."""
        return board.to_cells(rows, self.n)[:, 1:] - 1

    @property
    def symmetric(self) -> bool:
        """Whether no queen is fixed."""
        return not self.fixed

    def is_canonical(self, rows: Rows) -> NDArray[np.bool_]:
        """Which solutions are the lexicographically smallest of their images by rotation and reflection."""
        return board.are_smallest(self.integers(rows))

    def list_under(self, rows: Rows, limit: int, budget: int, stop: Stop, *, unique: bool) -> Listed:
        """List by the kernel, if the board is large enough for it."""
        if self.n <= _LISTED_IN_NUMPY:
            return super().list_under(rows, limit, budget, stop, unique=unique)
        from frontrow.search.queens import listing

        found, rest, nodes = listing.list_cells(
            board.to_cells(rows, self.n), limit, budget, stop, unique=unique
        )
        return Listed(self._to_rows(found), self._to_rows(rest), nodes)

    def summary(self, totals: dict[str, int]) -> dict[str, int | None]:
        """Solutions, solutions up to rotation and reflection, and those that a turn leaves unchanged.

        Raises:
            FrontrowError: if the totals contradict each other.
        """
        solutions = quartered.solutions(self.n, totals) if self._is_quartered else totals["solutions"]
        if self.fixed:
            return {
                "solutions": solutions,
                "unique": None,
                "half_turn": None,
                "quarter_turn": None,
            }
        half, quarter = totals["half_turn"], totals["quarter_turn"]
        # Burnside's lemma: a reflection leaves no solution unchanged once there are two queens.
        unique, left_over = divmod(solutions + half + 2 * quarter, 8) if self.n > 1 else (1, 0)
        if left_over:
            raise FrontrowError(
                f"queens {self.n}: found {solutions} solutions, {half} unchanged by a half turn and {quarter}"
                " by a quarter turn, expected a number of classes that is whole"
            )
        return {
            "solutions": solutions,
            "unique": unique,
            "half_turn": half,
            "quarter_turn": quarter,
        }

    def expected(self, totals: dict[str, float]) -> dict[str, float]:
        """The values of `summary` for expected tallies."""
        if self.fixed:
            return {"solutions": totals["solutions"]}
        solutions = quartered.expected_solutions(totals) if self._is_quartered else totals["solutions"]
        unique = (solutions + totals["half_turn"] + 2 * totals["quarter_turn"]) / 8
        return {
            "solutions": solutions,
            "unique": unique,
            "half_turn": totals["half_turn"],
            "quarter_turn": totals["quarter_turn"],
        }

    def render(self, row: Rows) -> str:
        """Draw the board."""
        return self.draw(row, attacks=False)

    def draw(self, row: Rows, *, attacks: bool) -> str:
        """Draw the board, with or without the squares under attack."""
        return drawing.draw(self.integers(row[None, :])[0].tolist(), attacks=attacks)

    def picture(self, rows: Rows, *, attacks: bool) -> str:
        """Draw boards as an SVG document."""
        return drawing.picture(self.integers(rows).tolist(), attacks=attacks)
