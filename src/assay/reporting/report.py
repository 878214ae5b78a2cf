"""Write one HTML page about an evaluation, which opens offline and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import __version__
from assay.charts.curves import budget_lines
from assay.charts.saving import vega
from assay.checking.audit import PROPOSED, TOP, Finding, audit_of, of_documents
from assay.documents.lookup import Documents
from assay.errors import InputError, UsageError, count_noun, list_names, shorten
from assay.evaluation.ceilings import none_of_the_chunks
from assay.evaluation.check_by_people import checked_scores
from assay.evaluation.evaluate import Evaluation, Options, prepare
from assay.evaluation.given_scores import join_scores, split_measures
from assay.evaluation.groups import grouping_by
from assay.evaluation.matching import refuse_other_titles
from assay.evaluation.misses import find_misses
from assay.evaluation.notes import DUPLICATES, OVERLAP, TIES, TIES_OF_PARTS
from assay.evaluation.score_table import ScoreTable
from assay.files.source import STDIN, Source
from assay.files.writing import refuse_input_as_output, refuse_unwritable, write
from assay.measures.base import Measure, MeasuresLike, is_mean
from assay.measures.sets import R
from assay.options import OF_EVALUATION, in_order_of_help, refuse_in_report
from assay.ranking.chunks import ChunkedCorpus
from assay.ranking.kinds import DOCUMENTS, TEXT, Kind
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.reading.chunk_ids import ChunkTables, chunks_by_run
from assay.reading.given import Given, given_inputs, given_judgments, is_file
from assay.reading.read import opened_documents
from assay.reading.schema import told_columns
from assay.reading.text_locator import TextLocator
from assay.reading.topics import TopicTexts, read_details, read_titles
from assay.reporting import excerpts, findings
from assay.tables.intervals import Spans

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import ChunksLike, DocumentsLike, JudgmentsLike, RunsLike

# The page has everything in one HTML file: the data, the style, and the scripts.
#
# The data is JSON that no browser can mistake for markup. Only scripts whose checksums the page names may run.

# Characters that could end a script or begin markup, and lone surrogates, which UTF-8 cannot write.
UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
# The parts of the page's own script, in the order in which they need each other.
PARTS = (
    "data", "elements", "tips", "summary", "charts", "losses", "topics", "texts", "topic", "workings", "gold",
    "document", "audit", "notes", "start",
)  # fmt: skip
# The page loads nothing, runs only the two scripts in it, and these cannot run text as code.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def embed_json(data: object) -> str:
    """Return data as JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def block(name: str, data: object) -> str:
    """Return an element with data, which the page's script finds by name."""
    return f'<script type="application/json" id="{name}">{embed_json(data)}</script>\n'


def script_checksum(script: str) -> str:
    """Return the checksum of a script, with which the policy of the page allows it to run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def resource(name: str) -> str:
    """Read a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def own_script() -> str:
    """Return the page's own script: its parts in one function, so that they define no global names."""
    parts = "\n".join(resource(f"scripts/{name}.js") for name in PARTS)
    return f'"use strict";\n(() => {{\n{parts}}})();'


def page(title: str, summary: str, blocks: list[str]) -> bytes:
    """Return the page: `summary` is an HTML table for readers without scripts, and `blocks` are the data."""
    scripts = [f"\n{text}\n" for text in (vega(), own_script())]
    parts = {
        "policy": POLICY.format(scripts=" ".join(map(script_checksum, scripts))),
        "title": escape(title),
        "style": resource("page.css"),
        "summary": summary,
        "data": "".join(blocks),
        "scripts": "".join(f"<script>{script}</script>\n" for script in scripts),
    }
    html = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], resource("page.html"))
    # only the data keep lone surrogates, which UTF-8 cannot write
    return html.encode("utf-8", "replace")


# What Assay decided, and what is needed to repeat the evaluation: rules, files with checksums, versions.

TOPICS = {
    "judged": "all topics with judgments; a topic that a run lacks scores as if nothing was retrieved",
    "relevant": "topics with something relevant",
    "common": "topics that the run has too; each run is averaged over its own topics",
    "error": "all topics with judgments; a run with other topics is refused",
}
LIBRARIES = ("numpy", "polars", "lxml", "scipy", "altair", "vl-convert-python")


