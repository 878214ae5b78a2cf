"""How much memory is left for this process, as far as the system gives it; and memory that is used again."""

from __future__ import annotations

import os
from functools import cache

KILO = 1024
# Where Linux says what a container may take, and what of it is taken.
LIMIT, TAKEN, PARTS = (f"/sys/fs/cgroup/memory.{name}" for name in ("max", "current", "stat"))


def available_memory() -> int | None:
    """Bytes that may still be taken, of the machine or of the container, whichever has fewer; None if not known."""
    known = [each for each in (of_machine(), of_container()) if each is not None]
    return min(known) if known else None


def of_machine() -> int | None:
    """What is free or can be freed, with what may be swapped out; elsewhere than on Linux all memory that there is."""
    free = numbers_in("/proc/meminfo")
    if "MemAvailable" in free:
        return (free["MemAvailable"] + free.get("SwapFree", 0)) * KILO
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def of_container() -> int | None:
    """What a container may still take; files that were read are in its memory too, but make room."""
    try:
        with open(LIMIT) as limit, open(TAKEN) as taken:
            left = int(limit.read()) - int(taken.read())
    except (OSError, ValueError):
        # there is none, or it has no limit
        return None
    return left + numbers_in(PARTS).get("inactive_file", 0)


def numbers_in(path: str) -> dict[str, int]:
    """The numbers of a file of the system, by name; none if there is no such file."""
    try:
        with open(path) as file:
            words = (line.replace(":", " ").split() for line in file)
            return {name: int(number) for name, number, *_ in words}
    except (OSError, ValueError):
        return {}


@cache
def reuse_freed_memory() -> None:
    """Make glibc keep freed memory for the next block of a file.

    Asking Linux for it again takes up to a quarter of all time. glibc keeps pieces of up to 32 MB if one as large was
    freed before. Nothing is written to this piece, so it takes no memory.
    """
    bytes(31 << 20)
