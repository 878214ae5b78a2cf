"""Misses: the facts of each question that were not read, and why.

A fact is missed if less than the share `cover` of each of its alternatives is read. Assay takes the alternative that
came nearest, and gives the first cause that applies:

    no chunk                 the chunks contain less than that share of its text
    document not returned    no result comes from its document
    not returned             results come from its document, but none contains any of its text
    list ended               results contain some of its text, but all of them together too little
    cut                      the budget ends within the result that would complete it, at a rank
    too low                  that result is after the cut-off or the budget, at a rank
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names, shorten
from assay.evaluation.ceilings import ChunkPlace, none_of_the_chunks, places
from assay.evaluation.evaluate import Evaluation, NotJudgedError, evaluate_runs
from assay.evaluation.measuring import Measuring, counted_kind
from assay.evaluation.notes import notes_on_causes
from assay.measures.base import Measure, MeasuresLike
from assay.measures.notation import measures_of
from assay.ranking.align import Aligned
from assay.ranking.chunks import ChunkedCorpus
from assay.ranking.facts import TopicFacts
from assay.ranking.kinds import TEXT, Kind, kinds_of
from assay.ranking.pool import Pool
from assay.ranking.text import TextRanking
from assay.reading.chunk_ids import ChunkTables
from assay.reading.schema import told_columns
from assay.reading.text_locator import TextLocator
from assay.reading.topics import TopicTexts, read_titles
from assay.showing.layout import render
from assay.showing.shown import Shown
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.intervals import Line, Spans, seen_first
from assay.tables.run import SpanRun
from assay.vocabulary import CAUSES, STAGES, Fit

if TYPE_CHECKING:
    from assay.reading.input_types import ChunksLike, JudgmentsLike, RunsLike

NO_CHUNK, NO_DOCUMENT, NOT_RETURNED, TOO_LOW, CUT, LIST_ENDED = CAUSES
MEASURE = "FactRecall@5"
# The most characters of a text in a table.
LONGEST = 60


class Reach(NamedTuple):
    """How far the results of a run reached some alternatives of facts, given by number.

    `read` is the number of its characters that were read, `returned` the number that all results contain. `rank` is the
    rank that completes it, or 0. `begun` says if that result was partly read, `has_document` if any result comes from
    its document. `results` are the topic, document, start and end of each result, if they are asked for.
    """

    alternative: Ints
    read: Ints
    returned: Ints
    rank: Ints
    begun: Bools
    has_document: Bools
    results: list[tuple[str, ChunkPlace]]


def reach_of(ranking: TextRanking, measure: Measure) -> Reach:
    """Return how far a ranking reached the alternatives of its topics; the measure says where reading ends."""
    facts = ranking.judgments.facts
    k, chars, tokens = (getattr(measure, name, None) for name in ("k", "chars", "tokens"))
    fit: Fit = getattr(measure, "fit", "cut")
    within = ranking.top(k).within(chars, tokens, fit)
    in_block = np.zeros(len(facts.number), bool)
    in_block[ranking.topics] = True
    alternative = np.flatnonzero(in_block[facts.topic_of_fact[facts.fact_of_alternative]])
    passage, size, rank = ranked_stretches(ranking, facts)
    of_stretch = facts.alternative[passage]
    returned = np.bincount(of_stretch, size, len(facts.size)).astype(np.int64)
    complete = completing_rank(of_stretch, size, rank, needed_characters(facts, cover_of(measure)))
    last = np.zeros(len(facts.number), np.int64)
    last[ranking.topics] = np.where(within.rows > 0, np.append(within.rank, 0)[within.starts[1:] - 1], 0)
    topic = facts.topic_of_fact[facts.fact_of_alternative]
    begun = (complete > 0) & (complete <= last[topic]) & (fit == "cut")
    is_returned = np.zeros(facts.documents, bool)
    is_returned[ranking.document[ranking.document >= 0]] = True
    has_document = np.bincount(facts.alternative, is_returned[facts.passages.document], len(facts.size)) > 0
    read = within.characters_of_facts
    read, returned, complete = (column[alternative] for column in (read, returned, complete))
    return Reach(alternative, read, returned, complete, begun[alternative], has_document[alternative], [])


def ranked_stretches(ranking: TextRanking, facts: TopicFacts) -> tuple[Ints, Ints, Ints]:
    """Return the text of passages that results contain: the passage, the number of new characters, and the rank."""
    document = ranking.document[ranking.pieces.document]
    kept = np.flatnonzero(ranking.fresh & (document >= 0))
    document, pieces = document[kept], ranking.pieces[kept]
    start, end = ranking.judgments.solid(document, pieces.start, pieces.end)
    passages = facts.passages
    ends = np.concatenate((end, passages.end))
    line = Line(np.concatenate((document, passages.document)), ends, facts.documents)
    # new text overlaps no other new text, so the pieces have one order on the line
    order = np.argsort(start + line.begin[document], kind="stable")
    order = order[(end > start)[order]]
    first_place, last_place = (column[order] + line.begin[document[order]] for column in (start, end))
    begin = line.begin[passages.document]
    first = np.searchsorted(last_place, passages.start + begin, side="right")
    number = np.maximum(np.searchsorted(first_place, passages.end + begin) - first, 0)
    passage = np.repeat(np.arange(len(passages)), number)
    piece = np.arange(len(passage)) + np.repeat(first - np.cumsum(number) + number, number)
    rank = ranking.rank[pieces.document[order[piece]]]
    parts = Spans(
        facts.part[passage],
        np.maximum(first_place[piece], (passages.start + begin)[passage]) - begin[passage] - facts.origin[passage],
        np.minimum(last_place[piece], (passages.end + begin)[passage]) - begin[passage] - facts.origin[passage],
    )
    # a character in two copies, or in two spans of a quote, counts only at its first rank
    by_rank = np.empty(len(parts), np.int64)
    by_rank[np.lexsort((np.arange(len(parts)), rank))] = np.arange(len(parts))
    row, new = seen_first(parts, by_rank, len(facts.alternative_of_part))
    return passage, np.bincount(row, new.size, len(parts)).astype(np.int64), rank


def needed_characters(facts: TopicFacts, cover: float) -> Ints:
    """Return how many characters of each alternative must be read."""
    share = Fraction(str(cover))
    return np.maximum(-(-facts.size * share.numerator // share.denominator), 1)


def completing_rank(alternative: Ints, size: Ints, rank: Ints, needed: Ints) -> Ints:
    """Return the rank at which enough of each alternative was returned; 0 if it never is."""
    order = np.lexsort((rank, alternative))
    alternative, rank, seen = alternative[order], rank[order], np.cumsum(size[order])
    first = np.searchsorted(alternative, np.arange(len(needed) + 1))
    before = np.append(0, seen)[first[:-1]]
    enough = np.searchsorted(seen, before + needed)
    complete = np.zeros(len(needed), np.int64)
    reached = enough < first[1:]
    complete[reached] = rank[enough[reached]]
    return complete


def cover_of(measure: Measure) -> float:
    """Return the share of an excerpt that must be read: the measure's `cover`, or all of it."""
    return float(getattr(measure, "cover", 1.0))


