"""Work shared by the cores, each with a process of its own: threads wait for each other between their steps."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import IO, Any

from assay.files.threads import cores

# More processes gain little, as each goes through all items.
MOST = 4
# Bytes of memory of which a copy takes long.
MUCH = 1 << 30
# Bytes of the number that tells how many follow.
SIZE = 8


def can_fork() -> bool:
    """Whether this process may be copied with all that it has in memory: on Linux, where no other thread could be in
    the middle of something, and unless it holds so much that to copy the list of its pages takes long.
    """
    return sys.platform == "linux" and cores() > 1 and threading.active_count() == 1 and held_memory() < MUCH


def held_memory() -> int:
    """The bytes of memory that this process holds, as Linux tells them; where it does not, that may be much."""
    with suppress(OSError), open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return MUCH


def in_processes(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """work(item) for each, in order. Every process goes through all items, and does its share of the work.

    The items must come anew in each process, as those of a generator do that is not begun. What a process leaves undone
    because something goes wrong there is done here, where it goes wrong again, and is told.
    """
    workers = min(cores(), MOST)
    with ExitStack() as running:
        others = [running.enter_context(another(work, items, share, workers)) for share in range(1, workers)]
        results = [work, *others]
        for number, item in enumerate(items):
            yield results[number % workers](item)


@contextmanager
def another(
    work: Callable[[Any], Any], items: Iterable[Any], share: int, workers: int
) -> Iterator[Callable[[Any], Any]]:
    """Another process, which does a share of the work: a function that tells its results, item by item."""
    receiving, sending = os.pipe()
    # the other process is not interrupted: it ends with this one
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    process = copied_process()
    if process == 0:
        with suppress(BaseException), os.fdopen(sending, "wb") as results:
            os.close(receiving)
            send_share(work, islice(items, share, None, workers), results)
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as received:

        def result(item: Any) -> Any:
            size = int.from_bytes(received.read(SIZE), "little")
            told = received.read(size)
            return pickle.loads(told) if told and len(told) == size else work(item)

        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
            yield result
        finally:
            if process is not None:
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)


def copied_process() -> int | None:
    """The number of a new process, in which it is 0; None where the system allows no more."""
    with warnings.catch_warnings(), suppress(OSError):
        # newer versions of Python warn of threads; there are none but those of libraries, which the copy does not use
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
    return None


def send_share(work: Callable[[Any], Any], items: Iterable[Any], results: IO[bytes]) -> None:
    """What another process does."""
    # what there is already is no garbage, and to look at it would copy it
    gc.freeze()
    for item in items:
        told = pickle.dumps(work(item), pickle.HIGHEST_PROTOCOL)
        results.write(len(told).to_bytes(SIZE, "little") + told)
        results.flush()
