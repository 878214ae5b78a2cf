"""Work shared by the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.files.source import Source

# On Linux the memory of an item is given back to the system before that of the next one is asked for, which takes a
# tenth of the time of all: glibc keeps pieces for later only if they are smaller than one that was freed before, of up
# to 32 MB. So a large one is freed here; it is never written to, and so takes no memory.
bytes(31 << 20)


# Files of fewer bytes are read before another process could help.
LARGE = 1 << 24


def cores() -> int:
    """How many cores there are for this process, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """work(item) for each, in order, on all cores, with only a few items on the way: one for each core."""
    items = iter(items)
    waiting = list(islice(items, 2))
    if len(waiting) < 2:
        yield from map(work, waiting)
        return
    from concurrent.futures import ThreadPoolExecutor

    workers = cores()
    with ThreadPoolExecutor(workers) as executor:
        pending = [executor.submit(work, waiting.pop(0)) for _ in range(2)]
        for item in items:
            pending.append(executor.submit(work, item))
            if len(pending) > workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()


def sharing(files: list[Source]) -> Callable[..., Iterator[Any]]:
    """What maps work over parts of some files, or over the files: in_processes where these are large, else in_threads.

    Threads wait for each other between their steps. But a process that is copied lacks the threads of libraries: the
    work must need none of these, and its results must be such that a process can be told of them.
    """
    if sum(file.size for file in files) >= LARGE and all(file.is_uncompressed_file for file in files):
        from assay.files.processes import can_fork, in_processes

        if can_fork():
            return in_processes
    return in_threads
