"""Every verb answers with a `Result`, which says the same about itself in Python, in JSON and as a text."""

import pytest

import frontrow
from frontrow import Count, Exploration, Result, Solution

TAIL = (
    "seconds",
    "setup_seconds",
    "workers",
    "engine",
    "job",
    "complete",
    "from_ledger",
    "resumed",
    "computed_at",
)
"""Fields of all objects, behind what was found."""
START = [[1, 2, 3], [4, 0, 5]]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTROW_STORE", str(tmp_path))


ASKED = [
    (Count, "count", lambda: frontrow.count("queens", n=6, workers=2)),
    (Exploration, "explore", lambda: frontrow.explore("sliding", size="2x2", workers=2)),
    (Solution, "solve", lambda: frontrow.solve("sliding", start=START, workers=2)),
]


@pytest.mark.parametrize(("kind", "verb", "ask"), ASKED)
def test_every_verb_answers_with_a_result_of_its_own_kind(kind, verb, ask):
    first, again = ask(), ask()
    assert isinstance(first, Result)
    assert type(first) is type(again) is kind
    assert (first.verb, first.complete, first.from_ledger, again.from_ledger) == (verb, True, False, True)
    assert (first.job, first.params, first.engine) == (again.job, again.params, "local")


@pytest.mark.parametrize(("kind", "verb", "ask"), ASKED)
def test_every_object_has_the_question_first_and_then_how_it_was_answered(kind, verb, ask):
    told = ask().to_json()
    names = list(told)
    assert names[:4] == ["verb", "problem", "file", "params"]
    assert told["verb"] == verb
    end = names.index("seconds")
    assert tuple(names[end : end + len(TAIL)]) == TAIL
    assert names[end + len(TAIL) :] == (["confirmed", "imported"] if kind is Count else [])


def test_a_list_of_boards_has_a_list_of_results():
    found = frontrow.solve("sliding", start=[START, [[2, 1, 3], [4, 0, 5]]])
    assert [isinstance(each, Result) for each in found] == [True, True]
    assert [each.solved for each in found] == [True, False]
    assert found[0].moves == ("R",)
    assert len(found[0].boards) == 2
    assert found[1].to_json()["job"] is None


def test_a_result_says_what_it_is():
    counted, explored, solved = (ask() for _, _, ask in ASKED)
    assert repr(counted).startswith("<count queens(n=6): solutions=4, unique=1, ")
    assert repr(counted).endswith(f", 2 local workers, {counted.method}, {counted.seconds:.3g} s>")
    assert repr(explored).startswith("<explore sliding(size='2x2', start='goal', ")
    assert repr(explored).endswith(
        f"): 12 states, depth 6, goal at 0; rank table, 2 local workers, {explored.seconds:.3g} s>"
    )
    assert repr(solved).startswith("<solve sliding(size='2x3', start=")
    assert "): 1 move, proved optimal; " in repr(solved)
    again = frontrow.count("queens", n=6)
    assert repr(again).endswith(f", from the ledger, {again.computed_at}>")
