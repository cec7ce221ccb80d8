"""A connection to Ray: a cluster that is there, or a Ray of our own that leaves nothing behind."""

import contextlib
import logging
import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

# Ray reads these when it is imported: no usage statistics, and no warning about accelerators.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray

import psutil  # isort: skip  # Ray brings its own
from ray.exceptions import RayActorError

from frontrow.cluster.reach import AUTO, check_reach, silence
from frontrow.search.errors import EngineError, UsageError

GREETING = 10.0
"""Seconds that a cluster has to answer a greeting."""
CONNECT = 29.0
"""Seconds until Ray has to be connected, the greeting included."""
START = 90.0
"""Seconds that a Ray of our own may take to start."""
GREET = 5.0
"""Seconds between greetings to a cluster during a run."""
SILENCES = 4
"""Greetings in a row without an answer after which a run fails. Ray ends the whole process after 60 s."""
TICK = 0.1
"""Seconds after which waiting is interrupted."""
CLOSE = 10.0
"""Seconds that closing waits for Ray at most."""
LINE = 200
"""Characters of an error of Ray's that are quoted."""
_PACKAGE = os.path.dirname(ray.__file__)
OBJECT_STORE = 100 << 20
"""Bytes of shared memory for a Ray of our own; Ray's least is 75 MiB, and batches hardly need any."""


class _Kin:
    """The processes of a Ray of our own, which have to be gone when it is closed."""

    def __init__(self) -> None:
        self._before = {child.pid for child in psutil.Process().children()}
        self._known: set[psutil.Process] = set()

    def look(self) -> list[psutil.Process]:
        """Note all that are there, since one whose parent died is found no more; gives our own children."""
        children = []
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error):
                if child.pid not in self._before and any(_PACKAGE in word for word in child.cmdline()):
                    children.append(child)
                    self._known |= {child, *child.children(recursive=True)}
        return children

    def kill(self) -> None:
        """Kill them all; first they are stopped, so that none begins another one meanwhile."""
        for child in self.look():
            with contextlib.suppress(psutil.Error):
                child.suspend()
        self.look()
        for process in self._known:
            with contextlib.suppress(psutil.Error):
                process.kill()


class Session:
    """A connection to Ray. One that was there before is used and left alone; ours is ended by `close`."""

    def __init__(self, address: str | None, workers: int) -> None:
        """Connect.

        Raises:
            EngineError: if Ray cannot be started or does not answer in time.
        """
        self.place = "Ray on this machine" if address is None else f"Ray at {address}"
        self._thread: threading.Thread | None = None
        self._opened, self._over = threading.Event(), threading.Event()
        self._kin: _Kin | None = None
        theirs = ray.is_initialized()
        if not theirs:
            try:
                self._open(address, workers)
            except BaseException:
                self.close()
                raise
        self._head = head = str(ray.get_runtime_context().gcs_address)
        self._raylet = _raylet()
        self._greeted = time.monotonic()
        self._silences = 0
        if theirs and address not in (None, AUTO) and _canonical(address) != head:
            raise UsageError(f"--ray-address: found {address}, expected {head} as this process uses")

    @property
    def is_ours(self) -> bool:
        """Whether Ray was started here and ends with this session."""
        return self._kin is not None

    def cores(self) -> int:
        """Processors of all nodes that are there now."""
        return int(ray.cluster_resources().get("CPU", 0))

    def watch(self) -> None:
        """See whether Ray is still there: its processes at each call if they are ours, else now and then.

        Raises:
            EngineError: if not.
        """
        for kind, ended in _ended():
            raise EngineError(f"{self.place}: found {kind} {ended}, expected it to run")
        if time.monotonic() - self._greeted <= GREET:
            return
        if self._kin is not None:
            self._kin.look()
        reason = silence(self._head, 1.0)
        if reason is None and self._raylet is not None:
            reason = silence(self._raylet, 1.0)
            reason = None if reason is None else f"{reason} by the raylet of this machine"
        self._greeted = time.monotonic()
        self._silences = 0 if reason is None else self._silences + 1
        if self._silences == SILENCES:
            raise EngineError(f"{self.place}: found {reason}, expected a running cluster")

    def _open(self, address: str | None, workers: int) -> None:
        began = time.monotonic()
        if address is None:
            _bring_token()
            options: dict[str, Any] = {"address": "local", "num_cpus": workers, "include_dashboard": False}
            options["object_store_memory"] = OBJECT_STORE
            self._kin = _Kin()
        else:
            check_reach(self.place, address, _canonical(address), GREETING)
            options = {"address": address}
        # Ray prints the deaths of its workers to stdout, where the answer belongs, and has no option for it.
        ray._private.worker._worker_logs_enabled = False
        failures: list[BaseException] = []
        self._thread = threading.Thread(
            target=self._host, args=(options, failures), daemon=True, name="frontrow-ray"
        )
        limit = START if address is None else CONNECT
        with _own_signals():
            self._thread.start()
            while not self._opened.wait(TICK):
                if time.monotonic() - began > limit:
                    raise EngineError(
                        f"{self.place}: found no answer within {limit:.0f} s, expected a cluster"
                    )
        if failures:
            raise EngineError(f"{self.place}: {one_line(failures[0])}") from failures[0]

    def _host(self, options: dict[str, Any], failures: list[BaseException]) -> None:
        """Be the thread that Ray lives in.

        The system ends Ray's processes with the thread that started them, so it has to last as long as
        they; and away from the main thread Ray leaves Python's signal handlers alone.
        """
        config = ray.job_config.JobConfig()
        config._py_driver_sys_path = _NoFolders()
        try:
            ray.init(logging_level=logging.CRITICAL, log_to_driver=False, job_config=config, **options)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            failures.append(error)
        self._opened.set()
        self._over.wait()
        _end(self._kin)

    def close(self) -> None:
        """End what was begun here; a Ray of somebody else goes on."""
        thread, self._thread = self._thread, None
        self._over.set()
        if thread is None:
            return
        if self._opened.is_set():
            thread.join(CLOSE)
        elif self._kin is not None:
            self._kin.kill()  # should Ray be there later after all, `_host` ends it at once
        ray._private.worker._worker_logs_enabled = True


