"""Checksums of what the ledger keeps: of units, results and answers, as they are stored."""

import zlib


def unit_crc(number: int, blob: object) -> int:
    """Checksum of a unit's rows."""
    return _crc(str(number), blob)


def result_crc(number: int, counts: object, nodes: int, rest: str) -> int:
    """Checksum of a result."""
    return _crc(f"{number} {nodes} {rest}", counts)


def answer_crc(job: str, answer: str | None) -> int | None:
    """Checksum of a job's answer, or None without one."""
    return None if answer is None else _crc(job, str(answer).encode())


def _crc(head: str, body: object) -> int:
    # SQLite lets a column hold any type; what is no bytes differs from the bytes that were there.
    data = body if isinstance(body, bytes) else repr(body).encode()
    return zlib.crc32(data, zlib.crc32(head.encode()))
