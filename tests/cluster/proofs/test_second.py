"""Counts that are computed twice: what agrees is told, what differs is disputed."""

import contextlib
import dataclasses
import json
from pathlib import Path

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.command.app import run
from frontrow.cluster.result import Progress
from frontrow.cluster.store import Store
from frontrow.search.errors import DisputedError, UsageError
from frontrow.search.problem import Slice
from frontrow.search.problems.queens import Queens
from frontrow.workers.local import LocalEngine
from frontrow.workers.unit import RECOUNT, UnitResult
from tests.cluster.proofs.proof_support import TREE, Inline, exported, interrupting, records

N, TOTAL = 9, 352


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger of its own, and many units of a small board."""
    monkeypatch.setattr(Queens, "unit_floor", 1)
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path))
    return tmp_path


def copies(store: Path) -> list[tuple[int, str]]:
    """Number and kernel of every second result."""
    with Store.open(store) as ledger:
        rows = ledger.database.select("SELECT number, kernel FROM results WHERE copy > 0 ORDER BY number")
    return [(row["number"], row["kernel"]) for row in rows]


def states(store: Path) -> list[str]:
    with Store.open(store) as ledger:
        return [row.state for row in ledger.jobs()]


def lying(result: UnitResult) -> UnitResult:
    """A worker whose second computation differs."""
    if not result.kernel.startswith(RECOUNT):
        return result
    return dataclasses.replace(result, counts=(result.counts[0] + 1, *result.counts[1:]), worker="liar")


def test_a_sample_is_computed_twice_and_told(store: Path) -> None:
    result = count("queens", n=N, engine=LocalEngine(2), verify="sample")
    assert result.values["solutions"] == TOTAL
    assert result.units > 50
    assert result.verified == 8
    assert not result.from_ledger
    assert len(copies(store)) == 8
    assert all(kernel.startswith(RECOUNT) for _, kernel in copies(store))


def test_a_finished_job_is_verified_later_and_keeps_its_time(store: Path) -> None:
    first = count("queens", n=N, engine=LocalEngine(2))
    assert (first.verified, copies(store)) == (0, [])
    later = count("queens", n=N, engine=LocalEngine(2), verify="sample")
    assert (later.verified, later.from_ledger) == (8, True)
    same = ("values", "seconds", "setup_seconds", "computed_at", "kernel", "engine", "workers", "nodes")
    assert [getattr(first, name) for name in same] == [getattr(later, name) for name in same]


def test_a_sample_that_was_computed_twice_is_not_computed_again(store: Path) -> None:
    count("queens", n=N, engine=LocalEngine(2), verify="sample")
    before = copies(store)
    engine = Inline()
    assert count("queens", n=N, engine=engine, verify="sample").verified == 8
    assert (engine.units, copies(store)) == ([], before)


def test_nobody_can_foresee_which_units_a_sample_has(tmp_path: Path) -> None:
    drawn = set()
    for name in ("first", "second"):
        count("queens", n=N, engine=LocalEngine(2), store=tmp_path / name, verify="sample")
        drawn.add(tuple(number for number, _ in copies(tmp_path / name)))
    assert len(drawn) == 2


def test_without_a_second_method_every_unit_is_computed_twice(store: Path, monkeypatch) -> None:
    monkeypatch.setattr(Queens, "second", lambda self: None)
    result = count("queens", n=N, engine=LocalEngine(2), verify="full")
    assert result.verified == result.units > 50
    assert result.confirmed == ""
    assert [number for number, _ in copies(store)] == list(range(result.units))


def test_a_sample_is_part_of_the_whole(store: Path, monkeypatch) -> None:
    monkeypatch.setattr(Queens, "second", lambda self: None)
    count("queens", n=N, engine=LocalEngine(2), verify="sample")
    result = count("queens", n=N, engine=LocalEngine(2), verify="full")
    assert [number for number, _ in copies(store)] == list(range(result.units))


@pytest.mark.jit
def test_the_whole_is_counted_by_the_second_method_and_not_again(store: Path) -> None:
    result = count("queens", n=12, method="lanes", verify="full")
    assert result.values["solutions"] == 14200
    with Store.open(store) as ledger:
        [other] = ledger.jobs(result.confirmed)
        assert len(ledger.jobs()) == 2
    assert (other.values["n"], other.answer) == (12, result.values)
    assert other.values["method"] != "lanes"
    engine = Inline()
    again = count("queens", n=12, method="lanes", verify="full", engine=engine)
    assert (again.confirmed, again.from_ledger, engine.units) == (result.confirmed, True, [])


@pytest.mark.parametrize("how", ["sample", "full"])
def test_a_unit_that_comes_out_different_makes_the_job_disputed(store: Path, monkeypatch, how: str) -> None:
    monkeypatch.setattr(Queens, "second", lambda self: None)
    with pytest.raises(DisputedError, match=r"unit \d+: found .* by liar, expected .* as by w"):
        count("queens", n=N, engine=Inline(lying), verify=how)
    assert states(store) == ["disputed"]
    with pytest.raises(DisputedError, match="--fresh"):
        count("queens", n=N, verify=how)
    assert count("queens", n=N, fresh=True, verify=how).values["solutions"] == TOTAL
    assert states(store) == ["done"]


@pytest.mark.jit
def test_two_methods_that_differ_make_both_jobs_disputed(store: Path, monkeypatch) -> None:
    honest = Queens.tally

    def wrong(self: Queens, rows, budget, stop) -> Slice:
        part = honest(self, rows, budget, stop)
        return dataclasses.replace(part, counts=(part.counts[0] + 8, *part.counts[1:]))

    def tally(self: Queens, rows, budget, stop) -> Slice:
        return (wrong if self.method == "scalar" else honest)(self, rows, budget, stop)

    monkeypatch.setattr(Queens, "tally", tally)
    monkeypatch.setattr(Queens, "second", lambda self: dataclasses.replace(self, method="scalar"))
    monkeypatch.setattr(Queens, "unit_floor", 10**9)
    with pytest.raises(DisputedError, match="solutions: found 14200 by lanes, expected 14208 as by scalar"):
        count("queens", n=12, method="lanes", engine=Inline(), verify="full")
    assert states(store) == ["disputed", "disputed"]


@pytest.mark.parametrize("imported", ["the asked one", "the second one", "both"])
def test_what_came_from_a_file_disputes_nothing_that_was_computed_here(
    store: Path, monkeypatch, imported: str
) -> None:
    monkeypatch.setattr(Queens, "second", lambda self: dataclasses.replace(self, fixed="-"))
    one, other = (count("queens", n=5, fixed=fixed, engine=Inline()) for fixed in ("0", "-"))
    jobs = {"the asked one": [one.job], "the second one": [other.job], "both": [one.job, other.job]}[imported]
    with Store.open(store) as ledger:
        for job in jobs:
            ledger.database.execute("UPDATE jobs SET imported = updated WHERE id = ?", job)
    with pytest.raises(DisputedError, match="solutions: found 2 by .*, expected 10") as raised:
        count("queens", n=5, fixed="0", engine=Inline(), verify="full")
    assert (f"job {jobs[0]}, which was imported, is disputed" in str(raised.value)) == (len(jobs) == 1)
    with Store.open(store) as ledger:
        assert sorted(row.id for row in ledger.jobs() if row.state == "disputed") == sorted(jobs)


def test_an_interrupted_verification_leaves_the_answer_and_goes_on(store: Path, monkeypatch) -> None:
    monkeypatch.setattr(Queens, "second", lambda self: None)
    first = count("queens", n=N, engine=LocalEngine(2))
    with pytest.raises(KeyboardInterrupt):
        count("queens", n=N, engine=interrupting(10), verify="full")
    assert states(store) == ["done"]
    begun = [number for number, _ in copies(store)]
    assert 0 < len(begun) <= 10
    engine = Inline()
    assert count("queens", n=N, engine=engine, verify="full").verified == first.units
    assert {unit.number for unit in engine.units} == set(range(first.units)) - set(begun)


def test_units_with_budgets_are_computed_twice_with_them(store: Path) -> None:
    (store / "tree.py").write_text(TREE)
    path, result = exported(store, str(store / "tree.py"), n=14)
    limited = {unit["parent"] for unit in records(path)[1:-1]} - {None}
    assert limited
    engine = Inline()
    again = count(str(store / "tree.py"), n=14, engine=engine, verify="full")
    assert again.verified == result.units > 3
    assert {unit.number for unit in engine.units if unit.budget is not None} == limited


def test_progress_is_told(store: Path) -> None:
    told: list[Progress] = []
    count("queens", n=N, engine=LocalEngine(1), verify="sample", progress=told.append)
    assert told[-1].phase == "verifying"
    assert told[-1].units_done == 8


def test_another_word_is_refused_before_anything_is_counted(store: Path) -> None:
    with pytest.raises(UsageError, match="verify: found 'all', expected sample or full"):
        count("queens", n=N, verify="all")
    assert states(store) == []


def test_the_command_says_how_many_units_agree(store: Path, capfd) -> None:
    assert run(["count", "queens", str(N), "--verify", "sample", "--quiet"]) == 0
    out, _ = capfd.readouterr()
    [line] = [line for line in out.splitlines() if line.startswith("verified")]
    assert line.split(None, 1)[1].startswith("8 of ")
    assert line.endswith(" units by a second computation")
    assert run(["count", "queens", str(N), "--verify", "sample", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["verified"], said["confirmed"], said["from_ledger"]) == ("8", None, True)


@pytest.mark.ray
def test_units_are_computed_twice_on_ray(store: Path, one_ray: None) -> None:
    from frontrow.cluster.ray_engine import RayEngine

    with contextlib.closing(RayEngine(None, 2)) as engine:
        result = count("queens", n=N, engine=engine, verify="sample")
    assert (result.values["solutions"], result.verified) == (TOTAL, 8)
    assert len(copies(store)) >= 8
