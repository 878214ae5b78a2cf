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
    """Yield work(item) for each item, in order, on several cores, with only a few items in memory for each core.

    The thread that asks takes its share of the work, because more threads than cores would wait for each other.
    """
    items, threads = iter(items), min(cores(), MOST_THREADS)
    # an item is taken out of its list when its work begins, because it is large and must not be held after that
    own, further = list(islice(items, 1)), list(islice(items, threads - 1))
    if not further:
        if own:
            yield work(own.pop())
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    reuse_freed_memory()
    with ThreadPoolExecutor(threads - 1) as executor:
        others = [executor.submit(work, further.pop(0)) for _ in range(len(further))]
        while own:
            result = work(own.pop())
            own = list(islice(items, 1))
            # the other threads go on while the caller uses these results
            submitted = [executor.submit(work, item) for item in islice(items, threads - 1)]
            yield result
            yield from (each.result() for each in others)
            others = submitted
