"""One Ray for all tests of a session, with more cores than the machine has, and a problem that misbehaves."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from frontrow.search import registry
from frontrow.search.registry import ProblemRef
from frontrow.workers.unit import Batch, WorkUnit

CORES = 7
"""Processors that the Ray of the tests claims to have."""

COUNT, GATE, DIE, FAIL = range(4)
"""What a unit of the trial problem does; its value is what it counts."""


@pytest.fixture(scope="session")
def one_ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Ray in this process, as a person has it in a notebook; engines use it and leave it running."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_AUTH_TOKEN", "0" * 64)  # else Ray writes one into the home folder
    import ray

    ray.init(
        address="local",
        num_cpus=CORES,
        include_dashboard=False,
        object_store_memory=100 << 20,
        logging_level=logging.ERROR,
        log_to_driver=False,
    )
    yield
    ray.shutdown()


def trial(folder: Path) -> ProblemRef:
    """Refer to the trial problem, whose workers leave their traces in a folder."""
    kind = registry.find(str(Path(__file__).parent / "trial_problem.py"))
    return ProblemRef.of(kind.from_values({"folder": str(folder)}))


def trial_units(parts: Iterable[tuple[int, int]]) -> list[WorkUnit]:
    """One unit for every pair of what it does and what it counts."""
    return [WorkUnit(number, np.array([part], np.uint64), 1) for number, part in enumerate(parts)]


def gated_units() -> list[WorkUnit]:
    """Two units that wait at the gate after one row and after none."""
    rows = [[[COUNT, 3], [GATE, 4]], [[GATE, 5]]]
    return [WorkUnit(number, np.array(each, np.uint64), 1) for number, each in enumerate(rows)]


def taking(units: Iterable[WorkUnit], size: int = 1) -> Callable[[], Batch | None]:
    """Hand out units in batches of a size."""
    left = list(units)

    def take() -> Batch | None:
        batch = tuple(left[:size])
        del left[:size]
        return batch or None

    return take
