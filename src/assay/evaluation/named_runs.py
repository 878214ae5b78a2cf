"""The runs that were given, by name: one or many, as files, tables or objects in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, UsageError
from assay.files.source import STDIN, Source
from assay.ranking.pool import Pool
from assay.reading.foreign import held, judgments_given, name_of, run_given, unwrapped
from assay.reading.read import is_file
from assay.reading.rows import Rows
from assay.reading.values import is_empty, is_name, plain_value
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.reading.input_types import JudgmentsLike, RunsLike


def opened_inputs(judgments: JudgmentsLike, runs: RunsLike) -> tuple[Any, dict[str, Any]]:
    """The judgments, and the runs by name; files are opened, and only one of them may be standard input."""
    judged = opened_file(judgments_given(judgments))
    named = {name: opened_file(run) for name, run in named_runs(runs).items()}
    refuse_two_streams([judged, *named.values()])
    return judged, named


def refuse_two_streams(given: list[Any]) -> None:
    """Only one of several inputs may be standard input."""
    if sum(isinstance(each, Source) and each.path == STDIN for each in given) > 1:
        raise UsageError("standard input can be read only once")


def named_runs(runs: Any) -> dict[str, Any]:
    """Runs by name: what one, a list or a dict of them was given as; files are named after themselves."""
    runs = run_given(runs) if isinstance(runs, dict) else held(runs)
    if isinstance(runs, dict | Mapping) and not _is_one_run(runs):
        if len({str(name) for name in runs}) < len(runs):
            raise UsageError("two runs have the same name")
        return {str(name): run_given(run) for name, run in runs.items()}
    if type(runs) is dict:
        return {"run": runs}
    if isinstance(runs, list | tuple) and not runs:
        raise UsageError("no run was given")
    several = isinstance(runs, list | tuple) and all(is_file(run) or _is_table(run) for run in runs)
    listing = list(runs) if several else [runs]
    names = [_name_of(run, f"run {number}" if several else "run") for number, run in enumerate(listing, 1)]
    if len(set(names)) < len(names):
        names = [opened_file(run).path if is_file(run) else name for run, name in zip(listing, names, strict=True)]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"run {repeated} was given twice")
    return dict(zip(names, map(run_given, listing), strict=True))


@contextmanager
def topics_told_from_names(named: Mapping[str, Any], pool: Pool) -> Iterator[None]:
    """A time in which an error about runs whose names are topics says how they were taken."""
    try:
        yield
    except InputError as error:
        if any(isinstance(run, Source) for run in named.values()) or not named.keys() <= set(pool.topics):
            raise
        lists = "expected lists of documents, of (document, score), of (document, start, end) or of chunks"
        from assay.reading.cells import python_text

        for topic, run in named.items():
            if isinstance(run, list) and run and is_other_tuple(run[0], pool):
                what = f"topic {topic} has {python_text(run[0])}; {lists}: a tuple begins with the document"
                raise InputError(what, "run") from None
        what = "a dict of topics is taken for one of runs by name where what it has for a topic is not understood"
        told = f"{error.what}; {what}: {lists}"
        raise InputError(told, error.path, error.line, error.at, error.number) from None


def is_other_tuple(given: object, pool: Pool) -> bool:
    """Whether a tuple is no record of a run, as it does not begin with a topic."""
    if not isinstance(given, list | tuple) or not given:
        return False
    return not is_name(given[0]) or str(given[0]) not in pool.topics


def empty_topics(run: object) -> set[str]:
    """The topics that a run by topic has with no results."""
    if isinstance(run, Rows):
        return set(run.empty_topics)
    return {str(topic) for topic, results in run.items() if is_empty(results)} if isinstance(run, Mapping) else set()


def opened_file(given: object) -> Any:
    """A file that is given by its path, as a source; anything else as it is."""
    given = unwrapped(held(given))
    return Source(given) if is_file(given) and not isinstance(given, Source) else given


def _name_of(run: object, otherwise: str) -> str:
    if is_file(run):
        return str(opened_file(run).stem)
    return run.name if isinstance(run, Run) else name_of(run) or otherwise


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    inner: Any = next((run for run in runs.values() if not isinstance(run, dict | Mapping) or run), {})
    if isinstance(inner, list | tuple):
        from assay.reading.records import are_queries, is_chunk

        # a ranking of documents, of (document, score), of (document, start, end), or of chunks
        lists = {topic: each for topic, each in runs.items() if isinstance(each, list | tuple) and each}
        return all(
            isinstance(plain_value(given), str | int) or (isinstance(given, list | tuple) and is_part_of_run(given))
            for given in inner
        ) or (all(is_chunk(chunks[0], topic) for topic, chunks in lists.items()) or are_queries(lists))
    if not isinstance(inner, dict | Mapping):
        return False
    value = next(iter(inner.values()), None)
    return isinstance(value, float) or not isinstance(value, Mapping | list | tuple)


def is_part_of_run(given: Sequence[Any]) -> bool:
    """Whether a tuple, or a list that JSON made of it, is a result: a document or a text with a score, or a span."""
    from assay.reading.records import is_scored

    return is_span_tuple(given) or (is_scored(given) and isinstance(given[0], str | int))


def is_span_tuple(given: Sequence[Any]) -> bool:
    """Whether a tuple, or a list that JSON made of it, is a document with a start and an end.

    It might else be a record of topic, document and score.
    """
    if len(given) < 3 or not isinstance(given[0], str | int):
        return False
    start, end = map(plain_value, given[1:3])
    if isinstance(start, float) and isinstance(end, float) and isinstance(given[0], str):
        return start.is_integer() and end.is_integer() and start <= end
    return isinstance(start, int) and isinstance(end, int)


def _is_table(given: object) -> bool:
    if isinstance(given, Mapping):
        # a record is a dict too, but of plain values
        return all(isinstance(value, Mapping | list | tuple) for value in given.values())
    is_frame = hasattr(given, "columns") or hasattr(given, "__arrow_c_stream__")
    return is_frame or isinstance(given, Run) or unwrapped(given) is not given


# What scores were made of, so that more can be asked of them than values.


class GivenInputs(NamedTuple):
    """The judgments and runs of some scores as they were given, and the rules by which they were evaluated.

    What scores do not hold, as the results themselves, is evaluated anew; files are read again for it.
    """

    judgments: Any
    runs: Any
    rules: Mapping[str, Any]
