"""Ceilings: the best value of a measure that any ranking of the chunks of a corpus could reach, topic by topic."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.notes import OF_CEILINGS, OF_GOLD, Choices, add_words, notes_on_pool, sentences
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure, MeasureLike, MeasuresLike, exact_sum, takes_tokens
from assay.measures.counts import NumRet
from assay.measures.notation import one_measure
from assay.measures.sets import F, IoU, P, R
from assay.ranking.chunks import BestChunks, ChunkedCorpus, ChunkSizes, GoldInChunks, Reached
from assay.ranking.gold_standards import GoldStandards
from assay.ranking.pool import Pool
from assay.reading.locate import own_name
from assay.showing.shown import Shown
from assay.tables.id_forms import difference
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.notes import Notes
from assay.tables.run import Run, SpanRun
from assay.vocabulary import Topics

if TYPE_CHECKING:
    import polars as pl

    from assay.documents.collection import DocumentCollection

# The default measures of a table, by k and by characters.
RANKS, BUDGETS = (1, 5, 10, 20), (500, 1000, 2000, 4000)
MEASURES = tuple(
    [measure(k=k) for k in RANKS for measure in (R, P, F)]
    + [measure(chars=chars) for chars in BUDGETS for measure in (R, P, F)]
)


# Measures of how long the lists of a run are, in characters and in tokens.
LENGTHS = {"chars": NumRet(), "tokens": NumRet(unit="token")}
NO_TOKENS = np.zeros(0, np.int64)
# The lengths of the lists of a run, by unit and topic.
ListEnds: TypeAlias = dict[str, Ints]


def lengths_for(measures: list[Measure]) -> list[Measure]:
    """Return the measures of list length that the given measures need."""
    return [LENGTHS["chars"], *([LENGTHS["tokens"]] if any(map(takes_tokens, measures)) else [])]


@dataclass(frozen=True, eq=False)
class Ceilings:
    """values[measure, topic] that no ranking of the chunks exceeds; `exact` says if a ranking is known to reach it.

    `possible` is what the cut-off allows any chunks to reach: the text of k documents, or as many characters as the
    budget. as_short[run, measure, topic] is the ceiling for lists as short as the run's: if the list ends before the
    budget of the measure, it is the ceiling of a budget of the list's length; else it equals `values`.
    """

    values: Floats
    exact: Bools
    possible: Floats
    as_short: Floats


def refuse_without_ceiling(measures: list[Measure]) -> None:
    """Raise an error for measures without a ceiling."""
    for measure in measures:
        if type(measure) not in (R, P, F, IoU) or measure.unit:
            raise UsageError(f"{measure} has no ceiling; use R, P, F or IoU of text, for example R@5 or F(chars=2000)")


def ceilings(
    corpus: ChunkedCorpus,
    pool: Pool,
    measures: list[Measure],
    paid: bool,
    standards: GoldStandards | None = None,
    ends: Sequence[ListEnds] = (),
) -> Ceilings:
    """Return the ceilings of some measures, and those of lists that are as short as `ends` says, by run and topic.

    If a topic has several gold standards, their ceilings are combined like the values of a run. If that takes the mean,
    the ceiling is only an upper bound, because the best ranking for one standard need not be the best for another.
    """
    if standards is None:
        return of_pool(corpus, pool, measures, paid, ends)
    shape = len(standards.pools), len(measures), len(pool.topics)
    values, possible, exact = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, bool)
    as_short = np.full((len(ends), *shape), np.nan)
    for number, (own, places) in enumerate(zip(standards.pools, standards.places, strict=True)):
        of_own = [{unit: length[places] for unit, length in of_run.items()} for of_run in ends]
        part = of_pool(corpus, own, measures, paid, of_own)
        values[number][:, places], possible[number][:, places] = part.values, part.possible
        exact[number][:, places], as_short[:, number][:, :, places] = part.exact, part.as_short
    more_is_better = np.zeros(len(measures), bool)
    is_mean = np.array([standards.is_mean(topic) for topic in pool.topics])
    short = [standards.combine(each, more_is_better) for each in as_short]
    return Ceilings(
        standards.combine(values, more_is_better),
        exact.all(axis=0) & ~is_mean,
        standards.combine(possible, more_is_better),
        np.array(short).reshape(len(ends), *shape[1:]),
    )


def of_pool(
    corpus: ChunkedCorpus, pool: Pool, measures: list[Measure], paid: bool, ends: Sequence[ListEnds] = ()
) -> Ceilings:
    """Return the ceilings against one gold standard."""
    values, possible = np.zeros((2, len(measures), len(pool.topics)))
    exact, as_short = np.ones(values.shape, bool), np.zeros((len(ends), *values.shape))
    by_document = sizes_by_document(pool)
    for topic, base in enumerate(pool.text.total.tolist()):
        by_token = sizes_by_token(pool, topic) if any(map(takes_tokens, measures)) else NO_TOKENS
        allowed = [allowed_by_cut_off(measure, by_document[topic], by_token, base) for measure in measures]
        possible[:, topic] = allowed
    for topic, best, in_tokens in corpus.by_topic(pool, paid):
        base = int(pool.text.total[topic])
        has_copies = base < by_document[topic].sum()
        for number, measure in enumerate(measures):
            reached = ceiling_of(measure, best, in_tokens, base)
            # if chunks contain copies of the same text, only one copy counts
            values[number, topic] = min(reached.value, 1.0) if has_copies else reached.value
            is_charged = not isinstance(measure, R) or measure.chars is not None or measure.tokens is not None
            exact[number, topic] = reached.exact and not has_copies and not (corpus.is_surrounded and is_charged)
            for run, length in enumerate(ends):
                short = as_long_as(measure, {unit: int(of_topics[topic]) for unit, of_topics in length.items()})
                most = values[number, topic] if short is measure else ceiling_of(short, best, in_tokens, base).value
                as_short[run, number, topic] = min(most, values[number, topic])
    return Ceilings(values, exact, np.maximum(possible, values), as_short)


def sizes_by_document(pool: Pool) -> list[Ints]:
    """Return, for each topic, the highlighted characters of each document, most first, with copies of the evidence."""
    size, topic = pool.text.marks.size, pool.text.topic
    order = np.lexsort((-size, topic))
    return np.split(size[order], np.searchsorted(topic[order], np.arange(1, len(pool.topics))))


def sizes_by_token(pool: Pool, topic: int) -> Ints:
    """Return the highlighted characters in each token of a topic's documents, most first."""
    assert pool.tokens is not None
    marks, documents = pool.text.marks, np.flatnonzero((pool.text.topic == topic) & (pool.text.marks.size > 0))
    sizes = [NO_TOKENS]
    for row, ends in zip(documents, pool.tokens.of(pool.judgments.document[documents].texts()), strict=True):
        sizes.append(np.diff(marks.upto(np.full(len(ends) + 1, row), np.append(0, ends))))
    return -np.sort(-np.concatenate(sizes))


