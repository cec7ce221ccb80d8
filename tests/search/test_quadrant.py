import itertools
import json
import os
import subprocess
import sys
import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

from frontrow.search.errors import FrontrowError, StoppedError, UsageError
from frontrow.search.queens import limits, quadrant
from frontrow.search.queens.limits import ORDERS
from frontrow.search.queens.quadrant_tables import Part
from frontrow.search.rows import HAND_BACK, new_stop

# https://oeis.org/A000170
TOTALS = (
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104,
    666090624, 4968057848,
)  # fmt: skip
CHECKS = len(limits.TALLIES)
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
SMALL = range(2, 11 if COMPILED else 9)


def total(n, rows):
    counts, work, rest = quadrant.tally(n, rows, None, new_stop())
    assert rest.shape == (0, limits.WORDS)
    assert len(counts) == CHECKS
    assert work > 0
    return quadrant.totals(n, counts)["solutions"]


@pytest.mark.parametrize("n", SMALL)
def test_small_totals_match_oeis(n):
    assert total(n, quadrant.split(n)) == TOTALS[n]


@pytest.mark.jit
@pytest.mark.parametrize("n", range(11, 17))
def test_totals_match_oeis(n):
    assert total(n, quadrant.split(n)) == TOTALS[n]


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("n", range(17, 20))
def test_large_totals_match_oeis(n):
    assert total(n, quadrant.split(n)) == TOTALS[n]


@pytest.mark.parametrize("order", range(len(ORDERS)))
@pytest.mark.parametrize("n", [7, 8, 10, pytest.param(14, marks=pytest.mark.jit)])
def test_every_order_of_sets_and_either_side_grouped_give_the_same_total(n, order):
    for swap in (False, True):
        assert total(n, quadrant.split(n, order, swap)) == TOTALS[n]


@pytest.mark.jit
def test_another_order_of_sets_makes_other_units():
    stop = new_stop()
    counts = [quadrant.tally(12, quadrant.split(12, order), None, stop)[0][:4] for order in (0, 2)]
    assert counts[0] != counts[1]


@pytest.mark.jit
def test_solutions_with_the_same_smaller_quadrant_are_equally_many_in_every_order():
    def by_k(order):
        rows = quadrant.split(14, order)
        k = rows[:, 0] & np.uint64(255)
        return [total(14, rows[k == value]) for value in np.unique(k)]

    first = by_k(0)
    assert sum(first) == TOTALS[14]
    assert by_k(1) == by_k(2) == first


@pytest.mark.parametrize("n", [8, 9])
def test_a_split_adds_up_to_the_whole(n):
    rows = quadrant.split(n)
    whole, _, _ = quadrant.tally(n, rows, None, new_stop())
    parts = [quadrant.tally(n, row[None], None, new_stop())[0] for row in rows]
    assert tuple(map(sum, zip(*parts, strict=True))) == whole


@pytest.mark.jit
@pytest.mark.parametrize(("n", "budget"), [(12, 900), (13, 20_000), (14, 10_000), (15, 200_000)])
def test_what_a_budget_leaves_adds_up_to_the_whole(n, budget):
    rows = quadrant.split(n)
    whole, _, _ = quadrant.tally(n, rows, None, new_stop())
    found, rounds = np.zeros(CHECKS, np.int64), 0
    while rows.shape[0]:
        counts, _, rest = quadrant.tally(n, rows, budget, new_stop())
        again, _, same = quadrant.tally(n, rows, budget, new_stop())
        assert counts == again
        assert np.array_equal(rest, same)
        found += counts
        rows = rest
        rounds += 1
    assert rounds > 5
    assert tuple(found.tolist()) == whole


