"""How rows, counts and records look as bytes (msgpack); the only place that knows."""

from typing import Any

import msgpack
import numpy as np

_ROWS = 1
_BIG = 2


def encode(value: Any) -> bytes:
    """Encode maps, lists, texts, numbers, integers of any size and arrays of rows.

    Extension 1 holds rows: a msgpack list ``[n, words]`` and then little-endian 64-bit words.
    Extension 2 holds integers outside 64 bits: two's complement, little-endian.
    """
    packed: bytes = msgpack.packb(value, default=_extend, strict_types=False)
    return packed


def decode(data: bytes) -> Any:
    """Undo `encode`.

    Raises:
        ValueError: if the bytes are not what `encode` writes.
    """
    try:
        return msgpack.unpackb(data, ext_hook=_unextend, strict_map_key=False)
    except (ValueError, TypeError, OverflowError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(f"record: found {len(data)} bytes ({error}), expected one msgpack record") from error


def _extend(value: Any) -> msgpack.ExtType:
    if isinstance(value, int):
        return msgpack.ExtType(_BIG, value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
    if isinstance(value, np.ndarray) and value.dtype == np.uint64 and value.ndim == 2:
        return msgpack.ExtType(_ROWS, msgpack.packb(value.shape) + value.astype("<u8").tobytes())
    raise TypeError(f"record: found {type(value).__name__}, expected rows, text, numbers, lists or maps")


def _unextend(code: int, data: bytes) -> Any:
    if code == _BIG:
        return int.from_bytes(data, "little", signed=True)
    if code == _ROWS:
        reader = msgpack.Unpacker()
        reader.feed(data)
        count, words = reader.unpack()
        body = data[reader.tell() :]
        if len(body) != 8 * count * words:
            raise ValueError(f"rows: found {len(body)} bytes, expected {8 * count * words}")
        return np.frombuffer(body, "<u8").astype(np.uint64).reshape(count, words)
    raise ValueError(f"record: found extension {code}, expected 1 or 2")
