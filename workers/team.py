"""Threads of this process that make a part of a layer together."""

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from frontrow.search.errors import StoppedError
from frontrow.search.rows import Stop

TICK = 0.1
"""Seconds between two calls of a tick, about."""
PATIENCE = 0.2
"""Seconds that threads have, all together, to leave their kernels after an interrupt."""

Value = TypeVar("Value")


class Halted(KeyboardInterrupt):
    """Ctrl-C, after which no thread works any more, and what they shared is as if they had not begun."""


def run_together(
    works: Sequence[Callable[[], Value]],
    stop: Stop,
    *,
    tick: Callable[[], None] | None = None,
    wake: Callable[[], None] = lambda: None,
) -> list[Value]:
    """Run functions in a thread each, and wait for all of them.

    Args:
        works: the functions. What one raises ends all of them, but for a `StoppedError`: then another one
            failed and says why.
        stop: raised when the others are to leave.
        tick: called every `TICK` meanwhile, in the calling thread; what it raises ends all of them. None
            for works that cannot be left halfway.
        wake: called after `stop` was raised, for those that wait for each other.

    Returns:
        What they give, in the order in which they end. Nobody works any more then, nor after an error; only
        after a KeyboardInterrupt a kernel may be at it a little longer.

    Raises:
        Halted: after a KeyboardInterrupt, if no kernel is, and the works can be left halfway.
    """
    done: queue.SimpleQueue[tuple[Value] | BaseException] = queue.SimpleQueue()

    def run(work: Callable[[], Value]) -> None:
        try:
            done.put((work(),))
        except StoppedError:
            return
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            done.put(error)

    threads = [
        threading.Thread(target=run, args=(work,), daemon=True, name=f"frontrow-shard-{number}")
        for number, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    values = list[Value]()

    def leave(give_up: float) -> None:
        stop[0] = 1
        wake()
        for thread in threads:
            thread.join(None if give_up == math.inf else max(give_up - time.monotonic(), 0.0))

    try:
        while len(values) < len(works):
            try:
                value = done.get(timeout=TICK)
            except queue.Empty:
                if tick is not None:
                    tick()
                continue
            if isinstance(value, BaseException):
                raise value
            values.append(value[0])
    except KeyboardInterrupt as error:
        leave(time.monotonic() + PATIENCE)
        if tick is None or any(thread.is_alive() for thread in threads):
            raise
        raise Halted("interrupted") from error
    except BaseException:
        leave(math.inf)
        raise
    leave(math.inf)
    return values