@dataclass(frozen=True, eq=False)
class RunReach:
    """How far one run reached all alternatives of all facts; the columns are those of Reach."""

    read: Ints
    returned: Ints
    rank: Ints
    begun: Bools
    has_document: Bools

    @classmethod
    def by_blocks(cls, blocks: Sequence[Reach], alternatives: int) -> RunReach:
        """Combine the blocks of a run; alternatives of topics that are in no block have zeros."""
        read, returned, rank, begun, has_document = np.zeros((5, alternatives), np.int64)
        columns = read, returned, rank, begun, has_document
        for block in blocks:
            for column, values in zip(columns, block[1:-1], strict=True):
                column[block.alternative] = values
        return cls(read, returned, rank, begun > 0, has_document > 0)

    def causes(self, in_chunks: Ints | None, needed: Ints) -> Ints:
        """Return the number of the first cause that applies to each alternative, assuming that none was read enough."""
        no_chunk = np.zeros(len(needed), bool) if in_chunks is None else in_chunks < needed
        conditions = {
            NO_CHUNK: no_chunk,
            NO_DOCUMENT: ~self.has_document,
            NOT_RETURNED: self.returned == 0,
            LIST_ENDED: self.rank == 0,
            CUT: self.begun,
        }
        return np.select(list(conditions.values()), [CAUSES.index(each) for each in conditions], CAUSES.index(TOO_LOW))


