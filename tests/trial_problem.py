"""A problem whose units count, wait at a gate, kill their worker or fail; workers load it from this file."""

import os
import signal
import time
from pathlib import Path
from typing import ClassVar

import numpy as np

from frontrow.search.errors import StoppedError
from frontrow.search.parameter import parameter
from frontrow.search.problem import Countable, Slice
from frontrow.search.rows import HAND_BACK


class Trial(Countable):
    """Rows are pairs of what to do and what to count."""

    name: ClassVar[str] = "trial"

    folder: str = parameter(parse=str, help="where workers leave their traces")

    @property
    def words(self):
        return 2

    def initial(self):
        return np.zeros((1, 2), np.uint64)

    def render(self, row):
        return str(row)

    def split(self):
        return self.initial()

    def cost(self, rows):
        return np.ones(rows.shape[0], np.int64)

    def tally(self, rows, budget, stop):
        for place, (action, _) in enumerate(rows.tolist()):
            try:
                [lambda: None, lambda: self._wait(stop), _die, _fail][action]()
            except StoppedError:
                if stop[0] != HAND_BACK or not place:
                    raise
                return Slice((int(rows[:place, 1].sum()),), place, rows[place:])
        return Slice((int(rows[:, 1].sum()),), rows.shape[0], rows[:0])

    def _wait(self, stop):
        """Leave a trace and wait until the gate is open."""
        (Path(self.folder) / f"waits-{os.getpid()}").touch()
        while not (Path(self.folder) / "open").exists():
            if stop[0]:
                raise StoppedError("stopped")
            time.sleep(0.01)


def _die():
    os.kill(os.getpid(), signal.SIGKILL)


def _fail():
    raise ZeroDivisionError("a unit that cannot be tallied")
