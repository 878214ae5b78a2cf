"""What runs score, where the cores share the work on them: on the blocks of one run, or on several runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from assay.evaluation.tallies import Outcome
from assay.files.sharing import sharing
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.formats.reading import is_of_lines

if TYPE_CHECKING:
    from assay.evaluation.measuring import Measuring


def outcomes_of(named: dict[str, Any], work: Measuring) -> list[Outcome]:
    """What some runs score, each of which has a name."""
    mapped = mapping(list(named.values()), work)
    if len(named) == 1:
        return [work.outcome(name, run, mapped) for name, run in named.items()]
    if mapped is in_threads:
        return list(in_threads(lambda item: work.outcome(item[0], item[1], map), named.items()))
    # how far the work has come is shown by this process
    here, unwatched = os.getpid(), work.of_runs(work.systems, work.empty, None, None)

    def outcome_of(item: tuple[str, Any]) -> Outcome:
        return (work if os.getpid() == here else unwatched).outcome(item[0], item[1], map)

    outcomes = []
    for outcome in mapped(outcome_of, named.items()):
        outcomes.append(outcome)
        named[outcome.name].done = named[outcome.name].size
        if work.watch:
            work.watch()
    return outcomes


def mapping(runs: list[Any], work: Measuring) -> Callable[..., Iterator[Any]]:
    """What maps work over the blocks of a run, or over several runs: processes share those that are read as lines.

    What is kept, and what is read of documents, is for this process alone. A measure of somebody's own may do what it
    likes, which could hang in a copied process, or be lost with it.
    """
    files = [run for run in runs if isinstance(run, Source)]
    if work.keep is not None or work.pool.documents is not None or len(files) < len(runs):
        return in_threads
    if not all(type(measure).__module__.startswith("assay.") for measure in work.measures):
        return in_threads
    mapped = sharing(files)
    return mapped if mapped is in_threads or all(is_of_lines(file, work.format) for file in files) else in_threads