def as_long_as(measure: Measure, length: dict[str, int]) -> Measure:
    """Return the measure with its budget cut to the length of a list, if the budget is larger."""
    budgets = {unit: getattr(measure, unit) for unit in length}
    shorter: Any = {unit: length[unit] for unit, budget in budgets.items() if budget is not None}
    shorter = {unit: size for unit, size in shorter.items() if size < budgets[unit]}
    return replace(measure, **shorter) if shorter else measure


def ceiling_of(measure: Measure, best: BestChunks, in_tokens: BestChunks | None, base: int) -> Reached:
    """Return the ceiling of a measure; base: how many characters are highlighted."""
    assert isinstance(measure, R | P | F | IoU)
    if measure.chars is not None and measure.tokens is not None:
        each = replace(measure, chars=None), replace(measure, tokens=None)
        one, other = (ceiling_of(limited, best, in_tokens, base) for limited in each)
        return Reached(min(one.value, other.value), False)
    k, budget, fit = measure.k, measure.chars, measure.fit
    if measure.tokens is not None:
        assert in_tokens is not None
        best, budget = in_tokens, measure.tokens
    if budget == 0:
        return Reached(0.0, True)
    if isinstance(measure, R):
        most = best.most(k, budget, fit)
        return Reached(most.value / base, most.exact)
    if isinstance(measure, P):
        return best.ratio(0, k, budget, fit)
    if isinstance(measure, F):
        share = best.ratio(measure.beta**2 * base, k, budget, fit)
        return Reached((1 + measure.beta**2) * share.value, share.exact)
    share = best.ratio(base, k, budget, fit)
    return Reached(share.value / (1 - share.value), share.exact)


