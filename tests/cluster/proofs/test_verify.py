"""A count is checked: sound ones pass, and whoever changes an export is found out."""

import json
from pathlib import Path

import numpy as np
import pytest

from frontrow.cluster.api import count
from frontrow.cluster.checksum import result_crc
from frontrow.cluster.command.app import run
from frontrow.cluster.proofs.export import FileSource, LedgerSource, export
from frontrow.cluster.proofs.published import published
from frontrow.cluster.proofs.verify import Sample, Verdict, verify
from frontrow.cluster.store import Store
from frontrow.search.errors import StoreError
from frontrow.search.problems.queens import Queens
from frontrow.search.registry import ProblemRef
from frontrow.workers.local import LocalEngine
from frontrow.workers.unit import UnitResult
from frontrow.workers.wire import encode
from tests.cluster.proofs.proof_support import TREE, Inline, Record, exported, forge, interrupting

ALL = Sample(everything=True)


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several units of a small board."""
    monkeypatch.setattr(Queens, "unit_floor", 50_000)


@pytest.fixture
def unpublished(monkeypatch: pytest.MonkeyPatch) -> None:
    """No total is published: a forgery shows only when units are counted again."""
    monkeypatch.setattr("frontrow.cluster.proofs.audit.published", lambda ref: {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The export of a count of queens."""
    return exported(tmp_path, "queens", n=8)[0]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The export of a count with budgets."""
    (tmp_path / "tree.py").write_text(TREE)
    return exported(tmp_path, str(tmp_path / "tree.py"), n=14)[0]


def checked(path: Path, sample: Sample = ALL) -> Verdict:
    with FileSource(path, trust=True) as source:
        return verify(source, lambda problem: LocalEngine(2), sample, lambda progress: None)


def failing(path: Path) -> list[str]:
    """The checks that an export fails."""
    verdict = checked(path)
    failed = [check.name for check in verdict.checks if not check.passed]
    assert verdict.verified == (not failed)
    return failed


def test_a_sound_export_passes_every_check(path: Path) -> None:
    verdict = checked(path)
    assert verdict.verified
    assert [check.name for check in verdict.checks] == [
        "records",
        "question",
        "units",
        "results",
        "answer",
        "known",
        "recount",
    ]
    assert verdict.recounted == verdict.heading.units > 3


def test_a_sound_export_with_budgets_passes_every_check(tree: Path) -> None:
    verdict = checked(tree)
    assert verdict.verified
    assert verdict.recounted == verdict.heading.units > 3


def test_a_job_of_the_ledger_is_checked_as_well(tmp_path: Path) -> None:
    _, result = exported(tmp_path, "queens", n=8)
    with Store.open(tmp_path) as store:
        source = LedgerSource(store, store.jobs(result.job)[0])
        assert verify(source, lambda problem: LocalEngine(2), ALL, lambda progress: None).verified
        store.database.execute("UPDATE results SET nodes = nodes + 1 WHERE number = 1")
        verdict = verify(source, lambda problem: LocalEngine(2), ALL, lambda progress: None)
    assert [check.name for check in verdict.checks if not check.passed] == ["records"]


def counts(unit: Record) -> list[int]:
    numbers: list[int] = unit["result"]["counts"]
    return numbers


def change_a_count(heading: Record, units: list[Record]) -> None:
    counts(units[2])[0] += 8


def change_a_count_and_the_answer(heading: Record, units: list[Record]) -> None:
    counts(units[2])[0] += 8
    heading["answer"] |= {"solutions": 100, "unique": 13}


def change_a_count_against_the_invariants(heading: Record, units: list[Record]) -> None:
    counts(units[2])[0] += 1
    heading["answer"] |= {"solutions": 93}


def give_a_count_to_another_unit(heading: Record, units: list[Record]) -> None:
    counts(units[0])[0] += 1
    counts(units[1])[0] -= 1


def swap_results(heading: Record, units: list[Record]) -> None:
    units[0]["result"], units[1]["result"] = units[1]["result"], units[0]["result"]


def change_the_answer(heading: Record, units: list[Record]) -> None:
    heading["answer"] |= {"solutions": 100}


def rename_a_value(heading: Record, units: list[Record]) -> None:
    heading["answer"]["solution"] = heading["answer"].pop("solutions")


def change_a_row(heading: Record, units: list[Record]) -> None:
    units[1]["rows"] = units[1]["rows"] ^ np.uint64(1)


def swap_two_rows(heading: Record, units: list[Record]) -> None:
    units[1]["rows"] = units[1]["rows"][::-1].copy()


def drop_a_row(heading: Record, units: list[Record]) -> None:
    units[1]["rows"] = units[1]["rows"][1:]


def widen_rows(heading: Record, units: list[Record]) -> None:
    units[1]["rows"] = np.repeat(units[1]["rows"], 2, axis=1)


def change_a_cost(heading: Record, units: list[Record]) -> None:
    units[1]["cost"] += 1


def swap_units(heading: Record, units: list[Record]) -> None:
    units[1], units[2] = units[2], units[1]


def swap_units_and_their_numbers(heading: Record, units: list[Record]) -> None:
    units[1], units[2] = units[2] | {"number": 1}, units[1] | {"number": 2}


def drop_a_unit(heading: Record, units: list[Record]) -> None:
    del units[1]


def drop_the_last_unit(heading: Record, units: list[Record]) -> None:
    del units[-1]


def drop_a_unit_and_close_the_gap(heading: Record, units: list[Record]) -> None:
    lost = units.pop(1)
    for number, unit in enumerate(units):
        unit["number"] = number
    counts(units[0])[0] += counts(lost)[0]


def double_a_unit(heading: Record, units: list[Record]) -> None:
    units.insert(1, units[1])


def double_a_unit_with_a_number_of_its_own(heading: Record, units: list[Record]) -> None:
    units.append(units[-1] | {"number": len(units)})


def adopt_a_unit(heading: Record, units: list[Record]) -> None:
    units[-1]["parent"] = 0


def claim_a_rest(heading: Record, units: list[Record]) -> None:
    units[1]["result"] |= {"rest": "0" * 32, "budget": 5}


def lose_a_result(heading: Record, units: list[Record]) -> None:
    units[1]["result"] = None


def lose_a_tally(heading: Record, units: list[Record]) -> None:
    counts(units[1]).pop()


def ask_another_question(heading: Record, units: list[Record]) -> None:
    heading["values"] = heading["values"].replace('"n":8', '"n":9')


def claim_another_job(heading: Record, units: list[Record]) -> None:
    heading["id"] = "0123456789abcdef"


def claim_another_version(heading: Record, units: list[Record]) -> None:
    heading["version"] += 1


def ask_what_nobody_knows(heading: Record, units: list[Record]) -> None:
    heading["problem"] = "knights"


def leave_a_choice_open(heading: Record, units: list[Record]) -> None:
    heading["values"] = heading["values"].replace("scalar", "auto")


def break_the_values(heading: Record, units: list[Record]) -> None:
    heading["values"] = "{"


def rename_a_tally(heading: Record, units: list[Record]) -> None:
    heading["tallies"][0] = "loops"


def claim_to_be_partial(heading: Record, units: list[Record]) -> None:
    heading["state"] = "partial"


@pytest.mark.parametrize(
    ("edit", "found_by"),
    [
        (change_a_count, "answer"),
        (change_a_count_and_the_answer, "known"),
        (change_a_count_against_the_invariants, "answer"),
        (give_a_count_to_another_unit, "recount"),
        (swap_results, "recount"),
        (change_the_answer, "answer"),
        (rename_a_value, "answer"),
        (change_a_row, "units"),
        (swap_two_rows, "units"),
        (drop_a_row, "units"),
        (widen_rows, "units"),
        (change_a_cost, "units"),
        (swap_units, "units"),
        (swap_units_and_their_numbers, "units"),
        (drop_a_unit, "units"),
        (drop_the_last_unit, "units"),
        (drop_a_unit_and_close_the_gap, "units"),
        (double_a_unit, "units"),
        (double_a_unit_with_a_number_of_its_own, "units"),
        (adopt_a_unit, "units"),
        (claim_a_rest, "units"),
        (lose_a_result, "results"),
        (lose_a_tally, "results"),
        (ask_another_question, "question"),
        (claim_another_job, "question"),
        (claim_another_version, "question"),
        (ask_what_nobody_knows, "question"),
        (leave_a_choice_open, "question"),
        (break_the_values, "question"),
        (rename_a_tally, "question"),
        (claim_to_be_partial, "answer"),
    ],
)
def test_a_tampered_export_with_all_checksums_right_is_found(path: Path, edit, found_by: str) -> None:
    before = path.read_bytes()
    forge(path, edit)
    assert path.read_bytes() != before
    assert failing(path)[0] == found_by


@pytest.mark.parametrize(
    "edit",
    [change_a_count, change_a_row, swap_units, drop_a_unit, double_a_unit, give_a_count_to_another_unit],
)
def test_the_digests_find_what_only_has_its_checksums_right(path: Path, edit) -> None:
    forge(path, edit, digest=False)
    assert failing(path) == ["records"]


def test_a_forgery_that_changes_nothing_passes(path: Path) -> None:
    before = path.read_bytes()
    forge(path, lambda heading, units: None)
    assert path.read_bytes() == before


def change_a_child(heading: Record, units: list[Record]) -> None:
    units[-1]["rows"] = units[-1]["rows"][::-1].copy()
    units[-1]["rows"][0] ^= np.uint64(1)


def drop_a_child(heading: Record, units: list[Record]) -> None:
    del units[-1]


def give_a_child_to_another_parent(heading: Record, units: list[Record]) -> None:
    units[-1]["parent"] = 0 if units[-1]["parent"] else 1


def have_a_parent_that_is_not_there(heading: Record, units: list[Record]) -> None:
    units[-1]["parent"] = 10**6


def raise_the_cost_of_a_child(heading: Record, units: list[Record]) -> None:
    units[-1]["cost"] = 2


def drop_what_a_budget_left(heading: Record, units: list[Record]) -> None:
    """Leave the root's unit only, as if it had counted the whole."""
    whole = units[0]["result"]
    whole["counts"] = [sum(counts(unit)[0] for unit in units)]
    whole["rest"] = units[-1]["result"]["rest"]
    del units[1:]