def rules_of(rules: Rules, options: dict[str, Any], shown: Kind) -> list[tuple[str, str]]:
    """Return the rules in words, for the kind of results that is shown.

    The rule for overlapping results is included for text, and for other results only if the user set it.
    """
    ties = (TIES if shown is DOCUMENTS else TIES_OF_PARTS)[rules.ties]
    of_overlap = {**OVERLAP, "reject": "refused"}[rules.overlap]
    overlap = ("Results that overlap", f"{rules.overlap}: {of_overlap}")
    told = [
        ("Ties", f"{rules.ties}: {ties}"),
        ("Topics that count", f"{options.get('topics', 'judged')}: {TOPICS[options.get('topics', 'judged')]}"),
        *([overlap] if shown is TEXT or options.get("overlap") else []),
        ("Depth", f"the first {rules.depth:,} results of each topic" if rules.depth else "all results"),
        ("Unjudged results", "left out before measuring" if rules.judged_only else "count as not relevant"),
    ]
    if rules.duplicates != "refuse":
        told.append(("Documents repeated in a topic", DUPLICATES[rules.duplicates]))
    for option in in_order_of_help(OF_EVALUATION.values()):
        given = options.get(option.name) if option.label else None
        several = isinstance(given, Collection) and not isinstance(given, str)
        if given is not None and given != "" and not (several and not given):
            plain = str(given) if isinstance(given, str | float | int) else type(given).__name__
            text = ", ".join(given) if several else getattr(given, "__name__", plain)
            told.append((option.label, base_name(text) if os.path.isfile(text) else text))
    return told


def file_row(role: str, name: str, given: object) -> list[str]:
    """Return the role, the name, the place and the checksum of an input."""
    path = path_of(given)
    if path is None:
        return [role, name, "in memory", ""]
    if path == STDIN:
        return [role, name, "standard input", ""]
    return [role, name, base_name(path), checksum(path) if os.path.isfile(path) else ""]


def path_of(given: object) -> str | None:
    """Return the path of an input; None if it is in memory."""
    if isinstance(given, Documents):
        return given.label
    if isinstance(given, Source | Given):
        return given.path
    return os.fspath(given) if isinstance(given, str | os.PathLike) else None


def base_name(path: str) -> str:
    """Return a path without its folders, which describe the machine that made the page, not the file."""
    return os.path.basename(os.path.normpath(path))


def without_folders(text: str, paths: Iterable[str | None]) -> str:
    """Replace each of the paths in a text by its last part."""
    for path in sorted(filter(None, paths), key=len, reverse=True):
        text = text.replace(path, base_name(path))
    return text


def command_without_folders(words: Sequence[str]) -> str:
    """Return a command as it is typed, with files named without their folders."""

    def bare(word: str) -> str:
        option, equals, value = word.partition("=")
        path = value if option.startswith("-") and equals else word
        # the output may not exist yet, but its folder does
        is_path = os.path.exists(path) or (os.path.dirname(path) and os.path.isdir(os.path.dirname(path)))
        return word.removesuffix(path) + base_name(path) if is_path else word

    return shlex.join(bare(word) for word in words)


def named_without_folders(names: Iterable[str]) -> dict[str, str]:
    """Return short names for runs that were named by their paths, because their file names are the same.

    They keep the part of the path that tells them apart.
    """
    paths = [name for name in names if os.path.dirname(name) and os.path.exists(name)]
    steps = {name: os.path.abspath(name).split(os.sep) for name in paths}
    differ = (number for number, step in enumerate(zip(*steps.values(), strict=False)) if len(set(step)) > 1)
    first = next(differ, -1)
    return {name: "/".join(of_path[first:]) for name, of_path in steps.items()}


