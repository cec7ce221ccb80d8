"""Shards in threads: errors and interrupts come through, and nobody uses shards afterwards."""

import collections
import contextlib
import threading

import pytest

from frontrow.search.errors import MemoryLimitError, StoppedError, UsageError
from frontrow.workers import exchange, team
from frontrow.workers import group as groups
from frontrow.workers import shard as shards_module
from frontrow.workers.group import LocalGroup
from frontrow.workers.shard import Shard
from tests.exploration_support import group_of, grown, grown_on, known_layers, made, nothing, plan_of

GRAPH = made("sliding", size="2x4")
DEPTH = 12
"""Of a layer of which every one of seven shards has some states."""


@pytest.fixture(params=[1, 2, 7])
def group(request):
    made_group = group_of(GRAPH, "layers", request.param)
    grown(made_group, GRAPH, depth=DEPTH)
    return made_group


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("frontrow-shard")]


@pytest.mark.parametrize(
    "error", [UsageError("a problem's fault"), MemoryLimitError("memory"), ZeroDivisionError()]
)
@pytest.mark.parametrize("method", ["expand", "absorb", "close"])
def test_what_one_shard_raises_comes_through_and_the_layer_can_be_made_by_others(
    group, monkeypatch, method, error
):
    right = getattr(Shard, method)

    def wrong(shard, *words):
        if shard.number == group.workers - 1:
            raise error
        return right(shard, *words)

    with monkeypatch.context() as patch:
        patch.setattr(Shard, method, wrong)
        with pytest.raises(type(error)):
            group.layer(nothing)
    assert threads() == []
    if method != "close":
        other = group_of(GRAPH, "layers", 2)
        other.restore(group.kept())
        expected = grown(group_of(GRAPH, "layers"), GRAPH)[DEPTH + 1 :]
        assert [each.new for each in grown_on(other)] == [each.new for each in expected]


@pytest.fixture
def long(monkeypatch):
    """Have every layer made beside the thread that calls."""
    monkeypatch.setattr(groups, "SHORT", 0)


@pytest.mark.parametrize("table", ["rank", "layers", "hash"])
def test_long_layers_of_one_shard_are_made_beside_the_thread_that_calls(long, monkeypatch, table):
    used, right = [], Shard.expand
    monkeypatch.setattr(
        Shard, "expand", lambda shard, stop: used.append(threading.current_thread()) or right(shard, stop)
    )
    layers = grown(group_of(GRAPH, table), GRAPH)
    assert [each.new for each in layers] == [new for new, *_ in known_layers(GRAPH, False, None)]
    assert threading.main_thread() not in used
    monkeypatch.setattr(groups, "SHORT", 1 << 20)
    used.clear()
    grown(group_of(GRAPH, table), GRAPH)
    assert set(used) == {threading.main_thread()}


@pytest.mark.parametrize("shards", [1, 2])
def test_an_interrupt_need_not_wait_for_what_a_shard_is_at(long, monkeypatch, shards):
    """A shard takes in rows until the interrupt is through."""
    group = group_of(GRAPH, "layers", shards)
    group.begin(GRAPH.initial())
    begun, over = threading.Event(), threading.Event()
    right = Shard.absorb

    def waiting(shard, part):
        begun.set()
        assert over.wait(60)
        right(shard, part)

    def tick(generated):
        if begun.is_set():
            raise KeyboardInterrupt

    monkeypatch.setattr(team, "PATIENCE", 0.01)
    monkeypatch.setattr(Shard, "absorb", waiting)
    with pytest.raises(KeyboardInterrupt) as caught:
        group.layer(tick)
    assert caught.type is KeyboardInterrupt
    left = threads()
    assert len(left) == shards
    over.set()
    for thread in left:
        thread.join(60)
    assert threads() == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, UsageError])
def test_what_a_tick_raises_ends_the_layer_and_its_threads(group, monkeypatch, error):
    """A worker waits in `expand` until the tick has raised."""
    raised = threading.Event()
    right = Shard.expand

    def waiting(shard, stop):
        yield from right(shard, stop)
        if group.workers > 1:
            assert raised.wait(60)

    def tick(generated):
        raised.set()
        raise error("enough")

    monkeypatch.setattr(Shard, "expand", waiting)
    with pytest.raises(error):
        group.layer(tick)
    assert threads() == []


