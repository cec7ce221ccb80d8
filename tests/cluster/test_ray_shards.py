"""Shards on Ray: the same layers as in threads, and a shard that is killed costs nothing but time."""

import re
from contextlib import closing

import pytest

import frontrow
from frontrow.cluster import ray_shards
from frontrow.cluster.exploration import groups, run, saving
from frontrow.cluster.ray_shards import RayGroup, RayShards
from frontrow.search.errors import EngineError, LimitError, MemoryLimitError, UsageError
from tests.exploration_support import (
    TRIAL,
    group_of,
    grown,
    grown_on,
    known_layers,
    made,
    plan_of,
    told,
    trial,
)

pytestmark = pytest.mark.ray
SLIDING = {"size": "2x4", "start": "6,5,7,_,1,2,3,4"}


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after every layer, and all shards from the first layers on."""
    monkeypatch.setattr(saving, "CHECKPOINT", 0.0)
    monkeypatch.setattr(saving, "CHEAP", 0.0)
    monkeypatch.setattr(groups, "SMALL", 8)
    monkeypatch.setattr(groups, "SMALL_SWEPT", 8)


@pytest.fixture(scope="module")
def there(one_ray):
    """Where actors are started."""
    with closing(RayShards(None, 3)) as place:
        yield place


@pytest.mark.parametrize(
    ("graph", "table", "shards", "options"),
    [
        (made("sliding", **SLIDING), "rank", 3, {}),
        (trial(3000, 2760), "hash", 2, {"paths": True}),
        (made("pegs", board="triangle15"), "layers", 3, {"symmetry": True, "paths": True}),
    ],
)
def test_layers_on_ray_are_those_of_threads_and_go_on_there(there, graph, table, shards, options):
    with closing(there.start(plan_of(graph, table, shards, **options))) as group:
        layers = grown(group, graph, depth=6)
        here = group_of(graph, table, 2, **options)
        here.restore(group.kept())
    layers += grown_on(here)
    known = known_layers(graph, options.get("symmetry", False), None)
    if not options.get("paths"):
        known = [(new, boards, None, goals, None, made) for new, boards, _, goals, _, made in known]
    assert list(map(told, layers)) == known


@pytest.mark.parametrize(("before", "after"), [("local", "ray"), ("ray", "local")])
def test_a_run_goes_on_with_the_other_engine(there, tmp_path, often, before, after):
    def stop(layer):
        if layer.depth == 9:
            raise KeyboardInterrupt

    asked = {**SLIDING, "store": tmp_path, "until_goal": True}
    with pytest.raises(KeyboardInterrupt):
        frontrow.explore("sliding", **asked, engine=before, shards=2, on_layer=stop)
    result = frontrow.explore("sliding", **asked, engine=after, shards=3)
    assert (result.resumed, result.engine) == (9, after)
    known = known_layers(made("sliding", **SLIDING), False, None)
    assert [layer.states for layer in result.layers] == [new for new, *_ in known][: result.depth + 1]
    other = frontrow.explore("sliding", **SLIDING, until_goal=True, store=tmp_path / "other")
    assert result.way == other.way


@pytest.mark.parametrize("checkpoints", [True, False])
def test_a_shard_that_is_killed_is_made_again_and_layers_are_exact(
    there, tmp_path, often, monkeypatch, checkpoints
):
    import ray

    if not checkpoints:
        monkeypatch.setattr(saving, "CHECKPOINT", 1e9)
    layer, killed = RayGroup.layer, []

    def deadly(group, tick):
        if len(killed) < 2 and group is not (killed or [None])[-1]:
            killed.append(group)
            ray.kill(group._actors[1])
        return layer(group, tick)

    monkeypatch.setattr(RayGroup, "layer", deadly)
    seen, lost = [], []
    result = frontrow.explore(
        TRIAL,
        n=3000,
        engine="ray",
        shards=2,
        paths=True,
        store=tmp_path,
        on_layer=seen.append,
        progress=lambda told: lost.append(told.note) if told.warning else None,
    )
    known = known_layers(trial(3000), False, None)
    assert len(killed) == len(lost) == 2
    back = re.compile(r"Ray shard: found it lost .*; it goes back from layer \d+ to layer (\d+)")
    assert all((back.fullmatch(note)[1] != "0") == checkpoints for note in lost)
    assert [(each.states, each.paths) for each in result.layers] == [
        (new, ways) for new, _, ways, *_ in known
    ]
    assert [each.depth for each in seen] == list(range(len(known)))


def test_shards_that_are_lost_again_and_again_are_an_error(there, tmp_path, often, monkeypatch):
    import ray

    layer = RayGroup.layer

    def deadly(group, tick):
        ray.kill(group._actors[0])
        return layer(group, tick)

    monkeypatch.setattr(RayGroup, "layer", deadly)
    monkeypatch.setattr(run, "REBUILDS", 2)
    with pytest.raises(EngineError, match="Ray shard: found it lost"):
        frontrow.explore(TRIAL, n=3000, engine="ray", shards=2, store=tmp_path)


def test_a_memory_limit_on_ray_keeps_the_last_layer(there, tmp_path, often):
    asked = {"problem": "sliding", "size": "2x4", "table": "hash", "store": tmp_path}
    with pytest.raises(LimitError, match=re.escape("memory: found no room for layer ")):
        frontrow.explore(**asked, engine="ray", shards=2, memory=1 << 17)
    result = frontrow.explore(**asked)
    assert result.resumed > 5
    assert result.states == 20160


class Crew:
    """Actors of machines that only a test knows."""

    def __init__(self, told):
        self.told, self.actors, self.closed = told, list(told), 0

    def hosts(self):
        return [host for host, _ in self.told]

    def free(self):
        return dict(self.told)

    def close(self):
        self.closed += 1


def test_each_shard_has_its_part_of_its_own_machine(one_ray, monkeypatch):
    crews = []

    def join(shards, session):
        crews.append(Crew([("large", 1000), ("small", 90), ("large", 1000)][:shards]))
        return crews[-1]

    monkeypatch.setattr(ray_shards, "_Crew", join)
    given = []
    monkeypatch.setattr(ray_shards, "RayGroup", lambda plan, crew, limits: given.append((crew, limits)))
    with closing(RayShards(None, 3, 0.5)) as place:
        assert place.memory(2) == 2 * 45
        assert place.memory(3) == 3 * 45
        assert [crew.closed for crew in crews] == [1, 0]
        monkeypatch.setattr(Crew, "free", lambda crew: {"large": 10, "small": 10})
        for _ in range(2):  # the second time others are started; what those before hold is no loss
            place.start(plan_of(trial(3000), "hash", 3))
    assert [limits for _, limits in given] == [[250, 45, 250]] * 2
    assert [crew for crew, _ in given] == crews[1:]
    with closing(RayShards(None, 3)) as place:
        assert place.memory(2) is None
        place.start(plan_of(trial(3000), "hash", 2))
    assert given[-1][1] is None


def test_shards_on_ray_keep_to_their_share_of_the_machine(one_ray):
    graph = trial(3000)
    plan = plan_of(graph, "hash", 2, memory=10)
    with closing(RayShards(None, 3, 0.5)) as place:
        memory = place.memory(2)
        with closing(place.start(plan)) as group:
            assert group.memory == memory
            assert 1 << 27 < memory < 1 << 50
            assert len(grown(group, graph)) == len(known_layers(graph, False, None))
    with closing(RayShards(None, 3, 1e-9)) as place, pytest.raises(MemoryLimitError):
        place.start(plan_of(graph, "hash", 2))


def test_a_table_that_only_the_cluster_has_room_for_is_chosen_there(there, tmp_path, monkeypatch):
    monkeypatch.setattr("frontrow.cluster.explore.available_memory", lambda: 10_000)
    asked = {**SLIDING, "store": tmp_path, "engine": "ray", "shards": 2}
    with pytest.raises(UsageError, match="all ranks take"):
        frontrow.explore("sliding", **asked, table="rank", memory=6_000)
    result = frontrow.explore("sliding", **asked)
    assert (result.table, result.states, result.engine) == ("rank", 20160, "ray")
