"""Where a Ray cluster is, and whether anything answers there."""

import os
import re
import socket

from frontrow.search.errors import EngineError, UsageError
from frontrow.search.parameter import shown

AUTO = "auto"
_HOST_PORT = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.%]+\]):(?P<port>[0-9]{1,5})")
# What an HTTP/2 client says first, and an empty frame of settings (RFC 9113, section 3.4 and 4.1).
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_FRAME, _KIND, _SETTINGS = 9, 3, 4


def check_address(address: str) -> str:
    """The address of a cluster, ``auto`` or ``host:port``, without blanks around it.

    Raises:
        UsageError: if it is neither, or ``RAY_ADDRESS``, which Ray takes for ``auto``, is no ``host:port``.
    """
    text = address.strip()
    if text != AUTO and split_address(text) is None:
        raise UsageError(f"--ray-address: found {shown(address)}, expected auto or host:port")
    instead = os.environ.get("RAY_ADDRESS")
    if text == AUTO and instead and split_address(instead) is None:
        raise UsageError(f"RAY_ADDRESS: found {shown(instead)}, expected host:port")
    return text


def split_address(address: str) -> tuple[str, int] | None:
    """Host and port of ``host:port``, or None if it is not of that form."""
    match = _HOST_PORT.fullmatch(address)
    if match is None or not 0 < int(match["port"]) < 2**16:
        return None
    return match["host"].strip("[]"), int(match["port"])


def check_reach(place: str, address: str, canonical: str, seconds: float) -> None:
    """See that a cluster answers at an address as it is written, and where Ray will look for it.

    Ray takes a loopback address for the machine's own address, which another server may answer, or none.

    Args:
        place: what errors call the cluster.
        address: ``auto`` or ``host:port``.
        canonical: ``host:port`` as Ray reads it.
        seconds: that the cluster has to answer each time.

    Raises:
        EngineError: if none answers.
    """
    if address not in (AUTO, canonical):
        reason = silence(address, seconds)
        if reason is not None:
            raise EngineError(f"{place}: found {reason}, expected a running cluster")
    reason = silence(canonical, seconds)
    if reason is not None:
        where = "" if address == canonical else f" at {canonical}, where Ray looks for it"
        raise EngineError(f"{place}: found {reason}{where}, expected a running cluster")


def silence(address: str, seconds: float) -> str | None:
    """Why no cluster answers at ``host:port`` within so many seconds; None if one does or it cannot be told.

    Ray itself would wait for minutes and write to stderr meanwhile. A gRPC server speaks HTTP/2, so it
    answers a greeting with its settings; anything else that listens there does not. Inside TLS nobody
    understands the greeting, so Ray itself has to find out then.
    """
    place = split_address(address)
    if place is None or os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return None
    try:
        with socket.create_connection(place, timeout=seconds) as connection:
            connection.sendall(_GREETING)
            answer = b""
            while len(answer) < _FRAME:
                part = connection.recv(_FRAME - len(answer))
                if not part:
                    return "the connection was closed"
                answer += part
    except TimeoutError:
        return f"no answer within {seconds:.0f} s"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None if answer[_KIND] == _SETTINGS else "something that is no Ray cluster"
