"""What a problem of a file says in other processes, where Python gives sets and hashes another order."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from frontrow.search.own import blame
from frontrow.search.own.aside import descriptor_aside
from frontrow.search.own.subject import MismatchError
from frontrow.search.parameter import shown
from frontrow.search.registry import ProblemRef
from frontrow.search.rows import Rows

SEEDS = ("1", "2")
"""Values of PYTHONHASHSEED, one a process: two processes of a run differ in this as well, as a rule."""

Answers = Mapping[str, object]
"""What a problem says of a row, by name."""


def check_elsewhere(problem: Any, rows: Rows, answer: Callable[[Any, Rows], Answers]) -> str:
    """Have other processes say the same of rows, if the problem is one of a file.

    Args:
        problem: the problem.
        rows: shape ``(n, words)``.
        answer: says of one row what has to be the same; a function of a module.

    Returns:
        What was done, for the check's note; empty for problems of no file.

    Raises:
        MismatchError: if they do not.
    """
    if not type(problem).__module__.startswith(blame.PREFIX):
        return ""
    ref = ProblemRef.of(problem)
    asked = json.dumps(
        {
            "ref": [ref.name, ref.values, ref.version, ref.source, ref.file],
            "rows": rows.tolist(),
            "answer": [answer.__module__, answer.__name__],
        }
    )
    expected = [_plain(answer(problem, row)) for row in rows]
    for told in _told(asked):
        for row, found, wanted in zip(rows, told, expected, strict=True):
            for name, value in wanted.items():
                if found[name] != value:
                    raise MismatchError(
                        f"found {name} {shown(found[name])} in another process, expected {shown(value)} "
                        "as in this one: nothing may depend on the order of a set or on hash()",
                        row,
                    )
    return " and in other processes"


def _told(asked: str) -> list[list[dict[str, Any]]]:
    """What each process says of all rows; they compute at the same time."""
    with contextlib.ExitStack() as running:
        processes = [running.enter_context(_begun(seed)) for seed in SEEDS]
        try:
            return [_read(process, asked) for process in processes]
        finally:
            for process in processes:
                process.kill()


def _begun(seed: str) -> "subprocess.Popen[str]":
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import main; main()"],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _read(process: "subprocess.Popen[str]", asked: str) -> list[dict[str, Any]]:
    out, err = process.communicate(asked)
    if process.returncode:
        last = (err.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise MismatchError(f"found {last!r} in another process, expected the answers of this one")
    return json.loads(out)  # type: ignore[no-any-return]


def _plain(answers: Answers) -> dict[str, Any]:
    """Answers as they come back from another process."""
    return json.loads(json.dumps(dict(answers)))  # type: ignore[no-any-return]


def main() -> None:
    """Answer one question of `check_elsewhere`, from standard input to standard output."""
    asked = json.load(sys.stdin)
    with descriptor_aside(), contextlib.redirect_stdout(sys.stderr), blame.explained():
        problem = ProblemRef(*asked["ref"]).load()
        module, name = asked["answer"]
        answer = getattr(importlib.import_module(module), name)
        rows = np.array(asked["rows"], np.uint64).reshape(-1, problem.words)
        told = [dict(answer(problem, row)) for row in rows]
    sys.stdout.write(json.dumps(told))
