"""ceiling: gold x the chunks of a corpus -> the best that any ranking of these chunks could reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError, counted, listed
from assay.evaluation.blanks_ignored import blanks_ignored
from assay.evaluation.ceiling_table import CeilingTable
from assay.evaluation.ceilings import MEASURES, Ceilings, ceilings, refuse_without_ceiling
from assay.evaluation.evaluated import evaluated, several_standards
from assay.evaluation.named_runs import named_runs, opened_file, refuse_two_streams
from assay.evaluation.notes import highlight_notes
from assay.evaluation.placing import Placing
from assay.formats.format import Request
from assay.formats.reading import judgments_of, opened_documents, read_run, refuse_unknown_columns
from assay.measures.base import Measure
from assay.measures.notation import measures_of
from assay.ranking.chunked_corpus import ChunkedCorpus
from assay.ranking.gold_standards import barren_topics, of_annotators
from assay.ranking.pool import Pool
from assay.tables.column_names import told_columns
from assay.tables.id_forms import difference
from assay.tables.run import Run
from assay.vocabulary import TOPICS, Blanks, Overlap, Texts, Topics

# Where more results than this share are none of the chunks, the run is of other chunks.
OTHERS = 0.1


def ceiling(
    judgments: Any,
    chunks: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    documents: Any = None,
    overlap: Overlap = "paid",
    topics: Topics = "judged",
    texts: Texts = "check",
    blanks: Blanks = "count",
    annotators: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> CeilingTable:
    """The best recall, precision and F that any ranking of these chunks could reach, and what they do to the gold.

    judgments: spans or quotations, as to `assay.evaluate`. chunks: all chunks of the corpus, whether any system
    returned them or not: a JSONL, CSV, TSV or Parquet file or a frame with a document, start and end, or a text, in
    each row; a list of objects of LangChain, LlamaIndex, Haystack or Chonkie, dicts, (document, start, end) or texts;
    or a dict from documents to lists of chunks, texts or (start, end). Texts without places are looked for in the
    documents.
    runs: what systems returned of these chunks; beside their values stands what was lost by the retriever, which could
    have returned better chunks, by the chunker, whose best ranking has no more, and by the budget, which no chunks
    could meet.
    measures: R, P, F or IoU, with a cut-off as R@5, R(chars=2000) or none; by default R, P and F at several.

    A ceiling is exact where a ranking reaches it, else it is a bound that none surpasses: within a budget, where text
    of overlapping chunks is read once (overlap="new") or there are too many of them to be tried; with both limits, as
    R(chars=2000)@5; and where a value is the mean over annotators, as one ranking may not suit all. A ranking may be
    as short as it likes, so that the precision of text that is paid for is that of the best chunk.
    overlap: paid or new. topics, texts, blanks, annotators, format, columns, documents: as of `assay.evaluate`.
    """
    asked = measures_of(MEASURES if measures is None else measures)
    refuse_without_ceiling(asked)
    refuse_other_policies(overlap, topics)
    collection, told = opened_documents(documents), told_columns(columns)
    judged, all_chunks = opened_file(judgments), opened_file(chunks)
    given = {} if runs is None or runs == [] else {name: opened_file(run) for name, run in named_runs(runs).items()}
    refuse_two_streams([judged, all_chunks, *given.values()])
    refuse_unknown_columns([judged, all_chunks, *given.values()], format, told)
    placing = Placing(collection, format, texts, told)
    gold = judgments_of(placing.judgments(judged), format, Request(collection, columns=told, every_column=False))
    if gold.highlights is None:
        raise InputError("has no highlighted text; a ceiling is of text, as of spans with start and end", gold.name)
    table = placing.chunks(all_chunks, gold)
    placed = {name: placing.run(run, name, gold) for name, run in given.items()}
    tables = {name: read_run(run, name, format, collection, told) for name, run in placed.items()}
    notes = [note for run in tables.values() for note in strangers(run, table)]
    without_blanks, counted_gold = blanks_ignored(blanks, collection, is_shown=False), gold
    if without_blanks:
        counted_gold, note = without_blanks.judgments(gold)
        table = without_blanks.run(table)
        placing.notes.append(note)
    pool = Pool(of_annotators(counted_gold, annotators), collection)
    standards = several_standards(pool, annotators, topics, placing.notes, is_shown=False)
    corpus = ChunkedCorpus(table)
    notes += apart(corpus, pool)
    best = ceilings(corpus, pool, asked, overlap == "paid", standards)
    scores = None
    rules: dict[str, Any] = {"overlap": overlap, "topics": topics, "blanks": blanks, "annotators": annotators}
    if tables:
        scores = evaluated(gold, tables, asked, documents=collection, **rules).scores
    told_by_runs = scores.notes if scores else of_gold(pool, topics)
    notes = list(dict.fromkeys([*notes, *placing.notes, *told_by_runs, *bounds(best, asked)]))
    counts = ~barren_topics(pool) if topics == "relevant" else np.ones(len(pool.topics), bool)
    return CeilingTable(asked, pool.topics, best, corpus.sizes, corpus.gold(pool), counts, scores, notes)


def refuse_other_policies(overlap: str, topics: str) -> None:
    """Which rankings there are must be known."""
    if overlap not in ("paid", "new"):
        what = f"overlap={overlap} leaves out results, or refuses them"
        raise UsageError(f"{what}; a ceiling is of rankings in which chunks may overlap: expected paid or new")
    if topics not in TOPICS:
        raise UsageError(f"unknown policy for topics {topics!r}; expected one of {', '.join(TOPICS)}")


def strangers(run: Run, chunks: Run) -> Iterator[str]:
    """Results that are none of the chunks: a few are noted, and with many the ceiling would be of something else."""
    if run.start is None or run.end is None:
        raise InputError("does not return parts of documents; expected chunks, as of these is the ceiling", run.name)
    known = set(places(chunks))
    others = [place for place in places(run) if place not in known]
    if not others:
        return
    document, start, end = others[0]
    what = f"{len(others):,} of {counted(len(run), 'result')} are none of the {counted(len(known), 'chunk')}"
    first = f"the first is {document} {start}-{end}"
    if len(others) > OTHERS * len(run):
        raise InputError(f"{what} of {chunks.name}; {first}; expected a run of these chunks", run.name)
    yield f"{run.name}: {what}, and may surpass the ceiling; {first}"


def places(table: Run) -> list[tuple[str, int, int]]:
    """The places of chunks."""
    assert table.start is not None and table.end is not None
    return list(zip(table.document.texts(), table.start.tolist(), table.end.tolist(), strict=True))


def apart(corpus: ChunkedCorpus, pool: Pool) -> Iterator[str]:
    """Documents with gold that have no chunk; where none has one, the names must be of another form."""
    marked = pool.judgments.document[np.flatnonzero(pool.text.marks.size > 0)]
    names = list(dict.fromkeys(marked.texts()))
    missing = [name for name in names if name not in set(corpus.documents)]
    if not missing:
        return
    form = difference([("", name) for name in corpus.documents], [("", name) for name in missing])
    why = f"; perhaps the ids differ by {form} alone: {form.pair}" if form else ""
    if len(missing) == len(names):
        ours, theirs = listed(corpus.documents, 2), listed(names, 2)
        what = f"{corpus.name} and {pool.judgments.name} have no document in common ({ours} against {theirs})"
        raise InputError(f"{what}{why}")
    of_all = f"{len(missing):,} of {counted(len(names), 'document')} with gold have no chunk"
    yield f"{corpus.name}: {of_all}: {listed(missing)}{why}"


def of_gold(pool: Pool, topics: Topics) -> Iterator[str]:
    """What is said of gold where there is no run."""
    yield from (f"{pool.judgments.name}: {note}" for note in pool.judgments.notes)
    barren = [topic for topic, is_barren in zip(pool.topics, barren_topics(pool), strict=True) if is_barren]
    if barren:
        fate = "left out" if topics == "relevant" else "whose ceiling is 0"
        of_all = f"{len(barren):,} of {counted(len(pool.topics), 'topic')} with nothing relevant, {fate}"
        yield f"{pool.judgments.name}: {of_all}: {listed(barren)}"
    yield from highlight_notes([pool])


def bounds(best: Ceilings, measures: list[Measure]) -> Iterator[str]:
    """The measures of which a bound is known, and in how many topics it is not known whether a ranking reaches it."""
    unknown = [(str(measure), np.count_nonzero(~exact)) for measure, exact in zip(measures, best.exact, strict=True)]
    told = [f"{measure} ({number:,})" for measure, number in unknown if number]
    if told:
        topics = counted(best.exact.shape[1], "topic")
        yield f"at most, as it is not known in some of {topics} whether a ranking reaches the bound: {listed(told, 12)}"
