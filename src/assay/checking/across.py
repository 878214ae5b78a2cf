"""Whether files that are checked together meet: the topics and the documents of runs and of judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.checking.summary import Report
from assay.errors import InputError
from assay.evaluation.meeting import other_topics, sampled
from assay.evaluation.notes import apart, merged_remarks, topics_noted
from assay.evaluation.tallies import Outcome, Tally, tally_of
from assay.files.source import STDIN, Source
from assay.formats.format import Request
from assay.formats.reading import read_judgments, refuse_more_fields, run_blocks
from assay.ranking.align import Aligned
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.lookup import Documents


def across(
    checked: Sequence[tuple[str, Report]], format: str | None = None, documents: Documents | None = None
) -> Iterator[InputError | str]:
    """What is wrong with runs beside judgments, as errors, and what is to be noted; of files that were checked.

    Files that cannot be read, whose faults have been told, and standard input, which is read only once, are left out.
    """
    files = [(path, report.kind) for path, report in checked if path != STDIN]
    judgments, runs = ([path for path, kind in files if kind == wanted] for wanted in ("judgments", "run"))
    for path in judgments if runs else ():
        try:
            pool = Pool(read_judgments(path, format, documents), documents)
        except InputError:
            continue
        meeting = []
        for run in runs:
            source = Source(run)
            tally = met(source, pool, format)
            if fault := tally and (
                fields_of_parts(source, pool, format)
                or fault_of(tally, pool)
                or unknown_lengths(source, pool, format)
            ):
                yield fault
            elif tally:
                meeting.append(tally)
        name, topics = pool.judgments.name, len(pool.topics)
        remarks = [
            (each.name, remark) for each in meeting for remark in (*apart(each, name), *topics_noted(each, topics))
        ]
        yield from (f"{pool.judgments.name} and {line}" for line in merged_remarks(remarks))


def fields_of_parts(source: Source, pool: Pool, format: str | None) -> InputError | None:
    """What is wrong with a run of whole documents that has more fields, where text is judged."""
    if pool.judgments.highlights is not None:
        try:
            refuse_more_fields(source, format)
        except InputError as error:
            return error
    return None


def fault_of(run: Tally, pool: Pool) -> InputError | None:
    """What is surely wrong with a run beside judgments."""
    if not run.in_run:
        return other_topics(run.name, run.unjudged.kept, pool.judgments.name, pool.topics)
    return run.meeting.fault(run.name, pool.judgments.name, run.judged)


def unknown_lengths(source: Source, pool: Pool, format: str | None) -> InputError | None:
    """What is wrong with a run of whole documents, where text is judged and the documents are given but lack some."""
    if pool.judgments.highlights is not None and pool.documents is not None:
        for run in filter(None, (block() for block in run_blocks(source, None, format, Request(pool.documents)))):
            # a run of parts knows where they end, in every block
            if run.start is not None or run.path is not None:
                return None
            try:
                TEXT.align(run, pool, Rules())
            except InputError as error:
                return error
    return None


def met(source: Source, pool: Pool, format: str | None) -> Tally | None:
    """How a run and judgments meet, with nothing measured; None where the run cannot be read."""
    outcome = Outcome.begun(source.label, 0, pool)
    try:
        for block in run_blocks(source, None, format, Request(pool.documents)):
            if (run := block()) is not None:
                noticed = aligned_with(run, pool).noticed
                outcome.add(noticed, outcome.values[:, noticed.topics], sampled(run, noticed, pool))
    except InputError:
        return None
    # a topic may stand in several blocks
    outcome.unjudged = list(dict.fromkeys(outcome.unjudged))
    return tally_of(outcome, pool)


def aligned_with(run: Run, pool: Pool) -> Aligned:
    """The alignment of a run with judgments: as text if both know its characters, else by documents."""
    if run.start is not None and pool.judgments.highlights is not None:
        return TEXT.align(run, pool, Rules())
    in_elements = run.path is not None and run.start is None
    return DOCUMENTS.align(run, Pool(replace(pool.judgments, highlights=None)) if in_elements else pool, Rules())
