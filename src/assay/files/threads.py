"""Share work among the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from assay.files.memory import reuse_freed_memory

# More threads would only wait for each other and take more memory.
MOST_THREADS = 8


def cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield work(item) for each item, in order, computed by several threads.

    At most one item per thread is in progress, so that few are in memory.
    """
    items = iter(items)
    waiting = list(islice(items, 2))
    if len(waiting) < 2:
        yield from map(work, waiting)
        return
    from concurrent.futures import ThreadPoolExecutor

    reuse_freed_memory()
    workers = min(cores(), MOST_THREADS)
    with ThreadPoolExecutor(workers) as executor:
        pending = [executor.submit(work, waiting.pop(0)) for _ in range(2)]
        for item in items:
            pending.append(executor.submit(work, item))
            if len(pending) > workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
