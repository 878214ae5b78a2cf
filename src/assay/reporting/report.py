"""One HTML page of an evaluation, which needs nothing else and asks nothing of any network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.charts.budget_curves import budget_lines
from assay.charts.vega_scripts import vega
from assay.documents.lookup import Documents
from assay.errors import UsageError, counted
from assay.evaluation.evaluated import Evaluation, evaluated
from assay.evaluation.groups import grouping_by
from assay.evaluation.meeting import refuse_other_titles
from assay.evaluation.named_runs import opened_inputs
from assay.evaluation.score_table import ScoreTable
from assay.files.source import Source
from assay.files.writing import refuse_input_as_output, refuse_unwritable, write
from assay.formats.reading import is_file, opened_documents
from assay.formats.titles import read_details, read_titles
from assay.measures.base import Measure
from assay.measures.sets import R
from assay.ranking.kinds import TEXT
from assay.ranking.rules import Rules
from assay.reporting.chunk_losses import by_run, chunks_of_runs, in_no_chunk, mark_pieces, notes_on_others
from assay.reporting.decisions import (
    file_row,
    named_without_folders,
    path_of,
    rules_of,
    title_notes,
    versions,
    without_folders,
)
from assay.reporting.excerpts import excerpt, shown_results
from assay.reporting.figures import budget_of, curve_measures, figures
from assay.reporting.findings import counted_topics, groups_of, significance_of, some, values_for_page
from assay.reporting.listings import TopicPages
from assay.reporting.losses import cut_off_of, cut_offs
from assay.reporting.page import block, page
from assay.reporting.texts import LONGEST, room_beside, texts_for


def report(
    judgments: Any,
    runs: Any,
    output: str | os.PathLike[str],
    measures: Any = None,
    *,
    documents: Any = None,
    chunks: Any = None,
    topics_file: str | os.PathLike[str] | None = None,
    by: Mapping[Any, Any] | str | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str = "holm",
    seed: int = 0,
    title: str = "Retrieval report",
    date: str | None = None,
    command: str | None = None,
    **rules: Any,
) -> str:
    """Write an HTML page about runs, and return its path: values with significance, charts, rankings of every topic.

    judgments, runs, measures, documents, and all further `rules` are those of `assay.evaluate`. Where documents are
    given, the page shows the text itself: found, missed, and returned in vain. chunks: all that the runs could
    return, as to `assay.ceiling`, or a dict with those of each run by its name; the page then tells what no chunk
    holds apart from what was not returned. topics_file has the titles of topics, with their descriptions and
    narratives if it tells these, and with by= the groups, as in `assay.evaluate`.
    baseline, test, correct, seed: as in `assay.compare`. date and command are shown if they are given; without, the
    same input makes the same bytes.
    """
    refuse_unwritable(output)
    if rules.get("copies"):
        what = "a report shows the evidence where it is said to stand"
        raise UsageError(f"{what}; copies are for evaluate, compare, correlate, chart, gate and ceiling")
    titles = None if topics_file is None else read_titles(topics_file)
    details = {} if topics_file is None else read_details(topics_file)
    grouping = None if by is None else grouping_by(by, topics_file)
    collection = opened_documents(documents)
    judged, named = opened_inputs(judgments, runs)
    # names that were given stay as they are
    shorter = {} if isinstance(runs, Mapping) else named_without_folders(named)
    named = {shorter.get(name, name): run for name, run in named.items()}
    baseline = shorter.get(baseline, baseline) if baseline else baseline
    if isinstance(chunks, Mapping):
        chunks = {shorter.get(name, name): given for name, given in chunks.items()}
    all_chunks = list(by_run(chunks, list(named)).values())
    inputs = [source.path for source in (judged, *named.values()) if isinstance(source, Source)]
    inputs += [given for given in all_chunks if is_file(given)]
    refuse_input_as_output(output, *inputs, topics_file, collection and collection.label)
    evaluation = evaluated(judged, named, measures, documents=collection, further=curve_beside, keep=excerpt, **rules)
    scores = some(evaluation.scores, evaluation.measures)
    if titles is not None:
        refuse_other_titles(os.fspath(topics_file or ""), titles, evaluation.pool.judgments.name, scores.topics)
    groups, ungrouped = grouping.of(scores.topics) if grouping else (None, [])
    scores = replace(scores, groups=groups)
    lines = some(evaluation.scores, curve_beside(evaluation.measures, evaluation.rules))
    shown = shown_results(len(scores.systems), len(scores.topics))
    pages = TopicPages(evaluation, shown)
    of_runs = chunks_of_runs(chunks, evaluation, scores.systems, collection, rules)
    of_runs.notes.extend(notes_on_others(of_runs, scores.systems, pages.pages, collection))
    mark_pieces(of_runs, scores.systems, pages.pages)
    tested, untested = significance_of(scores, baseline=baseline, test=test, correct=correct, seed=seed)
    listed = None if titles is None else [titles.of(topic) for topic in scores.topics]
    read = [("judgments", "", judged), *(("run", name, run) for name, run in named.items())]
    others = {"titles": topics_file, "documents": collection}
    read += [(role, "", file) for role, file in others.items() if file is not None]
    read += [("chunks", "", file) for file in {id(file): file for file in all_chunks}.values()]
    paths = [*(path_of(file) for _, _, file in read), os.fspath(output)]
    without_title = title_notes(str(topics_file), listed, scores.topics)
    notes = [*scores.notes, *of_runs.notes, *ungrouped, *untested, *without_title]
    judgments_name = without_folders(evaluation.pool.judgments.name, paths)
    about = counted(len(scores.systems), "system"), counted(len(scores.topics), "topic"), judgments_name, date
    data: dict[str, Any] = {
        "about": " · ".join(filter(None, about)),
        "unit": evaluation.shown.unit,
        "overlap": evaluation.rules.overlap,
        "counted": counted_topics(scores),
        "titles": listed,
        "details": {name: [told.of(topic) for topic in scores.topics] for name, told in details.items()},
        "significance": tested,
        "groups": groups_of(scores),
        "notes": [without_folders(note, paths) for note in notes],
        "coverage": pages.coverage,
        "rules": [*rules_of(evaluation.rules, rules, evaluation.shown), *in_the_page(shown)],
        "files": [file_row(*file) for file in read],
        "command": None if command is None else without_folders(command, paths),
        "versions": versions(),
        "shown": shown,
        **values_for_page(scores),
        **figures(scores, lines),
    }
    if evaluation.shown is TEXT:
        data |= about_text(evaluation, scores, pages, data["labels"], seed)
        data |= {"nowhere": in_no_chunk(of_runs, evaluation, pages)} if of_runs.corpora else {}
    blocks = [block(f"topic-{number}", topic.json()) for number, topic in enumerate(pages.pages)]
    if collection is not None:
        rest = len(vega()) + len(block("data", data)) + sum(map(len, blocks))
        blocks += texts_with_room(data, collection, pages, room_beside(rest))
    write(output, page(title, scores.show("html"), [block("data", data), *blocks]))
    return os.fspath(output)


def about_text(
    evaluation: Evaluation, scores: ScoreTable, pages: TopicPages, names: list[str], seed: int
) -> dict[str, Any]:
    """What a page of highlighted text has more: recall against what was read, and what was lost at each cut-off."""
    cuts = cut_offs(scores.measures, scores.values[:, 0].size)
    of_measures = [cut_off_of(measure) for measure in scores.measures]
    data = {
        "cuts": [{"words": cut.words(), "budget": cut.is_budget} for cut in cuts],
        "cut_of": [cuts.index(cut) if cut in cuts else None for cut in of_measures],
        "losses": pages.losses,
        "highlighted": evaluation.pool.text.total.tolist(),
    }
    readings = {
        system: [excerpt.reading for excerpt in excerpts if excerpt.reading is not None]
        for system, excerpts in evaluation.kept.items()
    }
    if all(readings.values()):
        data["budget"] = budget_of(budget_lines(evaluation, readings, R(), seed), names)
    return data


def curve_beside(measures: list[Measure], rules: Rules) -> list[Measure]:
    """The points of the curves that are drawn beside some measures."""
    return curve_measures(measures, rules.ties)


def texts_with_room(data: dict[str, Any], documents: Documents, pages: TopicPages, room: int) -> list[str]:
    """The texts that the page has room for; `data` gets the names of their documents, and what was left out."""
    texts, left = texts_for(documents, [topic.needs() for topic in pages.pages], room)
    data["texts"] = list(texts)
    data["longest"] = LONGEST
    cut = sum(not text.is_whole for text in texts.values())
    parts = [f"{counted(len(texts), 'document')} in the page"]
    parts += [f"{cut:,} of them in part: what is around relevant and returned text"] if cut else []
    parts += [f"{left:,} more are left out, for which it has no room"] if left else []
    data["rules"].append(("Texts", "; ".join(parts)))
    return [block(f"text-{number}", vars(text)) for number, text in enumerate(texts.values())]


def in_the_page(shown: int) -> list[tuple[str, str]]:
    """What the page leaves out of what was measured."""
    return [
        (
            "Numbers",
            "to nine significant digits in the page, of charts to six; tests and means were made of exact ones",
        ),
        (
            "Rankings",
            f"the first {shown} results of each system and topic, and as many relevant documents of each topic",
        ),
    ]