@pytest.mark.jit
@pytest.mark.parametrize("n", [12, 13])
def test_what_is_handed_back_at_a_stop_is_what_a_budget_leaves(monkeypatch, n):
    right, rows, stopped = quadrant._tables, quadrant.split(n), 0
    whole, _, _ = quadrant.tally(n, rows, None, new_stop())
    for before, listing in itertools.product(range(1, 8), (False, True)):
        stop, calls = new_stop(), 0

        def tables(*words):
            nonlocal calls
            calls += 1
            stop[0] = HAND_BACK if calls > before else 0
            if stop[0] and listing:
                raise StoppedError("stopped")
            return right(*words)

        with monkeypatch.context() as patch:
            patch.setattr(quadrant, "_tables", tables)
            counts, work, rest = quadrant.tally(n, rows, None, stop)
        assert rest.shape[0]
        again, same_work, same = quadrant.tally(n, rows, work, new_stop())
        assert (again, same_work) == (counts, work)
        assert np.array_equal(same, rest)
        others, _, _ = quadrant.tally(n, rest, None, new_stop())
        assert tuple(map(sum, zip(counts, others, strict=True))) == whole
        stopped += 1
    assert stopped == 14


@pytest.mark.jit
def test_blocks_of_half_boards_with_a_budget_add_up_to_the_whole(monkeypatch):
    # Blocks this small are otherwise met from n = 24 on only.
    monkeypatch.setattr(quadrant, "_limit", lambda part: 256 + part.n)
    rows = quadrant.split(12)
    found = np.zeros(CHECKS, np.int64)
    pieces = 0
    while rows.shape[0]:
        counts, _, rows = quadrant.tally(12, rows, 700, new_stop())
        found += counts
        pieces = max(pieces, len({tuple(row) for row in rows[:, 2:].tolist()}))
    assert quadrant.totals(12, tuple(found.tolist()))["solutions"] == TOTALS[12]
    assert pieces > 2


@pytest.mark.jit
def test_lists_made_for_a_unit_give_what_whole_tables_give(monkeypatch):
    rows = quadrant.split(13)
    whole = quadrant.tally(13, rows, None, new_stop())
    monkeypatch.setattr(quadrant, "WHOLE_TABLE_BELOW", 0)
    monkeypatch.setattr(quadrant, "_batch", lambda n: 3)
    made = quadrant.tally(13, rows, None, new_stop())
    assert made[0] == whole[0]


@pytest.mark.jit
def test_large_units_agree_whichever_side_is_grouped():
    for n in (22, 23):
        row = quadrant.split(n)[600:601]
        span = quadrant.Span.of(n, row[0])
        some = replace(span, a=(span.a[1] - 1, span.a[1]), c=(span.c[0], span.c[0] + 1))
        counts = [
            quadrant.tally(n, np.array([replace(some, swap=swap).row()], np.uint64), None, new_stop())[0]
            for swap in (False, True)
        ]
        assert sum(counts[0][:5]) > 0
        assert counts[0][:7] == counts[1][:7]


@pytest.mark.jit
def test_lists_are_let_go_before_their_successors_are_made(monkeypatch):
    made, kept, alive = quadrant.quarters, [], []

    def watched(part, corner, *others):
        alive.append(sum(ref() is not None for known, ref in kept if known == corner))
        lists = made(part, corner, *others)
        kept.append((corner, weakref.ref(lists.words)))
        return lists

    monkeypatch.setattr(quadrant, "quarters", watched)
    monkeypatch.setattr(quadrant, "_thread", threading.local())
    row = quadrant.split(22)[600:601]
    span = quadrant.Span.of(22, row[0])
    for c in (span.c[0], span.c[0] + 1):
        for a in (span.a[1] - 2, span.a[1] - 1):
            some = replace(span, a=(a, a + 1), c=(c, c + 1))
            quadrant.tally(22, np.array([some.row()], np.uint64), None, new_stop())
    assert len(kept) == 12
    assert alive == [0] * 12