def checksum(path: str) -> str:
    """Return the SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def versions() -> list[tuple[str, str]]:
    """Return the versions of all software that affects the numbers or the page."""
    known = [("Assay", __version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            known.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return known


def title_notes(file: str, titles: list[str | None] | None, topics: list[str]) -> list[str]:
    """Return a note if some topics have no title in the file of titles."""
    lacking = [topic for topic, title in zip(topics, titles or (), strict=False) if title is None]
    if not lacking:
        return []
    return [f"{file}: no title for {len(lacking):,} of {count_noun(len(topics), 'topic')}: {list_names(lacking)}"]


# The note of a page with corrected values about the values that are not corrected.
UNCORRECTED = (
    "values over topics are corrected by people's judgments; the value of a topic is people's if they judged it, and "
    "the model's otherwise; curves, grades and texts are the model's"
)


def report(
    judgments: JudgmentsLike,
    runs: RunsLike,
    output: str | os.PathLike[str],
    measures: MeasuresLike | None = None,
    *,
    documents: DocumentsLike | None = None,
    chunks: ChunksLike | None = None,
    topics_file: str | os.PathLike[str] | None = None,
    by: Mapping[Any, Any] | str | None = None,
    baseline: str | None = None,
    test: str | None = None,
    correct: str = "holm",
    seed: int = 0,
    checked: JudgmentsLike | None = None,
    title: str = "Retrieval report",
    date: str | None = None,
    command: str | None = None,
    **rules: Any,
) -> str:
    """Write an HTML page about runs, and return its path: values with significance, charts, rankings of every topic.

    judgments, runs, measures, documents and all further `rules` are those of `assay.evaluate`. If documents are given,
    the page shows the text itself: found, missed, and returned but not relevant. chunks: all chunks that the runs could
    return, as for `assay.ceiling`, or a dict from names of runs to chunks; runs may return their ids, and the page
    separates text that no chunk contains from text that was not returned. topics_file has the titles of topics, their
    descriptions and narratives if it has them, and with by= the groups, as for `assay.evaluate`.
    scores: values that Assay did not compute, from `assay.read_scores`; the summary shows them beside the others.
    baseline, test, correct, seed: as for `assay.compare`. checked: people's judgments that correct the values, as for
    `assay.evaluate`; the summary then shows corrected values with their confidence intervals. date and command are
    shown if they are given; without them, the same input makes the same bytes.
    """
    given = rules.pop("scores", None)
    refuse_unwritable(output)
    refuse_in_report(rules)
    titles = None if topics_file is None else read_titles(topics_file)
    details = {} if topics_file is None else read_details(topics_file)
    grouping = None if by is None else grouping_by(by, topics_file)
    collection = opened_documents(documents)
    judged, named = given_inputs(judgments, runs, rules.get("format"))
    # names in a dict stay as the user gave them
    shorter = {} if isinstance(runs, Mapping) else named_without_folders(named)
    named = {shorter.get(name, name): run for name, run in named.items()}
    baseline = shorter.get(baseline, baseline) if baseline else baseline
    if isinstance(chunks, Mapping):
        chunks = {shorter.get(name, name): given for name, given in chunks.items()}
    all_chunks = [] if chunks is None else list(chunks_by_run(chunks, list(named)).values())
    inputs: list[object] = [given.path for given in (judged, *named.values()) if given.path is not None]
    inputs += [given for given in all_chunks if is_file(given)]
    inputs += [checked] if is_file(checked) else []
    refuse_input_as_output(output, *inputs, topics_file, collection and collection.label)
    measures, theirs = (measures, []) if given is None else split_measures(given, measures)
    tables = None if chunks is None else ChunkTables(chunks, for_more=True)
    rules |= {"chunks": tables} if tables else {}
    options = Options(documents=collection, **rules)
    ready = prepare(judged, measures, options, beside=list(named.values()), further=curve_beside, is_shown=True)
    audited_by = next(filter(is_mean, ready.measures), None)
    evaluation = ready.evaluation(
        named, keep=partial(excerpts.excerpt, shown=len(ready.measures), audited_by=audited_by)
    )
    scores = findings.some(evaluation.scores, evaluation.measures)
    by_people = None if checked is None else given_judgments(checked, rules.get("format"))
    if by_people is not None:
        scores = checked_scores(evaluation, scores, by_people, named, {**rules, "documents": collection}).scores
    if given is not None and theirs:
        scores = join_scores(scores, findings.some(given, theirs))
    if titles is not None:
        refuse_other_titles(os.fspath(topics_file or ""), titles, evaluation.pool.judgments.name, scores.topics)
    groups, ungrouped = grouping.of(scores.topics) if grouping else (None, [])
    scores = replace(scores, groups=groups)
    lines = findings.some(evaluation.scores, curve_beside(evaluation.measures, evaluation.rules))
    shown = excerpts.shown_results(len(scores.systems), len(scores.topics))
    pages = excerpts.TopicPages(evaluation, shown)
    worked = excerpts.worked_rows(len(scores.systems), len(scores.topics), len(evaluation.measures))
    of_runs = chunks_of_runs(tables, evaluation, list(named), collection, rules)
    of_runs.notes.extend(notes_on_others(of_runs, scores.systems, pages.pages, collection))
    mark_pieces(of_runs, scores.systems, pages.pages)
    tested, untested = findings.significance_of(scores, baseline=baseline, test=test, correct=correct, seed=seed)
    listed = None if titles is None else [titles.of(topic) for topic in scores.topics]
    read: list[tuple[str, str, object]] = [("judgments", "", judged)]
    read += [] if by_people is None else [("people's judgments", "", by_people)]
    read += [("run", name, run) for name, run in named.items()]
    others = {"titles": topics_file, "documents": collection}
    read += [(role, "", file) for role, file in others.items() if file is not None]
    read += [("chunks", "", file) for file in {id(file): file for file in all_chunks}.values()]
    paths = [*(path_of(file) for _, _, file in read), os.fspath(output)]
    without_title = title_notes(str(topics_file), listed, scores.topics)
    uncorrected = [] if scores.checked is None else [UNCORRECTED]
    notes = [*scores.notes, *uncorrected, *of_runs.notes, *ungrouped, *untested, *without_title]
    judgments_name = without_folders(evaluation.pool.judgments.name, paths)
    about = count_noun(len(scores.systems), "system"), count_noun(len(scores.topics), "topic"), judgments_name, date
    data: dict[str, Any] = {
        "about": " · ".join(filter(None, about)),
        "unit": evaluation.shown.unit,
        "overlap": evaluation.rules.overlap,
        "counted": findings.counted_topics(scores),
        "titles": listed,
        "details": {name: [told.of(topic) for topic in scores.topics] for name, told in details.items()},
        "significance": tested,
        "corrections": findings.corrections_of(scores),
        "checked": None if scores.checked is None else {"about": scores.checked.about, "noun": scores.checked.noun},
        "groups": findings.groups_of(scores),
        "audit": audit_for_page(evaluation, audited_by, collection, paths),
        "notes": [without_folders(note, paths) for note in notes],
        "coverage": pages.coverage,
        "rules": [*rules_of(evaluation.rules, rules, evaluation.shown), *in_the_page(shown, worked)],
        "files": [file_row(*file) for file in read],
        "command": None if command is None else without_folders(command, paths),
        "versions": versions(),
        "shown": shown,
        **findings.values_for_page(scores),
        **findings.figures(scores, lines),
    }
    if evaluation.shown is TEXT:
        data |= about_text(evaluation, scores, pages, data["labels"], seed)
        data |= {"nowhere": in_no_chunk(of_runs, evaluation, pages)} if of_runs.corpora else {}
        data |= misses_for_page(evaluation, of_runs, titles)
    blocks = [block(f"topic-{number}", topic.json()) for number, topic in enumerate(pages.pages)]
    if collection is not None:
        rest = len(vega()) + len(block("data", data)) + sum(map(len, blocks))
        blocks += texts_with_room(data, collection, pages, excerpts.room_beside(rest))
    write(output, page(title, scores.show("html"), [block("data", data), *blocks]))
    return os.fspath(output)


def about_text(
    evaluation: Evaluation, scores: ScoreTable, pages: excerpts.TopicPages, names: list[str], seed: int
) -> dict[str, Any]:
    """Return what only a page of highlighted text shows: recall against the text read, and losses at each cut-off."""
    cuts = excerpts.cut_offs(scores.measures, scores.values[:, 0].size)
    of_measures = [excerpts.cut_off_of(measure) for measure in scores.measures]
    data = {
        "cuts": [{"words": cut.words(), "budget": cut.is_budget} for cut in cuts],
        "cut_of": [cuts.index(cut) if cut in cuts else None for cut in of_measures],
        "losses": pages.losses,
        "highlighted": evaluation.pool.text.total.tolist(),
    }
    readings = {
        system: [kept.reading for kept in blocks if kept.reading is not None]
        for system, blocks in evaluation.kept.items()
    }
    if all(readings.values()):
        data["budget"] = findings.budget_of(budget_lines(evaluation, readings, R(), seed), names)
    return data


# How many characters of documents a report reads to look for copies.
MOST_TEXT = 5_000_000


def audit_for_page(
    evaluation: Evaluation, measure: Measure | None, collection: DocumentCollection | None, paths: list[str | None]
) -> dict[str, Any] | None:
    """Return the audit of the test set by the first measure that is a mean; None if there is none."""
    if measure is None:
        return None
    blocks = {run: [kept.audited for kept in every] for run, every in evaluation.kept.items()}
    found = audit_of(evaluation, measure, blocks, on_documents(evaluation.pool, collection))
    verdicts = [[each.check, each.verdict, without_folders(each.sentence, paths)] for each in found.findings]
    proposed = [[*each[:4], findings.six_digits(each.worth)] for each in found.proposed[:PROPOSED]]
    return {"about": without_folders(found.about, paths), "findings": verdicts, "proposed": proposed, "near": TOP}


def on_documents(pool: Pool, collection: DocumentCollection | None) -> list[Finding]:
    """Return the findings about the documents; if they are too many or one cannot be read, say so instead."""
    if collection is None:
        return []
    try:
        read = accumulate(len(text) for _, text in collection.texts())
        if any(length > MOST_TEXT for length in read):
            return list(of_documents(pool, None, "too many documents for a report; `assay audit` reads all"))
        return list(of_documents(pool, collection))
    except InputError as error:
        return list(of_documents(pool, None, str(error)))


# How many questions of each system are listed with the facts that they miss, how many facts, and how many letters of a
# text.
MOST_MISSING, MOST_FACTS, LONGEST_MISSING = 10, 40, 120


def misses_for_page(evaluation: Evaluation, chunks: ChunksOfRuns, titles: TopicTexts | None) -> dict[str, Any]:
    """Return the questions of each system that lost most, with what they miss and why."""
    measure = excerpts.misses_measure(evaluation.measures)
    if measure is None:
        return {}
    at, scores, told = evaluation.measures.index(measure), evaluation.scores, []
    for number, system in enumerate(scores.systems):
        own = ScoreTable([system], [measure], scores.topics, scores.values[number : number + 1, at : at + 1])
        kept = {system: [block.reach for block in evaluation.kept[system]]}
        alone = evaluation._replace(scores=own, kept=kept)
        corpus = chunks.corpora.get(system)
        found = find_misses(alone, measure, corpus, titles or TopicTexts({}), MOST_MISSING, stages=False)
        rows = [{**row, "text": shorten(row["text"] or "", LONGEST_MISSING)} for row in found.records()[:MOST_FACTS]]
        told.append({"counts": found.counts, "rows": rows})
    return {"misses": {"measure": str(measure), "systems": told}}


def curve_beside(measures: list[Measure], rules: Rules) -> list[Measure]:
    """Return the points of the curves that are drawn with some measures."""
    return findings.curve_measures(measures, rules.ties)


def texts_with_room(
    data: dict[str, Any], documents: DocumentCollection, pages: excerpts.TopicPages, room: int
) -> list[str]:
    """Return the texts that fit into the page; add the names of their documents, and what was left out, to `data`."""
    texts, left = excerpts.texts_for(documents, [topic.needs() for topic in pages.pages], room)
    data["texts"] = list(texts)
    data["longest"] = excerpts.LONGEST
    cut = sum(not text.is_whole for text in texts.values())
    parts = [f"{count_noun(len(texts), 'document')} in the page"]
    parts += [f"{cut:,} of them only around relevant and returned text"] if cut else []
    parts += [f"{left:,} more are left out for lack of room"] if left else []
    data["rules"].append(("Texts", "; ".join(parts)))
    return [block(f"text-{number}", vars(text)) for number, text in enumerate(texts.values())]


def in_the_page(shown: int, worked: int) -> list[tuple[str, str]]:
    """Say what the page leaves out: results after the first `shown`, and rows of formulas after the first `worked`."""
    return [
        (
            "Numbers",
            "nine significant digits in tables, six in charts; tests and means use the exact values",
        ),
        (
            "Rankings",
            f"the first {shown} results of each system and topic, and up to {shown} relevant documents of each topic",
        ),
        (
            "Where values come from",
            f"the first {worked} rows of each system, topic and measure; `assay why` shows all rows"
            if worked
            else "too many systems, topics and measures for this page; `assay why` shows one topic of one run",
        ),
    ]


# What the chunks lose: relevant text that no chunk contains, and passages that no single chunk contains.


@dataclass(frozen=True, eq=False)
class ChunksOfRuns:
    """All chunks that runs could return, by run, and the notes from reading them."""

    corpora: dict[str, ChunkedCorpus]
    notes: list[str]


def chunks_of_runs(
    given: ChunkTables | None,
    evaluation: Evaluation,
    runs: list[str],
    collection: DocumentCollection | None,
    rules: Mapping[str, Any],
) -> ChunksOfRuns:
    """Read the chunks that were given, for all runs or for each run by its name."""
    if given is None:
        return ChunksOfRuns({}, [])
    if evaluation.shown is not TEXT:
        raise UsageError("chunks= requires judgments of text, for example spans with start and end")
    columns = told_columns(rules.get("columns"))
    placing = TextLocator(collection, rules.get("texts", "check"), columns, tables=given, runs=runs)
    tables = placing.chunks_of_runs(evaluation.pool.judgments)
    # a table for all runs becomes one corpus
    corpora = {id(table): ChunkedCorpus(table) for table in tables.values()}
    return ChunksOfRuns({run: corpora[id(table)] for run, table in tables.items()}, placing.notes)


def notes_on_others(
    chunks: ChunksOfRuns, systems: list[str], pages: list[excerpts.TopicPage], collection: DocumentCollection | None
) -> list[str]:
    """Return notes on results that are not among the chunks of their run; many such results are an error."""
    known = {id(corpus): corpus.places() for corpus in chunks.corpora.values()}
    notes = []
    for number, system in enumerate(systems):
        if (corpus := chunks.corpora.get(system)) is not None:
            results = [place for page in pages for place in page.places_of(number)]
            notes.append(none_of_the_chunks(system, results, known[id(corpus)], corpus.name, collection))
    return list(filter(None, notes))


def in_no_chunk(chunks: ChunksOfRuns, evaluation: Evaluation, pages: excerpts.TopicPages) -> list[list[int] | None]:
    """Return, for each run, the relevant characters of each topic that no chunk contains; None if it has no chunks."""
    lost: list[list[int] | None] = []
    for run, at_cuts in zip(evaluation.scores.systems, pages.losses, strict=True):
        corpus = chunks.corpora.get(run)
        if corpus is None:
            lost.append(None)
            continue
        nowhere, total = corpus.in_no_chunk(evaluation.pool), evaluation.pool.text.total
        returned = sum(np.array(at_cuts[0][name]) for name in ("found", "cut", "low")) if at_cuts else np.zeros(1)
        if np.any(returned + nowhere > total):
            topic = evaluation.pool.topics[int(np.argmax(returned + nowhere > total))]
            what = f"the run returned relevant text of topic {topic} that no chunk of {corpus.name} contains"
            raise InputError(f"{what}; pass all chunks that the run could return", run)
        lost.append(nowhere.tolist())
    return lost


def mark_pieces(chunks: ChunksOfRuns, systems: list[str], pages: list[excerpts.TopicPage]) -> None:
    """Add to each page the passages that no single chunk of a run contains, by numbers of run, document and passage."""
    for number, system in enumerate(systems):
        if system not in chunks.corpora:
            continue
        corpus = chunks.corpora[system]
        for page in pages:
            names = list(page.documents)
            placed = [
                (document, passage, corpus.number(names[document]), start, start + length)
                for document, flat in page.highlights.items()
                for passage, (start, length) in enumerate(zip(*[iter(flat)] * 2, strict=True))
            ]
            columns = np.array([each[2:] for each in placed], np.int64).reshape(-1, 3).T
            split: dict[int, list[int]] = {}
            for row in np.flatnonzero(~corpus.is_in_one_chunk(Spans(*columns))).tolist():
                split.setdefault(placed[row][0], []).append(placed[row][1])
            if split:
                page.split[number] = split
