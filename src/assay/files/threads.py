"""Share work among the cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from threading import Event, Semaphore, Thread
from typing import Any

from assay.files.memory import reuse_freed_memory

# More threads would only wait for each other and take more memory.
MOST_THREADS = 8


def cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ThreadTask:
    """The work on one item, and its outcome as soon as a thread has done it."""

    def __init__(self, item: object):
        self.items, self.done = [item], Event()
        self.outcome: Any = None
        self.error: BaseException | None = None

    def do(self, work: Callable[[Any], Any]) -> None:
        """Do the work, in whichever thread this is."""
        try:
            # an item is large, so nothing here holds it after its work
            self.outcome = work(self.items.pop())
        except KeyboardInterrupt:
            # it stops the program at once
            raise
        except BaseException as error:
            # an item before it may have an error too, which comes first
            self.error = error
        self.done.set()

    def result(self) -> Any:
        """Return the outcome, or raise the error, as soon as it is there."""
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.outcome


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield work(item) for each item, in order, on several cores, with only a few items in memory for each core.

    The thread that asks works too, because more threads than cores would wait for each other: until the next result is
    there, it does other items that wait.
    """
    items, threads = iter(items), min(cores(), MOST_THREADS)
    begun = list(islice(items, 2))
    # an item is large and must not be held after its work, so it is taken out of the list
    items = chain((begun.pop(0) for _ in range(len(begun))), items)
    if threads == 1 or len(begun) < 2:
        yield from map(work, items)
        return
    reuse_freed_memory()
    waiting: deque[ThreadTask | None] = deque()
    number_waiting = Semaphore(0)

    def put(task: ThreadTask | None) -> None:
        waiting.append(task)
        number_waiting.release()

    def do_next(wait: bool) -> bool:
        """Do the next task, and return whether there was one."""
        task = waiting.popleft() if number_waiting.acquire(wait) else None
        if task is not None:
            task.do(work)
        return task is not None

    def do_tasks() -> None:
        while do_next(wait=True):
            pass

    def first_result() -> Any:
        while not tasks[0].done.is_set() and do_next(wait=False):
            pass
        return tasks.popleft().result()

    # a program may end although somebody still holds results that nobody will ask for
    others = [Thread(target=do_tasks, daemon=True) for _ in range(threads - 1)]
    tasks: deque[ThreadTask] = deque()
    try:
        for thread in others:
            thread.start()
        for item in items:
            tasks.append(ThreadTask(item))
            del item
            put(tasks[-1])
            while tasks and (tasks[0].done.is_set() or len(tasks) >= 2 * threads):
                yield first_result()
        while tasks:
            yield first_result()
    finally:
        # after an error, nobody needs the results of the tasks that wait
        for task in tasks:
            task.items.clear()
        for _ in others:
            put(None)
        for thread in others:
            thread.join()
