"""Boards of sliding puzzles as the command line names them: in files, on standard input, as parameters."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from frontrow.cluster.command.printable import printable
from frontrow.cluster.command.words import find_problem
from frontrow.search.boards import MOST_BYTES, board_text, narrow, read_board_text, read_encoding
from frontrow.search.errors import UsageError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.sliding.board import BOARD_HELP, NAMED, read_board
from frontrow.search.sliding.reading import Drawn, read_boards, with_size


@dataclass(frozen=True, slots=True)
class Asked:
    """A board that is to be solved, or what is wrong with it.

    Attributes:
        name: which one of several it is, for people; else empty.
        problem: the puzzle; None if it is none.
        error: why it is none.
    """

    name: str
    problem: Sliding | None
    error: str = ""


def file_among(words: tuple[str, ...]) -> str | None:
    """The word that is a board file, ``-`` for standard input; None if the board comes as parameters.

    Raises:
        UsageError: if there is something beside it that tells the board as well.
    """
    plain = [word for word in words if "=" not in word]
    others = [word for word in plain if not _is_size(word)]
    if plain and _is_size(plain[0]):  # a board may follow its size without start=
        others = [word for word in others if word == "-" or os.path.isfile(word)]
    if not others:
        return None
    file, *more = others
    if more:
        raise UsageError(f"board: found {shlex.join(others)}, expected one file")
    for word in words:
        name, mark, _ = word.partition("=")
        if (mark and name in ("size", "start")) or (not mark and word != file):
            raise UsageError(
                f"board: found {word} beside {shlex.quote(file)}, expected one of them: a file has a size"
            )
    return file


def boards_of(problem: str, words: tuple[str, ...], encoding: str | None) -> Iterator[Asked]:
    """The boards of a file, of standard input, or of parameters.

    Args:
        problem: the problem's name.
        words: a file or ``-``, and parameters.
        encoding: of the file; None for UTF-8.

    Raises:
        UsageError: if a single board is none, or the file cannot be read.
    """
    kind = find_problem(problem)
    if not issubclass(kind, Sliding):
        raise UsageError(
            f"problem: found {problem}, expected sliding: explore --until-goal finds shortest ways in other "
            "graphs"
        )
    file, goal = file_among(words), goal_file_among(words)
    if goal is not None:
        words = tuple(_goal_word(goal, encoding) if _goal_of(word) == goal else word for word in words)
    if file is not None:
        yield from _of_file(kind, file, [word for word in words if word != file], encoding)
        return
    if encoding is not None and goal is None:
        raise UsageError(f"encoding: found {encoding} without a file, expected a board file")
    named = {name: value for name, mark, value in (word.partition("=") for word in words) if mark}
    if len(named) == len(words) and "size" not in named:
        size = with_size(named).get("size")
        if size is None:
            raise UsageError(f"board: found none, expected a file, - or start= with {BOARD_HELP}")
        words = (f"size={size}", *words)
    yield Asked("", kind.from_words(words, {}))


def _is_size(word: str) -> bool:
    return re.fullmatch(r"[0-9]+(?:\s*[xX\xd7]\s*[0-9]+)?", narrow(word)) is not None


def goal_file_among(words: tuple[str, ...]) -> str | None:
    """The file that ``goal=`` names; None if there is none. What can be read as a board is no file."""
    for word in words:
        goal = _goal_of(word)
        if goal and os.path.isfile(goal):
            try:
                read_board(goal, NAMED)
            except ValueError:
                return goal
    return None


def _goal_of(word: str) -> str:
    name, _, value = word.partition("=")
    return value if name == "goal" else ""


def _goal_word(path: str, encoding: str | None) -> str:
    """The parameter that a file with the goal stands for, row by row."""
    name, drawn = _drawn_in(path, encoding)
    if len(drawn) > 1:
        raise UsageError(f"goal: found {len(drawn)} boards in {name}, expected one")
    if drawn[0].error:
        raise UsageError(f"{name}: {drawn[0].error}")
    lines = drawn[0].shape.lines(drawn[0].board)
    return "goal=" + "\n".join(",".join(map(str, line)) for line in lines)


def _drawn_in(path: str, encoding: str | None) -> tuple[str, list[Drawn]]:
    """What a file is called in messages, and its boards."""
    try:
        encoding = read_encoding(encoding or "")
    except ValueError as error:
        raise UsageError(f"encoding: {error}") from error
    if path == "-":
        name = "standard input"
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(MOST_BYTES + 1)
        text = board_text(name, data, encoding)
    else:
        name, text = printable(path), read_board_text(path, encoding)
    try:
        return name, read_boards(text)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def _of_file(kind: type[Sliding], path: str, words: list[str], encoding: str | None) -> Iterator[Asked]:
    name, drawn = _drawn_in(path, encoding)
    for each in drawn:
        error_text = each.error
        if not error_text:
            tiles = ",".join(map(str, each.board))
            try:
                asked = kind.from_words([f"size={each.shape}", f"start={tiles}", *words], {})
                yield Asked(f"board {each.number} ({name}, line {each.line})", asked)
                continue
            except UsageError as error:
                error_text = str(error)
        if len(drawn) == 1:
            raise UsageError(f"{name}: {error_text}")
        yield Asked(f"board {each.number} ({name}, line {each.line})", None, f"{name}: {error_text}")