def forget_the_budget(heading: Record, units: list[Record]) -> None:
    units[0]["result"]["budget"] = None


def change_the_budget(heading: Record, units: list[Record]) -> None:
    units[0]["result"]["budget"] -= 1


@pytest.mark.parametrize(
    ("edit", "found_by"),
    [
        (change_a_child, "units"),
        (drop_a_child, "units"),
        (give_a_child_to_another_parent, "units"),
        (have_a_parent_that_is_not_there, "units"),
        (raise_the_cost_of_a_child, "units"),
        (forget_the_budget, "units"),
        (change_the_budget, "recount"),
        (give_a_count_to_another_unit, "recount"),
    ],
)
def test_a_tampered_export_with_budgets_is_found(tree: Path, edit, found_by: str) -> None:
    forge(tree, edit)
    assert failing(tree)[0] == found_by


def count_too_many(heading: Record, units: list[Record]) -> None:
    counts(units[0])[0] += 1
    heading["answer"]["solutions"] += 1


def test_a_unit_that_claims_to_have_left_nothing_is_recounted_without_a_budget(tree: Path) -> None:
    forge(tree, drop_what_a_budget_left)
    assert failing(tree) == []
    forge(tree, count_too_many)
    assert failing(tree) == ["recount"]


def test_a_sample_is_drawn_by_its_seed_and_as_large_as_asked(path: Path) -> None:
    engines: list[Inline] = []

    def drawn(sample: Sample) -> list[int]:
        engines.append(Inline())
        with FileSource(path) as source:
            verdict = verify(source, lambda problem: engines[-1], sample, lambda progress: None)
        assert verdict.holds
        assert verdict.verified == (verdict.recounted == verdict.heading.units)
        numbers = [unit.number for unit in engines[-1].units]
        assert verdict.recounted == len(numbers) == len(set(numbers))
        return sorted(numbers)

    assert len(drawn(Sample(3, seed=1))) == 3
    assert drawn(Sample(3, seed=1)) == drawn(Sample(3, seed=1))
    assert len({tuple(drawn(Sample(3, seed=seed))) for seed in range(10)}) > 3
    assert len(drawn(Sample(10**6))) == len(drawn(ALL))
    assert drawn(Sample(0)) == []
    assert all(unit.recount for engine in engines for unit in engine.units)


