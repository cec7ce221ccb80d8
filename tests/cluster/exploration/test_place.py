"""Places: a cluster is asked for its memory where that decides, and nobody is asked else."""

from contextlib import closing

import pytest

from frontrow.cluster.exploration import place
from frontrow.cluster.exploration.place import Threads, memory_in_all, place_for
from frontrow.search.tables.choice import bitmap_bytes
from tests.exploration_support import made, trial

HERE = 1 << 30
GRAPH = made("sliding", size="3x3")


class Cluster:
    """A place that has so many bytes for a shard, and notes who asks."""

    def __init__(self, share):
        self.share, self.asked = share, []

    def workers(self):
        return 5

    def memory(self, shards):
        self.asked.append(shards)
        return None if self.share is None else shards * self.share


@pytest.mark.parametrize(("shards", "asked"), [(None, 5), (3, 3)])
def test_of_large_tables_the_cluster_says_what_it_has_for_so_many_shards(monkeypatch, shards, asked):
    monkeypatch.setattr(place, "MODEST", bitmap_bytes(GRAPH) - 1)
    cluster = Cluster(1000)
    assert memory_in_all(GRAPH, cluster, shards, HERE, depths=False) == asked * 1000
    assert cluster.asked == [asked]


def test_a_place_that_leaves_it_to_this_machine_has_what_there_is_here(monkeypatch):
    monkeypatch.setattr(place, "MODEST", 0)
    assert memory_in_all(GRAPH, Cluster(None), None, HERE, depths=False) == HERE
    assert memory_in_all(GRAPH, Threads(GRAPH, 2), None, HERE, depths=False) == HERE


def test_nobody_is_asked_for_small_tables_or_without_ranks():
    cluster = Cluster(1)
    assert memory_in_all(GRAPH, cluster, None, HERE, depths=True) == HERE
    assert memory_in_all(made("blocks", puzzle="klotski"), cluster, None, HERE, depths=False) == HERE
    assert cluster.asked == []


def test_the_cluster_is_asked_where_this_machine_has_no_room():
    need = bitmap_bytes(GRAPH, depths=True)
    for here, asked in ((need, []), (need - 1, [5])):
        cluster = Cluster(need)
        assert memory_in_all(GRAPH, cluster, None, here, depths=True) == (5 * need if asked else need)
        assert cluster.asked == asked


def test_a_graph_in_plain_python_has_one_thread():
    graph = trial(100)
    with closing(place_for(graph, "local", None, 3, None)) as there:
        assert (there.name, there.workers()) == ("local", 1 if graph.holds_interpreter else 3)
    with closing(place_for(GRAPH, "local", None, 3, None)) as there:
        assert there.workers() == 3
