"""Audit a test set: what its judgments, its documents and the runs of some systems say about its quality."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import blake2b
from itertools import combinations, compress, pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.comparing.paired import least_difference
from assay.documents.location import id_or_name
from assay.errors import UsageError, count_noun, list_names
from assay.evaluation.evaluate import Evaluation, Options, prepare
from assay.evaluation.measuring import Measuring, least_grade
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Count, Measure, MeasuresLike, is_mean
from assay.measures.notation import measures_of
from assay.ranking.align import Aligned
from assay.ranking.kinds import Kind, kinds_of
from assay.ranking.pool import Pool
from assay.reading.given import given_judgments, given_runs
from assay.reading.other_packages import materialize
from assay.showing.layout import EXACT, escape_text, on_one_line, render
from assay.showing.shown import Shown
from assay.tables.ids import Floats, Ints
from assay.vocabulary import Ties

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import JudgmentsLike, RunsLike

OK, LOOK, UNCHECKED = "ok", "look", "not checked"
# Values that differ by no more than this are equal.
SAME = 1e-12
ALPHA, POWER = 0.05, 0.8
# How many results of each topic are near the top, and by which factor the weight of a rank falls to the next.
TOP = 10
PERSISTENCE = 0.8
# How many judgments are proposed, and how many names a line shows.
PROPOSED = 10
FEW = 5
NO_DOCUMENTS = "pass documents= to check this"
NO_RUNS = "pass runs to check this"
ONE_RUN = "needs at least two runs"


@dataclass(frozen=True)
class Finding:
    """What one check found: the verdict, a sentence, `found` of `of` cases, and examples by name.

    `found` is None if the check could not be made; the sentence then says why.
    """

    check: str
    verdict: str
    sentence: str
    found: float | None = None
    of: int | None = None
    examples: list[str] = field(default_factory=list)


class ProposedJudgment(NamedTuple):
    """An unjudged document near the top: how many runs have it there, its best rank, and what a judgment is worth."""

    topic: str
    document: str
    runs: int
    best_rank: int
    worth: float


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """The audit of a test set: `findings`, one per check, and the judgments that are worth most next, best first."""

    about: str
    measure: str | None
    findings: list[Finding]
    proposed: list[ProposedJudgment]
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, check: str) -> Finding:
        """`audit["topics that decide nothing"]` is what this check found."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        raise UsageError(f"no check {check!r}; choose from {', '.join(finding.check for finding in self.findings)}")

    def record(self) -> dict[str, Any]:
        """Return all findings as values for JSON."""
        proposed = [each._asdict() for each in self.proposed]
        return {
            "about": self.about, "measure": self.measure, "checks": [vars(each) for each in self.findings],
            "judge_next": proposed,
        }  # fmt: skip

    def show(self, layout: str = "text", most: int = PROPOSED) -> str:
        """Return the findings as text, tsv, csv, json, md, latex or html, followed by the judgments to make next.

        most: how many of these to show. tsv and csv have only the findings.
        """
        if layout == "json":
            return json.dumps(self.record(), indent=1, ensure_ascii=False) + "\n"
        if layout in EXACT:
            header = ["check", "verdict", "found", "of", "sentence", "examples"]
            rows = [
                [each.check, each.verdict, each.found, each.of, each.sentence, " ".join(each.examples)]
                for each in self.findings
            ]
            return render(layout, header, rows, 2)
        title = escape_text(layout, self.about)
        parts = [f"<p>{title}</p>" if layout == "html" else title]
        if layout == "text":
            parts += ["\n".join(line for each in self.findings for line in wrap_finding(each))]
        else:
            lines = [[each.check, each.verdict, each.sentence] for each in self.findings]
            parts.append(render(layout, ["check", "verdict", "what was found"], lines, 3))
        if self.proposed and most:
            parts.append(self.next(layout, most))
        return "\n".join(part.rstrip("\n") + "\n" for part in parts)

    def next(self, layout: str = "text", most: int = PROPOSED) -> str:
        """Return the unjudged documents that runs rank highest, as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            return json.dumps([each._asdict() for each in self.proposed[:most]], indent=1, ensure_ascii=False) + "\n"
        worth = f"sum of {PERSISTENCE:g}^(rank − 1) over the runs that have the document near the top"
        caption = f"judge these next; worth: {worth}"
        header = ["topic", "document", "runs", "best rank", "worth"]
        return render(layout, header, [list(each) for each in self.proposed[:most]], 2, 2, caption)


# The widths of the columns of text: the verdict, the check, and the sentence.
WIDTHS = len(UNCHECKED) + 2, 40, 66


def wrap_finding(found: Finding) -> list[str]:
    """Return a finding as lines of text: verdict, check, and the sentence beside them."""
    before = f"{found.verdict:<{WIDTHS[0]}}{found.check:<{WIDTHS[1]}}"
    said = wrap(on_one_line(found.sentence), WIDTHS[2], break_long_words=False, break_on_hyphens=False)
    blank = " " * sum(WIDTHS[:2])
    return [f"{blank if number else before}{line}" for number, line in enumerate(said)]


def audit(
    judgments: JudgmentsLike,
    runs: RunsLike | None = None,
    measure: MeasuresLike | None = None,
    *,
    top: int = TOP,
    **rules: Any,
) -> Audit:
    """Audit judgments, documents and runs; `rules` are the options of `assay.evaluate`."""
    if top < 1:
        raise UsageError(f"top is {top}; expected 1 or more")
    judgments, runs = materialize(judgments), None if runs is None else materialize(runs)
    asked = None if measure is None else measures_of(measure)
    if asked is not None and len(asked) > 1:
        raise UsageError(f"an audit takes one measure at a time, found {list_names(list(map(str, asked)))}")
    options = Options(**rules)
    ready = prepare(given_judgments(judgments, options.format), asked, options, is_shown=True)
    by = next((each for each in ready.measures if is_mean(each)), None)
    if by is None:
        what = "an audit compares means over topics"
        raise UsageError(f"{what}; {ready.measures[0]} is not one, so choose another measure")
    if runs is None or (isinstance(runs, list | tuple) and not runs):
        findings = [*of_judgments(ready.pool, by), *of_documents(ready.pool, options.collection)]
        unmade = [Finding(check, UNCHECKED, NO_RUNS) for check in CHECKS_OF_RUNS]
        return Audit(about(ready.pool, 0, None), None, [*findings, *unmade], [], ready.after)
    evaluation = ready.evaluation(given_runs(runs, options.format), keep=partial(audited_block, measure=by, top=top))
    return audit_of(evaluation, by, evaluation.kept, list(of_documents(ready.pool, options.collection)), top)


def audit_of(
    evaluation: Evaluation,
    measure: Measure,
    blocks: Mapping[str, list[AuditedBlock]],
    on_documents: list[Finding],
    top: int = TOP,
) -> Audit:
    """Return the audit of a finished evaluation by one of its measures; `blocks` is what was kept of each run."""
    pool, measured = evaluation.pool, AuditedRuns.of(evaluation.scores, measure, blocks)
    proposed, unjudged = near_the_top(measured, top)
    findings = [*of_judgments(pool, measure), *on_documents, *of_topics(measured), unjudged]
    findings += [*of_order(measured), smallest_difference(measured)]
    return Audit(about(pool, len(measured.runs), measure), str(measure), findings, proposed, measured.notes)


def about(pool: Pool, runs: int, measure: Measure | None) -> str:
    """Return what was looked at, in one line."""
    judged = pool.judgments
    number = len(set(judged.document.texts()))
    of_topics = f"{count_noun(len(pool.topics), 'topic')}, {count_noun(len(judged), 'judgment')}"
    what = f"{judged.name}: {of_topics} of {count_noun(number, 'document')}"
    return what + (f"; {count_noun(runs, 'run')}, by {measure}" if measure else "; no runs")


# What is kept of runs: their values, and their first results.


class TopDocuments(NamedTuple):
    """The first documents of a topic in a run, each once, with its rank and whether it is judged."""

    documents: list[str]
    rank: list[int]
    is_judged: list[bool]


# The ways to break ties that are compared.
WAYS: tuple[Ties, ...] = ("docno", "input", "expected")
TIES_BROKEN = {"docno": "by document id", "input": "in input order", "expected": "in all orders, averaged"}


class AuditedBlock(NamedTuple):
    """What is kept of a block of a run: the first results of its topics, and its values by each way to break ties.

    `by_ties` is None if no tie could change a value.
    """

    topics: Ints
    first: dict[int, TopDocuments]
    by_ties: dict[str, Floats] | None


def audited_block(work: Measuring, kind: Kind, aligned: Aligned, *, measure: Measure, top: int = TOP) -> AuditedBlock:
    """Return what an audit by a measure keeps of a block."""
    first = dict(first_of(aligned, work.pool, top))
    if "tied" not in aligned.notes and work.rules.ties in ("docno", "input"):
        return AuditedBlock(aligned.topics, first, None)
    run, by_ties = aligned.returned().run, dict[str, Floats]()
    for ties in WAYS:
        try:
            others = work.by_other_rules([measure], replace(work.rules, ties=ties))
            by_ties[ties] = others.measured_block(run).values[0]
        except UsageError:
            # some measures have no expected value over ties
            continue
    return AuditedBlock(aligned.topics, first, by_ties)


@dataclass(frozen=True, eq=False)
class AuditedRuns:
    """values[run, topic] by a measure, NaN if a topic does not count, with the first results of each run by topic.

    `with_ties` has the mean of each run for each way to break ties; it is empty if no tie could change a value.
    """

    measure: Measure
    runs: list[str]
    topics: list[str]
    values: Floats
    first: list[dict[int, TopDocuments]]
    with_ties: dict[str, Floats]
    notes: list[str]

    @classmethod
    def of(cls, scores: ScoreTable, measure: Measure, blocks: Mapping[str, list[AuditedBlock]]) -> AuditedRuns:
        """Combine the scores by a measure with what was kept of the blocks of each run."""
        values = scores.values[:, [str(each) for each in scores.measures].index(str(measure))]
        by_run = [blocks[run] for run in scores.systems]
        first = [{topic: each for block in of_run for topic, each in block.first.items()} for of_run in by_run]
        tied = [
            (row, block.topics, block.by_ties)
            for row, of_run in enumerate(by_run)
            for block in of_run
            if block.by_ties is not None
        ]
        with_ties: dict[str, Floats] = {}
        for ties in WAYS:
            if not tied or not all(ties in by_ties for _, _, by_ties in tied):
                continue
            others = values.copy()
            for row, topics, by_ties in tied:
                others[row, topics] = by_ties[ties]
            with_ties[ties] = means(np.where(np.isnan(values), np.nan, others))
        return cls(measure, scores.systems, scores.topics, values, first, with_ties, scores.notes)

    @property
    def means(self) -> Floats:
        """The mean of each run over its topics, negated if less is better, so that more is better."""
        return means(self.values) * (-1 if self.measure.less_is_better else 1)

    @property
    def spread(self) -> Floats:
        """The difference between the best and the worst run in each topic; NaN if any run has no value."""
        return np.max(self.values, axis=0) - np.min(self.values, axis=0)


def means(values: Floats) -> Floats:
    """Return the mean of each row, without NaN."""
    known = ~np.isnan(values)
    sums: Floats = np.where(known, values, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return sums


def first_of(aligned: Aligned, pool: Pool, top: int) -> Iterator[tuple[int, TopDocuments]]:
    """Yield the documents among the first results of each topic of a block."""
    returned = aligned.returned()
    for topic, (begin, end) in zip(aligned.topics.tolist(), pairwise(returned.starts.tolist()), strict=True):
        rows = slice(begin, min(end, begin + top))
        documents = returned.run.document[returned.row[rows]].texts()
        is_judged = pool.is_graded(returned.judged[rows]).tolist()
        once = list({document: at for at, document in reversed(list(enumerate(documents)))}.values())[::-1]
        names, judged = [documents[at] for at in once], [is_judged[at] for at in once]
        yield topic, TopDocuments(names, [at + 1 for at in once], judged)


# The checks; each returns findings.

CHECKS_OF_RUNS = (
    "topics that every run solves",
    "topics that every run misses",
    "topics that decide nothing",
    "unjudged documents near the top",
    "order depends on single topics",
    "order depends on ties",
    "smallest detectable difference",
)


def share(found: int, of: int, noun: str) -> str:
    """Return for example `3 of 10 topics (30%)`."""
    every = count_noun(of, noun)
    return f"{found:,} of {every} ({100 * found / of:.3g}%)" if found and of else f"none of {every}"


def name_topics(names: list[str]) -> str:
    """Return for example `: q1, q2, …`; nothing if there are no names."""
    return f": {list_names(names, FEW)}" if names else ""


def finding(check: str, names: list[str], of: int, noun: str, more: str = "") -> Finding:
    """Return a finding that asks to look at these names, or is ok if there are none."""
    verdict = LOOK if names else OK
    said = share(len(names), of, noun) + name_topics(names) + (f"; {more}" if names and more else "")
    return Finding(check, verdict, said, len(names), of, names)


def of_judgments(pool: Pool, measure: Measure) -> Iterator[Finding]:
    """Yield findings on the judgments alone: topics with nothing relevant, and documents judged not relevant."""
    least = least_grade(measure, kinds_of(pool.judgments))
    nothing = pool.topics_without_relevant if least is None else pool.topics_below(least)
    barren = list(compress(pool.topics, nothing.tolist()))
    yield finding("topics with nothing relevant", barren, len(pool.topics), "topic", "no run can find anything there")
    judged = pool.judgments.grade >= 0
    wanting = int((pool.judgments.grade[judged] == 0).sum())
    said = share(wanting, int(judged.sum()), "judgment")
    if not wanting:
        said += "; documents judged not relevant cannot be distinguished from unjudged documents"
    yield Finding("judged as not relevant", OK if wanting else LOOK, said, wanting, int(judged.sum()))


def of_documents(
    pool: Pool, collection: DocumentCollection | None, unchecked: str = NO_DOCUMENTS
) -> Iterator[Finding]:
    """Yield findings on judged documents that are not in the collection, and on copies under other ids.

    Without a collection, the checks are not made, and `unchecked` says why.
    """
    checks = ("judged documents not in the collection", "copies of judged documents")
    if collection is None:
        yield from (Finding(check, UNCHECKED, unchecked) for check in checks)
        return
    names = pool.judgments.document.texts()
    prints = {name: fingerprint(text) for name, text in collection.texts(list(dict.fromkeys(names)))}
    absent = list(dict.fromkeys(name for name in names if name not in prints))
    rows = sum(name not in prints for name in names)
    said = share(rows, len(names), "judgment") + name_topics(absent)
    yield Finding(checks[0], LOOK if rows else OK, said, rows, len(names), absent)
    yield copies(checks[1], pool, collection, {name: each for name, each in prints.items() if each})


def fingerprint(text: str) -> bytes:
    """Return a hash that is the same for texts that differ only in whitespace; empty for a blank text."""
    words = " ".join(text.split())
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest() if words else b""


def copies(check: str, pool: Pool, collection: DocumentCollection, prints: dict[str, bytes]) -> Finding:
    """Find judged documents whose text other documents have, too, and copies with other or no judgments."""
    judged_as = {id_or_name(name, collection): name for name in prints}
    wanted = set(prints.values())
    having: dict[bytes, list[str]] = {}
    for own, text in collection.texts():
        if (known := fingerprint(text)) in wanted:
            having.setdefault(known, []).append(judged_as.get(own, own))
    several = {each: names for each, names in having.items() if len(names) > 1}
    doubled = [name for name, each in prints.items() if each in several]
    judged = pool.judgments
    rows = zip(judged.topic.texts(), judged.document.texts(), strict=True)
    grade = dict(zip(rows, judged.grade.tolist(), strict=True))
    unjudged = differing = 0
    for (topic, name), value in grade.items():
        if value > 0 and prints.get(name) in several:
            others = [grade.get((topic, other)) for other in several[prints[name]] if other != name]
            unjudged += any(other is None or other < 0 for other in others)
            differing += any(other is not None and 0 <= other != value for other in others)
    more = [f"{count_noun(unjudged, 'relevant document')} with an unjudged copy in the same topic"] if unjudged else []
    more += [f"{differing:,} with a copy that has another grade"] if differing else []
    return finding(check, doubled, len(prints), "document", ", ".join(more))


def of_topics(measured: AuditedRuns) -> Iterator[Finding]:
    """Yield findings on topics that do not help to decide which run is better."""
    solved, missed, nothing = CHECKS_OF_RUNS[:3]
    values, topics = measured.values, measured.topics
    known = ~np.isnan(values).any(axis=0)
    number = int(known.sum())

    def chosen(mask: Any) -> list[str]:
        return list(compress(topics, (mask & known).tolist()))

    beyond = np.nanmax(values, initial=0) > 1 + SAME
    if isinstance(measured.measure, Count) or measured.measure.less_is_better or beyond:
        why = f"{measured.measure} has no value that says a topic is solved"
        yield Finding(solved, UNCHECKED, why)
    else:
        yield finding(solved, chosen((values >= 1 - SAME).all(axis=0)), number, "topic")
    yield finding(missed, chosen((np.abs(values) <= SAME).all(axis=0)), number, "topic")
    if len(measured.runs) < 2:
        yield Finding(nothing, UNCHECKED, ONE_RUN)
        return
    yield finding(nothing, chosen(measured.spread <= SAME), number, "topic", "all runs score the same there")


def near_the_top(measured: AuditedRuns, top: int) -> tuple[list[ProposedJudgment], Finding]:
    """Return the unjudged documents near the top, most valuable first, and the finding on their number.

    worth = Σ_runs p^(rank − 1). Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance
    judgments, SIGIR 2007, method A.
    """
    worth: defaultdict[tuple[int, str], float] = defaultdict(float)
    runs: Counter[tuple[int, str]] = Counter()
    best: dict[tuple[int, str], int] = {}
    unjudged, results = [], []
    for of_run in measured.first:
        unjudged.append(sum(not each for first in of_run.values() for each in first.is_judged))
        results.append(sum(len(first.documents) for first in of_run.values()))
        for topic, first in of_run.items():
            for document, rank, is_judged in zip(*first, strict=True):
                if not is_judged:
                    key = topic, document
                    worth[key] += PERSISTENCE ** (rank - 1)
                    runs[key] += 1
                    best[key] = min(rank, best.get(key, rank))
    order = sorted(worth, key=lambda key: (-worth[key], key))
    proposed = [ProposedJudgment(measured.topics[key[0]], key[1], runs[key], best[key], worth[key]) for key in order]
    said = f"{share(sum(unjudged), sum(results), 'document')} in the first {count_noun(top, 'result')} of a topic"
    if sum(unjudged) and len(measured.runs) > 1:
        shares = sorted(number / of for number, of in zip(unjudged, results, strict=True) if of)
        several = sum(number > len(measured.runs) / 2 for number in runs.values())
        said += f", {100 * shares[0]:.3g} to {100 * shares[-1]:.3g}% per run"
        said += f"; {count_noun(several, 'document')} in most runs"
    names = [f"{each.topic}/{each.document}" for each in proposed]
    verdict = LOOK if names else OK
    return proposed, Finding(CHECKS_OF_RUNS[3], verdict, said, sum(unjudged), sum(results), names[:PROPOSED])


def of_order(measured: AuditedRuns) -> Iterator[Finding]:
    """Yield findings on how much the order of the runs depends on single topics, and on ties."""
    by_topics, by_ties = CHECKS_OF_RUNS[4:6]
    if len(measured.runs) < 2:
        yield from (Finding(check, UNCHECKED, ONE_RUN) for check in (by_topics, by_ties))
        return
    yield without_single_topics(by_topics, measured)
    order = np.sign(np.round(np.subtract.outer(measured.means, measured.means), 12))
    if not measured.with_ties:
        yield Finding(by_ties, OK, "there are no ties that could change a value", 0, len(WAYS))
        return
    sign = -1 if measured.measure.less_is_better else 1
    ways = {ties: sign * values for ties, values in measured.with_ties.items()}
    apart = max(float(np.abs(values - measured.means).max()) for values in ways.values())
    swapped = [ties for ties, values in ways.items() if swaps(order, values)]
    said_ways, said_swapped = (" or ".join(map(TIES_BROKEN.__getitem__, some)) for some in (ways, swapped))
    if apart <= SAME:
        yield Finding(by_ties, OK, f"no value changes if ties are broken {said_ways}", 0, len(ways))
        return
    said = f"values change by up to {apart:.4f} if ties are broken {said_ways}"
    said += f"; the order of runs {f'changes if they are broken {said_swapped}' if swapped else 'stays the same'}"
    yield Finding(by_ties, LOOK if swapped else OK, said, len(swapped), len(ways), swapped)


def swaps(order: Floats, values: Floats) -> int:
    """Return how many pairs of runs are in the opposite order by other values."""
    other = np.sign(np.round(np.subtract.outer(values, values), 12))
    return int((order * other < 0).sum()) // 2


def without_single_topics(check: str, measured: AuditedRuns) -> Finding:
    """Find the topics without which two runs swap places."""
    values = measured.values * (-1 if measured.measure.less_is_better else 1)
    order = np.sign(np.round(np.subtract.outer(measured.means, measured.means), 12))
    leader = int(np.argmax(measured.means))
    changed: dict[str, int] = {}
    other_leader = []
    known = ~np.isnan(values)
    values = np.where(known, values, 0)
    left = (values.sum(axis=1)[:, None] - values) / np.maximum(known.sum(axis=1)[:, None] - known, 1)
    for topic, rest in zip(measured.topics, left.T, strict=True):
        if pairs := swaps(order, rest):
            changed[topic] = pairs
        if rest.max() > rest[leader] + SAME:
            other_leader.append(topic)
    names = sorted(changed, key=lambda topic: -changed[topic])
    more = "without it two runs swap places"
    if other_leader:
        more = f"{more}; without {list_names(other_leader, FEW)} the best run is no longer {measured.runs[leader]}"
    return finding(check, names, len(measured.topics), "topic", more)


def smallest_difference(measured: AuditedRuns) -> Finding:
    """Return the smallest difference that a test can detect with these topics and runs."""
    check = CHECKS_OF_RUNS[6]
    if len(measured.runs) < 2:
        return Finding(check, UNCHECKED, ONE_RUN)
    least, smaller, number = [], 0, 0
    for first, second in combinations(range(len(measured.runs)), 2):
        apart = measured.values[first] - measured.values[second]
        apart = apart[~np.isnan(apart)]
        if len(apart) < 2 or not (sd := float(apart.std(ddof=1))):
            continue
        number = max(number, len(apart))
        least.append(unit_difference(len(apart)) * sd)
        smaller += abs(float(apart.mean())) < least[-1]
    if not least:
        return Finding(check, UNCHECKED, "the differences between runs do not vary over topics")
    middle = float(np.median(least))
    span = f", {min(least):.4f} to {max(least):.4f}" if len(least) > 1 else ""
    said = (
        f"{middle:.4f} in {measured.measure} with {POWER:.0%} power over {count_noun(number, 'topic')} (paired t-test "
        f"at {ALPHA:g}, median of {count_noun(len(least), 'pair')}{span}); {smaller:,} of the observed differences "
        f"{'is' if smaller == 1 else 'are'} smaller"
    )
    return Finding(check, LOOK if smaller else OK, said, middle, number)


@cache
def unit_difference(topics: int) -> float:
    """Return the smallest detectable difference for this many topics, in standard deviations."""
    return least_difference(topics, 1.0, ALPHA, POWER)