def test_a_sample_without_a_size_has_one_unit_if_that_takes_all_the_time(path: Path, monkeypatch) -> None:
    monkeypatch.setattr("frontrow.cluster.proofs.verify.SECONDS", 0.0)
    assert checked(path, Sample()).recounted == 1
    monkeypatch.setattr("frontrow.cluster.proofs.verify.SECONDS", 1e9)
    assert checked(path, Sample()).verified


def test_a_job_that_is_not_done_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        count("queens", n=10, engine=interrupting(3), store=tmp_path)
    path = tmp_path / "part.frow"
    with Store.open(tmp_path) as store:
        export(store, store.jobs()[0].id, path, partial=True)
    verdict = checked(path)
    assert all(check.passed for check in verdict.checks)
    assert verdict.recounted == 3
    assert not verdict.complete
    assert not verdict.holds
    assert not verdict.verified
    forge(path, lambda heading, units: heading.update(state="done", answer={"solutions": 724}))
    assert failing(path) == ["results", "answer"]


def test_the_end_mark_has_to_be_there(path: Path) -> None:
    with FileSource(path) as source:
        list(source.entries())
        last = source._places[-1]
        source._reader.at(last)
        cut = last + len(source._reader.at(last).data)
    path.write_bytes(path.read_bytes()[:cut])
    with FileSource(path) as source, pytest.raises(StoreError, match="found no end mark after"):
        list(source.entries())
    assert failing(path) == ["records"]


