"""Signals end a command with one line and the status of an interrupted one."""

import fcntl
import os
import resource
import signal
import subprocess
import sys

import pytest

from frontrow.cluster.command.interrupt import STATUS, _await_signal

PATIENCE = 60
WAITING = """
import signal, sys, time
from frontrow.cluster.command.interrupt import Interruption
if "nohup" in sys.argv:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
interruption = Interruption()
interruption.install()
interruption.message = lambda: "interrupted (1 of 2 units)"
try:
    print("ready", flush=True)
    while True:
        time.sleep(PATIENCE)
except KeyboardInterrupt:
    interruption.tell()
    sys.exit(STATUS)
""".replace("PATIENCE", str(PATIENCE)).replace("STATUS", str(STATUS))


def waiting(*words: str) -> subprocess.Popen[str]:
    """A process that waits to be interrupted."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(
    ("number", "cause"), [(signal.SIGINT, ""), (signal.SIGTERM, "SIGTERM: "), (signal.SIGHUP, "SIGHUP: ")]
)
def test_one_line_names_the_signal_unless_it_is_ctrl_c(number: signal.Signals, cause: str) -> None:
    with waiting() as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE / 2)
    assert process.returncode == STATUS
    assert err == f"frontrow: {cause}interrupted (1 of 2 units)\n"


def test_a_stderr_that_is_gone_does_no_harm() -> None:
    with waiting() as process:
        assert process.stderr is not None
        process.stderr.close()
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=PATIENCE / 2) == STATUS


def test_with_nohup_a_command_outlives_its_terminal() -> None:
    with waiting("nohup") as process:
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE / 2)
    assert err == "frontrow: SIGTERM: interrupted (1 of 2 units)\n"


def test_a_signal_comes_through_a_descriptor_of_any_number() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    low, high = os.pipe()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 2048), limits[1]))
        reader = fcntl.fcntl(low, fcntl.F_DUPFD, 1024)
        os.write(high, bytes([signal.SIGWINCH, signal.SIGTERM]))
        assert reader >= 1024
        assert (_await_signal(reader, PATIENCE), _await_signal(reader, 0)) == (signal.SIGTERM, 0)
        os.close(reader)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        os.close(low)
        os.close(high)