@dataclass(frozen=True)
class Miss:
    """A missed fact of a question, with its nearest alternative and the cause.

    `cause` is the stage that lost it if the runs are stages. `value` is that of the question. `read` is the share of
    the alternative that was read, `rank` the rank of the result that completes it. `fact` is its name and `text` the
    excerpt, if they are known.
    """

    topic: str
    question: str | None
    value: float | None
    cause: str
    rank: int | None
    read: float
    document: str
    start: int
    end: int
    fact: str | None
    text: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Misses(Shown):
    """The questions that lost most, with their missed facts.

    `counts` has the number of facts that each cause, or stage, lost over all questions, and last the number that were
    read. `questions` are the topics that are shown, worst first; `of` is how many missed any fact.
    """

    run: str
    measure: Measure
    rows: list[Miss]
    counts: dict[str, int]
    questions: list[str]
    of: int
    stages: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def facts(self) -> int:
        """The number of facts."""
        return sum(self.counts.values())

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each missed fact."""
        return [asdict(row) for row in self.rows]

    def frame(self) -> Any:
        """Return the records as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.records(), infer_schema_length=None)

    def headline(self) -> str:
        """Return how many facts were read, and what lost the others."""
        lost = [f"{number:,} {cause}" for cause, number in list(self.counts.items())[:-1] if number]
        read = f"{self.counts['read']:,} of {count_noun(self.facts, 'fact')} read"
        return f"{self.run}: {'; '.join([read, *lost])}"

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the misses as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            told = {"run": self.run, "measure": str(self.measure), "stages": self.stages, "counts": self.counts}
            return json.dumps({**told, "misses": self.records()}, indent=1, ensure_ascii=False) + "\n"
        end = "\n" if layout == "text" else "; "
        of_questions = f"{count_noun(self.of, 'question')} missed a fact"
        if len(self.questions) < self.of:
            of_questions += f"; showing the {len(self.questions):,} that lost most"
        return self.table(layout, digits, caption=f"{self.headline()}{end}{of_questions}")

    def table(self, layout: str, digits: int = 4, caption: str = "", without: Sequence[str] = ()) -> str:
        """Return the rows as a table, without some columns."""
        known = (name for name in Miss.__dataclass_fields__ if name in ALWAYS or self._has(name))
        columns = [name for name in known if name not in without]
        is_exact = layout in ("tsv", "csv")
        rows = [[format_cell(getattr(row, name), name, is_exact) for name in columns] for row in self.rows]
        labels = [name for name in columns if name in NAMES]
        order = [*labels, *(name for name in columns if name not in labels)]
        places = [columns.index(name) for name in order]
        header = [str(self.measure) if name == "value" else name for name in order]
        table = [[row[place] for place in places] for row in rows]
        return render(layout, header, table, len(labels), digits, caption)

    def _has(self, name: str) -> bool:
        return any(getattr(row, name) is not None for row in self.rows)


ALWAYS = ("topic", "value", "cause", "read", "document", "start", "end")
NAMES = ("topic", "question", "cause", "document", "fact", "text")


def format_cell(value: Any, name: str, is_exact: bool) -> Any:
    """Return a value as a cell of a table; long texts are shortened."""
    if value is None:
        return ""
    return value if is_exact or name not in ("question", "text") else shorten(" ".join(value.split()), LONGEST)


def reach_of_block(measuring: Measuring, kind: Kind, aligned: Aligned) -> Reach | None:
    """Return how far a block reached the facts; None if it ranks whole documents."""
    ranking = aligned.ranking
    return reach_of(ranking, measuring.measures[0]) if isinstance(ranking, TextRanking) else None


def reach_and_results(measuring: Measuring, kind: Kind, aligned: Aligned) -> Reach | None:
    """Return how far a block reached the facts, and its results; None if it ranks whole documents."""
    reach, returned = reach_of_block(measuring, kind, aligned), aligned.returned()
    if reach is None or not isinstance(returned.run, SpanRun):
        return reach
    topics = returned.run.topic[returned.row].texts()
    return reach._replace(results=list(zip(topics, places(returned.run, returned.row), strict=True)))


