"""Work shared by the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

# Nearly 32 MB, the largest piece of memory by which glibc learns.
LARGE = 31 << 20


def in_threads(
    work: Callable[[Any], Any], items: Iterable[Any], most: int | None = None, ahead: int = 1
) -> Iterator[Any]:
    """work(item) for each, in order, on all cores or on `most`, with only
    a few items on the way: `ahead` for each core.
    """
    items = iter(items)
    waiting = list(islice(items, 2))
    if len(waiting) < 2:
        yield from map(work, waiting)
        return
    from concurrent.futures import ThreadPoolExecutor

    keep_memory()
    workers = min(os.cpu_count() or 1, most or os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as executor:
        pending = [executor.submit(work, item) for item in waiting]
        for item in items:
            pending.append(executor.submit(work, item))
            if len(pending) > ahead * workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()


def keep_memory() -> None:
    """Have the memory of an item used again for the next one.

    On Linux it is else given back to the system, which takes a tenth of the time of all: glibc keeps only pieces that
    are smaller than one that was freed before. So a large one is freed here, which is never written to and so takes no
    memory.
    """
    bytes(LARGE)
