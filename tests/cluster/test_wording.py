"""How questions are worded: what has to be typed to ask the same again."""

import json

import pytest

from frontrow.cluster.wording import Wording, wording
from frontrow.search.own import files
from frontrow.search.registry import ProblemRef, find

SOURCE = """
from frontrow import CountingTree, parameter

class Words(CountingTree):
    n: int
    u: str = parameter(parse=str)
    s: str = "x"
    t: str = ""
    way: str = parameter(choices=("a", "b"), default="a", option=True)
    cells, bits = 1, 8

    def root(self):
        return (0,)

    def children(self, node):
        return []

    def is_solution(self, node):
        return True
"""
VALUES = {"n": 3, "s": "x", "t": "", "u": "", "way": "a"}


@pytest.fixture(params=["", "raise SystemExit"], ids=["imported", "only read"])
def ask(request, tmp_path, monkeypatch):
    """Words a question about a file; one that cannot be imported is only read."""
    monkeypatch.setenv("FRONTROW_CACHE", str(tmp_path))
    source = f"{SOURCE}{request.param}"
    if not request.param:
        files.load(source, "words.py")

    def worded(**values: object) -> Wording:
        return wording(
            ProblemRef("words", json.dumps(VALUES | values, sort_keys=True), 1, source, "words.py")
        )

    return worded


def test_parameters_stand_in_their_order_without_the_options(ask):
    assert list(ask().params) == ["n", "u", "s", "t"]
    assert ask().options == {}


def test_an_option_is_told_where_it_is_not_the_default(ask):
    assert ask(way="b").options == {"way": "b"}


def test_an_empty_value_is_left_out_only_where_it_is_the_default(ask):
    assert ask().spoken == {"n": 3, "s": "x", "u": ""}
    assert ask(s="", t="").spoken == {"n": 3, "s": "", "u": ""}
    assert ask(t="y").spoken == {"n": 3, "s": "x", "t": "y", "u": ""}


def test_empty_values_of_shipped_problems_are_left_out():
    ref = ProblemRef.of(find("queens").from_values({"n": 8, "method": "lanes"}).settle())
    assert (wording(ref).spoken, wording(ref).options) == ({"n": 8}, {"method": "lanes"})


def test_all_values_of_an_unknown_problem_are_told():
    assert wording(ProblemRef("nobody", '{"a":1,"b":""}', 1)).spoken == {"a": 1}
