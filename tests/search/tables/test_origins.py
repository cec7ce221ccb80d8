"""How a row was first reached is kept beside it, wherever rows are moved to."""

import numpy as np
import pytest

from frontrow.search.tables import rowset
from frontrow.search.tables.hashed import HashTable
from frontrow.search.tables.layers import LayerPair
from frontrow.search.tables.rowset import RowSet
from tests.search.tables.table_support import current_of

KINDS = {"layers": lambda: LayerPair(1, 2, traced=True), "hash": lambda: HashTable(1, 2, traced=True)}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def table(request):
    return request.param()


def some(count, seed):
    random = np.random.default_rng(seed)
    rows = random.integers(0, 1 << 63, (count, 1), np.uint64)
    return rows, random.integers(1, 64, (count, 1), np.uint8)


def origins_of(table):
    """The origin of each row of the current layer."""
    whole = current_of(table)
    rows, origins = whole.rows, whole.origins
    assert origins.shape == (rows.shape[0], 1)
    return dict(zip(rows[:, 0].tolist(), origins[:, 0].tolist(), strict=True))


@pytest.mark.parametrize("large", [4, 20])
def test_rows_keep_their_first_origin_while_tables_grow(table, large, monkeypatch):
    monkeypatch.setattr(rowset, "LARGE", 1 << large)
    for seed in range(3):
        rows, origins = some(5000, seed)
        table.absorb(rows, None, origins)
        table.absorb(rows[::-1].copy(), None, 63 - origins[::-1])
        table.close_layer()
        assert origins_of(table) == dict(zip(rows[:, 0].tolist(), origins[:, 0].tolist(), strict=True))


def test_rows_that_come_without_have_unknown_ones(table):
    rows, origins = some(100, 0)
    table.absorb(rows[:50], None, origins[:50])
    table.absorb(rows[50:])
    table.close_layer()
    assert sorted(origins_of(table).values()) == sorted([*[0] * 50, *origins[:50, 0].tolist()])


def test_restored_rows_have_unknown_ones_and_later_ones_have_theirs(table):
    rows, origins = some(3000, 0)
    table.absorb(rows, None, origins)
    table.close_layer()
    again = KINDS[table.kind]()
    for role, part, counts in table.kept():
        again.restore(role, part.copy(), counts)
    again.restored()
    assert origins_of(again) == dict.fromkeys(rows[:, 0].tolist(), 0)
    more, theirs = some(3000, 1)
    again.absorb(more, None, theirs)
    again.close_layer()
    assert origins_of(again) == dict(zip(more[:, 0].tolist(), theirs[:, 0].tolist(), strict=True))


def test_only_rows_of_one_word_without_numbers_have_origins():
    for options in ({"words": 2}, {"words": 1, "counted": True}):
        with pytest.raises(ValueError, match="traced"):
            RowSet(**options, traced=True)
