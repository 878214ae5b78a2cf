"""How much memory this process may still use, and how to make glibc reuse freed memory."""

from __future__ import annotations

import os
from functools import cache

KILO = 1024
# Where Linux says how much memory a container may use, and how much it uses.
LIMIT, TAKEN, PARTS = (f"/sys/fs/cgroup/memory.{name}" for name in ("max", "current", "stat"))


def available_memory() -> int | None:
    """Return how many bytes the machine or the container still has, whichever is less; None if unknown."""
    known = [each for each in (of_machine(), of_container()) if each is not None]
    return min(known) if known else None


def of_machine() -> int | None:
    """Return the machine's available memory and free swap on Linux, and its total memory elsewhere."""
    free = numbers_in("/proc/meminfo")
    if "MemAvailable" in free:
        return (free["MemAvailable"] + free.get("SwapFree", 0)) * KILO
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def of_container() -> int | None:
    """Return how much more memory the container may use, counting the file cache, which Linux frees when needed."""
    try:
        with open(LIMIT) as limit, open(TAKEN) as taken:
            left = int(limit.read()) - int(taken.read())
    except (OSError, ValueError):
        # there is no container, or it has no limit
        return None
    return left + numbers_in(PARTS).get("inactive_file", 0)


def numbers_in(path: str) -> dict[str, int]:
    """Return the numbers of a system file by name; empty if there is no such file."""
    try:
        with open(path) as file:
            words = (line.replace(":", " ").split() for line in file)
            return {name: int(number) for name, number, *_ in words}
    except (OSError, ValueError):
        return {}


@cache
def reuse_freed_memory() -> None:
    """Make glibc keep freed memory for the next block of a file.

    Without this, asking Linux for new memory takes up to a quarter of the time. glibc keeps pieces of up to 32 MB if a
    piece of that size was freed before. This one is never written to, so it takes no memory.
    """
    bytes(31 << 20)
