"""What ``frontrow info`` shows: the version, the machine, the kernels in use and the folders."""

import contextlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from frontrow.cluster.command.display import pairs
from frontrow.cluster.store import store_folder
from frontrow.search.errors import FrontrowError
from frontrow.search.kernel import cache_folder, is_cold, sources_digest
from frontrow.search.problem import Countable
from frontrow.search.registry import find, names
from frontrow.workers.unit import available_workers

_SIMD = {
    "sse4_2": "SSE4.2",
    "avx2": "AVX2",
    "avx512f": "AVX-512F",
    "avx512bw": "AVX-512BW",
    "avx512vl": "AVX-512VL",
    "avx512vbmi2": "AVX-512VBMI2",
    "neon": "NEON",
    "asimd": "NEON",
    "sve": "SVE",
}
"""Flags of the system, lower case and without points, and the names that people know."""

GIBIBYTE = 1 << 30


def gather(store: str | None = None) -> dict[str, Any]:
    """All facts by name.

    Args:
        store: folder of the ledger, as the command line gives it.
    """
    name, flags = _processor()
    memory, measured = _memory()
    return {
        "version": version("frontrow"),
        "sources": sources_digest(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numba": _installed("numba"),
        "ray": _installed("ray"),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": name,
        "simd": list(dict.fromkeys(_SIMD[flag] for flag in _SIMD if flag in flags)),
        "kernels": _kernels(),
        "compiled": not is_cold(),
        "cores": available_workers(),
        "cores_installed": os.cpu_count() or 1,
        "memory": memory,
        "memory_measured": measured,
        "cache_folder": str(cache_folder()),
        "store_folder": str(store_folder(store)),
    }


def info_text(facts: dict[str, Any]) -> str:
    """The facts for people."""
    memory = (
        f"{facts['memory'] / GIBIBYTE:.1f} GiB ({facts['memory_measured']})" if facts["memory"] else "unknown"
    )
    compiled = "ready in the cache" if facts["compiled"] else "not compiled yet (the first count does it)"
    lines = [
        ("frontrow", facts["version"]),
        ("sources", facts["sources"]),
        ("python", facts["python"]),
        ("numba", facts["numba"]),
        ("ray", facts["ray"] or "not installed"),
        ("system", facts["system"]),
        ("cpu", facts["cpu"]),
        ("simd", ", ".join(facts["simd"]) or "none known"),
        *((f"kernel of {name}", kernel) for name, kernel in facts["kernels"].items()),
        ("kernels", compiled),
        ("cores", f"{facts['cores']} for this process, {facts['cores_installed']} installed"),
        ("memory", memory),
        ("cache", facts["cache_folder"]),
        ("store", facts["store_folder"]),
    ]
    return "\n".join(pairs(lines))


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _kernels() -> dict[str, str]:
    """What computes each problem's first example on this machine."""
    kernels = {}
    for name in names():
        problem = find(name)
        if issubclass(problem, Countable) and problem.examples:
            try:
                words = [word for word in shlex.split(problem.examples[0]) if not word.startswith("--")]
                kernels[f"{name} {' '.join(words)}"] = problem.from_words(words, {}).settle().kernel
            except FrontrowError as error:
                kernels[name] = f"none: {error}"
    return kernels


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _sysctl(name: str) -> str:
    """One fact of a macOS system, empty if there is none."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=True)
        return done.stdout.strip()
    return ""


def _processor() -> tuple[str, set[str]]:
    """The processor's name and its flags in lower case."""
    if sys.platform == "darwin":
        flags = _sysctl("machdep.cpu.features") + " " + _sysctl("machdep.cpu.leaf7_features")
        if platform.machine() == "arm64":
            flags += " neon"
        return _sysctl("machdep.cpu.brand_string") or platform.processor(), set(
            flags.lower().replace(".", "_").split()
        )
    name, flags = "", ""
    for line in _read("/proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name" and not name:
            name = value.strip()
        if key.strip().lower() in ("flags", "features") and not flags:
            flags = value
    return name or platform.processor() or platform.machine(), set(flags.lower().split())


def _memory() -> tuple[int, str]:
    """Bytes that this process may use (0: unknown) and where the figure comes from."""
    if sys.platform == "darwin":
        text = _sysctl("hw.memsize")
        return (int(text) if text.isdigit() else 0), "installed"
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = cgroup_memory(_read)
    return (
        (limit, f"limit of the cgroup; {installed / GIBIBYTE:.1f} GiB installed")
        if limit and limit < installed
        else (installed, "installed; no lower limit of a cgroup")
    )


def cgroup_memory(read: Callable[[str], str]) -> int | None:
    """The lowest memory limit, in bytes, of this process's cgroup and of those around it (v2, then v1)."""
    limits = []
    for line in [*read("/proc/self/cgroup").splitlines(), "0::/"]:
        _, controllers, group = line.split(":", 2)
        if controllers not in ("", "memory") and "memory" not in controllers.split(","):
            continue
        root, name = (
            ("/sys/fs/cgroup", "memory.max")
            if not controllers
            else ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        )
        for folder in [Path(group), *Path(group).parents]:
            text = read(f"{root}/{str(folder).lstrip('/')}/{name}".replace("//", "/")).strip()
            if text.isdigit():
                limits.append(int(text))
    return min(limits, default=None)