# The command


def test_the_command_says_what_was_checked_and_what_follows(path: Path, capfd) -> None:
    assert run(["verify", str(path), "--all", "--quiet"]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[:7]] == [
        ["ok", name] for name in ("records", "question", "units", "results", "answer", "known", "recount")
    ]
    assert lines[-1] == "verified: 92 solutions of queens n=8"
    assert err == ""


def test_the_command_fails_for_a_tampered_export(path: Path, capfd) -> None:
    forge(path, change_a_count)
    assert run(["verify", str(path)]) == 1
    out, _ = capfd.readouterr()
    assert "FAILED  answer    found {'solutions': 92," in out
    assert out.splitlines()[-1] == "not verified: answer"


def test_the_command_prints_one_object(tmp_path: Path, capfd) -> None:
    _, result = exported(tmp_path, "queens", n=8)
    words = ["verify", result.job[:6], "--store", str(tmp_path), "--json", "--sample", "2", "--seed", "7"]
    assert run([*words, "--workers", "1", "--quiet"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["verb"], said["job"], said["holds"], said["complete"]) == ("verify", result.job, True, True)
    assert (said["recounted"], said["seed"], said["units"]) == ("2", 7, str(result.units))
    assert said["values"]["solutions"] == "92"
    assert all(check["holds"] for check in said["checks"])
    assert said["verified"] is False
    assert run(["verify", result.job[:6], "--store", str(tmp_path), "--json", "--all", "--quiet"]) == 0
    assert json.loads(capfd.readouterr().out)["verified"] is True


def test_a_job_is_exported_and_imported_by_commands(tmp_path: Path, capfd) -> None:
    _, result = exported(tmp_path, "queens", n=8)
    there, here = ["--store", str(tmp_path / "other")], ["--store", str(tmp_path)]
    path = str(tmp_path / "out.frow")
    assert run(["export", result.job[:6], path, *here]) == 0
    assert f"wrote {result.units} units of job {result.job} to {path}" in capfd.readouterr().out
    assert run(["import", path, *there]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[0] == f"entered job {result.job} with {result.units} units"
    assert said[1] == f"count some of them here with: frontrow verify {result.job}"
    assert run(["import", path, *there, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["entered"] is False


def test_quiet_commands_say_only_what_they_did(path: Path, capfd) -> None:
    with Store.open(path.parent) as store:
        [row] = store.jobs()
    out = str(path.parent / "out.frow")
    assert run(["export", row.id, out, "-q", "--store", str(path.parent)]) == 0
    assert capfd.readouterr().out == f"wrote {row.units} units of job {row.id} to {out}\n"
    assert run(["import", out, "-q", "--store", str(path.parent / "other")]) == 0
    assert capfd.readouterr().out == f"entered job {row.id} with {row.units} units\n"


def inflate(heading: Record, units: list[Record]) -> None:
    """Eight solutions more, in a unit and in the answer, which contradict nothing."""
    units[0]["result"]["counts"][0] += 8
    heading["answer"] |= {"solutions": 100, "unique": 13}


@pytest.mark.usefixtures("unpublished")
def test_what_was_not_recounted_is_not_said_to_be_verified(path: Path, capfd) -> None:
    with FileSource(path) as source:
        units = source.heading.units
    assert units > 3
    nothing = f"nothing wrong found: 92 solutions of queens n=8, none of {units} units recounted"
    some = f"nothing wrong found: 92 solutions of queens n=8, 2 of {units} units recounted (a single altered "
    for count_, last in (("0", nothing), ("2", some), (str(units), "verified: 92 solutions of queens n=8")):
        assert run(["verify", str(path), "--sample", count_, "--quiet"]) == 0
        assert capfd.readouterr().out.splitlines()[-1].startswith(last)
    forge(path, inflate)
    assert run(["verify", str(path), "--sample", "0", "--quiet", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["holds"], said["verified"], said["recounted"]) == (True, False, "0")


def test_an_answer_that_is_not_the_published_one_is_found_and_not_taken_in(path: Path, capfd) -> None:
    forge(path, inflate)
    assert run(["verify", str(path), "--sample", "0", "--quiet"]) == 1
    line = "known     solutions: found 100, expected 92 (OEIS A000170)"
    assert capfd.readouterr().out.splitlines()[-3:] == [f"FAILED  {line}", "", "not verified: known"]
    assert run(["import", str(path), "--store", str(path.parent / "other")]) == 1
    assert "known: solutions: found 100" in capfd.readouterr().err


@pytest.mark.parametrize("n", range(28))
def test_published_totals_agree_with_each_other(n: int) -> None:
    totals = published(ProblemRef.of(Queens(n=n).settle()))
    if n < 2:
        assert totals == {"solutions": 1, "unique": 1}
        return
    symmetric = 8 * totals["unique"] - totals["solutions"]  # half turns, and twice the quarter turns
    assert 0 <= symmetric <= 3 * totals["solutions"]
    assert symmetric % 2 == 0
    assert n < 12 or symmetric < totals["solutions"] / 100
    assert published(ProblemRef.of(Queens(n=n, fixed="0").settle())) == {}


def test_beyond_27_queens_nothing_is_published() -> None:
    assert published(ProblemRef.of(Queens(n=28).settle())) == {}


def test_an_answer_that_was_imported_is_told_as_such_until_it_is_counted_here(
    path: Path, unpublished: None, capfd
) -> None:
    forge(path, inflate)
    there = ["--store", str(path.parent / "other")]
    assert run(["import", str(path), *there]) == 0
    job = capfd.readouterr().out.split()[2]
    ask = ["count", "queens", "8", *there, "--quiet"]
    for words in (ask, ["show", job, *there]):
        assert run(words) == 0
        [line] = [line for line in capfd.readouterr().out.splitlines() if line.startswith("imported ")]
        assert line.endswith(f'UTC, results of a file ("frontrow verify {job}" checks them)')
    assert run(["jobs", *there]) == 0
    assert "done (imported)" in capfd.readouterr().out
    for words in (ask, ["show", job, *there]):
        assert run([*words, "--json"]) == 0
        assert json.loads(capfd.readouterr().out)["imported"].endswith("+00:00")
    assert run([*ask, "--fresh"]) == 1  # the earlier answer was a forgery
    assert run([*ask, "--fresh", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["values"]["solutions"], said["imported"]) == ("92", None)


def test_an_answer_that_is_found_wrong_is_disputed_and_given_no_more(
    path: Path, unpublished: None, capfd
) -> None:
    forge(path, inflate)
    there = ["--store", str(path.parent / "other")]
    assert run(["import", str(path), *there]) == 0
    job = capfd.readouterr().out.split()[2]
    assert run(["verify", job, "--all", "--quiet", *there]) == 1
    assert capfd.readouterr().out.splitlines()[-2:] == [
        "not verified: recount",
        "the job is disputed now: its answer is not given any more",
    ]
    assert run(["count", "queens", "8", *there]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"frontrow: job {job} is disputed (unit 0: found [")
    assert err.endswith(f"--fresh computes it again, frontrow verify {job} --all recounts every unit\n")


def test_recounting_every_unit_of_a_disputed_job_gives_its_answer_back(path: Path, capfd) -> None:
    there = ["--store", str(path.parent)]
    with Store.open(path.parent) as store:
        [row] = store.jobs()
        [[counts_]] = store.database.select("SELECT counts FROM results WHERE number = 1 AND copy = 0")
        result = UnitResult(1, 1, None, (7, 0, 0), 1, np.empty((0, 1), np.uint64), 0.0, "liar", "h", "k")
        epoch = store.own(row.id)
        [told] = store.add_copies(row.id, epoch, [result])
        store.finish(row.id, epoch, "disputed", error=told)
    assert run(["verify", row.id, "--sample", "1", "--quiet", *there]) == 1
    out = capfd.readouterr().out
    assert "answer    none is stated, the job is disputed" in out
    assert out.splitlines()[-1].startswith(
        "not verified: the job is disputed (unit 1: found [7, 0, 0] by liar"
    )
    assert run(["verify", row.id, "--all", "--quiet", *there]) == 0
    assert capfd.readouterr().out.splitlines()[-2:] == [
        "verified: 92 solutions of queens n=8",
        "the job is not disputed any more: its answer is given again",
    ]
    with Store.open(path.parent) as store:
        [again] = store.jobs()
        kept = store.database.select("SELECT counts FROM results WHERE number = 1")
    assert (again.state, again.answer, again.error, again.verified) == ("done", row.answer, "", 0)
    assert [each["counts"] for each in kept] == [counts_]


def test_a_disputed_job_stays_so_if_a_unit_comes_out_different(path: Path, capfd) -> None:
    there = ["--store", str(path.parent / "other")]
    assert run(["import", str(path), *there]) == 0
    with Store.open(path.parent / "other") as store:
        [row] = store.jobs()
        store.finish(row.id, store.own(row.id), "disputed", error="so it is")
        counts_ = encode([1, 0, 0])
        [[nodes, rest]] = store.database.select("SELECT nodes, rest FROM results WHERE number = 1")
        crc = result_crc(1, counts_, nodes, rest)
        store.database.execute("UPDATE results SET counts = ?, crc = ? WHERE number = 1", counts_, crc)
    capfd.readouterr()
    assert run(["verify", row.id, "--all", "--quiet", "--json", *there]) == 1
    said = json.loads(capfd.readouterr().out)
    assert (said["holds"], said["disputed"], said["complete"]) == (False, True, False)
    with Store.open(path.parent / "other") as store:
        assert store.jobs()[0].state == "disputed"


def test_a_verification_that_holds_disputes_nothing(path: Path, capfd) -> None:
    there = ["--store", str(path.parent)]
    with Store.open(path.parent) as store:
        [row] = store.jobs()
    assert run(["verify", row.id, "--all", "--quiet", "--json", *there]) == 0
    assert json.loads(capfd.readouterr().out)["disputed"] is False
    with Store.open(path.parent) as store:
        assert store.jobs() == [row]


def test_no_text_of_a_file_gives_orders_to_the_terminal(path: Path, capfd) -> None:
    def edit(heading: Record, units: list[Record]) -> None:
        heading |= {"method": "\x1b[2Jm\n", "kernel": "\x1b]0;k\x07", "created": "\x1bc\u202e"}

    forge(path, edit)
    there = ["--store", str(path.parent / "other")]
    assert run(["import", str(path), *there]) == 0
    assert run(["verify", str(path), "--quiet"]) == 0
    assert run(["jobs", *there]) == 0
    assert run(["count", "queens", "8", *there, "--quiet", "-v"]) == 0
    capfd.readouterr()
    with Store.open(path.parent / "other") as store:
        job = store.jobs()[0].id
    assert run(["show", job, *there]) == 0
    out = capfd.readouterr().out
    assert "method    \\x1b[2Jm\\n" in out
    assert out.replace("\n", "").isprintable()
    forge(path, lambda heading, units: heading.update(problem="\x1b[31mred\x07"))
    for words in (["verify", str(path), "--quiet"], ["import", str(path), *there]):
        assert run(words) == 1
        assert "".join(capfd.readouterr()).replace("\n", "").isprintable()


def test_a_version_that_is_not_known_here_is_what_was_found(path: Path) -> None:
    forge(path, lambda heading, units: heading.update(version=99))
    [question] = [check for check in checked(path).checks if not check.passed]
    assert question.text == f"problem queens: found version 99, expected {Queens.version}"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["verify", "nothing.frow"],
            "nothing.frow: found no such file, expected an export",
        ),
        (["verify", "beef"], "job 'beef': found no job in "),
        (["verify", "/dev/null"], "/dev/null: found a device, expected a regular file"),
        (["verify", "/"], "/: found a folder, expected a regular file"),
        (["verify", "-"], "-: found standard input, expected a regular file"),
        (["import", "nothing.frow"], "nothing.frow: found no such file, expected an export"),
        (["import", "-"], "-: found standard input, expected a regular file"),
        (["export", "beef", "-"], "-: found standard output, expected a regular file"),
        (["verify", "beef", "--sample", "x"], "sample: found 'x', expected an integer from 0"),
        (["verify", "beef", "--sample", "1", "--all"], "sample: found 1 and --all, expected one of them"),
        (["export", "beef", "out"], "job 'beef': found no job in "),
        (["count", "queens", "8", "--verify", "all"], "verify: found 'all', expected sample or full"),
    ],
)
def test_what_cannot_be_asked_is_one_line(tmp_path: Path, capfd, words: list[str], line: str) -> None:
    assert run([*words, "--store", str(tmp_path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"frontrow: {line}")
    assert err.count("\n") == 1


def test_a_folder_that_is_called_like_a_job_hides_no_job(path: Path, monkeypatch, capfd) -> None:
    with Store.open(path.parent) as store:
        [row] = store.jobs()
    monkeypatch.chdir(path.parent)
    (path.parent / row.id).mkdir()
    (path.parent / "results").mkdir()
    assert run(["verify", row.id, "--sample", "1", "--quiet", "--store", "."]) == 0
    assert run(["verify", "results", "--store", "."]) == 2
    assert capfd.readouterr().err == "frontrow: results: found a folder, expected a regular file\n"


def test_source_of_somebody_else_is_run_only_with_trust(tree: Path, tmp_path: Path, capfd) -> None:
    forge(tree, lambda heading, units: heading.update(source=heading["source"] + "\nprint('run')\n"))
    assert run(["verify", str(tree), "--store", str(tmp_path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "found Python source in it ('tree.py'), expected --trust" in err
    assert run(["verify", str(tree), "--trust", "--quiet"]) == 1
    assert "FAILED  question" in capfd.readouterr().out
