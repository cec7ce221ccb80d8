"""Layers made in the plainest way, and by shards without a ledger."""

import functools
from pathlib import Path

import numpy as np

from frontrow.search import registry
from frontrow.search.errors import UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.registry import ProblemRef
from frontrow.search.tables.choice import KINDS, choose
from frontrow.workers.group import LocalGroup
from frontrow.workers.shard import ShardPlan

TRIAL = str(Path(__file__).parent / "trial_graph.py")
COUNTS = Path(__file__).parent / "counts"
PLENTY = 1 << 30
"""Bytes that are more than enough for every test."""


def lines(name):
    """The lines of a file of known counts, as words."""
    text = (COUNTS / f"{name}.txt").read_text()
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def made(name, **params):
    """A problem by name."""
    return registry.find(name).from_values(params).settle()


def trial(n, goal=-1):
    """The trial graph of a size."""
    return made(TRIAL, n=n, goal=goal)


def plain_layers(graph: StateGraph, *, symmetry=False, depth=None):
    """States, boards, ways, goals, ways to goals and children generated of each layer, by Python's dicts."""
    canonical = graph.symmetries().canonical if symmetry else lambda rows: rows
    current = {tuple(row): 1 for row in canonical(graph.initial()).tolist()}
    seen, layers, generated = set(current), [], 0
    while current and (depth is None or len(layers) <= depth):
        rows = np.array(list(current), np.uint64).reshape(-1, graph.words)
        goals = graph.goal_mask(rows) if graph.has_goal else np.zeros(len(rows), np.bool_)
        ways = list(current.values())
        boards = None
        if symmetry:
            boards = sum(len({image.tobytes() for image in images}) for images in _images(graph, rows))
        hits = np.flatnonzero(goals)
        layers.append((len(ways), boards, sum(ways), len(hits), sum(ways[hit] for hit in hits), generated))
        children, parents = graph.expand(rows)
        following = {}
        for child, parent in zip(map(tuple, canonical(children).tolist()), parents.tolist(), strict=True):
            if child not in seen:
                following[child] = following.get(child, 0) + ways[parent]
        seen |= set(following)
        current, generated = following, len(parents)
    return layers


def _images(graph, rows):
    return graph.symmetries().images(rows).transpose(1, 0, 2)


def kinds(graph, *, symmetry=False, paths=False):
    """The kinds of tables that can keep a graph's states."""
    found = []
    for kind in KINDS:
        try:
            choose(graph, kind, PLENTY, symmetry=symmetry, paths=paths)
        except UsageError:
            continue
        found.append(kind)
    return found


def plan_of(graph, table, shards=1, *, symmetry=False, paths=False, memory=PLENTY, threads=1):
    """What shards need to know."""
    return ShardPlan(ProblemRef.of(graph), shards, table, symmetry, paths, False, memory, threads=threads)


def group_of(graph, table, shards=1, **options):
    """Shards in threads."""
    return LocalGroup(plan_of(graph, table, shards, **options), graph)


def nothing(generated):
    """A tick that does nothing."""


def grown(group, graph, *, depth=None):
    """The layers that a group makes, from the start on, without an empty one at the end."""
    return [group.begin(graph.initial()), *grown_on(group, depth)]


def grown_on(group, depth=None):
    """The layers after the current one."""
    layers = []
    while depth is None or len(layers) < depth:
        closed = group.layer(nothing)
        if not closed.new:
            break
        layers.append(closed)
    return layers


def told(closed):
    """What `plain_layers` tells of a layer."""
    return closed.new, closed.boards, closed.ways, closed.goals, closed.goal_ways, closed.generated


@functools.cache
def known_layers(graph, symmetry, depth):
    """`plain_layers`, once for all tests of a session."""
    return plain_layers(graph, symmetry=symmetry, depth=depth)
