"""Memory: what a cgroup leaves counts, and workers on one machine share what it has."""

import pytest

from frontrow.workers import memory
from frontrow.workers.memory import available_memory, shares


@pytest.mark.parametrize(("free", "left", "available"), [(100, [], 100), (100, [30], 30), (20, [30], 20)])
def test_what_is_available_is_free_and_within_the_limit_of_the_cgroup(monkeypatch, free, left, available):
    monkeypatch.setattr(memory, "_free", lambda: free)
    monkeypatch.setattr(memory, "_cgroup", lambda: left)
    assert available_memory() == available


def test_workers_on_one_machine_share_a_part_of_what_it_has():
    free = {"large": 1000, "small": 90}
    assert shares(["large", "small", "large", "large"], free, 0.5) == [166, 45, 166, 166]
    assert shares([], free, 0.5) == []
