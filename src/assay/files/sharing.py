"""Whether threads or processes share the work on files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.files.source import Source
from assay.files.threads import in_threads

# Files of fewer bytes are read before another process could help.
LARGE = 1 << 24


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
