"""What Ctrl-C, SIGTERM and SIGHUP do to a command: one line at once, and an end soon whatever it is at."""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

STATUS = 130
"""Exit status of a command that was interrupted."""
ANSWER = 0.3
"""Seconds after which a process that has not ended by itself says that it was interrupted."""
SAVING = 3.0
"""Seconds that an interrupted run may take to write down what is finished; another Ctrl-C ends it at once."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interruption:
    """Turns the first signal into a KeyboardInterrupt and sees to it that the process ends.

    Python delivers a signal to the main thread only between two steps of the interpreter, and a library may
    swallow the exception. So a thread of its own is told of the signal by the system and ends the process
    when the main thread has not; nothing is lost by that, because the ledger survives it.

    Attributes:
        message: gives the line that says how far the command came.
        grace: seconds that the process may take to end after the line was written.
    """

    def __init__(self) -> None:
        self.message: Callable[[], str] = lambda: "interrupted"
        self.grace = 0.1
        self.received = False
        self._number: int = signal.SIGINT
        self._told = False
        self._lock = threading.Lock()

    def install(self) -> None:
        """Take over the signals of this process; call it in the main thread."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in SIGNALS:
            # With nohup a process is to outlive its terminal.
            if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._raise)
        threading.Thread(target=self._watch, args=(reader,), daemon=True, name="frontrow-interrupt").start()

    def _raise(self, number: int, frame: FrameType | None) -> None:
        if not self.received:
            self.received, self._number = True, number
            raise KeyboardInterrupt

    def _watch(self, reader: int) -> None:
        self._number = _await_signal(reader, None) or self._number
        if not _await_signal(reader, ANSWER):
            self.tell()
            _await_signal(reader, self.grace)
        self.tell()
        os._exit(STATUS)

    def tell(self) -> None:
        """Say once how far the command came, and which signal interrupted it unless it was Ctrl-C."""
        with self._lock:
            if self._told:
                return
            self._told = True
            cause = "" if self._number == signal.SIGINT else f"{signal.Signals(self._number).name}: "
            with contextlib.suppress(OSError, ValueError):  # stderr may be closed, or its terminal gone
                # The live line and the hidden cursor must not outlive the process.
                clear = "\r\x1b[K\x1b[?25h" if sys.stderr is not None and sys.stderr.isatty() else ""
                os.write(2, f"{clear}frontrow: {cause}{self.message()}\n".encode())


def _await_signal(reader: int, seconds: float | None) -> int:
    """Which of `SIGNALS` comes within so many seconds, or 0; ``None`` waits for ever."""
    waiting = select.poll()  # unlike `select.select` it takes descriptors of any number
    waiting.register(reader, select.POLLIN)
    while waiting.poll(None if seconds is None else seconds * 1000):
        number = os.read(reader, 1)[0]
        if number in SIGNALS:
            return number
    return 0
