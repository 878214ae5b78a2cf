"""The files of the TREC Genomics track of 2007: runs and gold passages.

A run has `topic document rank score offset length tag`. Gold passages have `topic document offset length aspects`,
separated by tabs and in Latin-1. The aspects of a passage are its subtopics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import quote
from assay.files.line_blocks import is_utf8, line_blocks, numbered_lines
from assay.files.source import Latin, Source
from assay.reading import format as base
from assay.reading.columns import highlight_judgments, span_columns_of, subtopic_columns, with_highlights
from assay.reading.formats import fol
from assay.reading.line_files import LineFile
from assay.reading.lines import LineFields, all_columns, finder, first_fault
from assay.reading.numbers import is_number
from assay.tables import judgments as tables
from assay.tables.ids import Ids, Ints
from assay.tables.run import Run, SpanRun, Table
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


class Gold(LineFields):
    """A line of gold passages, whose length must not be 0."""

    def wrong_value(self, field: str, value: str) -> str | None:
        """Return what is wrong with the value of a field; None if nothing is."""
        if wrong := super().wrong_value(field, value):
            return wrong
        return f"length {quote(value)} is zero; expected 1 or more" if field == "length" and not float(value) else None


RUN = LineFields(
    "a Genomics run", ("topic", "document", "rank", "score", "offset", "length", "tag"),
    numbers=("score",), wholes=("rank",), naturals=("offset", "length"),
)  # fmt: skip
# The mark of a passage without an aspect.
NO_ASPECT = "NONE"
GOLD = Gold("Genomics judgments", ("topic", "document", "offset", "length"), naturals=("offset", "length"))


class Genomics(LineFile):
    """Gold passages and runs of passages of the TREC Genomics track. Judgments are separated by tabs, in UTF-8 or
    Latin-1. Their fifth field has the aspects of a passage, separated by `|`, or NONE; aspects are the subtopics for
    ASPECT. Results with the same rank are ordered by document, offset and length, as in the track.
    """

    name = "genomics"
    title = "TREC Genomics 2007"
    writes_runs_of = ("spans",)
    writes_judgments = True
    writes_irrelevant = False
    writes_subtopics = True
    run_fields = RUN
    judgments_fields = GOLD
    by_rank = True

    def recognises(self, head: base.Head, kind: FileKind | None) -> bool:
        """Recognise gold passages, or a run with the offset and the length before its tag."""
        return (kind != "run" and is_gold(head.values)) or (kind != "judgments" and is_genomics_run(head.fields))

    def are_judgments(self, head: base.Head) -> bool:
        """Return whether the first line is a gold passage."""
        return is_gold(head.values)

    def run_of(self, block: bytes, source: Source, request: base.Request) -> Run | None:
        """Return the part of a run in a padded block of lines; None if it has no line."""
        return fol.passages_of(block, source, RUN)

    def run_blocks(self, source: Source, request: base.Request = base.NOTHING_MORE) -> Iterator[base.Block]:
        """Yield a run as blocks of whole topics, with equal ranks in the order of the track."""
        for block in super().run_blocks(source, request):
            yield partial(in_order_of_the_track, block)

    def judgments(self, source: Source, request: base.Request = base.NOTHING_MORE) -> tables.Judgments:
        """Return gold passages: one row per document, with its passages in the order of the file."""
        return gold_passages(decode_latin1(source))

    def readable(
        self, source: Source, kind: FileKind | None = None, request: base.Request = base.NOTHING_MORE
    ) -> base.Readable[Any]:
        """Return the lines that can be read, and the faults of the others."""
        kind = kind or self.kind_of(source)
        return super().readable(source if kind == "run" else decode_latin1(source), kind, request)

    def lines_of(self, judgments: tables.HighlightJudgments) -> tuple[Ints, Ints]:
        """Return the line of the first span of each document, and of each span; every line has one span."""
        row = judgments.highlights.row
        return np.unique(row, return_index=True)[1], np.arange(len(row))

    def run_content(self, columns: base.Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run."""
        base.refuse_in_lines(columns, RUN.name, name)
        rows = zip(
            *(columns[field] for field in ("topic", "document", "rank", "score", "start", "length")), strict=True
        )
        return base.content_of_lines((f"{topic} {document} {rank} {score!r} {start} {length} {tag}"
                       for topic, document, rank, score, start, length in rows), name)  # fmt: skip

    def judgments_content(self, judgments: tables.Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with gold passages and their aspects; only relevant text can be written."""
        judged = with_highlights(judgments, self.name)
        columns = subtopic_columns(judged) if isinstance(judged, tables.SubtopicJudgments) else span_columns_of(judged)
        aspects = columns.pop("subtopic", [None] * len(columns["topic"]))
        base.refuse_in_lines(columns, GOLD.name, judgments.name)
        rows = zip(*(columns[field] for field in ("topic", "document", "start", "end")), strict=True)
        # the table has a passage once for each of its aspects
        passages: dict[tuple[str, str, int, int], list[str]] = {}
        for passage, aspect in zip(rows, aspects, strict=True):
            passages.setdefault(passage, []).extend(filter(None, [aspect]))
        gold = (
            f"{topic}\t{document}\t{start}\t{end - start}\t{'|'.join(of_passage) or NO_ASPECT}"
            for (topic, document, start, end), of_passage in passages.items()
            if end > start
        )
        return base.content_of_lines(gold, judgments.name)


def is_gold(values: list[str]) -> bool:
    """Return whether a line is a gold passage, not a line of qrels with a further field."""
    return (
        len(values) == 5
        and base.is_document(values[1])
        and all(map(base.reads_whole, values[2:4]))
        and not is_number(values[4].strip())
    )


def is_genomics_run(fields: list[str]) -> bool:
    """Return whether a line belongs to a run of this format.

    It must not have a path, or an offset and a length, after its tag; nor be a line of a TREC run whose tag has spaces.
    """
    if len(fields) < 7 or fields[6].startswith("/") or (len(fields) > 7 and all(map(base.reads_place, fields[6:8]))):
        return False
    return (
        base.is_document(fields[1]) and is_number(fields[3]) and all(map(base.reads_whole, (fields[2], *fields[4:6])))
    )


def decode_latin1(source: Source) -> Source:
    """Return the source, decoded from Latin-1 if it is not UTF-8."""
    return source if all(is_utf8(block.content) for block in line_blocks(source, GOLD.name)) else Latin(source)


def in_order_of_the_track(block: base.Block) -> Run | None:
    """Read a block of a run; if results of a topic share a rank, rank them by document id, then offset, then length."""
    run = block()
    if run is None:
        return None
    assert isinstance(run, SpanRun) and run.rank is not None
    names, starts = run.topic.streaks()
    topic = np.repeat(np.unique(np.array(names, object), return_inverse=True)[1], np.diff(starts))
    order = np.lexsort((run.rank, topic))
    topic, rank = topic[order], run.rank[order]
    if not np.any((topic[1:] == topic[:-1]) & (rank[1:] == rank[:-1])):
        return run
    keys = list(zip(topic.tolist(), rank.tolist(), run.document[order].texts(), run.start[order].tolist(),
                    run.end[order].tolist(), order.tolist(), strict=True))  # fmt: skip
    keys.sort()
    rank = np.empty(len(run), np.int64)
    place = 0
    for before, key in pairwise([(-1,), *keys]):
        place = place + 1 if before[0] == key[0] else 1
        rank[key[-1]] = place
    return replace(run, rank=rank)


def gold_passages(source: Source) -> tables.HighlightJudgments:
    """Return the gold passages of a file."""
    wanted = GOLD.fields
    taken = all_columns(source, GOLD, wanted)
    if not taken:
        raise source.fault("the input is empty; expected judgments")
    start, length = taken["offset"], taken["length"]
    if not length.all():
        raise first_fault(source, GOLD, wanted)
    rows = Table(source.label, taken["topic"], taken["document"], finder(source, GOLD))
    judged = highlight_judgments(rows, start, start + length)
    aspects = aspects_of(source, judged)
    return judged if aspects is None else tables.HighlightSubtopicJudgments(**vars(judged), subtopics=aspects)


def aspects_of(source: Source, judged: tables.HighlightJudgments) -> tables.Subtopics | None:
    """Return the aspects of passages as their subtopics; None if there are none."""
    span, names = list[int](), list[str]()
    given = (line for _, line in numbered_lines(source) if not line.startswith(b"#"))
    for number, line in enumerate(given):
        # an aspect may contain spaces
        told = b"".join(line.split(None, 4)[4:]).decode().strip()
        its_own = dict.fromkeys(name for each in told.split("|") if (name := each.strip()) not in ("", NO_ASPECT))
        names += its_own or [""]
        span += [number] * max(len(its_own), 1)
    if not any(names):
        return None
    spans = np.array(span, np.int64)
    return tables.Subtopics(judged.highlights.row[spans], spans, np.ones(len(spans), np.int64), Ids.of(names))


FORMAT = Genomics()
