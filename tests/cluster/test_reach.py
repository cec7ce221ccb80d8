"""Addresses of clusters, and whether anything answers there."""

import socket
import threading
from contextlib import contextmanager

import pytest

from frontrow.cluster.reach import check_address, check_reach, silence, split_address
from frontrow.search.errors import EngineError, UsageError

SETTINGS = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))


@contextmanager
def server(answer):
    """A server that answers one greeting with some bytes; without bytes it hangs up, with None it waits."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            connection, _ = listening.accept()
            with connection:
                connection.recv(64)
                if answer is not None:
                    connection.sendall(answer)
                else:
                    over.wait()

        over = threading.Event()
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        thread.join()


@contextmanager
def closed():
    """An address where nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.parametrize(
    "address", ["auto", "localhost:6379", "10.0.0.1:1", "[::1]:65535", "ray-head.ns:6379"]
)
def test_auto_and_host_with_port_are_addresses(address):
    assert check_address(f" {address}\r") == address


@pytest.mark.parametrize(
    "address", ["", "here", "host:", ":6379", "host:0", "host:65536", "ray://host:10001", "a b:1", "host:1:2"]
)
def test_anything_else_is_refused(address):
    with pytest.raises(UsageError, match=r"^--ray-address: found '.*', expected auto or host:port$"):
        check_address(address)


def test_auto_refuses_an_environment_that_names_no_cluster(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "ray://host:10001")
    with pytest.raises(UsageError, match=r"^RAY_ADDRESS: found 'ray://host:10001', expected host:port$"):
        check_address("auto")


def test_a_numbered_host_loses_its_brackets():
    assert split_address("[::1]:6379") == ("::1", 6379)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (SETTINGS, None),
        (b"HTTP/1.1 400 Bad Request\r\n", "something that is no Ray cluster"),
        (b"", "the connection was closed"),
        (None, "no answer within 0 s"),
    ],
)
def test_only_a_server_that_speaks_http2_counts_as_a_cluster(answer, reason):
    with server(answer) as address:
        assert silence(address, 5.0 if answer is not None else 0.1) == reason


def test_a_closed_port_is_refused():
    with closed() as address:
        assert silence(address, 5.0) == "connection refused"


def test_the_address_is_tried_as_it_was_written():
    with closed() as address, server(SETTINGS) as canonical:
        with pytest.raises(EngineError, match=r"^here: found connection refused, expected a running"):
            check_reach("here", address, canonical, 5.0)
        with socket.create_connection(split_address(canonical)) as connection:
            connection.sendall(b"the server waits for one greeting")


def test_where_ray_looks_instead_of_a_loopback_address_is_tried_too_and_named():
    with server(SETTINGS) as address, closed() as canonical:
        reason = f"^here: found connection refused at {canonical}, where Ray looks for it, expected a running"
        with pytest.raises(EngineError, match=reason):
            check_reach("here", address, canonical, 5.0)


def test_one_answer_is_enough_where_ray_reads_the_address_as_it_was_written():
    with server(SETTINGS) as address:
        check_reach("here", address, address, 5.0)


def test_inside_tls_nothing_can_be_told(monkeypatch):
    monkeypatch.setenv("RAY_USE_TLS", "1")
    assert silence("127.0.0.1:9", 0.1) is None
