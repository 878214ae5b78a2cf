"""Work shared by the cores, each with a process of its own: threads wait for each other between their steps."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from operator import length_hint
from typing import IO, Any, NamedTuple

from assay.errors import AssayError
from assay.files.threads import cores

# More gain little, as each goes through all items.
MOST_PROCESSES = 4
# So many bytes of memory are not copied in a short time.
TOO_MUCH = 1 << 30
# Bytes of the number that tells how many follow.
NUMBER = 8
# Linux's name for the signal that a process gets when the one that began it dies.
PR_SET_PDEATHSIG = 1


def can_fork() -> bool:
    """Whether this process may be copied with all that it has in memory: on Linux, where no other thread could be in
    the middle of something, and unless it holds so much that to copy the list of its pages takes long.
    """
    is_alone = threading.active_count() == 1 and signal.getsignal(signal.SIGINT) is not None
    return sys.platform == "linux" and is_alone and cores() > 1 and held_memory() < TOO_MUCH


def held_memory() -> int:
    """The bytes of memory that this process holds, as Linux tells them; where it does not, that may be too much."""
    with suppress(OSError), open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return TOO_MUCH


def in_processes(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """work(item) for each, in order. Every process goes through all items, and does its share of the work.

    The items must come anew in each process, as those of a generator do that is not begun. Bad input is told by whoever
    finds it, in the order of the items. What a process leaves undone because of anything else is done here.
    """
    workers = min(cores(), length_hint(items, MOST_PROCESSES), MOST_PROCESSES)
    others: dict[int, Other] = {}
    try:
        for share in range(1, workers):
            # the other process is never interrupted, as this one ends it; where none can be had its share is done here
            with uninterrupted(), suppress(OSError):
                others[share] = Other.begun(work, items, share, workers)
        for number, item in enumerate(items):
            other = others.get(number % workers)
            yield other.result(item) if other else work(item)
    finally:
        with uninterrupted():
            for other in others.values():
                other.end()


class Other(NamedTuple):
    """Another process, which does a share of the work; what it sends is received in the order of its items."""

    process: int
    received: IO[bytes]
    work: Callable[[Any], Any]

    @classmethod
    def begun(cls, work: Callable[[Any], Any], items: Iterable[Any], share: int, workers: int) -> Other:
        """A process that does the work on one of so many items."""
        receiving, sending = os.pipe()
        try:
            process = copied_process()
        except OSError:
            os.close(receiving)
            os.close(sending)
            raise
        if process == 0:
            with suppress(BaseException), os.fdopen(sending, "wb") as results:
                os.close(receiving)
                send_results(work, islice(items, share, None, workers), results)
            os._exit(0)
        os.close(sending)
        return cls(process, os.fdopen(receiving, "rb"), work)

    def result(self, item: Any) -> Any:
        """What the work on its next item gave."""
        size = int.from_bytes(self.received.read(NUMBER), "little")
        told = self.received.read(size)
        if not told or len(told) < size:
            return done_here(self.work, item)
        result = pickle.loads(told)
        if isinstance(result, AssayError):
            raise result
        return result

    def end(self) -> None:
        """End the process, whatever it does."""
        self.received.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)


def done_here(work: Callable[[Any], Any], item: Any) -> Any:
    """What another process left undone."""
    return work(item)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A time in which Ctrl-C has to wait. To block the signal would not do, as threads of libraries take it too."""
    came: list[tuple[Any, ...]] = []
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, lambda *told: came.append(told))
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[0])


def copied_process() -> int:
    """The number of a new process, in which it is 0."""
    with warnings.catch_warnings():
        # newer versions of Python warn of threads; there are none but those of libraries, which the copy does not use
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def send_results(work: Callable[[Any], Any], items: Iterable[Any], results: IO[bytes]) -> None:
    """What another process does; bad input is a result too, as it takes long to find where it is."""
    # the system ends this process with the one that began it, whatever that dies of
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # what there is already is no garbage, and to look at it would copy it
    gc.freeze()
    for item in items:
        try:
            result = work(item)
        except AssayError as error:
            result = error
        told = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        results.write(len(told).to_bytes(NUMBER, "little") + told)
        results.flush()
