"""Batches and results survive the journey unchanged."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontrow.workers.parcel import pack_batch, pack_results, unpack_batch, unpack_results
from frontrow.workers.unit import UnitResult, WorkUnit

WORDS = 3
rows = st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=WORDS, max_size=WORDS), max_size=4).map(
    lambda cells: np.array(cells, np.uint64).reshape(-1, WORDS)
)
naturals = st.integers(0, 2**63 - 1)
budgets = st.none() | naturals
units = st.builds(
    WorkUnit,
    number=naturals,
    rows=rows,
    cost=st.just(1),
    budget=budgets,
    attempt=naturals,
    listing=budgets,
    unique=st.booleans(),
    recount=st.booleans(),
)
results = st.builds(
    UnitResult,
    number=naturals,
    attempt=naturals,
    budget=budgets,
    counts=st.lists(st.integers(-(2**70), 2**70), min_size=2, max_size=2).map(tuple),
    nodes=st.integers(0, 2**70),
    rest=rows,
    seconds=st.integers(0, 10**6).map(lambda milliseconds: milliseconds / 1000),
    worker=st.just("ray:node:1"),
    host=st.just("node"),
    kernel=st.just("lanes"),
    solutions=st.none() | rows,
)


def plain(values):
    """Comparable forms: an array as its shape, type and cells."""

    def compared(field):
        return (field.shape, field.dtype, field.tolist()) if isinstance(field, np.ndarray) else field

    names = list(type(values[0]).__dataclass_fields__)
    return [{name: compared(getattr(value, name)) for name in names} for value in values]


@given(st.lists(units, min_size=1, max_size=5))
def test_units_arrive_as_they_were_sent(batch):
    arrived = list(unpack_batch(pickle.loads(pickle.dumps(pack_batch(tuple(batch))))))
    assert plain(arrived) == plain(batch)


@given(st.lists(results, min_size=1, max_size=5))
def test_results_arrive_as_they_were_sent(batch):
    arrived = unpack_results(pickle.loads(pickle.dumps(pack_results(batch))))
    assert plain(arrived) == plain(batch)


@given(st.lists(units, min_size=1, max_size=5))
def test_rows_arrive_as_kernels_want_them(batch):
    for unit in unpack_batch(pack_batch(tuple(batch))):
        assert unit.rows.flags.c_contiguous
        assert unit.rows.flags.writeable
