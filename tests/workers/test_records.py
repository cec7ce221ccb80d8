"""Files of records: what is written is read again, and whatever is damaged is named by its place."""

import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow.search.errors import StoreError
from frontrow.workers.records import Kind, RecordReader, RecordWriter, pack_record
from frontrow.workers.wire import encode

VALUES = [{"n": 1}, {"text": "two", "big": 2**70}, {}, {"list": [1, None, -5, 0.5], "bytes": b"\0\1"}]


def written(path: Path, values: list[dict]) -> bytes:
    with open(path, "wb") as file:
        writer = RecordWriter(file, Kind.EXPORT)
        for value in values:
            writer.write(value)
    return path.read_bytes()


def read(path: Path, *, log: bool = False) -> tuple[list[dict], int]:
    with RecordReader(path, Kind.EXPORT, log=log) as reader:
        return [record.value for record in reader], reader.dropped


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.frow"


@pytest.mark.parametrize("log", [False, True])
def test_records_are_read_as_they_were_written(path: Path, log: bool) -> None:
    written(path, VALUES)
    assert read(path, log=log) == (VALUES, 0)


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.none(), max_size=3), max_size=4))
def test_any_records_are_read_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, values) -> None:
    path = tmp_path_factory.mktemp("records") / "f"
    written(path, values)
    assert read(path) == (values, 0)


def test_the_layout_is_the_documented_one(path: Path) -> None:
    body = encode({"a": 1})
    length = struct.pack("<I", len(body))
    crc = struct.pack("<I", zlib.crc32(length + body))
    assert written(path, [{"a": 1}]) == b"FROW" + b"\1\0" + b"\1\0" + length + crc + body


def test_records_are_found_by_their_place(path: Path) -> None:
    written(path, VALUES)
    with RecordReader(path, Kind.EXPORT) as reader:
        places = [record.offset for record in reader]
        assert [reader.at(place).value for place in reversed(places)] == VALUES[::-1]


def test_rows_survive(path: Path) -> None:
    rows = np.arange(6, dtype=np.uint64).reshape(3, 2) + np.uint64(2**63)
    written(path, [{"rows": rows}])
    [value] = read(path)[0]
    assert value["rows"].dtype == np.uint64
    assert (value["rows"] == rows).all()


def test_a_file_cut_off_anywhere_loses_its_last_record_only_and_says_so(path: Path) -> None:
    data = written(path, VALUES)
    ends = [8]
    for value in VALUES:
        ends.append(ends[-1] + len(pack_record(value)))
    for size in range(8, len(data)):
        path.write_bytes(data[:size])
        whole = sum(end <= size for end in ends[1:])
        assert read(path, log=True) == (VALUES[:whole], size - ends[whole])
        if size not in ends:
            with pytest.raises(StoreError, match=f"byte {ends[whole]}: found a record that is cut off"):
                read(path)


def test_a_damaged_byte_anywhere_is_an_error_that_names_its_record(path: Path) -> None:
    data = written(path, VALUES)
    begins = [8]
    for value in VALUES:
        begins.append(begins[-1] + len(pack_record(value)))
    for place in range(8, len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        begin = max(begin for begin in begins if begin <= place)
        with pytest.raises(StoreError, match=rf"some\.frow, byte {begin}: found"):
            read(path)


def test_a_damaged_last_record_of_a_log_is_left_out_and_any_other_is_an_error(path: Path) -> None:
    data = written(path, VALUES)
    last = len(pack_record(VALUES[-1]))
    path.write_bytes(data[:-1] + b"?")
    assert read(path, log=True) == (VALUES[:-1], last)
    middle = len(data) - last - 1
    path.write_bytes(data[:middle] + b"?" + data[middle + 1 :])
    with pytest.raises(StoreError, match="damaged record"):
        read(path, log=True)


def test_zeros_that_a_power_cut_left_after_a_log_are_no_records(path: Path) -> None:
    data = written(path, VALUES)
    path.write_bytes(data + bytes(100))
    assert read(path, log=True) == (VALUES, 100)
    with pytest.raises(StoreError, match=f"byte {len(data)}: found a damaged record"):
        read(path)


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        (b"", "byte 0: found nothing, expected a file of Frontrow"),
        (b"PK\x03\x04\0\0\0\0", "byte 0: found the bytes 50 4b 03 04, expected a file of Frontrow"),
        (b"FROW", "byte 0: found the bytes 46 52 4f 57"),
        (b"FROW\2\0\1\0", "byte 4: found version 2, expected 1 or older"),
        (b"FROW\0\0\1\0", "byte 4: found version 0"),
        (b"FROW\1\0\x63\0", r"byte 6: found kind 99, expected 1 \(export\)"),
    ],
)
def test_foreign_and_newer_files_are_refused(path: Path, heading: bytes, text: str) -> None:
    path.write_bytes(heading)
    with pytest.raises(StoreError, match=f"some.frow, {text}"):
        RecordReader(path, Kind.EXPORT)


def test_a_record_that_is_no_map_is_refused(path: Path) -> None:
    body = encode([1])
    length = struct.pack("<I", len(body))
    with open(path, "wb") as file:
        RecordWriter(file, Kind.EXPORT)
        file.write(length + struct.pack("<I", zlib.crc32(length + body)) + body)
    with pytest.raises(StoreError, match="byte 8: found a list, expected a map"):
        read(path)


def test_a_file_that_is_not_there_is_one_line(path: Path) -> None:
    with pytest.raises(StoreError, match=r"some\.frow: cannot be read \(No such file"):
        RecordReader(path, Kind.EXPORT)


def test_the_first_record_can_be_rewritten_at_its_own_length(path: Path) -> None:
    with open(path, "w+b") as file:
        writer = RecordWriter(file, Kind.EXPORT)
        writer.write({"digest": bytes(4)})
        writer.write({"n": 1})
        writer.rewrite_first({"digest": b"abcd"})
        writer.write({"n": 2})
    assert read(path)[0] == [{"digest": b"abcd"}, {"n": 1}, {"n": 2}]


def test_reading_takes_one_record_at_a_time(path: Path) -> None:
    written(path, [{"n": number, "text": "x" * 1000} for number in range(5000)])
    tracemalloc.start()
    with RecordReader(path, Kind.EXPORT) as reader:
        assert sum(record.value["n"] for record in reader) == 4999 * 2500
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size / 10
