"""How much memory this process may use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path


def available_memory() -> int:
    """Bytes that are free, within the cgroup's limit where there is one."""
    return min([_free(), *_cgroup()])


def shares(hosts: Sequence[str], free: Mapping[str, int], part: float) -> list[int]:
    """Bytes that each of several workers may use: all on a machine share a part of what it has.

    Args:
        hosts: for each worker, where it is.
        free: bytes that are free there.
        part: of them that all together may use.
    """
    there = Counter(hosts)
    return [int(part * free[host]) // there[host] for host in hosts]


def _free() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) * 1024
    except OSError:
        pass
    import psutil

    return int(psutil.virtual_memory().available)


def _cgroup() -> list[int]:
    """What the cgroup leaves (version 2 or 1), if it has a limit."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            most, now = Path(limit).read_text(encoding="ascii"), Path(used).read_text(encoding="ascii")
            return [max(int(most) - int(now), 0)]
        except (OSError, ValueError):
            continue
    return []