def misses(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasuresLike | None = None,
    *,
    stages: bool = False,
    top: int | None = 10,
    topics_file: Any = None,
    chunks: ChunksLike | None = None,
    **rules: Any,
) -> Misses:
    """Find the questions that lost most, and why; `rules` are the options of `assay.evaluate`."""
    asked = measures_of(MEASURE if measure is None else measure)
    if len(asked) != 1:
        raise UsageError(f"misses takes one measure, found {len(asked)}: {list_names(list(map(str, asked)))}")
    if top is not None and top < 1:
        raise UsageError(f"top={top}; expected a number of questions, at least 1")
    tables = None if chunks is None else ChunkTables(chunks, for_more=True)
    try:
        keep = reach_of_block if chunks is None and not stages else reach_and_results
        evaluation = evaluate_runs(judgments, runs, asked, keep=keep, **rules, chunks=tables)
    except NotJudgedError as error:
        # the measure may be the default, which the user did not name
        raise without_text(error.judgments) from None
    systems = evaluation.scores.systems
    if evaluation.shown is not TEXT:
        raise without_text(evaluation.pool.judgments.name)
    if len(systems) > 1 and not stages:
        what = f"misses takes one run, found {len(systems)}: {list_names(systems)}"
        raise UsageError(f"{what}; pass stages=True if they are the stages of one pipeline, in order")
    if counted_kind(asked[0], kinds_of(evaluation.pool.judgments)).unit == "documents":
        raise UsageError(f"{asked[0]} counts documents; misses needs a measure of text, for example R@5")
    results = {name: [each for block in evaluation.kept[name] if block for each in block.results] for name in systems}
    refuse_reverse_order(results)
    corpus, notes = read_chunks(chunks, evaluation, rules)
    if corpus is not None:
        # later stages may cut the chunks that the first one returned
        first, own = systems[0], [place for _, place in results[systems[0]]]
        note = none_of_the_chunks(first, own, corpus.places(), corpus.name, evaluation.pool.documents)
        notes += [note] if note else []
    titles = TopicTexts({}) if topics_file is None else read_titles(topics_file)
    return find_misses(evaluation, asked[0], corpus, titles, top, stages, notes)


def refuse_reverse_order(results: Mapping[str, list[tuple[str, ChunkPlace]]]) -> None:
    """Raise an error if a stage has all results of the stage before it, and others; one other result may be a slip."""
    every = {name: set(each) for name, each in results.items()}
    for earlier, later in pairwise(every):
        if every[earlier] < every[later] and len(every[later]) > len(every[earlier]) + 1:
            what = f"{later} returns results that {earlier} does not have"
            raise UsageError(f"{what}; list the stages from first to last")


def without_text(name: str) -> InputError:
    """Return the error about judgments without highlighted text, or a measure that does not count it."""
    what = "misses needs highlighted text (judgments with offsets or quotes)"
    return InputError(f"{what}; use `assay evaluate --per-topic` to see the value of each topic", name)


def misses_of_topics(
    judgments: JudgmentsLike, run: RunsLike, measure: Measure, only: Sequence[str], rules: Mapping[str, Any]
) -> Misses | None:
    """Find what a run missed in some topics; None if the measure does not count text, or nothing was missed."""
    if TEXT not in measure.kinds or measure.unit == "document" or rules.get("whitespace") == "ignore":
        return None
    evaluation = evaluate_runs(judgments, run, [measure], keep=reach_of_block, **rules)
    if evaluation.shown is not TEXT:
        return None
    found = find_misses(evaluation, measure, None, TopicTexts({}), None, stages=False, only=only)
    return found if found.rows else None


def read_chunks(chunks: Any, evaluation: Evaluation, rules: Any) -> tuple[ChunkedCorpus | None, list[str]]:
    """Read all chunks of the corpus if they are given, and return them with the notes on reading."""
    if chunks is None:
        return None, []
    from assay.reading.chunk_ids import chunk_columns
    from assay.reading.given import source_or_object

    placing = TextLocator(evaluation.pool.documents, rules.get("texts", "check"), told_columns(rules.get("columns")))
    given = source_or_object(chunks)
    chunk_columns(given)
    table = placing.chunks(given, evaluation.pool.judgments)
    return ChunkedCorpus(table.spans), placing.notes


