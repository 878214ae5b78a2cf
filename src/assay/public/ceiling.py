"""ceiling: gold x the chunks of a corpus -> the best that any ranking of these chunks could reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.evaluation.blanks_ignored import blanks_ignored
from assay.evaluation.ceiling_notes import bounds, of_gold, strangers, without_chunks
from assay.evaluation.ceiling_table import CeilingTable
from assay.evaluation.ceilings import MEASURES, ceilings, refuse_without_ceiling
from assay.evaluation.copies_counted import copies_counted
from assay.evaluation.evaluated import evaluated, several_standards
from assay.evaluation.named_runs import named_runs, opened_file, refuse_two_streams
from assay.evaluation.options import refuse_unknown_policy
from assay.evaluation.placing import Placing
from assay.evaluation.respelling import Respelling
from assay.formats.corpus_chunks import known_columns
from assay.formats.format import Request
from assay.formats.reading import judgments_of, opened_documents, refuse_unknown_columns, run_blocks
from assay.measures.notation import measures_of
from assay.ranking.chunked_corpus import ChunkedCorpus
from assay.ranking.gold_standards import of_annotators
from assay.ranking.pool import Pool
from assay.tables.column_names import comparable_name, told_columns
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import Blanks, Overlap, Texts, Topics


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
    copies: bool = False,
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
    overlap: paid or new. topics, texts, blanks, annotators, copies, format, columns, documents: as of
    `assay.evaluate`. What is told of gold and chunks, as how many excerpts stand whole in one, is without copies.
    """
    asked = measures_of(MEASURES if measures is None else measures)
    refuse_without_ceiling(asked)
    refuse_other_policies(overlap, topics)
    collection = opened_documents(documents)
    placing = Placing(collection, format, texts, told_columns(columns))
    given = ceiling_inputs(judgments, chunks, runs, placing)
    notes = [note for run in given.runs.values() for note in strangers(run, given.chunks, collection)]
    without_blanks = blanks_ignored(blanks, collection, is_shown=False)
    gold, table = given.gold, given.chunks
    with_copies = gold
    if copies:
        with_copies, note = copies_counted(gold, collection, placing)
        placing.notes.append(note)
    if without_blanks:
        gold, note = without_blanks.judgments(gold)
        with_copies, _ = without_blanks.judgments(with_copies)
        table = without_blanks.run(table)
        placing.notes.append(note)
    told, corpus = Pool(of_annotators(gold, annotators), collection), ChunkedCorpus(table)
    pool = Pool(of_annotators(with_copies, annotators), collection) if copies else told
    standards = several_standards(pool, annotators, topics, placing.notes, is_shown=False)
    notes += without_chunks(corpus, pool)
    best = ceilings(corpus, pool, asked, overlap == "paid", standards)
    scores = None
    rules: dict[str, Any] = {"overlap": overlap, "topics": topics, "blanks": blanks, "annotators": annotators}
    rules |= {"copies": copies}
    if given.runs:
        scores = evaluated(given.gold, given.runs, asked, documents=collection, **rules).scores
    of_values = scores.notes if scores else of_gold(pool, topics)
    notes = list(dict.fromkeys([*notes, *placing.notes, *of_values, *bounds(best, asked)]))
    counts = ~pool.barren if topics == "relevant" else np.ones(len(pool.topics), bool)
    return CeilingTable(asked, pool.topics, best, corpus.sizes, corpus.gold(told), counts, scores, notes)


@dataclass(frozen=True, eq=False)
class CeilingInputs:
    """What a ceiling is made of: gold, all chunks as a run of one topic, and runs by name."""

    gold: Judgments
    chunks: Run
    runs: dict[str, Run]


def ceiling_inputs(judgments: Any, chunks: Any, runs: Any, placing: Placing) -> CeilingInputs:
    """Gold, chunks and runs as tables, whatever they were given as."""
    is_none = runs is None or (isinstance(runs, list | tuple) and not runs)
    judged, all_chunks = opened_file(judgments), opened_file(chunks)
    named = {} if is_none else {name: opened_file(run) for name, run in named_runs(runs).items()}
    refuse_two_streams([judged, all_chunks, *named.values()])
    of_chunks = {comparable_name(name) for name in known_columns(all_chunks)}
    others = {field: name for field, name in placing.columns.items() if comparable_name(name) not in of_chunks}
    refuse_unknown_columns([judged, *named.values()], placing.format, others)
    request = Request(placing.collection, ranks=True, gather=True, columns=placing.columns, every_column=False)
    gold = judgments_of(placing.judgments(judged), placing.format, request)
    if gold.highlights is None:
        raise InputError("has no highlighted text; a ceiling is of text, as of spans with start and end", gold.name)
    respelling = None if placing.collection is None else Respelling(gold, placing.collection)
    tables: dict[str, Run] = {}
    for name, run in named.items():
        whole = next(run_blocks(placing.run(run, name, gold), name, placing.format, request))()
        if whole is None:
            raise InputError("is empty; expected a run", name)
        tables[name] = (respelling.run(whole) if respelling else whole).named(name)
    return CeilingInputs(gold, placing.chunks(all_chunks, gold), tables)


def refuse_other_policies(overlap: str, topics: str) -> None:
    """Which rankings there are must be known."""
    if overlap not in ("paid", "new"):
        what = f"overlap={overlap} leaves out results, or refuses them"
        raise UsageError(f"{what}; a ceiling is of rankings in which chunks may overlap: expected paid or new")
    refuse_unknown_policy(topics)
