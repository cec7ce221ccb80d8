"""Board files are read whatever wrote them, and what cannot be read is said in one line."""

import pytest

from frontrow.search import boards
from frontrow.search.errors import UsageError


def read(tmp_path, data, encoding=None):
    path = tmp_path / "board.txt"
    path.write_bytes(data)
    return boards.read_board_text(path, encoding)


def failure(tmp_path, data, encoding=None):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, data, encoding)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    "data",
    [
        b"AB\nC.\n",
        b"AB\nC.",
        b"\xef\xbb\xbfAB\r\nC.\r\n",
        b"AB\rC.\r\r\r",
        b"AB  \nC.\t\n\n \n",
        "\uff21\uff22\n\uff23\uff0e\n".encode(),
    ],
)
def test_byte_order_marks_line_ends_and_trailing_blanks_make_no_difference(tmp_path, data):
    assert read(tmp_path, data) == "AB\nC.\n"


@pytest.mark.parametrize("encoding", ["shift_jis", "utf-16", "utf-8"])
def test_a_named_encoding_is_used(tmp_path, encoding):
    assert read(tmp_path, "父娘\n\uff03\uff0e\n".encode(encoding), encoding) == "父娘\n#.\n"


def test_empty_lines_at_the_beginning_stay_and_those_at_the_end_do_not():
    assert boards.rows_of_text("\n  AB\n\nC\n\n\n") == ["", "  AB", "", "C"]
    assert boards.rows_of_text("") == []


def test_a_file_in_shift_jis_is_told_apart_from_others_that_are_not_utf_8(tmp_path):
    assert failure(tmp_path, "A.\n父娘\n".encode("shift_jis")) == (
        "board.txt: found byte 0x95 at 3 (line 2), expected UTF-8; try --encoding shift_jis"
    )
    assert failure(tmp_path, b"A.\n\xff\xff\n") == (
        "board.txt: found byte 0xff at 3 (line 2), expected UTF-8"
    )
    assert failure(tmp_path, "A.\n".encode("utf-16")).endswith("try --encoding utf-16")


def test_a_wrong_encoding_is_refused(tmp_path):
    assert failure(tmp_path, "A.\n娘\n".encode(), "ascii") == (
        "board.txt: found byte 0xe5 at 3 (line 2), expected ascii"
    )
    assert "expected it because of --encoding" in failure(tmp_path, b"A.\n", "no-such")


@pytest.mark.parametrize("name", ["no-such", "hex", "a\0b"])
def test_an_encoding_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match="expected an encoding such as utf-8"):
        boards.read_encoding(name)


def test_directories_missing_and_huge_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match="found a directory, expected a text file$"):
        boards.read_board_text(tmp_path)
    with pytest.raises(UsageError, match="no.txt: found no such file, expected a text file$"):
        boards.read_board_text(tmp_path / "no.txt")
    with pytest.raises(UsageError, match="found embedded null byte, expected a text file$"):
        boards.read_board_text("a\0b")
    assert failure(tmp_path, b"." * (boards.MOST_BYTES + 1)) == (
        "board.txt: found more than 1,048,576 bytes, expected a board"
    )