def in_chunks(corpus: ChunkedCorpus | None, pool: Pool) -> Ints | None:
    """Return how many characters of each alternative the chunks contain."""
    return None if corpus is None else pool.text.facts.of_stretches(*corpus.shared(pool), pool.text.solid)


def find_misses(
    evaluation: Evaluation,
    measure: Measure,
    corpus: ChunkedCorpus | None,
    titles: TopicTexts,
    top: int | None,
    stages: bool,
    notes: Sequence[str] = (),
    only: Sequence[str] | None = None,
) -> Misses:
    """Find what the last run missed; the other runs are earlier stages. only: show only these topics."""
    pool, systems = evaluation.pool, evaluation.scores.systems
    facts = pool.text.facts
    kept = {name: [block for block in evaluation.kept[name] if block is not None] for name in systems}
    reached = {name: RunReach.by_blocks(blocks, len(facts.size)) for name, blocks in kept.items()}
    needed = needed_characters(facts, cover_of(measure))
    last = reached[systems[-1]]
    held = in_chunks(corpus, pool)
    cause = last.causes(held, needed)
    known = facts.known(last.read, cover_of(measure))
    values = evaluation.scores.values[-1, 0]
    counts_here = facts.can_be_read & ~np.isnan(values[facts.topic_of_fact])
    nearest = nearest_alternatives(facts, last)
    of_fact = cause[nearest]
    names: tuple[str, ...] = CAUSES
    if stages:
        names, of_fact = STAGES, lost_at(facts, pool, [reached[name] for name in systems], held, needed)
    lost = np.flatnonzero(~known & counts_here)
    number = np.bincount(of_fact[lost], minlength=len(names)).tolist()
    counts = dict(zip(names, number, strict=True)) | {"read": int(np.count_nonzero(known & counts_here))}
    if corpus is None:
        counts.pop(NO_CHUNK, None)
    if stages and pool.documents is None:
        counts.pop(STAGES[0])
    worst, of = worst_topics(facts, lost, values, measure.less_is_better, top)
    if only is not None:
        with_misses = set(worst)
        worst = [number for topic in only if (number := pool.topics.index(topic)) in with_misses]
    place = {topic: at for at, topic in enumerate(worst)}
    topic, listed_at = facts.topic_of_fact.tolist(), facts.first_passage[nearest].tolist()
    shown = [each for each in lost.tolist() if topic[each] in place]
    shown.sort(key=lambda each: (place[topic[each]], listed_at[each]))
    rows = list(
        rows_of_facts(evaluation, titles, last, nearest, [names[of_fact[each]] for each in shown], shown, values)
    )
    questions = [pool.topics[topic] for topic in worst]
    told_notes = [*notes, *evaluation.scores.notes, *(notes_on_causes(measure, pool) if rows else ())]
    return Misses(systems[-1], measure, rows, counts, questions, of, systems if stages else [], told_notes)


def nearest_alternatives(facts: TopicFacts, reached: RunReach) -> Ints:
    """Return, for each fact, the alternative that came nearest to being read.

    The largest share read wins, then the largest share returned, then the best rank.
    """
    size = np.maximum(facts.size, 1)
    rank = np.where(reached.rank > 0, reached.rank, np.iinfo(np.int64).max)
    order = np.lexsort((
        facts.first_passage, ~reached.has_document, rank, -reached.returned / size, -reached.read / size,
        facts.fact_of_alternative,
    ))  # fmt: skip
    return order[np.unique(facts.fact_of_alternative[order], return_index=True)[1]]


