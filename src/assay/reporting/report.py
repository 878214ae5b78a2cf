"""One HTML page of an evaluation, which needs nothing else and asks nothing of any network."""

from __future__ import annotations

import os
from typing import Any

from assay.documents.documents import Documents
from assay.errors import UsageError, counted
from assay.evaluation.evaluate import Work, default_for, evaluate, named_runs, of_task
from assay.evaluation.scores import Scores
from assay.files.source import STDIN, Source
from assay.files.writing import write
from assay.formats.reading import is_file, opened_documents, read_judgments, source_of
from assay.formats.titles import read_titles
from assay.measures.notation import measures_of
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.reporting.decisions import file_row, grouped, rules_of, title_notes, versions
from assay.reporting.figures import curve_measures, figures
from assay.reporting.findings import counted_topics, significance_of, some, table_of
from assay.reporting.listings import TopicPages, counts_text, shown_results, topic_pages
from assay.reporting.page import block, page, vega
from assay.reporting.texts import LONGEST, room_beside, texts_for
from assay.tables.judgments import Judgments


def report(
    judgments: Any,
    runs: Any,
    output: str | os.PathLike[str],
    measures: Any = None,
    *,
    documents: Any = None,
    topics_file: str | os.PathLike[str] | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str = "holm",
    seed: int = 0,
    title: str = "Retrieval report",
    date: str | None = None,
    command: str | None = None,
    **rules: Any,
) -> str:
    """Write an HTML page about runs: their values with significance, charts, every topic with its rankings; return its path.

    judgments, runs, measures, documents, and all further `rules` are those of `assay.evaluate`. Where documents are given, the page
    shows the text itself: found, missed, and returned in vain. topics_file has the titles of topics. baseline, test, correct, seed:
    as in `assay.compare`. date and command are shown if they are given; without, the same input makes the same bytes.
    """
    refuse_output(output)
    given: dict[str, Any] = {"titles": topics_file, "documents": documents}
    titles = None if topics_file is None else read_titles(topics_file)
    collection = opened_documents(documents)
    named = {name: Source(run) if is_file(run) and not isinstance(run, Source) else run for name, run in named_runs(runs).items()}
    if sum(is_file(one) and source_of(one).path == STDIN for one in (judgments, *named.values())) > 1:
        raise UsageError("standard input can be read only once")
    judged = read_judgments(judgments, rules.get("form"), collection, rules.get("pools"))
    scores, lines, work = measured(judged, named, measures, collection, rules)
    shown = shown_results(len(scores.systems), len(scores.topics))
    pages = topic_pages(work, named.items(), shown)
    tested, untested = significance_of(scores, baseline=baseline, test=test, correct=correct, seed=seed)
    listed = None if titles is None else [titles.of(topic) for topic in scores.topics]
    files = [file_row("judgments", "", judgments), *(file_row("run", name, run) for name, run in named.items())]
    about = counted(len(scores.systems), "system"), counted(len(scores.topics), "topic"), judged.name, date
    data: dict[str, Any] = {
        "about": " · ".join(filter(None, about)),
        "unit": "characters" if counts_text(work) else "elements" if True in work.kinds else "documents",
        "overlap": work.rules.overlap,
        "counted": counted_topics(scores),
        "titles": listed,
        "significance": tested,
        "notes": [*grouped(scores.notes, scores.systems), *untested, *title_notes(str(topics_file), listed, scores.topics)],
        "coverage": [vars(one) for one in pages.coverage],
        "rules": [*rules_of(work.rules, rules), *in_the_page(shown)],
        "files": [*files, *(file_row(role, "", one) for role, one in given.items() if one is not None)],
        "command": command,
        "versions": versions(),
        "shown": shown,
        **table_of(scores),
        **figures(scores, lines),
    }
    blocks = [block(f"topic-{number}", one.json()) for number, one in enumerate(pages.pages)]
    if collection is not None:
        others = len(vega()) + len(block("data", data)) + sum(map(len, blocks))
        blocks += text_blocks(data, collection, pages, room_beside(others))
    write(output, page(title, scores.show("html"), [block("data", data), *blocks]))
    return os.fspath(output)


def refuse_output(output: str | os.PathLike[str]) -> None:
    """A page that has no folder to be written to is refused before anything is measured."""
    folder = os.path.dirname(os.fspath(output))
    if os.path.isdir(output) or (folder and not os.path.isdir(folder)):
        write(output, b"")


def measured(
    judged: Judgments, named: dict[str, Any], measures: Any, documents: Documents | None, rules: dict[str, Any]
) -> tuple[Scores, Scores, Work]:
    """The scores by the measures, those at the points of a curve, if there is one, and what `evaluate` did to each run."""
    task, reported = of_task(rules.get("task"), rules.get("quant"), rules.get("alpha"))
    asked = measures is not None
    measures = measures if asked else reported
    pool = Pool(judged, documents)
    chosen = measures_of(default_for(pool) if measures is None else measures)
    ties = rules.get("ties", "docno")
    points = curve_measures(chosen, ties)
    # a task of elements is its measures, which are given here
    passed = rules if task or asked else {name: value for name, value in rules.items() if name not in ("task", "quant", "alpha")}
    scores = evaluate(judged, named, [*chosen, *points], documents=documents, **passed)
    overlap = rules.get("overlap") or (task.limits.overlap if task else "new")
    how = Rules(ties, rules.get("depth"), rules.get("judged_only", False), overlap=overlap, limits=task.limits if task else None)
    return some(scores, chosen), some(scores, points), Work(pool, chosen, how, rules.get("form"), None)


def text_blocks(data: dict[str, Any], documents: Documents, pages: TopicPages, room: int) -> list[str]:
    """The texts that the page has room for; `data` gets the names of their documents, and what was left out."""
    texts, left = texts_for(documents, [one.by_need() for one in pages.pages], room)
    data["texts"] = list(texts)
    cut = sum(text.length > len(text.text) for text in texts.values())
    parts = [f"{counted(len(texts), 'document')} in the page"]
    parts += [f"{left:,} more are left out, for which it has no room"] if left else []
    parts += [f"{counted(cut, 'text')} cut after {LONGEST:,} characters"] if cut else []
    data["rules"].append(("Texts", "; ".join(parts)))
    return [block(f"text-{number}", vars(text)) for number, text in enumerate(texts.values())]


def in_the_page(shown: int) -> list[tuple[str, str]]:
    """What the page leaves out of what was measured."""
    return [
        ("Numbers", "to six significant digits in the page; tests and means were made of exact ones"),
        ("Rankings", f"the first {shown} results of each system and topic, and as many relevant documents of each topic"),
    ]
