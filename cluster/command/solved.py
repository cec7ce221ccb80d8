"""How a solution looks on paper: moves, numbered boards, a picture, a film in the terminal."""

import textwrap
import time
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from html import escape

import click

from frontrow.cluster.command.display import caption, computed_text, pairs, steps_text, time_text, title
from frontrow.cluster.command.progress import duration, scaled
from frontrow.cluster.result import plural
from frontrow.cluster.solving.result import Solution, Threshold
from frontrow.search.solving.notation import STATED

WIDTH = 100
"""Characters of a line of moves."""
_FRAME = 0.25
"""Seconds that a board is shown."""
_ROUNDED_UP = Context(prec=3, rounding=ROUND_CEILING)
"""Of what is proved to be at most so much."""
_CELL, _GAP, _CAPTION = 36, 28, 18
_ACROSS = 8
"""Boards side by side in a picture."""
_OPENING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" '
    'text-anchor="middle">'
)

_PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


def threshold_line(threshold: Threshold) -> str:
    """One line on a round that is over."""
    rate = threshold.nodes / threshold.seconds if threshold.seconds > 0 else 0.0
    nodes = f"{threshold.nodes:,} {plural('node', threshold.nodes)}"
    return f"bound {threshold.bound}: {nodes}, {duration(threshold.seconds)}, {scaled(rate)} nodes/s"


def solution_text(solution: Solution, *, steps: bool, verbose: bool) -> str:
    """What ``solve`` prints: the length and what is proved, the moves, how they were found.

    Args:
        solution: of one board.
        steps: whether every board follows.
        verbose: whether to print the time before the search as well.
    """
    asked = title(solution)
    if not solution.solved:
        return f"{click.style('no solution', bold=True)} of {asked}\n{solution.reason}"
    length = solution.length or 0
    told = click.style(f"{length} {plural('move', length)}", bold=True)
    head = f"{told}, {_proof(solution)}: {asked}"
    lines = [head, *textwrap.wrap(" ".join(solution.moves) or "(already solved)", WIDTH), ""]
    lines += [*pairs(_circumstances(solution, verbose))]
    if solution.listed:
        lines += ["", *(" ".join(moves) or "(no move)" for moves in solution.listed)]
    if steps:
        lines += ["", steps_text(solution.boards, solution.moves)]
    return "\n".join(lines)


def _proof(solution: Solution) -> str:
    if solution.optimal:
        loose = solution.method == "greedy" or (
            solution.method == "astar" and solution.options.get("weight", 1) > 1
        )
        return "proved optimal, not always the first" if loose and solution.length else "proved optimal"
    length, lower = solution.length or 0, solution.lower or 0
    if not lower:
        return "not proved optimal"
    ratio = _ROUNDED_UP.divide(Decimal(length), Decimal(lower)).normalize()
    return f"at least {lower} are needed: at most {ratio:f} times the shortest"


def _circumstances(solution: Solution, verbose: bool) -> list[tuple[str, object]]:
    method = " ".join(filter(None, (solution.method, solution.heuristic)))
    resumed = f"went on after {solution.resumed} {plural('round', solution.resumed)}"
    return [
        ("moves", STATED[solution.notation]),
        ("optimal", "" if solution.solutions is None else _as_short(solution.solutions)),
        ("expanded", f"{solution.expanded:,} {plural('board', solution.expanded)}"),
        ("method", f"{method}: {solution.why}"),
        ("time", time_text(solution)),
        ("resumed", resumed if solution.resumed else ""),
        ("computed", computed_text(solution)),
        ("job", solution.job),
        ("setup", duration(solution.setup_seconds) if verbose else ""),
    ]


def _as_short(solutions: int) -> str:
    return f"{solutions:,} {plural('solution', solutions)} {'is' if solutions == 1 else 'are'} as short"


def play(solution: Solution, write: Callable[[str], object], *, pause: float = _FRAME) -> None:
    """Show one board after the other in the same place of a terminal.

    Args:
        solution: whose boards are shown.
        write: takes what the terminal is to get.
        pause: seconds that a board is shown.
    """
    for step, board in enumerate(solution.boards):
        lines = [f"{caption(step, solution.moves)} of {solution.length}", *board.splitlines()]
        back = f"\x1b[{len(lines)}A" if step else ""
        write(back + "".join(f"\r\x1b[K{line}\n" for line in lines))
        if step < len(solution.boards) - 1:
            time.sleep(pause)


def pictures(solutions: Sequence[Solution]) -> str:
    """The steps of all solutions as one SVG picture, one solution below the other."""
    drawn = [_picture(each) for each in solutions]
    if len(drawn) == 1:
        width, height, body = drawn[0]
        return f"{_OPENING.format(size=f'{width} {height}')}\n{body}\n</svg>\n"
    top, parts = 0, []
    for width, height, body in drawn:
        place = f'<svg y="{top}" width="{width}" height="{height}" '
        parts += [_OPENING.format(size=f"{width} {height}").replace("<svg ", place, 1), body, "</svg>"]
        top += height
    size = f"{max(width for width, _, _ in drawn)} {top}"
    return "\n".join([_OPENING.format(size=size), _PAPER, *parts, "</svg>\n"])


def _picture(solution: Solution) -> tuple[int, int, str]:
    """Width, height and what is drawn: every board of a solution, eight side by side."""
    rows = [board.splitlines() for board in solution.boards]
    height, width = len(rows[0]), len(rows[0][0].split())
    across = min(_ACROSS, len(rows))
    step_width, step_height = width * _CELL + _GAP, height * _CELL + _GAP + _CAPTION
    down = -(-len(rows) // across)
    parts = [
        f"<title>{escape(title(solution))}: {solution.length} {plural('move', solution.length or 0)}</title>",
        _PAPER,
    ]
    for step, lines in enumerate(rows):
        left, top = step % across * step_width + _GAP, step // across * step_height + _GAP
        parts.append(f'<g transform="translate({left} {top})">')
        parts.append(
            f'<text x="{width * _CELL / 2:g}" y="{_CAPTION - 6}" font-size="13">'
            f"{escape(caption(step, solution.moves))}</text>"
        )
        for row, line in enumerate(lines):
            parts += [
                _tile(column * _CELL, row * _CELL + _CAPTION, tile)
                for column, tile in enumerate(line.split())
            ]
        parts.append("</g>")
    return across * step_width + _GAP, down * step_height + _GAP, "\n".join(parts)


def _tile(x: int, y: int, tile: str) -> str:
    blank = tile == "_"
    fill = "#eee" if blank else "#cfe0f5"
    shape = f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{fill}" stroke="#666"/>'
    if blank:
        return shape
    return f'{shape}<text x="{x + _CELL / 2:g}" y="{y + _CELL / 2 + 5:g}" font-size="15">{tile}</text>'