def allowed_by_cut_off(measure: Measure, documents: Ints, tokens: Ints, base: int) -> float:
    """Return what a cut-off allows chunks that are cut perfectly: the evidence of k documents, or a full budget."""
    assert isinstance(measure, R | P | F | IoU)
    most = min(int(documents[: measure.k].sum()), base)
    most = most if measure.chars is None else min(most, measure.chars)
    most = most if measure.tokens is None else min(most, int(tokens[: measure.tokens].sum()))
    if not most:
        return 0.0
    if isinstance(measure, P):
        return 1.0
    if isinstance(measure, F):
        return (1 + measure.beta**2) * most / (measure.beta**2 * base + most)
    return most / base


def list_ends(scores: ScoreTable, run: str) -> ListEnds:
    """Return how long the lists of a run are, in the units that were measured."""
    measured = [str(measure) for measure in scores.measures]
    values = np.nan_to_num(scores.values[scores.systems.index(run)]).astype(np.int64)
    return {unit: values[measured.index(str(each))] for unit, each in LENGTHS.items() if str(each) in measured}


EXACT, BOUND = "exact", "at most"
LOSSES = ("retriever", "list", "chunker", "budget")
LEGEND = "ceiling: the best that any ranking of these chunks can reach, mean over topics"
OF_RUNS = (
    "losses: retriever = best list of this length − value; list = what a longer list could add; chunker = what "
    "a better split could add; budget = what no split could reach"
)


