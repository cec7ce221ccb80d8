"""Sliding block puzzles: known layers, kernels against the plain moves, symmetries, drawings."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from frontrow.search.blocks import moves, plain
from frontrow.search.blocks.plan import plan
from frontrow.search.errors import UsageError
from frontrow.search.problems.blocks import Blocks
from frontrow.search.registry import ProblemRef
from tests.search.blocks_support import explore, known

METRICS = ("step", "slide", "piece")


@pytest.mark.jit
@pytest.mark.parametrize("case", known(), ids=lambda case: " ".join(map(str, case[:3])))
def test_klotski_has_its_known_layers_and_its_goal_at_its_known_depth(case):
    name, metric, mirrored, goal, layers = case
    assert explore(Blocks(name, metric), mirrored) == (layers, goal)


def test_piece_change_has_540_boards_and_its_goal_at_44_moves():
    sizes, goal = explore(Blocks("piece-change"))
    assert (sum(sizes), goal, len(sizes) - 1) == (540, 44, 56)


def test_shipped_puzzles_need_one_word_a_board():
    assert {name: Blocks(name).words for name in ("klotski", "piece-change")} == {
        "klotski": 1,
        "piece-change": 1,
    }


@st.composite
def pictures(draw, side=4):
    """Random boards with pieces of any shape, walls and a goal of some pieces of the start."""
    height, width = draw(st.integers(1, side)), draw(st.integers(1, side))
    marks = st.sampled_from("..#ABCDEFG")
    lines = ["".join(draw(marks) for _ in range(width)) for _ in range(height)]
    shown = draw(st.sets(st.sampled_from("ABCDEFG")))
    goal = ["".join(mark if mark in shown else "." for mark in line) for line in lines]
    extra = draw(st.sampled_from(["", "distinct:", "single: A", "single: ABCDEFG"]))
    parts = [lines, goal] if any(mark in shown for mark in "".join(lines)) else [lines]
    return "\n\n".join(["\n".join(part) for part in parts] + [extra]) + "\n"


def made(picture, metric="step"):
    """The puzzle, if the picture is one: letters may have come out in several shapes."""
    try:
        return Blocks(picture, metric)
    except UsageError:
        assume(False)


@settings(max_examples=150, deadline=None)
@given(pictures(), st.sampled_from(METRICS))
def test_kernels_do_what_the_plain_moves_do(picture, metric):
    problem = made(picture, metric)
    table = plan(problem.puzzle)
    rows = problem.initial()
    for _ in range(4):
        children, parents = problem.expand(rows)
        wanted, above = plain.expand(table, metric, rows)
        np.testing.assert_array_equal(children, wanted)
        np.testing.assert_array_equal(parents, above)
        np.testing.assert_array_equal(moves.reached(table, rows), plain.reached(table, rows))
        assert np.bincount(parents, minlength=1).max(initial=0) <= problem.degree
        rows = np.unique(np.concatenate([rows, children]), axis=0)[:50]


@settings(max_examples=60, deadline=None)
@given(pictures())
def test_a_goal_looks_as_it_was_drawn(picture):
    problem = made(picture)
    goal = "\n".join(plan(problem.puzzle).puzzle.goal)
    rows = problem.initial()
    for _ in range(4):
        for row in rows[problem.is_goal(rows)]:
            for mark, wanted in zip(problem.render(row), goal, strict=True):
                assert wanted in (mark, ".")
        rows = np.unique(np.concatenate([rows, problem.expand(rows)[0]]), axis=0)[-50:]


def test_another_piece_in_the_place_of_the_wanted_one_is_no_goal():
    problem = Blocks("ABC.\n....\n\n...A\n....\n\ndistinct:\n")
    layers = [problem.initial()]
    for _ in range(5):
        layers.append(np.unique(problem.expand(layers[-1])[0], axis=0))
    for row in np.concatenate(layers):
        assert problem.is_goal(row[None])[0] == (problem.render(row)[3] == "A")


@settings(max_examples=60, deadline=None)
@given(pictures(3), st.sampled_from(METRICS))
def test_every_move_can_be_undone_and_leads_to_another_board(picture, metric):
    problem = made(picture, metric)
    children, _ = problem.expand(problem.initial())
    back, parents = problem.expand(children)
    assert not (children == problem.initial()).all(axis=1).any()
    home = parents[(back == problem.initial()).all(axis=1)]
    assert set(home.tolist()) == set(range(children.shape[0]))


SYMMETRIC = [
    "A.A\n...\nA.A\n",
    "AAB\nA.B\nCCC\n\nsingle: B\n",
    "A.B\n.#.\nC.D\n",
    "AB\nBA\n\nsingle: AB\n\nA.\n..\n",
    ".AA.\n#..#\n#..#\n.BB.\n",
    "AAA.BBB\nA.....B\n.......\nC.....D\nCCC.DDD\n",
    "#" * 10 + "\n" + "#........#\n" * 3 + "#..AABB..#\n#..AABB..#\n" + "#........#\n" * 3 + "#" * 10 + "\n",
]


@pytest.mark.parametrize("picture", ["klotski", "piece-change", *SYMMETRIC])
@pytest.mark.parametrize("metric", METRICS)
def test_symmetries_leave_start_goal_and_moves_as_they_are(picture, metric):
    problem = Blocks(picture, metric)
    group, rows = problem.symmetries(), problem.initial()
    assert (group.images(rows) == rows).all()
    assert (group.canonical(rows) == rows).all()
    for _ in range(3):
        rows = np.unique(problem.expand(rows)[0], axis=0)[:40]
        images = group.images(rows)
        for image in images:
            assert (problem.is_goal(image) == problem.is_goal(rows)).all()
            one, other = (problem.expand(each)[0] for each in (image, rows))
            back = np.unique(group.canonical(other), axis=0)
            np.testing.assert_array_equal(np.unique(group.canonical(one), axis=0), back)
        least = group.canonical(rows)
        assert (group.canonical(images.reshape(-1, group.words)) == np.tile(least, (group.order, 1))).all()


@pytest.mark.parametrize(
    ("picture", "order"),
    [
        ("A.A\n...\nA.A\n", 8),
        ("A.A\n...\nA.A\n\nA..\n...\n...\n", 2),  # the diagonal
        ("A.B\n...\n...\n\ndistinct:\n", 2),  # kinds change places
        ("A.B\n...\n...\n\n..A\n...\nB..\n", 1),
        ("A..\nA..\n", 2),
        ("A..\nAA.\n", 1),
        ("AAA.BBB\nA.....B\nC.....D\nCCC.DDD\n", 4),
        ("AA.\nA..\n...\n", 2),
        ("#A.\n...\n", 1),
        (".AA.\n#..#\n#..#\n.BB.\n", 4),
    ],
)
def test_a_group_has_the_reflections_and_turns_that_fix_walls_start_and_goal(picture, order):
    assert Blocks(picture).symmetries().order == order


def test_boards_up_to_symmetry_add_up_to_all_boards():
    problem = Blocks("A.A\n.B.\n...\n\n...\n...\n.B.\n")
    group, seen = problem.symmetries(), [problem.initial()]
    assert group.order == 2
    for _ in range(9):
        seen.append(np.unique(np.concatenate([*seen, problem.expand(seen[-1])[0]]), axis=0))
    classes = np.unique(group.canonical(seen[-1]), axis=0)
    assert group.orbits(classes).sum() == seen[-1].shape[0] == 9 * 8 * 7 // 2


def test_a_board_of_64_cells_in_several_kinds_has_rows_of_several_words():
    problem = Blocks("ABC.....\n" + "........\n" * 6 + ".....DEF\n\ndistinct:\n")
    assert (problem.words, problem.degree) == (4, 24)
    children, _ = problem.expand(problem.initial())
    np.testing.assert_array_equal(children, plain.expand(plan(problem.puzzle), "step", problem.initial())[0])
    assert children.shape[0] == 8


def test_a_row_is_drawn_as_the_picture_that_makes_it():
    problem = Blocks("klotski")
    assert problem.render(problem.initial()[0]) == "ABBC\nABBC\nDEEF\nDGHF\nI..J"
    walled = Blocks("#####\n#A.B#\n#####\n")
    assert walled.render(walled.expand(walled.initial())[0][0]) == "#####\n#.AB#\n#####"


@settings(max_examples=60, deadline=None)
@given(pictures())
def test_what_is_drawn_is_read_again_as_the_same_board(picture):
    problem = made(picture)
    rows = np.concatenate([problem.initial(), problem.expand(problem.initial())[0]])
    rest = plan(problem.puzzle).puzzle.text.partition("\n\n")[2]
    for row in rows:
        assert set(problem.render(row)) <= set(".#\nABCDEFG")
    assert made(f"{problem.render(rows[0])}\n\n{rest}").puzzle == problem.puzzle


def test_a_piece_keeps_its_letter_along_a_way():
    problem = Blocks("AB.\n", "step")
    first = problem.initial()
    second = problem.expand(first)[0][:1]
    third = problem.expand(second)[0]
    way = np.concatenate([first, second, third[[problem.render(row) == ".AB" for row in third]]])
    assert problem.render_way(way) == ["AB.", "A.B", ".AB"]
    assert problem.move_names(way) == ["B(0,1) right", "A(0,0) right"]


def test_alike_pieces_that_pass_each_other_do_not_change_letters():
    problem = Blocks("A.\nB.\n")
    way, last = [problem.initial()], [".A\nB.", "BA\n..", "B.\n.A", "..\nBA"]
    for wanted in last:
        children = problem.expand(way[-1])[0]
        drawn = [problem.render_way(np.concatenate([*way, child[None]]))[-1] for child in children]
        way.append(children[[drawn.index(wanted)]])
    assert problem.render_way(np.concatenate(way)) == ["A.\nB.", *last]
    assert problem.move_names(np.concatenate(way))[1] == "B(1,0) up"
    assert problem.render(way[2][0]) == "AB\n.."


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        ("step", {"A(0,0) right", "A(0,0) down"}),
        ("slide", {"A(0,0) right", "A(0,0) right 2", "A(0,0) down"}),
        ("piece", {"A(0,0) right", "A(0,0) to (0,2)", "A(0,0) down", "A(0,0) to (1,2)"}),
    ],
)
def test_moves_are_named_by_letter_place_and_where_they_go(metric, names):
    problem = Blocks("A..\n.#.\n", metric)
    rows = problem.initial()
    children = problem.expand(rows)[0]
    assert {problem.move_names(np.concatenate([rows, row[None]]))[0] for row in children} == names


def test_a_board_without_goal_has_none():
    problem = Blocks("A.\n")
    assert not problem.has_goal
    assert problem.is_goal(problem.initial()).tolist() == [False]


def test_what_is_kept_of_a_file_is_the_board_and_not_its_name(tmp_path, monkeypatch):
    text = "; two cells\n父 .\n\ngoal:\n. 父\n"
    plainly, other = tmp_path / "one.txt", tmp_path / "two.txt"
    plainly.write_text(text, encoding="utf-8")
    other.write_bytes(text.replace("\n", "\r\n").encode("shift_jis"))
    one = Blocks(str(plainly))
    assert one == Blocks(other, encoding="shift_jis") == Blocks.from_words([str(plainly)], {})
    assert (one.puzzle, one.encoding) == ("父.\n\n.父\n", "")
    plainly.unlink()
    assert ProblemRef.of(one).load() == one
    assert Blocks("klotski").puzzle == "klotski"
    monkeypatch.chdir(tmp_path)
    assert Blocks("two.txt", encoding="shift_jis") == one
    assert explore(one) == ([1, 1], 1)


def test_errors_name_the_file_and_its_line(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("AB.\nA.\n")
    with pytest.raises(UsageError, match=r"bad\.txt, line 2: found 2 cells, expected 3 as in the first$"):
        Blocks(str(path))
    with pytest.raises(UsageError, match=r"^puzzle: found 'klotsky', expected klotski, piece-"):
        Blocks("klotsky")
    with pytest.raises(UsageError, match="found a directory"):
        Blocks(str(tmp_path))
    for value in (7, "", " "):
        with pytest.raises(UsageError, match=r"^puzzle: found .*, expected klotski"):
            Blocks(value)