def test_ticks_tell_how_many_children_there_are(monkeypatch):
    group = group_of(GRAPH, "layers")
    seen = []
    group.begin(GRAPH.initial())
    while group.layer(seen.append).new:
        pass
    assert sum(seen) == sum(each.generated for each in grown(group_of(GRAPH, "hash"), GRAPH)) + 2


class EnoughError(Exception):
    """What a limit raises."""


def rest_of(group, depth):
    """Whether other shards that take over what is kept find the layers after a depth."""
    other = group_of(GRAPH, "layers", 1)
    other.restore(group.kept())
    known = [new for new, *_ in known_layers(GRAPH, False, None)]
    return [other.layer(nothing).new for _ in range(3)] == known[depth + 1 : depth + 4]


def test_a_limit_that_is_reached_while_a_layer_is_ended_waits_for_the_next_one(long, monkeypatch):
    """The tick comes while the shard ends the layer, if it comes then."""
    group = group_of(GRAPH, "layers")
    grown(group, GRAPH, depth=5)
    closing, raised, right = threading.Event(), threading.Event(), Shard.close

    def close(shard):
        closed = right(shard)
        closing.set()
        raised.wait(0.5)
        return closed

    def tick(generated):
        if closing.is_set():
            raised.set()
            raise EnoughError

    with monkeypatch.context() as patched:
        patched.setattr(Shard, "close", close)
        depth = 5
        with contextlib.suppress(EnoughError):
            group.layer(tick)
            depth = 6
    assert rest_of(group, depth)


def test_no_shard_ends_a_layer_that_another_one_has_no_room_for(monkeypatch):
    """Shard 1 still takes in what shard 0 found when that one could end its layer."""
    monkeypatch.setattr(shards_module, "CHUNK", 16)
    monkeypatch.setattr(exchange, "IN_FLIGHT", 1000)
    group = group_of(GRAPH, "layers", 2)
    grown(group, GRAPH, depth=12)
    expanded, closed = threading.Event(), threading.Event()
    expand, absorb, close = Shard.expand, Shard.absorb, Shard.close

    def expanding(shard, stop):
        for number, parts in enumerate(expand(shard, stop)):
            if not shard.number and number:
                assert expanded.wait(60)
            yield parts
        if shard.number:
            expanded.set()

    def absorbing(shard, part):
        if shard.number and expanded.is_set() and closed.wait(0.5):
            raise MemoryLimitError("memory: found no room")
        absorb(shard, part)

    def ending(shard):
        found = close(shard)
        closed.set()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Shard, "expand", expanding)
        patched.setattr(Shard, "absorb", absorbing)
        patched.setattr(Shard, "close", ending)
        depth = 12
        with contextlib.suppress(MemoryLimitError):
            group.layer(nothing)
            depth = 13
    assert rest_of(group, depth)


@pytest.mark.parametrize("shards", [1, 2])
def test_after_an_interrupt_that_all_threads_have_seen_the_layer_before_is_there(long, monkeypatch, shards):
    group = group_of(GRAPH, "layers", shards)
    grown(group, GRAPH, depth=12)
    right = Shard.expand

    def waiting(shard, stop):
        yield from right(shard, stop)
        while not stop[0]:
            threading.Event().wait(0.01)
        raise StoppedError("stopped")

    def tick(generated):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Shard, "expand", waiting)
        with pytest.raises(team.Halted):
            group.layer(tick)
    assert threads() == []
    assert rest_of(group, 12)


@pytest.mark.parametrize("workers", [1, 4])
def test_no_shard_is_many_chunks_ahead_of_those_that_take_in_what_it_sends(monkeypatch, workers):
    monkeypatch.setattr(shards_module, "LEAST", 16)
    monkeypatch.setattr(shards_module, "CHUNK", 16)
    sent, right = collections.defaultdict(list), exchange.Exchange._send
    ahead = []

    def send(self, me, parts):
        chunk = right(self, me, parts)
        sent[id(self), me].append(chunk)
        ahead.append(sum(each.left > 0 for each in sent[id(self), me]))
        return chunk

    monkeypatch.setattr(exchange.Exchange, "_send", send)
    group = LocalGroup(plan_of(GRAPH, "layers", 4), GRAPH, workers)
    assert [each.new for each in grown(group, GRAPH)] == [new for new, *_ in known_layers(GRAPH, False, None)]
    assert 0 < max(ahead) <= exchange.IN_FLIGHT < max(map(len, sent.values()))
