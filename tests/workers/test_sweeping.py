"""Threads that share one table of bits make the layers that one thread makes."""

import itertools
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontrow.search.errors import UsageError
from frontrow.search.tables.ranked import RankTable
from frontrow.workers import sweeping
from frontrow.workers.sweeping import _Pieces
from tests.exploration_support import group_of, grown, grown_on, made, nothing, told

GRAPHS = [
    ("sliding", {"size": "3x3"}),
    ("sliding", {"size": "2x4", "start": "7,_,5,6,3,4,1,2"}),
    ("cube", {"size": "2x2x2", "metric": "qtm"}),
]
GRAPH = made("sliding", size="3x3")
DEPTH = 20
"""Of a layer that is a bitmap."""


class Met(_Pieces):
    """Pieces of which every thread has one before any has two, however busy the machine is."""

    def __init__(self, groups, threads):
        super().__init__(groups, threads)
        self.gate, self.met = threading.Barrier(threads), set()

    def next(self, thread):
        piece = super().next(thread)
        if thread not in self.met:
            self.met.add(thread)
            self.gate.wait(60)
        return piece


@pytest.fixture(autouse=True)
def swept(monkeypatch):
    """Have small bitmaps swept as well, piece by piece; counts the threads' calls."""
    monkeypatch.setattr(sweeping, "_Pieces", Met)
    monkeypatch.setattr(sweeping, "FEW", 0)
    monkeypatch.setattr(sweeping, "LEAST", 7)
    calls, right = [], RankTable.sweep

    def sweep(table, thread, lo, hi):
        calls.append(thread)
        return right(table, thread, lo, hi)

    monkeypatch.setattr(RankTable, "sweep", sweep)
    return calls


@pytest.mark.parametrize(("name", "params"), GRAPHS)
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_layers_are_those_of_one_thread(swept, name, params, threads):
    graph = made(name, **params)
    expected = grown(group_of(graph, "rank"), graph)
    assert not swept
    group = group_of(graph, "rank", threads=threads)
    assert [told(closed) for closed in grown(group, graph)] == [told(closed) for closed in expected]
    assert set(swept) == set(range(threads))
    assert group.workers == threads


@pytest.mark.parametrize("error", [UsageError("a fault"), ZeroDivisionError()])
@pytest.mark.parametrize("other", [1, 3])
def test_after_an_error_of_one_thread_the_layer_can_be_made_by_others(monkeypatch, error, other):
    group = group_of(GRAPH, "rank", threads=2)
    grown(group, GRAPH, depth=DEPTH)
    right = RankTable.sweep

    def wrong(table, thread, lo, hi):
        if thread == 1:
            raise error
        return right(table, thread, lo, hi)

    with monkeypatch.context() as patch:
        patch.setattr(RankTable, "sweep", wrong)
        with pytest.raises(type(error)):
            group.layer(nothing)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("frontrow-shard")]
    following = group_of(GRAPH, "rank", threads=other)
    following.restore(group.kept())
    expected = grown(group_of(GRAPH, "rank"), GRAPH)[DEPTH + 1 :]
    assert [closed.new for closed in grown_on(following)] == [closed.new for closed in expected]
    assert [closed.new for closed in grown_on(group)] == [closed.new for closed in expected]


@pytest.mark.parametrize("error", [KeyboardInterrupt, UsageError])
def test_what_a_tick_raises_ends_the_layer_and_its_threads(monkeypatch, error):
    group = group_of(GRAPH, "rank", threads=2)
    grown(group, GRAPH, depth=DEPTH)
    raised = threading.Event()
    right = RankTable.sweep

    def waiting(table, thread, lo, hi):
        assert raised.wait(60)
        return right(table, thread, lo, hi)

    def tick(generated):
        raised.set()
        raise error("enough")

    monkeypatch.setattr(RankTable, "sweep", waiting)
    with pytest.raises(error):
        group.layer(tick)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("frontrow-shard")]


@given(st.integers(0, 300), st.integers(1, 7), st.data())
def test_every_group_is_handed_out_once(groups, threads, data):
    pieces, found = _Pieces(groups, threads), []
    while (piece := pieces.next(data.draw(st.integers(0, threads - 1)))) is not None:
        found.append(piece)
    assert all(lo < hi for lo, hi in found)
    assert sorted(itertools.chain(*itertools.starmap(range, found))) == list(range(groups))