def lost_at(facts: TopicFacts, pool: Pool, stages: list[RunReach], held: Ints | None, needed: Ints) -> Ints:
    """Return the stage that lost each fact, as a number in STAGES, assuming that no fact was read."""
    absent, no_chunk, no_candidate, reranked, beyond = range(len(STAGES))

    def any_of(alternative: Bools) -> Bools:
        return np.bincount(facts.fact_of_alternative, alternative, len(facts.topic_of_fact)) > 0

    there = np.ones(len(facts.size), bool)
    if pool.documents is not None:
        is_absent = pool.text.length < 0
        there = np.bincount(facts.alternative, is_absent[facts.passages.document], len(facts.size)) == 0
    in_chunk = np.ones(len(needed), bool) if held is None else held >= needed
    checks = [(absent, any_of(there)), (no_chunk, any_of(in_chunk))]
    for number, stage in enumerate(stages):
        is_last = number and number == len(stages) - 1
        name = no_candidate if not number else beyond if is_last and len(stages) > 2 else reranked
        checks.append((name, any_of(stage.returned >= needed)))
    return np.select([~holds for _, holds in checks], [name for name, _ in checks], beyond)


def worst_topics(
    facts: TopicFacts, lost: Ints, values: Floats, less_is_better: bool, top: int | None
) -> tuple[list[int], int]:
    """Return the topics with missed facts, worst value first, then most missed facts; and how many there are."""
    number = np.bincount(facts.topic_of_fact[lost], minlength=len(values))
    topics = np.flatnonzero(number)
    value = -values if less_is_better else values
    order = topics[np.lexsort((topics, -number[topics], value[topics]))]
    return order[:top].tolist(), len(topics)


def rows_of_facts(
    evaluation: Evaluation,
    titles: TopicTexts,
    reached: RunReach,
    nearest: Ints,
    causes: list[str],
    shown: list[int],
    values: Floats,
) -> Iterator[Miss]:
    """Yield a row for each fact that is shown."""
    pool, judged = evaluation.pool, evaluation.pool.text
    facts, names = judged.facts, fact_names(pool)
    alternatives = nearest[np.array(shown, np.int64)]
    passages = passages_of(facts, alternatives)
    texts = excerpts(pool, passages)
    for fact, alternative, cause, own, text in zip(shown, alternatives.tolist(), causes, passages, texts, strict=True):
        topic = int(facts.topic_of_fact[fact])
        document = int(judged.passages.document[own[0]])
        # copies of an excerpt are elsewhere, so take only its first passage
        here = own[judged.passages.document[own] == document] if judged.copies is None else own[:1]
        rank = int(reached.rank[alternative])
        yield Miss(
            topic=pool.topics[topic],
            question=titles.of(pool.topics[topic]),
            value=None if not np.isfinite(values[topic]) else float(values[topic]),
            cause=cause,
            rank=rank or None,
            read=float(reached.read[alternative] / max(int(facts.size[alternative]), 1)),
            document=pool.judgments.document[document : document + 1].texts()[0],
            start=int(judged.passages.start[here].min()),
            end=int(judged.passages.end[here].max()),
            fact=names[int(own[0])] or None,
            text=text,
        )


def passages_of(facts: TopicFacts, alternatives: Ints) -> list[Ints]:
    """Return the passages of each of some alternatives, in their order in the judgments."""
    order = np.argsort(facts.alternative, kind="stable")
    first = np.searchsorted(facts.alternative[order], np.arange(len(facts.size) + 1)).tolist()
    return [order[first[each] : first[each + 1]] for each in alternatives.tolist()]


def fact_names(pool: Pool) -> list[str]:
    """Return the name of each passage's fact; empty if it has none."""
    named = getattr(pool.judgments, "facts", None)
    return [""] * len(pool.text.passages) if named is None or named.fact is None else named.fact.texts()


def excerpts(pool: Pool, passages: Sequence[Ints]) -> list[str | None]:
    """Return the text of each excerpt, which may have several passages; None without documents."""
    text = pool.text
    if text.source is None:
        return [None] * len(passages)
    own = [each if text.copies is None else each[:1] for each in passages]
    every = np.concatenate([np.zeros(0, np.int64), *own])
    known = text.length[text.passages.document[every]] >= 0
    spans = text.passages[every[known]]
    found = iter(text.source.of(spans.document, spans.start, spans.end))
    texts = [next(found) if is_known else "" for is_known in known.tolist()]
    ends = np.cumsum([len(each) for each in own]).tolist()
    of_each = (texts[end - len(each) : end] for each, end in zip(own, ends, strict=True))
    return [" … ".join(filter(None, parts)) or None for parts in of_each]