@pytest.mark.parametrize("n", [*range(2, 20), 21, 26, 28])
def test_a_split_covers_every_pair_of_row_sets_once(n):
    rows = quadrant.split(n)
    assert rows.shape[0] < 320_000
    assert np.array_equal(rows, quadrant.split(n))
    if n > 14:
        return
    pairs = set()
    for row in rows:
        span = quadrant.Span.of(n, row)
        assert np.array_equal(np.array([span.row()], np.uint64)[0], row)
        for a in range(*span.a):
            pairs |= {(span.part, a, c) for c in range(*span.reach(a))}
    expected = sum(
        last - first
        for part in quadrant.parts(n)
        for first, last in map(part.partners, range(part.a.size))
        if last > first
    )
    assert len(pairs) == expected


@pytest.mark.jit
@pytest.mark.parametrize("n", [14, 16])
def test_predicted_costs_are_close_to_the_work_done(n):
    rows = quadrant.split(n)
    costs = quadrant.cost(n, rows)
    works = np.array([quadrant.tally(n, row[None], None, new_stop())[1] for row in rows])
    assert costs.dtype == np.int64
    assert costs.min() > 0
    assert 0.7 < costs.sum() / works.sum() < 1.4
    ranks = [values.argsort().argsort() for values in (costs, works)]
    assert np.corrcoef(ranks[0], ranks[1])[0, 1] > 0.9


def test_costs_of_the_greatest_board_are_safe_integers():
    costs = quadrant.cost(28, quadrant.split(28))
    assert costs.min() > 0
    assert sum(costs.tolist()) < 1 << 62


def test_a_raised_flag_stops_a_unit():
    stop = new_stop()
    stop[0] = 1
    with pytest.raises(StoppedError):
        quadrant.tally(8, quadrant.split(8), None, stop)


@pytest.mark.jit
def test_a_flag_raised_meanwhile_stops_a_unit_within_half_a_second():
    stop = new_stop()
    done = threading.Event()
    rows = quadrant.split(24)[-200:]

    def run():
        with pytest.raises(StoppedError):
            quadrant.tally(24, rows, None, stop)
        done.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert not done.wait(0.5)
    stop[0] = 1
    assert done.wait(30)


@pytest.mark.jit
def test_threads_share_tables_and_agree():
    rows = quadrant.split(14)
    expected = quadrant.tally(14, rows, None, new_stop())[0]
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(quadrant.tally(14, rows, None, new_stop())[0]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.jit
@pytest.mark.parametrize("processor", ["haswell", "generic"])
def test_processors_without_wide_vectors_give_the_same_numbers(processor, tmp_path):
    code = (
        "import json, numpy as np\n"
        "from frontrow.search.queens import quadrant\n"
        "stop = np.zeros(1, np.uint8)\n"
        "print(json.dumps([quadrant.tally(n, quadrant.split(n), None, stop)[:2] for n in (8, 11, 14)]))\n"
    )
    environment = os.environ | {
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": "",
        "FRONTROW_CACHE": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=250
    )
    here = [quadrant.tally(n, quadrant.split(n), None, new_stop())[:2] for n in (8, 11, 14)]
    assert json.loads(done.stdout) == [[list(counts), work] for counts, work in here]


def test_counts_that_are_no_whole_number_are_refused():
    with pytest.raises(FrontrowError, match="kept 3 times"):
        quadrant.totals(12, (1505, 482, 74, 16, 0, 0, 0, 0, 0))


@pytest.mark.parametrize("n", [-1, 0, 1, 29, 64])
def test_boards_that_the_method_is_not_made_for_are_refused(n):
    with pytest.raises(UsageError, match=f"found {n}"):
        quadrant.split(n)


def test_a_word_has_at_most_54_bits():
    assert max(part.bits for n in range(2, 29) for part in quadrant.parts(n)) == 54
    assert Part(28, -1, -1, 7, 0).bits == 54


@pytest.mark.jit
def test_ties_without_room_are_refused(monkeypatch):
    monkeypatch.setattr(quadrant, "_TIES", 3)
    # Another limit makes another workspace.
    monkeypatch.setattr(quadrant, "_limit", lambda part: 4096 + part.n)
    with pytest.raises(FrontrowError, match="more half boards with a tie than 3"):
        quadrant.tally(12, quadrant.split(12), None, new_stop())
