"""Cubes against known layers, against stickers in space, and their symmetries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontrow.search.cube import pocket
from frontrow.search.errors import UsageError
from frontrow.search.problems.cube import Cube
from frontrow.search.registry import ProblemRef
from tests.search import cube_support as support

SIZES = {"2x2x2": 2, "3x3x3": 3}
MOVES = [face + amount for face in "URFDLB" for amount in ("", "2", "'")]
sequences = st.lists(st.sampled_from(MOVES), max_size=12)
small = settings(max_examples=25, deadline=None)


def distinct(rows):
    return np.unique(rows, axis=0)


def layers(cube, depth):
    """Layers of a cube by sorting: shape ``(n, words)`` each."""
    before, current = np.empty((0, cube.words), np.uint64), cube.initial()
    yield current
    for _ in range(depth):
        children = distinct(cube.expand(current)[0])
        known = {row.tobytes() for row in np.concatenate([before, current])}
        before, current = current, children[[row.tobytes() not in known for row in children]]
        yield current


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_the_first_layers_have_the_known_sizes(size, metric):
    found = [len(layer) for layer in layers(Cube(size, metric), 2)]
    assert found == support.known(size, metric)[:3]


@pytest.mark.jit
@pytest.mark.parametrize(("metric", "depth"), [("htm", 4), ("qtm", 5)])
def test_layers_of_the_3x3x3_cube_have_the_known_sizes(metric, depth):
    found = [len(layer) for layer in layers(Cube("3x3x3", metric), depth)]
    assert found == support.known("3x3x3", metric)[: depth + 1]


@small
@given(moves=sequences)
def test_a_3x3x3_cube_is_drawn_as_its_stickers_lie_in_space(moves):
    cube = Cube("3x3x3", start=" ".join(moves))
    picture = cube.render(cube.initial()[0])
    assert support.drawn(picture, 3) == support.net(support.scrambled(3, moves), 3)


@small
@given(moves=sequences)
def test_a_2x2x2_cube_is_held_with_its_fixed_corner_in_place(moves):
    cube = Cube("2x2x2", start=" ".join(moves))
    picture = support.drawn(cube.render(cube.initial()[0]), 2)
    held = support.orientations(support.scrambled(2, moves))
    assert picture in [support.net(stickers, 2) for stickers in held]
    assert (picture[7][0], picture[9][0], picture[11][-1]) == ("Y", "O", "B")


@small
@given(data=st.data())
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_children_are_the_cubes_after_one_more_move(size, metric, data):
    faces = "URF" if size == "2x2x2" else "URFDLB"
    amounts = ("", "2", "'") if metric == "htm" else ("", "'")
    moves = [move for move in data.draw(sequences) if move[0] in faces]
    cube = Cube(size, metric, " ".join(moves))
    wanted = [Cube(size, metric, " ".join([*moves, f + a])).initial()[0] for f in faces for a in amounts]
    children, parents = cube.expand(cube.initial())
    assert parents.tolist() == [0] * cube.degree
    assert children.tolist() == np.array(wanted).tolist()


@small
@given(ranks=st.lists(st.integers(0, pocket.STATES - 1), min_size=1, max_size=50))
def test_ranks_come_back_from_their_rows(ranks):
    cube = Cube("2x2x2")
    rows = cube.unrank(np.array(ranks))
    assert cube.rank(rows).tolist() == ranks


@pytest.mark.jit
def test_every_rank_is_a_row_of_its_own_that_turns_of_faces_lead_to():
    cube = Cube("2x2x2")
    rows = cube.unrank(np.arange(pocket.STATES))
    assert cube.states() == pocket.STATES
    assert (cube.rank(rows) == np.arange(pocket.STATES)).all()
    sample = rows[:: pocket.STATES // 5000]
    children = cube.expand(sample)[0]
    assert (cube.unrank(cube.rank(children)) == children).all()


@small
@given(data=st.data())
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_bits_are_pushed_as_rows_are_expanded(metric, data):
    """For a part of the groups, in several goes, with the children outside of the shard."""
    cube = Cube("2x2x2", metric)
    sweep = cube.sweep()
    first = data.draw(st.integers(0, pocket.PERMUTATIONS * pocket.GROUP - 40))
    length = data.draw(st.integers(1, 40))
    bits = data.draw(
        st.lists(st.integers(0, length * pocket.GROUP - 1), min_size=1, max_size=40, unique=True)
    )
    current, following = np.zeros(length, np.uint32), np.zeros(length, np.uint32)
    for bit in bits:
        current[bit // 27] |= np.uint32(1 << bit % 27)
    outside, found, generated, lo = np.zeros(sweep.reach, np.uint64), [], 0, 0
    while lo < length:
        lo, count, children = sweep.push(current, following, first, lo, length, outside)
        found += outside[:count].tolist()
        generated += children
    inside = [
        (first + group) * 27 + bit
        for group, held in enumerate(following.tolist())
        for bit in range(27)
        if held >> bit & 1
    ]
    rows = cube.unrank(np.array(bits) + first * 27)
    ranks = cube.rank(cube.expand(rows)[0])
    own = (ranks >= first * 27) & (ranks < (first + length) * 27)
    assert generated == len(ranks)
    assert sorted(found) == sorted(ranks[~own].tolist())
    assert inside == sorted(set(ranks[own].tolist()))


def test_only_symmetries_that_leave_the_start_are_used():
    orders = {start: Cube("3x3x3", start=start).symmetries().order for start in ("", "U", "U2", "R L", "R U")}
    assert orders == {"": 48, "U": 4, "U2": 8, "R L": 8, "R U": 1}
    assert Cube("2x2x2").symmetries().order == 6
    assert Cube("2x2x2", start="U2").symmetries().order == 2


@small
@given(moves=sequences)
@pytest.mark.parametrize("size", SIZES)
def test_moves_lead_from_images_to_images(size, moves):
    cube, start = Cube(size), Cube(size, start=" ".join(moves)).initial()
    group = cube.symmetries()
    images = group.images(start)[:, 0]
    assert len(distinct(images)) == group.orbits(start)[0]
    for image, children in zip(images, group.images(cube.expand(start)[0]), strict=True):
        assert distinct(cube.expand(image[None])[0]).tolist() == distinct(children).tolist()


@small
@given(moves=sequences)
@pytest.mark.parametrize("size", SIZES)
def test_the_least_image_is_the_canonical_one(size, moves):
    start = Cube(size, start=" ".join(moves)).initial()
    rows = np.concatenate([start, Cube(size).expand(start)[0]])
    # Where the first words tie, the last ones decide.
    tied = np.concatenate([Cube(size).goals()[:, :-1].repeat(len(rows), 0), rows[:, -1:]], axis=1)
    rows = np.concatenate([rows, tied])
    for group in (
        Cube(size).symmetries(),
        Cube(size, start="U2").symmetries(),
        Cube(size, start="R U").symmetries(),
    ):
        images = group.images(rows)
        assert group.canonical(rows).tolist() == [min(images[:, i].tolist()) for i in range(len(rows))]


@pytest.mark.parametrize(("size", "depth"), [("3x3x3", 2), ("2x2x2", 3)])
def test_orbits_of_a_layer_add_up_to_it(size, depth):
    cube = Cube(size)
    group = cube.symmetries()
    found = [distinct(group.canonical(layer)) for layer in layers(cube, depth)]
    assert [int(group.orbits(classes).sum()) for classes in found] == support.known(size, "htm")[: depth + 1]
    assert [len(classes) for classes in found] == {"3x3x3": [1, 2, 9], "2x2x2": [1, 2, 9, 54]}[size][
        : depth + 1
    ]


def test_moves_have_their_names():
    cube = Cube("3x3x3", "htm")
    moves = ["R", "U2", "F'", "B2", "L'", "D"]
    way = [Cube("3x3x3", start=" ".join(moves[:i])).initial()[0] for i in range(len(moves) + 1)]
    assert list(cube.move_names(np.array(way))) == moves
    assert list(Cube("3x3x3", "qtm").move_names(np.array(way[2:4]))) == ["F'"]


def test_the_goal_is_the_solved_cube():
    cube = Cube("2x2x2", start="R U2 F'")
    rows = np.concatenate([cube.initial(), cube.goals()])
    assert cube.is_goal(rows).tolist() == [False, True]
    assert Cube("2x2x2", start="R U2 F' F U2 R'").initial().tolist() == cube.goals().tolist()
    assert cube.goals().tolist() == Cube("2x2x2").initial().tolist()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("R U2 F'", "R U2 F'"),
        ("RU2F'", "R U2 F'"),
        (" R2'  L\N{RIGHT SINGLE QUOTATION MARK} ", "R2 L'"),
        ("", "solved"),
        ("solved", "solved"),
    ],
)
def test_starts_are_kept_in_one_form(text, start):
    cube = Cube("3x3x3", start=text)
    assert cube.start == start
    assert ProblemRef.of(cube).load() == cube


@pytest.mark.parametrize(("start", "found"), [("R X", "'X'"), ("u", "'u'"), ("R3", "'3'"), (7, "7")])
def test_a_start_that_is_no_moves_is_refused(start, found):
    with pytest.raises(UsageError, match=rf"^start: found {found}, expected moves"):
        Cube("3x3x3", start=start)


def test_a_solved_cube_is_drawn_as_a_net():
    cube = Cube("2x2x2")
    lines = ["     W W", "     W W", *["O O  G G  R R  B B"] * 2, "     Y Y", "     Y Y"]
    assert cube.render(cube.initial()[0]).splitlines() == lines
