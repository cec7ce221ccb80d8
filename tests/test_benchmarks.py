"""The benchmarks run, compare answers, and pair fairly."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from benchmarks import explore, pairs, queens, solve


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
        lambda question, options: dict.fromkeys(("rank x1", "set"), explore.apart),
    )
    with pytest.raises(SystemExit, match="found other layers by set than by rank x1, expected the same"):
        explore.main(["sliding 2x2", "--repeat", "1"])


@pytest.mark.jit
def test_solve_table_has_every_contestant(capsys: pytest.CaptureFixture[str]) -> None:
    script = "import sys; [print(1 if row[:3] == '1,0' else 42) for row in open(sys.argv[1])]"
    command = f'{sys.executable} -c "{script}"'
    words = "few --instances 16 --heuristics walking,linear-conflict --repeat 1 --json --against"
    solve.main([*words.split(), command])
    lines = json.loads(capsys.readouterr().out)
    assert [line["run"] for line in lines] == ["walking x1", "linear-conflict x1", "frontrow", "CMD"]
    assert [line["worst"] for line in lines] == [16, 16, None, None]
    assert lines[0]["nodes"] == lines[2]["nodes"] > 10_000
    assert all(line["boards"] == 1 and line["tables"] is None for line in lines)
    assert all(line["rate"] > 0 and line["worst_seconds"] == line["seconds"] for line in lines[:2])


@pytest.mark.jit
def test_tables_are_built_apart_in_the_folder_of_the_run(tmp_path: Path) -> None:
    taken = queens.apart(solve.build, "2x4", "pdb:4-3", str(tmp_path))
    assert taken.wall > 0
    assert sorted(file.name.partition("-")[0] for file in tmp_path.glob("*.tables")) == ["2x4", "3x3"]


def searched(*boards: tuple[int, int, float]) -> pairs.Sample:
    """A round that took so long, by board: length, nodes, seconds."""
    return pairs.Sample(0.0, sum(seconds for _, _, seconds in boards), json.dumps(boards))


def test_worst_instance_is_that_of_the_medians() -> None:
    instances = solve.read_instances("4x4", [12, 16])
    rounds = [((45, 9, 2.0), (42, 1, 1.0)), ((45, 9, 2.0), (42, 1, 5.0)), ((45, 9, 3.0), (42, 1, 1.0))]
    line = solve.line_of("few", "walking x1", instances, [searched(*boards) for boards in rounds])
    assert (line.worst, line.worst_seconds, line.seconds, line.nodes, line.rate) == (12, 2.0, 4.0, 10, 2.5)


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        ([(45, 9, 1.0), (44, 1, 1.0)], "few x: found 44 moves for 4x4 number 16, expected 42"),
        ([(45, 9, 1.0)], "few x: found 1 lengths, expected 2"),
    ],
)
def test_solve_ends_with_an_error_where_a_length_is_not_the_known_one(
    boards: list[tuple[int, int, float]], message: str
) -> None:
    instances = solve.read_instances("4x4", [12, 16])
    good = searched((45, 9, 1.0), (42, 1, 1.0))
    with pytest.raises(SystemExit, match=message):
        solve.line_of("few", "x", instances, [good, searched(*boards)])


def test_lengths_are_the_last_numbers_of_lines() -> None:
    assert solve.printed_lengths("board 1: 45\n\nno number\n2 moves, 46 (0.1) 47 .\n") == [45, 47]
    assert solve.with_file("prog -x {file} -y", "a b") == ["prog", "-x", "a b", "-y"]
    assert solve.with_file("prog -x", "a b") == ["prog", "-x", "a b"]


def test_unknown_instance_is_refused() -> None:
    with pytest.raises(SystemExit, match="found 99 for 5x5, expected some of 20, 25, 29, 36, 40"):
        solve.read_instances("5x5", [20, 99])
