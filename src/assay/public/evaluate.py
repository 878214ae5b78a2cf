"""evaluate: runs x judgments x measures -> Scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from assay.evaluation.evaluated import evaluated
from assay.evaluation.given_inputs import GivenInputs
from assay.formats.foreign import held
from assay.public.scores import Scores, scores_of_evaluation
from assay.vocabulary import Blanks, Duplicates, Overlap, Texts, Ties, Topics


def evaluate(
    judgments: Any,
    runs: Any,
    measures: Any = None,
    *,
    documents: Any = None,
    ties: Ties = "docno",
    overlap: Overlap | None = None,
    task: str | None = None,
    quant: str | Sequence[str] | None = None,
    alpha: float | None = None,
    pools: Collection[str] | None = None,
    topics: Topics = "judged",
    depth: int | None = None,
    judged_only: bool = False,
    texts: Texts = "check",
    blanks: Blanks = "count",
    duplicates: Duplicates = "refuse",
    annotators: str | None = None,
    copies: bool = False,
    by: Mapping[Any, Any] | str | None = None,
    topics_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | Callable[[str], Sequence[tuple[int, int]]] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Scores:
    """Scores of one or many runs.

    judgments, runs: paths (`-` is standard input), dicts of dicts, pandas, polars or Arrow frames, or records; several
    runs as a list, or as a dict that names them. A run may be {question: [chunks, best first]}, objects of LangChain,
    LlamaIndex, Haystack or Chonkie, dicts, named tuples or dataclasses; judgments {question: [chunks or quotations]}.
    measures: names such as "nDCG@10", measures, or classes of measures.
    documents: a folder, an archive or a JSONL file, a dict from ids to texts, or objects with an id and a text each,
    where element paths, lengths or the places of texts have to be looked up.
    ties: docno (as trec_eval), input, rank, or expected (the mean over all orders of tied results).
    overlap of parts of documents: paid (text seen at an earlier rank is read again, and gains nothing), new (it is
    passed over, as by someone who merges results before reading), drop, or reject.
    task: one of INEX: its measures, if none are given, and its rules, which runs must keep to. quant, alpha: of the
    tasks of 2005, the quantisations to report, and how little text is worth that was seen before. pools: of a folder
    of assessments, the pools that count.
    topics: which count: judged (all with judgments, missing from the run = 0), relevant (those with anything
    relevant), common (those that the run has too), or error (refuse a run whose topics differ). depth: how many
    results of a topic count.
    judged_only: leave out unjudged results.
    texts, where rows have a text and documents are given: check (those without offsets are found, and those with
    offsets compared: where more than a tenth do not stand there, that is refused), locate (all are counted where they
    stand), drop (the same, and what is not found is left out), or ignore. blanks: count, or ignore, which counts only
    characters that are not blank. format: that of all files, where it should not be recognised from their content.
    duplicates, where a document stands in a topic of a run again, as do chunks that have the id of their document:
    refuse, first (its first row counts), or best (the one with the best score).
    annotators, where judgments have such a column: mean (of the values against each annotator of a topic), best, union
    (all evidence as one), or the name of one. Where they have a column set, a value is that of the best set of a topic.
    copies: whether a verbatim copy of the evidence, wherever it stands in the documents, is as good as the evidence.
    A character of it is found when it is read at any of these places, and gains once.
    by: groups of topics, for each of which there is a value beside that over all: a dict from topics to groups, or the
    name of a column of the topics_file (JSONL, TSV or CSV with the names of columns, XML), as corpus_id.
    columns: which column of a table holds what, as {"document": "chunk_id"}, where the usual names do not tell.
    tokenizer: for measures such as R(tokens=500) and P(unit=token)@5, which take documents too: words (runs of
    characters that are not blank), a .json file of Hugging Face's tokenizers, tiktoken:NAME, or a function of a text
    that gives the (start, end) of each token. A token belongs to the text in which it ends.
    """
    # more may be asked of the scores, for which they are read again
    judgments, runs = held(judgments), held(runs)
    grouping = None
    if by is not None or topics_file is not None:
        from assay.evaluation.groups import grouping_by

        grouping = grouping_by(by, topics_file)
    rules: dict[str, Any] = {
        "documents": documents,
        "ties": ties,
        "overlap": overlap,
        "task": task,
        "quant": quant,
        "alpha": alpha,
        "pools": pools,
        "topics": topics,
        "depth": depth,
        "judged_only": judged_only,
        "texts": texts,
        "blanks": blanks,
        "duplicates": duplicates,
        "annotators": annotators,
        "copies": copies,
        "format": format,
        "columns": columns,
        "tokenizer": tokenizer,
    }
    evaluation = evaluated(judgments, runs, measures, progress=progress, **rules)
    groups, notes = grouping.of(evaluation.scores.topics) if grouping else (None, [])
    return scores_of_evaluation(evaluation, groups, notes, GivenInputs(judgments, runs, rules))