def _end(kin: _Kin | None) -> None:
    """End the connection, and at once the Ray that we started.

    Ray itself would give each of its processes a second to end in order; there is nothing in them that has
    to be kept. Its own end waits some seconds for a head that is dead, so then they are killed before.
    """
    node = ray._private.worker._global_node
    if kin is None or node is None:
        ray.shutdown()
        if kin is not None:
            kin.kill()
        return
    if any(kind == "gcs_server" for kind, _ in _ended()):
        kin.kill()
    ray._private.worker._global_node = None
    with contextlib.suppress(OSError):
        node.destroy_external_storage()
    ray.shutdown()
    kin.kill()
    node.kill_all_processes(check_alive=False, allow_graceful=False)  # takes note that they are dead


def _ended() -> Iterator[tuple[str, str]]:
    """Those of Ray's two main processes that this process started and that ended, and how they ended."""
    node = ray._private.worker._global_node
    for kind in ("raylet", "gcs_server"):
        for info in node.all_processes.get(kind, ()) if node is not None else ():
            status = info.process.poll()
            if status is not None:
                yield kind, f"killed by signal {-status}" if status < 0 else f"ended with status {status}"


def _raylet() -> str | None:
    """Where the part of Ray answers that this process and, on this machine, its workers hang on."""
    here = ray.get_runtime_context().get_node_id()
    for node in ray.nodes():
        if node["NodeID"] == here:
            return f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"
    return None


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Have SIGTERM do afterwards what it did before: Ray makes it write a stack trace and end the process."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


class _NoFolders(list[str]):
    """Folders for the workers' ``sys.path``, of which Ray wants the working directory to come first.

    A file of the user's that happens to be called like a library would break every worker.
    """

    def extend(self, _: Any) -> None:
        """Add nothing."""


def _bring_token() -> None:
    """Have a secret at hand that lets only this process use the Ray that it starts.

    Without one Ray would make one up and keep it in the home folder, which need not be writable. It stays
    in the environment, because Ray reads it once a process.
    """
    kept = os.path.expanduser("~/.ray/auth_token")
    if not os.path.exists(kept) and not os.environ.keys() & {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"}:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _canonical(address: str) -> str:
    """An address as Ray writes it: ``auto`` looked up, a name or the loopback turned into a number."""
    try:
        return str(ray._private.services.canonicalize_bootstrap_address(address))
    except (OSError, ValueError) as error:
        raise EngineError(
            f"--ray-address: found {address} ({one_line(error)}), expected a cluster"
        ) from error


def one_line(error: BaseException) -> str:
    """What an error of Ray's says, on one short line."""
    text = str(error).strip() or type(error).__name__
    if isinstance(error, RayActorError):
        text = text.splitlines()[-1]  # the lines before name the actor, which nobody knows
    text = " ".join(text.split())
    return text if len(text) <= LINE else f"{text[: LINE - 3]}..."
