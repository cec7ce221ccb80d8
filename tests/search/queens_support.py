"""Known counts of queens, and slow searches to compare with."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from frontrow.search.problem import Slice
from frontrow.search.problems.queens import Queens
from frontrow.search.rows import Rows, new_stop

COUNTS = Path(__file__).parent.parent / "counts" / "queens.txt"


def known() -> dict[int, tuple[int, int | None]]:
    """Solutions and solutions up to symmetry by n."""
    table: dict[int, tuple[int, int | None]] = {}
    for line in COUNTS.read_text().splitlines():
        if not line.startswith("#"):
            n, solutions, unique = line.split()
            table[int(n)] = int(solutions), None if unique == "-" else int(unique)
    return table


def solutions(n: int, fixed: Sequence[int | None] = ()) -> Iterator[tuple[int, ...]]:
    """All placements with the given queens, row by row from row 0, each square tried."""
    given = [*fixed, *[None] * (n - len(fixed))]
    queens = [(row, column) for row, column in enumerate(given) if column is not None]

    def fits(row: int, column: int) -> bool:
        return all(column != c and abs(column - c) != abs(row - r) for r, c in queens if r != row)

    def place(row: int) -> Iterator[tuple[int, ...]]:
        if row == n:
            by_row = dict(queens)
            yield tuple(by_row[r] for r in range(n))
            return
        if given[row] is not None:
            yield from place(row + 1)
            return
        for column in range(n):
            if fits(row, column):
                queens.append((row, column))
                yield from place(row + 1)
                queens.pop()

    return place(0)


def half_turn(columns: tuple[int, ...]) -> tuple[int, ...]:
    """A solution turned by 180 degrees."""
    n = len(columns)
    return tuple(n - 1 - columns[n - 1 - row] for row in range(n))


def quarter_turn(columns: tuple[int, ...]) -> tuple[int, ...]:
    """A solution turned by 90 degrees: square (r, c) goes to (c, n - 1 - r)."""
    turned = [0] * len(columns)
    for row, column in enumerate(columns):
        turned[column] = len(columns) - 1 - row
    return tuple(turned)


def one_solution(n: int) -> list[int]:
    """A solution for any n from 4 on: even columns, then odd ones (Hoffman, Loessi and Moore, 1969)."""
    even, odd = list(range(2, n + 1, 2)), list(range(1, n + 1, 2))
    if n % 6 == 2:
        odd[:2] = [3, 1]
        odd.remove(5)
        odd.append(5)
    elif n % 6 == 3:
        even = [*even[1:], 2]
        odd = [*odd[2:], 1, 3]
    return [column - 1 for column in even + odd]


def tally(problem: Queens, rows: Rows | None = None, budget: int | None = None) -> Slice:
    """Tally rows, by default the whole split."""
    return problem.tally(problem.split() if rows is None else rows, budget, new_stop())


def total(problem: Queens) -> int:
    """Solutions of a problem."""
    return tally(problem).counts[0]


def values(problem: Queens) -> dict[str, int | None]:
    """What a person reads."""
    return problem.summary(dict(zip(problem.tallies, tally(problem).counts, strict=True)))


def random_boards(n: int, free: int, count: int, seed: int) -> np.ndarray:
    """Boards, shape ``(count, n)``, int8: mirror images of a solution with some rows freed."""
    random = np.random.default_rng(seed)
    boards = np.empty((count, n), np.int8)
    for index in range(count):
        columns = np.array(one_solution(n))
        if random.integers(2):
            columns = columns[::-1]
        if random.integers(2):
            columns = n - 1 - columns
        if random.integers(2):
            columns = np.argsort(columns)
        columns[random.choice(n, free, replace=False)] = -1
        boards[index] = columns
    return boards
