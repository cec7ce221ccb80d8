"""Slow searches to compare with, and instances with known lengths."""

from collections import deque
from functools import cache
from pathlib import Path

import numpy as np

from frontrow.search.patterns import files
from frontrow.search.patterns.lookup import Lookup
from frontrow.search.patterns.partition import Partition
from frontrow.search.rows import new_stop
from frontrow.search.sliding import layout
from frontrow.search.sliding.board import Shape, blank_first, blank_last, snail
from frontrow.search.solving.finder import Finder, Opened
from tests.search.sliding_support import plain_children

KORF = Path(__file__).parents[2] / "counts" / "korf.txt"
PUZZLES = {
    "2x2": (Shape(2, 2), blank_first(Shape(2, 2))),
    "2x3": (Shape(2, 3), blank_last(Shape(2, 3))),
    "2x3 middle": (Shape(2, 3), (1, 2, 3, 4, 0, 5)),
    "3x2": (Shape(3, 2), blank_first(Shape(3, 2))),
    "3x3": (Shape(3, 3), blank_last(Shape(3, 3))),
    "3x3 snail": (Shape(3, 3), snail(Shape(3, 3))),
    "2x4": (Shape(2, 4), blank_last(Shape(2, 4))),
}
HEURISTICS = ("manhattan", "linear-conflict", "walking", "pdb")


def known(size):
    """Number, length and tiles of Korf's instances."""
    for line in KORF.read_text().splitlines():
        if line.startswith(size):
            _, number, length, tiles = line.split()
            yield int(number), int(length), tuple(map(int, tiles.split(",")))


@cache
def distances(puzzle):
    """How many moves each board is from the goal, by breadth-first search on tuples."""
    shape, goal = PUZZLES[puzzle]
    found, waiting = {goal: 0}, deque([goal])
    while waiting:
        board = waiting.popleft()
        for child in plain_children(shape, board, slides=False):
            if child not in found:
                found[child] = found[board] + 1
                waiting.append(child)
    return found


def some_boards(puzzle, count, seed=0):
    """Boards from which the goal can be reached, the farthest among them; all if there are no more."""
    boards = list(distances(puzzle))
    if len(boards) <= count:
        return boards
    picked = np.random.default_rng(seed).choice(len(boards), count - 1, replace=False)
    return [boards[-1], *(boards[place] for place in picked)]


def numbered_children(shape, board):
    """Children with the move of the blank that makes them, in order."""
    place = board.index(0)
    ways = {-shape.columns: 0, shape.columns: 1, -1: 2, 1: 3}
    return [(ways[child.index(0) - place], child) for child in plain_children(shape, board, slides=False)]


def first_solution(puzzle, board):
    """The lexicographically first shortest solution."""
    far, moves = distances(puzzle), []
    while far[board]:
        move, board = next(
            (move, child)
            for move, child in numbered_children(PUZZLES[puzzle][0], board)
            if far[child] == far[board] - 1
        )
        moves.append(move)
    return tuple(moves)


def all_solutions(puzzle, board):
    """All shortest solutions in lexicographic order."""
    far = distances(puzzle)
    if not far[board]:
        return [()]
    return [
        (move, *rest)
        for move, child in numbered_children(PUZZLES[puzzle][0], board)
        if far[child] == far[board] - 1
        for rest in all_solutions(puzzle, child)
    ]


@cache
def finder(shape, goal, heuristic):
    """What searches, with its tables."""
    if not heuristic.startswith("pdb"):
        return Finder(shape, goal, heuristic)
    lookup = Lookup.of(shape, goal, Partition.parse(heuristic, shape, goal))
    return Finder(
        shape, goal, heuristic, Opened(lookup, files.open_tables(lookup.tables, threads=2, stop=new_stop()))
    )


def to_row(board):
    """One board as rows."""
    return layout.to_rows(np.array([board], np.int64))


def solve(found, board, wanted=1):
    """The first solution that rising bounds find, and the nodes of each bound."""
    row, stop = to_row(board), new_stop()
    bound, packets, nodes = int(found.lower_bound(row)[0]), found.packets(row, wanted), []
    while True:
        part = found.deepen(packets, 0, len(packets), bound, None, stop)
        nodes.append(part.nodes)
        if part.place >= 0:
            return part.moves, nodes
        assert part.next_bound > bound
        bound = part.next_bound
