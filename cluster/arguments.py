"""What callers from Python pass is checked before anything is asked, so that no answer hides a mistake."""

import math
import numbers
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from frontrow.cluster.reach import check_address
from frontrow.search.errors import UsageError
from frontrow.search.parameter import Parameter, shown
from frontrow.workers.engine import Engine

ENGINES = ("local", "ray")
"""Engines that have a name."""
MOST_WORKERS = 1024
"""Workers that can be asked for."""
Told = TypeVar("Told")
_OF_AN_ENGINE = ("name", "workers", "start", "map", "close")


def check_natural(
    name: str, value: object, low: int, high: int | None = None, *, optional: bool = True
) -> None:
    """An integer from `low` on, up to `high` if there is one, or None if it is optional.

    Raises:
        UsageError: if it is anything else.
    """
    if value is None and optional:
        return
    spec = Parameter("", low=low, high=high)
    if isinstance(value, str):  # only the command line has numbers in texts
        raise UsageError(f"{name}: found {shown(value)}, expected {spec.expected}")
    spec.read(name, value)


def check_above(name: str, value: object, *, optional: bool = True) -> None:
    """A number above 0, or None if it is optional.

    Raises:
        UsageError: if it is anything else.
    """
    if value is None and optional:
        return
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < float(value) < math.inf:
        raise UsageError(f"{name}: found {shown(value)}, expected a number above 0")


def check_flag(name: str, value: object) -> None:
    """True or False.

    Raises:
        UsageError: if it is anything else.
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name}: found {shown(value)}, expected True or False")


def check_store(store: object) -> None:
    """A folder's path, or None.

    Raises:
        UsageError: if it is anything else.
    """
    if store is not None and (not isinstance(store, (str, Path)) or not os.fspath(store).strip()):
        raise UsageError(f"store: found {shown(store)}, expected a folder")


def listener(name: str, function: Callable[[Told], None] | None) -> Callable[[Told], None]:
    """A function that is told something; for None one that ignores it.

    Raises:
        UsageError: if it is anything else.
    """
    if function is None:
        return lambda _: None
    if not callable(function):
        raise UsageError(f"{name}: found {shown(function)}, expected a function")
    return function


def check_asking(
    engine: str | Engine,
    ray_address: str | None,
    workers: int | None,
    *,
    store: object,
    fresh: object,
    time_limit: object,
) -> None:
    """What every question that the ledger keeps is asked with, whatever the verb.

    Raises:
        UsageError: for the first one that is not fit.
    """
    check_engine(engine, ray_address, workers)
    check_store(store)
    check_flag("fresh", fresh)
    check_above("time_limit", time_limit)


def check_workers(workers: object) -> None:
    """How many workers compute at the same time; None for all there are.

    Raises:
        UsageError: if it is anything else.
    """
    check_natural("workers", workers, 1, MOST_WORKERS)


def check_engine(engine: str | Engine, ray_address: str | None, workers: int | None) -> None:
    """Where a question is to be worked on, and by how many workers.

    Raises:
        UsageError: for a bad name, address or number.
    """
    if isinstance(engine, str):
        if engine not in ENGINES:
            raise UsageError(f"engine: found {shown(engine)}, expected {' or '.join(ENGINES)}")
    elif isinstance(engine, type) or not all(hasattr(engine, name) for name in _OF_AN_ENGINE):
        raise UsageError(f"engine: found {shown(engine)}, expected {', '.join(ENGINES)} or an engine")
    if ray_address is not None:
        if not isinstance(ray_address, str):
            raise UsageError(f"ray_address: found {shown(ray_address)}, expected auto or host:port")
        check_address(ray_address)
    check_workers(workers)
