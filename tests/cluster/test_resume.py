"""A process that dies at any moment costs the batches in flight and nothing else."""

import random
import subprocess
import sys

import pytest

from frontrow.cluster.api import count
from frontrow.cluster.store import Store

ROUNDS = 20
N, TOTAL = 13, 73712
SCRIPT = """
import sys
import frontrow
from frontrow.search.problems.queens import Queens
Queens.unit_floor = 3000  # some hundred units
tell = lambda p: print(p.phase, p.units_done, p.units, flush=True)
frontrow.count("queens", n=int(sys.argv[1]), method="scalar", workers=2, store=sys.argv[2], progress=tell)
"""


def start(store):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(N), str(store)], stdout=subprocess.PIPE, text=True
    )


def units_done(store):
    with Store.open(store) as ledger:
        return ledger.jobs()[0].units_done


@pytest.mark.jit
def test_a_run_killed_at_random_moments_ends_exact(tmp_path):
    generator = random.Random(20)
    done = 0
    for _ in range(ROUNDS):
        process = start(tmp_path)
        # Killed after a random number of its own lines: while it starts, plans, counts or has just ended.
        lines = generator.randint(1, 8)
        assert process.stdout is not None
        for _, line in zip(range(lines), process.stdout, strict=False):
            assert line
        process.kill()
        process.communicate()
        assert units_done(tmp_path) >= done
        done = units_done(tmp_path)
    result = count("queens", n=N, method="scalar", store=tmp_path)
    assert result.values["solutions"] == TOTAL
    assert result.complete
