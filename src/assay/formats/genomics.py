"""The files of the TREC Genomics track of 2007: runs (`topic document rank score offset length tag`), and gold passages
(`topic document offset length aspects`), between tabs and in Latin-1, of which the aspects are not used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from assay.errors import quoted
from assay.files.source import Latin, Source
from assay.formats import fol, lines
from assay.formats.highlighting import highlighted
from assay.tables.judgments import Judgments
from assay.tables.run import Run, Table


class Gold(lines.LineFormat):
    """Gold passages, which have text."""

    def wrong_value(self, field: str, value: str) -> str | None:
        """What is wrong with the value of a field, if anything."""
        if wrong := super().wrong_value(field, value):
            return wrong
        return f"length {quoted(value)} leaves no text" if field == "length" and not float(value) else None


RUN = lines.LineFormat(
    "a Genomics run", ("topic", "document", "rank", "score", "offset", "length", "tag"),
    numbers=("score",), wholes=("rank",), naturals=("offset", "length"),
)  # fmt: skip
GOLD = Gold("Genomics judgments", ("topic", "document", "offset", "length"), naturals=("offset", "length"))


def run_blocks(source: Source, gather: bool, documents: Any = None) -> Iterator[Callable[[], Run | None]]:
    """A run, some whole topics at a time, each to be read by calling it."""
    for block in lines.topic_blocks(source, gather):
        yield partial(run_of, block, source)


def run_of(block: bytes, source: Source) -> Run | None:
    """The part of a run that a block holds, its equal ranks in the order of the track; None where it has no line."""
    run = fol.run_of(block, source, RUN)
    return run and in_order_of_the_track(run)


def in_order_of_the_track(run: Run) -> Run:
    """The run, ranked anew where two results of a topic have one rank: by the document's id as text, then offset, then length."""
    assert run.rank is not None and run.start is not None and run.end is not None
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


def judgments(source: Source, documents: Any = None) -> Judgments:
    """Gold passages: a row a document, with its passages in the order of the file."""
    content = source.whole()
    if not lines.is_utf8(content):
        source = Latin(source)
        content = source.whole()
    wanted = GOLD.fields
    found = lines.columns(lines.padded(content), GOLD, wanted, source)
    if not found:
        raise source.fault("is empty; expected judgments")
    start, length = found["offset"], found["length"]
    if not length.all():
        raise next(lines.faults(source, GOLD, wanted), source.fault("changed while it was read"))
    places = lines.places(source, GOLD)
    return highlighted(Table(source.label, found["topic"], found["document"], places), start, start + length)
