"""Draws the pictures of docs/quadrants.md from real boards and lists: ``python docs/pictures.py``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontrow.search.queens import drawing
from frontrow.search.queens.quadrant_group import CHUNK, GROUP
from frontrow.search.queens.quadrant_match import LEAF_ITEMS, SPLIT_ITEMS
from frontrow.search.queens.quadrant_tables import NE, NW, SE, SW, Part, diagonals, layout, quarters
from frontrow.search.rows import new_stop

Words = NDArray[np.uint64]
FOLDER = Path(__file__).with_suffix("")
NAMES = {NE: "NE", NW: "NW", SE: "SE", SW: "SW"}
COLOURS = {NE: "#b5482f", NW: "#3b7d78", SE: "#c98a1b", SW: "#41589b"}
INK, FAINT, GREEN = "#26221d", "#a59c90", "#3f8f3f"
BOARD = (8, 1, 3, 0, 6, 9, 5, 2, 4, 7)
"""The solution that is taken apart; its half is 5 rows high."""
HALF = len(BOARD) // 2
PAD = np.uint64(2**64 - 1)
MINUS = "\N{MINUS SIGN}"
SMALL, CELL = 26, 15
"""Sides of a square of a small board, and of a bit of a group."""


def document(width: int, height: int, title: str, elements: Sequence[str]) -> str:
    """An SVG document on white ground."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
    style = "<style>text{font-family:DejaVu Sans,Verdana,sans-serif}</style>"
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    opening = f'{head} height="{height}" role="img">\n<title>{title}</title>'
    return "\n".join([opening, style, ground, *elements, "</svg>", ""])


def text(x: float, y: float, words: str, *, fill: str = INK, size: int = 14, anchor: str = "middle") -> str:
    """A line of text whose base line is at y."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"{more}/>'


def line(x0: float, y0: float, x1: float, y1: float, stroke: str = INK, more: str = "") -> str:
    """A straight line."""
    return f'<path d="M{x0:g} {y0:g}L{x1:g} {y1:g}" stroke="{stroke}"{more}/>'


def place(row: int, column: int) -> tuple[int, int, int]:
    """Quadrant of a square of the board, and its row and column there, counted from the centre."""
    north, east = row < HALF, column >= HALF
    quadrant = (NE if east else NW) if north else SE if east else SW
    return quadrant, HALF - 1 - row if north else row - HALF, column - HALF if east else HALF - 1 - column


def queens(quadrant: int) -> list[tuple[int, int]]:
    """Rows and columns of the board's queens in a quadrant."""
    places = [place(row, column) for row, column in enumerate(BOARD)]
    return sorted((i, j) for found, i, j in places if found == quadrant)


def number(value: int) -> str:
    """A number with a minus sign as long as a plus sign."""
    return f"{value}".replace("-", MINUS)


