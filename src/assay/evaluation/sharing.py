"""How the cores share the work on runs: the blocks of one run, or several runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.evaluation.tallies import Outcome
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.formats.reading import is_of_lines

if TYPE_CHECKING:
    from assay.evaluation.measuring import Measuring

# Runs of fewer bytes are measured before another process could help.
LARGE = 1 << 24


def outcomes_of(named: dict[str, Any], work: Measuring) -> list[Outcome]:
    """What some runs score, each of which has a name."""
    if (files := large_files(named, work)) and len(files) > 1:
        return outcomes_of_files(files, work)
    if len(named) > 1:
        return list(in_threads(lambda item: work.outcome(item[0], item[1], map), named.items()))
    mapped = in_threads
    if files:
        from assay.files.processes import in_processes as mapped
    return [work.outcome(name, run, mapped) for name, run in named.items()]


def outcomes_of_files(files: dict[str, Source], work: Measuring) -> list[Outcome]:
    """What several runs score, each of which is measured in one of several processes."""
    from assay.files.processes import in_processes

    # how far the work has come is known, and shown, in this process only
    unwatched = work.of_runs(work.systems, work.empty, None, None)
    outcomes = []
    for outcome in in_processes(lambda item: unwatched.outcome(item[0], item[1], map), files.items()):
        outcomes.append(outcome)
        files[outcome.name].done = files[outcome.name].size
        if work.watch:
            work.watch()
    return outcomes


def large_files(named: dict[str, Any], work: Measuring) -> dict[str, Source]:
    """The runs, where processes are to share them, and else nothing.

    They are then large files of lines: to read them takes no library with threads of its own, which a copied process
    would lack. What is kept, and what is read of documents, is for this process.
    """
    files = {name: run for name, run in named.items() if isinstance(run, Source)}
    if work.keep or work.pool.documents or len(files) < len(named):
        return {}
    if sum(file.size for file in files.values()) < LARGE:
        return {}
    from assay.files.processes import can_fork

    return files if can_fork() and all(is_of_lines(file, work.format) for file in files.values()) else {}
