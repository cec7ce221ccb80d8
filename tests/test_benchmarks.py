"""The benchmarks run, compare answers, and pair fairly."""

import json
import shutil
import sys

import pytest

from benchmarks import explore, pairs, queens


def sample(user: float) -> pairs.Sample:
    return pairs.Sample(user, user, "")


def test_contestants_take_turns_in_alternating_order() -> None:
    order: list[str] = []

    def runner(name: str) -> pairs.Run:
        def run() -> pairs.Sample:
            order.append(name)
            return sample(len(order))

        return run

    taken = pairs.in_rounds({name: runner(name) for name in "abc"}, 3)
    assert "".join(order) == "abc" + "cba" + "abc"
    assert [s.user for s in taken["a"]] == [1, 6, 7]


def test_ratios_are_taken_within_rounds() -> None:
    assert pairs.ratios([2, 30, 8], [1, 10, 2]) == pairs.Spread(3, 2, 4)
    assert pairs.ratios([2, 30], [1, 0]) is None
    assert pairs.ratios([], []) is None


def test_start_up_is_taken_off_by_its_median() -> None:
    assert pairs.without_start([sample(10), sample(12)], [sample(1), sample(2), sample(9)]) == [8, 10]


def test_number_goes_where_it_is_asked_for_or_last() -> None:
    assert pairs.with_number("prog --size {n} 'a b'", 9) == ["prog", "--size", "9", "a b"]
    assert pairs.with_number("prog -q", 9) == ["prog", "-q", "9"]


def test_command_is_measured_and_its_output_kept() -> None:
    taken = pairs.run_command([sys.executable, "-c", "print(sum(range(300_000)))"])
    assert taken.answer.strip() == "44999850000"
    assert taken.user > 0


def test_command_that_fails_ends_the_benchmark() -> None:
    with pytest.raises(SystemExit, match="found exit status 3, expected 0: oh no"):
        pairs.run_command([sys.executable, "-c", "import sys; print('oh no'); sys.exit(3)"])


def test_queens_table_has_every_contestant(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{sys.executable} -c 'print({{n}}, 4)'"
    queens.main(["6", "--repeat", "1", "--workers", "2", "--json", "--against", command])
    lines = json.loads(capsys.readouterr().out)
    expected = {"quadrant", "lanes", "scalar", "1 worker", "2 workers", "frontrow", "CMD"}
    assert {line["run"] for line in lines} == expected | ({"C"} if shutil.which("cc") else set())
    assert all(line["wall"] > 0 for line in lines)


def test_different_answers_end_the_run() -> None:
    samples = {"lanes": [pairs.Sample(1, 1, "4")], "C": [pairs.Sample(1, 1, "5")]}
    with pytest.raises(SystemExit, match="found totals 4, 5, expected one"):
        queens.compare_answers(6, samples)


@pytest.mark.jit
def test_explore_table_has_every_contestant(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{sys.executable} -c pass"
    words = [
        "sliding 2x3",
        "--repeat",
        "1",
        "--workers",
        "1",
        "--json",
        "--against",
        command,
        "--start",
        command,
    ]
    explore.main(words)
    lines = json.loads(capsys.readouterr().out)
    assert [line["run"] for line in lines] == [
        *("rank x1", "layers x1", "hash x1", "set", "numpy", "frontrow", "CMD"),
    ]
    assert all(line["rate"] > 0 for line in lines)
    assert [line["nbytes"] is None for line in lines] == [False] * 3 + [True] * 4


def test_explore_ends_with_an_error_where_layers_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter(["9 1 2 3", "nan 1 2 4"])
    monkeypatch.setattr(explore, "apart", lambda *words: pairs.Sample(1.0, 1.0, next(taken)))
    monkeypatch.setattr(
        explore,
        "contestants",
        lambda question, options: {name: explore.apart for name in ("rank x1", "set")},
    )
    with pytest.raises(SystemExit, match="found other layers by set than by rank x1, expected the same"):
        explore.main(["sliding 2x2", "--repeat", "1"])
