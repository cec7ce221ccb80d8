"""What can be checked of a count without counting anything again: checksums, units, sums, invariants."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontrow.cluster.proofs.proof import Entry, Heading, Source
from frontrow.cluster.proofs.published import SOURCES, published
from frontrow.search.contract import check_rows, check_values
from frontrow.search.count import cut, cut_rest
from frontrow.search.errors import FrontrowError, StoreError
from frontrow.search.own.blame import explained
from frontrow.search.parameter import shown
from frontrow.search.problem import Countable, Totals
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows, digest
from frontrow.workers.local import in_background
from frontrow.workers.unit import load_countable


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        text: what was found; if it is wrong, what was expected.
    """

    name: str
    passed: bool
    text: str


class Fault:
    """The first thing that is wrong."""

    def __init__(self) -> None:
        self.text = ""

    def note(self, text: str) -> None:
        """Keep a fault unless there was one before."""
        self.text = self.text or text


def audit(source: Source) -> tuple[list[Check], NDArray[np.int64]]:
    """Check all that can be checked without counting anything.

    Memory grows by some bytes a unit, and by what the problem's split takes.

    Returns:
        The checks, and the numbers of the units that have a result, shape ``(k,)``.

    Raises:
        ProblemError: if a person's own problem fails.
    """
    heading = source.heading
    try:
        problem = _problem(heading)
    except (FrontrowError, ValueError) as error:
        problem, question = None, Check("question", False, str(error))
    else:
        ref = heading.job.ref
        question = Check("question", True, f"{heading.job.verb} {ref.name} {ref.values}")
    try:
        if problem is None:
            count = sum(1 for _ in source.entries())
            return [_intact(heading, count), question], np.empty(0, np.int64)
        with explained(problem):
            units, results = _Units(problem), _Results(problem)
            for entry in source.entries():
                units.see(entry)
                results.see(entry)
            units.close()
    except StoreError as error:
        return [Check("records", False, str(error)), question], np.empty(0, np.int64)
    with explained(problem):
        checks = [
            _intact(heading, units.count),
            question,
            units.check(),
            results.check(heading),
            _answer(problem, heading, results.totals),
            *known(heading),
        ]
    return checks, np.array(results.numbers, np.int64)


def _intact(heading: Heading, count: int) -> Check:
    known = f", SHA-256 {heading.digest.hex()}" if any(heading.digest) else ""
    return Check("records", True, f"{count:,} units are intact{known}")


def _problem(heading: Heading) -> Countable:
    """The problem of the question.

    Raises:
        FrontrowError: if it is unknown here or differs from what is stated.
        ValueError: if the parameters are no JSON.
    """
    if heading.job.verb != "count":
        raise FrontrowError(f"verb: found {shown(heading.job.verb)}, expected count")
    problem = load_countable(heading.job.ref)
    ref = ProblemRef.of(problem.settle())
    if ref != heading.job.ref:
        raise FrontrowError(f"values: found {heading.job.ref.values}, expected {ref.values}")
    if heading.job.id != heading.id:
        raise FrontrowError(f"id: found {heading.id}, expected {heading.job.id}")
    names = (heading.tallies, heading.maxima)
    if names != (tuple(problem.tallies), tuple(problem.maxima)):
        raise FrontrowError(f"tallies: found {names}, expected those of {problem.name}")
    return problem