@dataclass(frozen=True, eq=False)
class Chunking:
    """All chunks of a corpus: their sizes, how they split the evidence, and their ceilings.

    `runs` are the names of the runs that return these chunks.
    """

    runs: list[str]
    ceilings: Ceilings
    sizes: ChunkSizes
    gold: GoldInChunks

    def facts(self) -> list[tuple[str, str]]:
        """Return the facts about the chunks, the excerpts and the gold, one line each."""
        sizes, gold = self.sizes, self.gold
        repeated = f"{in_percent(sizes.repeated, sizes.characters)} of their text repeats earlier chunks"
        overlap = repeated if sizes.repeated else "chunks do not overlap"
        lengths = f"{sizes.least:,} to {sizes.most:,} characters (median {sizes.median:,.15g}, mean {sizes.mean:,.1f})"
        pieces = f"{gold.in_pieces:,} ({in_percent(gold.in_pieces, gold.excerpts)}) split over several chunks"
        return [
            ("chunks", f"{sizes.chunks:,} of {count_noun(sizes.documents, 'document')}, {lengths}; {overlap}"),
            ("excerpts", f"{gold.excerpts:,}: {gold.whole:,} in one chunk, {pieces}, {gold.nowhere:,} in no chunk"),
            (
                "gold",
                f"{count_noun(gold.characters, 'character')}, {gold.in_no_chunk:,} of them "
                f"({in_percent(gold.in_no_chunk, gold.characters)}) in no chunk; "
                f"{in_percent(gold.cut, gold.listed)} of the evidence lies in excerpts that no single chunk contains",
            ),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class CeilingTable(Shown):
    """The ceilings by measure and topic, and the values of runs if there are any.

    `chunkings` has one item, or one for each corpus of chunks if runs return different chunks. `scores` are those of
    the runs. `counts` marks the topics that count if there is no run.
    """

    measures: list[Measure]
    topics: list[str]
    chunkings: list[Chunking]
    counts: Bools
    scores: ScoreTable | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def _only(self) -> Chunking:
        """The chunks, if all runs return the same."""
        if len(self.chunkings) > 1:
            names = list_names([run for chunking in self.chunkings for run in chunking.runs])
            raise UsageError(f"each run has its own chunks; choose a run with of_run(name): {names}")
        return self.chunkings[0]

    @property
    def ceilings(self) -> Ceilings:
        """The best values that rankings of the chunks can reach."""
        return self._only.ceilings

    @property
    def sizes(self) -> ChunkSizes:
        """The number and the sizes of the chunks."""
        return self._only.sizes

    @property
    def gold(self) -> GoldInChunks:
        """Where the excerpts of the gold are in the chunks."""
        return self._only.gold

    def of_run(self, name: str) -> CeilingTable:
        """Return the table of one run and its chunks."""
        systems = [] if self.scores is None else self.scores.systems
        if self.scores is None or name not in systems:
            there = f"choose from {list_names(systems)}" if systems else "there are no runs"
            raise UsageError(f"no run {name!r}; {there}")
        at, chunking = systems.index(name), self._chunking(name)
        scores = ScoreTable([name], self.measures, self.topics, self.scores.values[at : at + 1], self.scores.notes)
        return CeilingTable(self.measures, self.topics, [chunking], self.counts, scores, self.notes)

    def _chunking(self, run: str) -> Chunking:
        return next(each for each in self.chunkings if run in each.runs)

    def __getitem__(self, asked: MeasuresLike | tuple[MeasureLike, object]) -> float:
        """`ceiling["R@5"]` is the mean over topics, `ceiling["R@5", "301"]` that of a topic."""
        measure, *topic = asked if isinstance(asked, tuple) else (asked,)
        names = [str(each) for each in self.measures]
        name = str(measure if isinstance(measure, Measure) else one_measure(measure))
        if name not in names:
            raise UsageError(f"{name} has no ceiling here; choose from {list_names(names, 12)}")
        row = self.ceilings.values[names.index(name)]
        if not topic:
            return over_topics(row[self.counts])
        if str(topic[0]) not in self.topics:
            raise UsageError(f"no topic {str(topic[0])!r}; choose from {list_names(self.topics)}")
        return float(row[self.topics.index(str(topic[0]))])

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each measure, or for each run and measure, over the topics that count."""
        if self.scores is None:
            named = enumerate(map(str, self.measures))
            return [{"measure": name, **ceiling_over(self.ceilings, number, self.counts)} for number, name in named]
        return [
            {"run": run, "measure": str(measure), **self._lost(s, m)}
            for s, run in enumerate(self.scores.systems)
            for m, measure in enumerate(self.measures)
        ]

    def _lost(self, system: int, measure: int) -> dict[str, Any]:
        assert self.scores is not None
        run, values = self.scores.systems[system], self.scores.values[system, measure]
        chunking, counts = self._chunking(run), ~np.isnan(values)
        ceilings = chunking.ceilings
        ceiling, value = ceiling_over(ceilings, measure, counts), over_topics(values[counts])
        as_short = over_topics(ceilings.as_short[chunking.runs.index(run), measure][counts])
        possible = over_topics(ceilings.possible[measure][counts])
        best = ceiling["ceiling"]
        lost = as_short - value, best - as_short, possible - best, 1 - possible
        return {**ceiling, "value": value, **dict(zip(LOSSES, lost, strict=True))}

    def frame(self) -> pl.DataFrame:
        """Return a polars frame: one row per topic and measure, and per run if there are runs."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        systems = [None] if self.scores is None else range(len(self.scores.systems))
        for s in systems:
            run = None if s is None or self.scores is None else self.scores.systems[s]
            ceilings = self.ceilings if run is None else self._chunking(run).ceilings
            for m, measure in enumerate(self.measures):
                for t, topic in enumerate(self.topics):
                    row: dict[str, Any] = {"topic": topic, "measure": str(measure)}
                    row |= {"ceiling": ceilings.values[m, t], "exact": bool(ceilings.exact[m, t])}
                    if s is not None and self.scores is not None:
                        row = {"run": self.scores.systems[s], **row, "value": self.scores.values[s, m, t]}
                    rows.append(row)
        return pl.DataFrame(rows)

    def facts(self) -> list[tuple[str, str]]:
        """Return the facts about the chunks, the excerpts and the gold, one line each."""
        return self._only.facts()

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html; tsv and csv have only the rows."""
        records = self.records()
        if layout == "json":
            whole = {"chunks": self._by_run("sizes"), "gold": self._by_run("gold"), "ceilings": records}
            return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
        from assay.showing.layout import render

        header = list(records[0])
        labels = header.index("ceiling")
        caption = LEGEND if self.scores is None else f"{LEGEND}\n{OF_RUNS}"
        rows = [list(record.values()) for record in records]
        several = len(self.chunkings) > 1
        if layout == "text":
            told: list[str] = []
            for chunking in self.chunkings:
                told += [f"{', '.join(chunking.runs)}:"] if several else []
                told += [*(f"{what:<8}  {facts}" for what, facts in chunking.facts()), ""]
            return "\n".join([*told, render(layout, header, rows, labels, digits, caption)])
        facts = [
            f"{', '.join(chunking.runs)}: {what}: {fact}" if several else f"{what}: {fact}"
            for chunking in self.chunkings
            for what, fact in chunking.facts()
        ]
        return render(layout, header, rows, labels, digits, "; ".join([*facts, caption]).replace("\n", "; "))

    def _by_run(self, what: str) -> dict[str, Any]:
        """Return facts on the chunks, or on the gold in them; by run if runs return different chunks."""
        facts = [asdict(getattr(chunking, what)) for chunking in self.chunkings]
        if len(facts) == 1:
            return facts[0]
        told = zip(self.chunkings, facts, strict=True)
        return {run: each for chunking, each in told for run in chunking.runs}


def ceiling_over(ceilings: Ceilings, measure: int, counts: Bools) -> dict[str, Any]:
    """Return the mean ceiling of a measure over the topics that count, and whether it is exact."""
    is_exact = bool(ceilings.exact[measure][counts].all())
    return {"is": EXACT if is_exact else BOUND, "ceiling": over_topics(ceilings.values[measure][counts])}


def over_topics(values: Floats) -> float:
    """Return the mean over topics; 0 if there are none."""
    return exact_sum(values) / len(values) if len(values) else 0.0


def in_percent(part: int, whole: int) -> str:
    """Return a part as a percentage of the whole."""
    return f"{100 * part / whole:.1f}%" if whole else "0%"


# Notes and errors: chunks, evidence and runs that do not fit each other, and ceilings that are only upper bounds.

# If more than this share of the results are not among the chunks, the run is of other chunks.
OTHERS = 0.1
# The document of a chunk, its start and its end.
ChunkPlace: TypeAlias = tuple[str, int, int]


def strangers(run: Run, chunks: SpanRun, collection: DocumentCollection | None) -> Iterator[str]:
    """Yield a note on results that are not among the chunks; if they are many, raise an error."""
    if not isinstance(run, SpanRun):
        raise InputError("the run returns whole documents; a ceiling needs a run of chunks", run.name)
    if note := none_of_the_chunks(run.name, places(run), set(places(chunks)), chunks.name, collection):
        yield note.replace("; ", ", so values may exceed the ceiling; ", 1)


def none_of_the_chunks(
    run: str, results: list[ChunkPlace], chunks: set[ChunkPlace], name: str, collection: DocumentCollection | None
) -> str:
    """Return a note on results that are not among the chunks; if they are many, raise an error.

    name: the name of the chunks, for the message.
    """
    others = [place for place in results if place not in chunks]
    if others and collection is not None:
        # the run and the chunks may spell documents without judgments differently
        known = set(own_places(chunks, collection))
        own = own_places(others, collection)
        others = [place for place, own_place in zip(others, own, strict=True) if own_place not in known]
    if not others:
        return ""
    document, start, end = others[0]
    what = (
        f"{len(others):,} of {count_noun(len(results), 'result')} are not among the {count_noun(len(chunks), 'chunk')}"
    )
    first = f"the first is {document} {start}-{end}"
    if len(others) > OTHERS * len(results):
        raise InputError(f"{what} of {name}; {first}; expected a run that returns these chunks", run)
    return f"{run}: {what}; {first}"


def places(table: SpanRun, rows: Ints | slice = slice(None)) -> list[ChunkPlace]:
    """Return the place of each chunk, or of those in some rows."""
    columns = table.document[rows].texts(), table.start[rows].tolist(), table.end[rows].tolist()
    return list(zip(*columns, strict=True))


def own_places(places: Collection[ChunkPlace], collection: DocumentCollection) -> list[ChunkPlace]:
    """Return places with the document ids that the given documents have, if they contain the document."""
    own = {name: own_name(name, collection) or name for name in {document for document, _, _ in places}}
    return [(own[document], start, end) for document, start, end in places]


def without_chunks(corpus: ChunkedCorpus, pool: Pool) -> Iterator[str]:
    """Yield a note on documents with gold but without a chunk; if none has a chunk, raise an error."""
    marked = pool.judgments.document[np.flatnonzero(pool.text.marks.size > 0)]
    names = list(dict.fromkeys(marked.texts()))
    missing = [name for name in names if name not in set(corpus.documents)]
    if not missing:
        return
    form = difference([("", name) for name in corpus.documents], [("", name) for name in missing])
    why = f"; perhaps the ids {form.told}" if form else ""
    if len(missing) == len(names):
        ours, theirs = list_names(corpus.documents, 2), list_names(names, 2)
        what = f"{corpus.name} and {pool.judgments.name} share no document: {ours} vs {theirs}"
        raise InputError(f"{what}{why}")
    of_all = f"{len(missing):,} of {count_noun(len(names), 'document')} with evidence have no chunk"
    yield f"{corpus.name}: {of_all}: {list_names(missing)}{why}"


def of_gold(pool: Pool, topics: Topics, measures: list[Measure], tokenizer: object) -> Iterator[str]:
    """Yield the notes on the judgments if there is no run."""
    words = Notes()
    add_words(words, measures, tokenizer)
    yield from sentences(OF_GOLD, [(pool.judgments.name, words)])
    yield from (f"{pool.judgments.name}: {note}" for note in pool.judgments.notes)
    choices = Choices(topics=topics, measures=measures)
    yield from sentences(OF_CEILINGS, [(pool.judgments.name, notes_on_pool(pool))], choices)


def bounds(chunkings: list[Chunking], measures: list[Measure]) -> Iterator[str]:
    """Yield a note on measures whose ceiling is only an upper bound, with the number of such topics."""
    for chunking in chunkings:
        exact = chunking.ceilings.exact
        unknown = [(str(measure), np.count_nonzero(~row)) for measure, row in zip(measures, exact, strict=True)]
        bounded = [f"{measure} in {number:,}" for measure, number in unknown if number]
        if bounded:
            who = f"{list_names(chunking.runs)}: " if len(chunkings) > 1 else ""
            what = f"the ceiling is only an upper bound in some of {count_noun(exact.shape[1], 'topic')}"
            yield f"{who}{what}: {list_names(bounded, 12)}"