def names(n: int) -> list[str]:
    """The diagonals of a word, from its highest bit on."""
    return [letter + number(value) for letter, value in layout(n // 2, (), ())]


def word(quadrant: int) -> set[str]:
    """The diagonals of a quadrant's queens that are part of its word."""
    crossed = set()
    for i, j in queens(quadrant):
        u, v = diagonals(quadrant, 1, i, j)
        crossed |= {f"u{number(u)}", f"v{number(v)}"}
    return crossed & set(names(len(BOARD)))


def draw_quadrants() -> str:
    """The board, its quadrants, and which of them uses each row and column."""
    left, top, square = 64, 56, 40
    side, middle = 10 * square, 5 * square
    inside = drawing.picture([BOARD]).replace("<svg ", f'<svg x="{left - 24}" y="{top - 24}" ', 1)
    corners = {NE: (middle, 0), NW: (0, 0), SE: (middle, middle), SW: (0, middle)}
    elements = [inside]
    for quadrant, (x, y) in corners.items():
        elements.append(
            box(left + x, top + y, middle, middle, COLOURS[quadrant], ' fill-opacity=".22" stroke="none"')
        )
    elements.append(
        f'<path d="M{left + middle} {top - 34}v{side + 68}M{left - 34} {top + middle}h{side + 68}"'
        f' stroke="{INK}" stroke-width="3"/>'
    )
    for row, column in enumerate(BOARD):
        quadrant, i, j = place(row, column)
        x = left + side + 18 if quadrant in (NE, SE) else left - 18
        y = top - 10 if quadrant in (NE, NW) else top + side + 24
        elements.append(text(x, top + row * square + 26, str(i), fill=COLOURS[quadrant], size=17))
        elements.append(text(left + column * square + 20, y, str(j), fill=COLOURS[quadrant], size=17))
    right = left + side + 56
    sets = {NE: ("a", "b"), NW: ("~a", "~d"), SE: ("~c", "~b"), SW: ("c", "d")}
    for rank, (quadrant, letters) in enumerate(sets.items()):
        y = top + 44 + rank * 96
        found = [sorted(part) for part in zip(*queens(quadrant), strict=True)]
        elements.append(text(right, y, NAMES[quadrant], fill=COLOURS[quadrant], size=20, anchor="start"))
        for step, (lines, letter) in enumerate(zip(("rows", "columns"), letters, strict=True)):
            words = f"{lines} {letter} = {{{', '.join(map(str, found[step]))}}}"
            elements.append(text(right, y + 24 + 22 * step, words, size=15, anchor="start"))
    return document(left + side + 250, top + side + 48, "A board of 10 queens in four quadrants", elements)


def draw_diagonals() -> str:
    """The diagonals u and v of the board's queens, and which of them lie in one quadrant only."""
    elements: list[str] = []
    top, half = 62, HALF * SMALL
    for left, letter, title in ((46, "u", "u = x + y"), (436, "v", f"v = y {MINUS} x")):
        elements.append(text(left + half, 24, title, size=16))
        for quadrant, (x, y) in {NE: (1, 0), NW: (0, 0), SE: (1, 1), SW: (0, 1)}.items():
            more = f' fill-opacity=".2" stroke="{COLOURS[quadrant]}"'
            elements.append(box(left + x * half, top + y * half, half, half, COLOURS[quadrant], more))
        for row in range(len(BOARD)):
            elements += diagonal(left, top, row, letter)
    note = f"solid: |u| or |v| is below {HALF}, so that other quadrants meet it; dashed: lies in one only"
    elements.append(text(46, 356, note, size=13, anchor="start"))
    return document(750, 376, "Diagonals of a board of 10 queens", elements)


def diagonal(left: int, top: int, row: int, letter: str) -> Iterator[str]:
    """A row's queen, its diagonal u or v from border to border, and its number."""
    column, last = BOARD[row], len(BOARD) - 1
    quadrant, i, j = place(row, column)
    value = diagonals(quadrant, 1, i, j)["uv".index(letter)]
    shared = abs(value) < HALF
    colour = COLOURS[quadrant] if shared else FAINT
    down = 1 if letter == "u" else -1
    back = min(column, row if down == 1 else last - row) + 0.5
    ahead = min(last - column, last - row if down == 1 else row) + 0.5
    x, y = left + (column + 0.5) * SMALL, top + (row + 0.5) * SMALL
    begin, end = -back * SMALL, ahead * SMALL
    more = ' stroke-width="2.5"' if shared else ' stroke-width="1.5" stroke-dasharray="3 4"'
    yield line(x + begin, y + down * begin, x + end, y + down * end, colour, more)
    yield f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="{COLOURS[quadrant]}"/>'
    beside = y + down * end + (13 if down == 1 else -4)
    yield text(x + end + 10, beside, number(value), fill=colour, size=13)


def draw_words() -> str:
    """The words of the four quadrants and of the two half boards."""
    bits = names(len(BOARD))
    lines: list[tuple[str, tuple[int, ...]]] = [
        ("NE", (NE,)), ("SE", (SE,)), ("E = NE | SE", (NE, SE)),
        ("NW", (NW,)), ("SW", (SW,)), ("W = NW | SW", (NW, SW)),
    ]  # fmt: skip
    left, top, width, height = 130, 40, 32, 24
    elements = [text(left + (b + 0.5) * width, top - 12, bit, size=13) for b, bit in enumerate(bits)]
    for row, (label, quadrants) in enumerate(lines):
        y = top + row * height + (0, 0, 4, 20, 20, 24)[row]
        elements.append(text(left - 12, y + 17, label, anchor="end"))
        for b, bit in enumerate(bits):
            owner = next((quadrant for quadrant in quadrants if bit in word(quadrant)), None)
            fill = "#f1ede6" if owner is None else COLOURS[owner]
            elements.append(box(left + b * width, y, width - 2, height - 2, fill))
    return document(left + len(bits) * width + 20, top + 6 * height + 40, "Words of quadrants", elements)


def half_boards(part: Part, a: int, c: int, pair: tuple[int, int]) -> Words:
    """Words of the half boards of two quadrants for row sets a and c and all column sets that are kept."""
    tables = {}
    for quadrant in pair:
        row = a if quadrant in (NE, NW) else c
        tables[quadrant] = quarters(part, quadrant, row, row + 1, new_stop())
    found = []
    for column in range(*part.partners(a)):
        one, two = (table.words[slice(*table.first[0, column : column + 2])] for table in tables.values())
        one, two = one[one != PAD], two[two != PAD]
        found.append((one[:, None] | two)[(one[:, None] & two) == 0])
    mask = np.uint64((1 << part.bits) - 1)
    return np.concatenate(found) & mask


def uses(words: Words, bits: int) -> NDArray[np.int64]:
    """How many words use each diagonal, the lowest bit first."""
    spread = words[:, None] >> np.arange(bits, dtype=np.uint64) & np.uint64(1)
    used: NDArray[np.int64] = spread.sum(axis=0).astype(np.int64)
    return used


def best_bit(grouped: Words, listed: Words, bits: int) -> int:
    """The diagonal that both sides use most, unless all grouped words use it; -1 if there is none."""
    used = uses(grouped, bits)
    product = np.where(used < grouped.size, used * uses(listed, bits), 0)
    return int(product.argmax()) if product.max() else -1


def having(words: Words, bit: int) -> NDArray[np.bool_]:
    """Which words use a diagonal."""
    chosen: NDArray[np.bool_] = (words >> np.uint64(bit) & np.uint64(1)) > 0
    return chosen


def draw_group() -> str:
    """A group of half boards as a table of bits, and one look-up in it."""
    part = Part(12, -1, -1, 3, 0)
    east, west = half_boards(part, 17, 7, (NE, SE)), half_boards(part, 17, 7, (SW, NW))
    bit = best_bit(east, west, part.bits)
    group, listed = east[having(east, bit)][:40], west[~having(west, bit)]
    free = (group[:, None] & listed) == 0
    item = int(listed[int(free.sum(axis=0).argmax())])
    left, y, right = 96, 34, 96 + group.size * CELL
    elements = [text((left + right) / 2, 20, f"{group.size} eastern half boards, one a column")]
    elements.append(text(right + 40, 20, "one western"))
    alive = np.ones(group.size, np.bool_)
    for chunk in range(0, part.bits, CHUNK):
        avoid = np.ones(group.size, np.bool_)
        for b in range(chunk, min(chunk + CHUNK, part.bits)):
            inside, met = having(group, b), bool(item >> b & 1)
            if met:
                avoid &= ~inside
                elements.append(box(left, y, right - left + 50, CELL, "#f6dfb8"))
                elements.append(box(right + 33, y + 2, CELL - 4, CELL - 4, COLOURS[SW]))
            elements.append(text(left - 8, y + 12, names(part.n)[-1 - b], size=12, anchor="end"))
            elements += marks(left, y, inside, COLOURS[SE] if met else "#8b8378")
            y += CELL
        alive &= avoid
        elements.append(text(left - 8, y + 12, "avoid these", fill=GREEN, size=12, anchor="end"))
        elements += marks(left, y, avoid, GREEN)
        y += 2 * CELL - 1
    elements.append(text(left - 8, y + 12, "fit", fill=GREEN, size=12, anchor="end"))
    elements += marks(left, y, alive, GREEN)
    elements.append(text(right + 40, y + 12, f"{int(alive.sum())} fit", fill=GREEN))
    return document(right + 110, y + 28, "A group and one look-up", elements)


def marks(left: int, y: int, chosen: NDArray[np.bool_], fill: str) -> Iterator[str]:
    """A line of marks, one a word that is chosen."""
    for column in np.flatnonzero(chosen).tolist():
        yield box(left + column * CELL + 2, y + 2, CELL - 4, CELL - 4, fill)


class Block(NamedTuple):
    """Pairs that are matched in one go, as a rectangle of all pairs.

    Attributes:
        x: listed words before it.
        y: grouped words before it.
        listed: listed words.
        grouped: grouped words.
        kept: listed words that use none of the diagonals that all grouped words have in common.
    """

    x: int
    y: int
    listed: int
    grouped: int
    kept: int


def straight(grouped: Words, listed: Words, x: int = 0, y: int = 0) -> Iterator[Block]:
    """Groups of neighbours."""
    for at in range(0, grouped.size, GROUP):
        group = grouped[at : at + GROUP]
        kept = np.count_nonzero((listed & np.bitwise_and.reduce(group)) == 0)
        yield Block(x, y + at, listed.size, group.size, int(kept))


def split(grouped: Words, listed: Words, bits: int, x: int = 0, y: int = 0) -> Iterator[Block]:
    """What `frontrow.search.queens.quadrant_match` does, but that it samples how often diagonals are used."""
    bit = -1
    if grouped.size > GROUP and listed.size >= SPLIT_ITEMS:
        bit = best_bit(grouped, listed, bits)
    if bit < 0:
        yield from straight(grouped, listed, x, y)
        return
    with_grouped, with_listed = having(grouped, bit), having(listed, bit)
    one, other = grouped[with_grouped], grouped[~with_grouped]
    left, right = listed[with_listed], listed[~with_listed]
    if listed.size * GROUP > grouped.size * LEAF_ITEMS:
        yield from split(grouped, right, bits, x + left.size, y)
        yield from split(other, left, bits, x, y + one.size)
    else:
        yield from split(other, listed, bits, x, y + one.size)
        yield from split(one, right, bits, x + left.size, y)


def draw_splits() -> str:
    """All pairs of two real lists as a rectangle: what is split off, and what is looked up in the end."""
    part = Part(20, -1, -1, 5, 0)
    a = 225
    grouped, listed = half_boards(part, a, a - 1, (SW, NW)), half_boards(part, a, a - 1, (NE, SE))
    side, top = 400, 36
    panels = [
        ("sorted, then cut every 512 words", list(straight(np.sort(grouped), listed))),
        ("split by shared diagonals", list(split(grouped, listed, part.bits))),
    ]
    elements: list[str] = []
    for panel, (title, blocks) in enumerate(panels):
        left = 40 + panel * (side + 60)
        elements.append(box(left, top, side, side, "#f6f2ea", f' stroke="{FAINT}"'))
        scale = side / listed.size, side / grouped.size
        for colour, looked_up in (("#d8c9ae", False), (COLOURS[SW], True)):
            path = "".join(
                f"M{left + block.x * scale[0]:.1f} {top + block.y * scale[1]:.1f}"
                f"h{width * scale[0]:.1f}v{block.grouped * scale[1]:.2f}h-{width * scale[0]:.1f}z"
                for block in blocks
                for width in (block.kept if looked_up else block.listed,)
            )
            elements.append(f'<path d="{path}" fill="{colour}" stroke="#ffffff" stroke-width=".3"/>')
        share = 100 * sum(block.kept * block.grouped for block in blocks) / grouped.size / listed.size
        middle = left + side / 2
        elements.append(text(middle, 22, title))
        elements.append(text(middle, top + side + 46, f"looked up: {share:.0f} % of all pairs"))
        elements.append(text(middle, top + side + 22, f"{listed.size:,} eastern half boards", size=13))
        label = text(0, 0, f"{grouped.size:,} western half boards", size=13)
        elements.append(f'<g transform="translate({left - 10} {top + side / 2:g}) rotate(-90)">{label}</g>')
    return document(2 * side + 140, top + side + 62, "Pairs of half boards", elements)


PICTURES = {
    "board": draw_quadrants,
    "diagonals": draw_diagonals,
    "words": draw_words,
    "group": draw_group,
    "splits": draw_splits,
}


def main() -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