class _Units:
    """Whether the units are those of the problem's split, and of the rests that budgets left."""

    def __init__(self, problem: Countable) -> None:
        self._problem = problem
        self._fault = Fault()
        self._parts = iter(in_background(self._split))
        self._empty = digest(np.empty((0, problem.words), np.uint64))
        self._rests: dict[int, str] = {}
        self._parent = -1
        self._family: list[Entry] = []
        self._children = 0
        self.count = 0

    def _split(self) -> list[tuple[Rows, int]]:
        return cut(self._problem, check_rows(self._problem, self._problem.split(), "split"))

    def see(self, entry: Entry) -> None:
        """Take in the next unit."""
        if entry.number != self.count:
            self._fault.note(f"found unit {entry.number} in place {self.count}, expected it in its own")
        self.count += 1
        if entry.parent != self._parent:
            self._end_family()
        if entry.parent is None:
            self._compare(entry, next(self._parts, None))
        else:
            self._parent = entry.parent
            self._family.append(entry)
            self._children += 1
        done = entry.outcome
        if done is not None and done.rest != self._empty:
            if done.budget is None:
                self._fault.note(f"unit {entry.number}: found a rest without a budget, expected none")
            self._rests[entry.number] = done.rest

    def _compare(self, entry: Entry, part: tuple[Rows, int] | None) -> None:
        if part is None:
            self._fault.note(f"unit {entry.number}: found it beyond the split, expected none")
        elif not np.array_equal(entry.rows, part[0]):
            self._fault.note(f"unit {entry.number}: found other rows, expected those of the split")
        elif entry.cost != part[1]:
            self._fault.note(f"unit {entry.number}: found cost {entry.cost}, expected {part[1]}")

    def _end_family(self) -> None:
        """Compare the units that a rest was dealt out to with its digest."""
        family, parent = self._family, self._parent
        self._family, self._parent = [], -1
        if not family:
            return
        name = f"unit {family[0].number}"
        expected = self._rests.pop(parent, None)
        if expected is None:
            self._fault.note(f"{name}: found the parent {parent}, expected one that left a rest")
            return
        if any(entry.rows.shape[1:] != (self._problem.words,) for entry in family):
            self._fault.note(f"{name}: found rows of another width, expected the problem's")
            return
        rest = _whole(family, predictable=self._problem.predictable)
        if rest is None or digest(rest) != expected:
            self._fault.note(f"{name}: found other rows, expected the rest of unit {parent}")
            return
        sizes = [(entry.rows.shape[0], entry.cost) for entry in family]
        if self._problem.predictable:
            fair = [(rows.shape[0], cost) for rows, cost in cut_rest(self._problem, rest)]
        else:
            fair = [(rows, 1) for rows, _ in sizes]
        if sizes != fair:
            self._fault.note(f"{name}: found other units, expected those that its rest is cut into")

    def close(self) -> None:
        """Note what is missing at the end."""
        self._end_family()
        if next(self._parts, None) is not None:
            self._fault.note(f"found {self.count} units, expected more of the problem's split")
        for parent in self._rests:
            self._fault.note(f"unit {parent}: found no units made of its rest, expected them")

    def check(self) -> Check:
        """What it came to."""
        born = f", {self._children:,} of them made of what budgets left" if self._children else ""
        text = self._fault.text
        return Check("units", not text, text or f"they are those of the split here{born}")


def _whole(family: list[Entry], *, predictable: bool) -> Rows | None:
    """The rest that units were made of: one after the other, or dealt out like cards.

    None if they cannot have been dealt out.
    """
    if predictable:
        return np.concatenate([entry.rows for entry in family])
    sizes = [entry.rows.shape[0] for entry in family]
    rest = np.empty((sum(sizes), family[0].rows.shape[1]), np.uint64)
    for first, entry in enumerate(family):
        if rest[first :: len(family)].shape != entry.rows.shape:
            return None
        rest[first :: len(family)] = entry.rows
    return rest


class _Results:
    """Whether every unit has one sound result, and what they add up to."""

    def __init__(self, problem: Countable) -> None:
        self._fault = Fault()
        self._missing = 0
        self._width = len(problem.tallies)
        self.totals = Totals(problem)
        self.numbers: list[int] = []

    def see(self, entry: Entry) -> None:
        """Take in the next unit."""
        done = entry.outcome
        if done is None:
            self._missing += 1
        elif len(done.counts) != self._width:
            self._fault.note(f"unit {entry.number}: found {len(done.counts)} counts, expected {self._width}")
        else:
            self.numbers.append(entry.number)
            self.totals.add(done.counts)

    def check(self, heading: Heading) -> Check:
        """What it came to."""
        count = len(self.numbers)
        if heading.answer is not None and self._missing:
            self._fault.note(f"found {self._missing} units without a result, expected none")
        undone = f", {self._missing:,} are not done" if self._missing else ""
        text = self._fault.text
        return Check("results", not text, text or f"{count:,} units have one each{undone}")


def _answer(problem: Countable, heading: Heading, totals: Totals) -> Check:
    """Whether the results add up to the stated values, and these agree with each other."""
    if (heading.answer is None) == (heading.state == "done"):
        return Check("answer", False, f"found the state {heading.state!r}, expected it done with an answer")
    if heading.answer is None:
        why = "disputed" if heading.state == "disputed" else "not done"
        return Check("answer", True, f"none is stated, the job is {why}")
    try:
        values = values_of(problem, totals)
    except FrontrowError as error:
        return Check("answer", False, str(error))
    if values != dict(heading.answer):
        return Check("answer", False, f"found {dict(heading.answer)}, expected the sums {values}")
    told = ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)
    return Check("answer", True, f"the results add up to {told}")


def values_of(problem: Countable, totals: Totals) -> dict[str, int | None]:
    """The values that counts add up to.

    Raises:
        FrontrowError: if they contradict each other.
    """
    return check_values(problem.summary(dict(zip(problem.tallies, totals.counts, strict=True))))


def known(heading: Heading) -> list[Check]:
    """Whether the stated values are those that others have published, where there are any."""
    answer = heading.answer or {}
    known = [item for item in published(heading.job.ref).items() if answer.get(item[0]) is not None]
    told = [f"{name}: found {answer[name]}, expected {value} ({SOURCES[name]})" for name, value in known]
    wrong = [text for text, (name, value) in zip(told, known, strict=True) if answer[name] != value]
    same = ", ".join(f"{name} as in {SOURCES[name]}" for name, _ in known)
    return [Check("known", not wrong, wrong[0] if wrong else f"published: {same}")] if known else []
