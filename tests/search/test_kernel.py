import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from frontrow.search import kernel

SEARCH = Path(kernel.__file__).parent


def _run(folder, code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(folder), "FRONTROW_CACHE": str(folder / "cache")} | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.split()


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of `frontrow.search` that Python finds before the installed one."""
    shutil.copytree(SEARCH, tmp_path / "frontrow" / "search", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "frontrow" / "__init__.py").touch()
    return tmp_path


CALL = """
import numpy as np
from frontrow.search import kernel
from frontrow.search.queens import scalar
cold = kernel.is_cold()
scalar.sum_logarithms(np.empty((0, 8), np.int8), np.zeros(65, np.int64), np.zeros(0, np.int64))
stats = scalar.sum_logarithms.stats
hits, misses = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
print(kernel.__file__, kernel.cache_folder(), cold, hits, misses)
"""


@pytest.mark.jit
def test_kernels_are_compiled_once_and_again_after_an_edit(copied):
    origin, folder, cold, hits, misses = _run(copied, CALL)
    assert Path(origin).is_relative_to(copied)
    assert (cold, hits, misses) == ("True", "0", "1")
    assert list(Path(folder).rglob("*.nbi"))
    assert _run(copied, CALL)[1:] == [folder, "False", "1", "0"]

    with (copied / "frontrow" / "search" / "lanes.py").open("a") as file:
        file.write("# edited\n")
    _, other, cold, hits, misses = _run(copied, CALL)
    assert other != folder
    assert (cold, hits, misses) == ("True", "0", "1")


def test_nothing_is_cold_where_nothing_is_compiled(copied):
    code = "from frontrow.search import kernel; print(kernel.is_cold())"
    assert _run(copied, code, NUMBA_DISABLE_JIT="1") == ["False"]
    assert _run(copied, code, NUMBA_DISABLE_JIT="0") == ["True"]


def test_numba_is_not_imported_before_there_is_a_kernel(copied):
    code = (
        "import sys\n"
        "from frontrow.search import kernel\n"
        "kernel.cache_folder(), kernel.is_cold()\n"
        "print('numba' in sys.modules)"
    )
    assert _run(copied, code) == ["False"]


def test_the_settings_of_others_are_left_alone(monkeypatch):
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "elsewhere")
    kernel.kernel(lambda x: x)
    assert numba.config.CACHE_DIR == "elsewhere"


def test_old_version_folders_are_removed_and_nothing_else(tmp_path):
    for age in range(12):
        made = tmp_path / f"{age:012x}"
        made.mkdir()
        (made / "kernel.nbi").touch()
        os.utime(made, (1000 - age, 1000 - age))
    (tmp_path / "notes").mkdir()
    (tmp_path / "0123456789ab.txt").touch()
    kernel.prune(tmp_path, kept=8)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([*(f"{age:012x}" for age in range(8)), "notes", "0123456789ab.txt"])


def test_a_folder_that_is_not_there_needs_no_pruning(tmp_path):
    kernel.prune(tmp_path / "absent")
