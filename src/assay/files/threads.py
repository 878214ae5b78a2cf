"""Share work among the cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from assay.files.memory import reuse_freed_memory

# More threads would only wait for each other and take more memory.
MOST_THREADS = 8


def cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield work(item) for each item, in order, on several cores, with only a few items in memory for each core.

    The thread that asks works too, because more threads than cores would wait for each other: it hands items to the
    others until each has a second one to begin with, and does the next one itself.
    """
    items, threads = iter(items), min(cores(), MOST_THREADS)
    begun = list(islice(items, 2))
    # an item is large and must not be held after its work, so it is taken out of the list
    items = chain((begun.pop(0) for _ in range(len(begun))), items)
    if threads == 1 or len(begun) < 2:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    reuse_freed_memory()
    results: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(threads - 1) as others:
        for item in items:
            if sum(not result.done() for result in results) < 2 * (threads - 1):
                results.append(others.submit(work, item))
            else:
                results.append(Future())
                try:
                    results[-1].set_result(work(item))
                except Exception as error:
                    # an item before it may have an error too, which comes first
                    results[-1].set_exception(error)
            while results and (results[0].done() or len(results) >= 2 * threads):
                yield results.popleft().result()
        while results:
            yield results.popleft().result()
