"""Mistakes in what Python callers pass are told also where an answer is stored that needs none of it."""

import inspect

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.estimates.estimate import estimate
from frontrow.cluster.explore import explore
from frontrow.cluster.solutions import solutions
from frontrow.cluster.solve import solve
from frontrow.search.errors import UsageError
from frontrow.workers.local import LocalEngine

WHERE = [
    ({"workers": 0}, "workers: found 0, expected an integer from 1 to 1024"),
    ({"workers": 1025}, "workers: found 1025, expected an integer from 1 to 1024"),
    ({"workers": 1.5}, "workers: found 1.5, expected an integer from 1 to 1024"),
    ({"workers": "2"}, "workers: found '2', expected an integer from 1 to 1024"),
    ({"workers": True}, "workers: found True, expected an integer from 1 to 1024"),
    ({"engine": "foo"}, "engine: found 'foo', expected local or ray"),
    ({"engine": 5}, "engine: found 5, expected local, ray or an engine"),
    ({"engine": None}, "engine: found None, expected local, ray or an engine"),
    ({"engine": LocalEngine}, "engine: found <class .*, expected local, ray or an engine"),
    ({"ray_address": 5}, "ray_address: found 5, expected auto or host:port"),
    ({"ray_address": "nowhere"}, "ray-address: found 'nowhere', expected auto or host:port"),
    ({"progress": "yes"}, "progress: found 'yes', expected a function"),
]
OF_THE_LEDGER = [
    ({"store": 5}, "store: found 5, expected a folder"),
    ({"store": " "}, "store: found ' ', expected a folder"),
    ({"fresh": "no"}, "fresh: found 'no', expected True or False"),
    ({"time_limit": -1}, "time_limit: found -1, expected a number above 0"),
    ({"time_limit": "5"}, "time_limit: found '5', expected a number above 0"),
    ({"time_limit": float("nan")}, "time_limit: found nan, expected a number above 0"),
]
OF_COUNTS = [
    *OF_THE_LEDGER,
    ({"node_limit": 0}, "node_limit: found 0, expected an integer from 1"),
    ({"node_limit": 1e6}, "node_limit: found 1000000.0, expected an integer from 1"),
    ({"verify": "all"}, "verify: found 'all', expected sample or full"),
]


@pytest.mark.parametrize(("arguments", "message"), WHERE + OF_COUNTS)
def test_a_bad_argument_is_refused_also_where_the_answer_is_stored(arguments, message, tmp_path):
    count("queens", n=5, store=tmp_path)
    with pytest.raises(UsageError, match=f"^-*{message}$"):
        count("queens", n=5, **{"store": tmp_path, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *WHERE,
        ({"limit": -1}, "limit: found -1, expected an integer from 0"),
        ({"limit": "3"}, "limit: found '3', expected an integer from 0"),
        ({"unique": 1}, "unique: found 1, expected True or False"),
    ],
)
def test_a_bad_argument_of_a_list_is_refused_at_once(arguments, message):
    with pytest.raises(UsageError, match=f"^-*{message}$"):
        solutions("queens", n=5, **arguments)


@pytest.mark.parametrize(("ask", "told"), [(explore, "on_layer"), (solve, "on_threshold")])
def test_a_bad_argument_is_refused_alike_whatever_the_verb(ask, told, tmp_path):
    for arguments, message in [*WHERE, *OF_THE_LEDGER, ({told: 5}, f"{told}: found 5, expected a function")]:
        with pytest.raises(UsageError, match=f"^-*{message}$"):
            ask("sliding", size="2x2", **{"store": tmp_path, **arguments})
    assert list(tmp_path.iterdir()) == []


def test_integers_of_numpy_are_integers(tmp_path):
    import numpy as np

    result = count("queens", n=np.int64(5), workers=np.int64(1), node_limit=np.int32(10**9), store=tmp_path)
    assert (result.values["solutions"], result.workers) == (10, 1)


def test_no_argument_of_a_count_or_a_list_is_left_unchecked():
    tried = {name for arguments, _ in WHERE + OF_COUNTS for name in arguments}
    assert set(inspect.signature(count).parameters) == tried | {"problem", "params"}
    tried = {name for arguments, _ in WHERE for name in arguments} | {"limit", "unique"}
    assert set(inspect.signature(solutions).parameters) == tried | {"problem", "params"}
    assert {"workers", "seconds", "seed", "progress"} < set(inspect.signature(estimate).parameters)
