"""Pools: a recipe chooses which documents of runs people judge; the pool keeps the probability of each.

    depth       the first k documents of each run
    budget      round robin over the runs until there are N documents, as INEX did
    fusion      the first N by RRF Σ 1/(60 + rank), CombMNZ, or RBP Σ (1 − p) p^(rank − 1)
    strata      ranks in strata, each with a rate; a document is in the stratum of its best rank
    mtf, mm-ns  the documents of a depth, in an order that depends on the judgments so far (people.py)
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from assay.errors import UsageError, count_noun
from assay.ranking.order import order_of
from assay.showing.layout import render
from assay.tables.ids import Ints
from assay.tables.run import Run, SpanRun
from assay.vocabulary import LIVE_ORDERS, POOL_FUSIONS

# The constant of RRF, and the persistence p of RBP.
RRF_K, RBP_P = 60, 0.8


class PooledPart(NamedTuple):
    """A result: its rank, and its part of the document; start and end are None for the whole document."""

    rank: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class TopicList:
    """What a run returned for a topic: its documents, best first and each once, their scores, and the parts of each."""

    documents: list[str]
    scores: list[float]
    parts: dict[str, list[PooledPart]]


Lists = Mapping[str, TopicList]


def topic_lists(run: Run) -> dict[str, TopicList]:
    """Return what a run returned for each topic; ties are broken by document id, as everywhere."""
    topics = run.topic.texts()
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys(topics))}
    code = np.array([numbers[topic] for topic in topics], np.int64)
    origin: Ints = order_of(run, code, "docno").results(np.zeros(len(run), np.uint64)).origin
    names, scores = run.document.texts(), run.score.tolist()
    starts, ends = (run.start.tolist(), run.end.tolist()) if isinstance(run, SpanRun) else (None, None)
    lists: dict[str, TopicList] = {topic: TopicList([], [], {}) for topic in numbers}
    ranks = dict.fromkeys(numbers, 0)
    for row in origin.tolist():
        topic, name = topics[row], names[row]
        ranks[topic] += 1
        listing = lists[topic]
        if name not in listing.parts:
            listing.documents.append(name)
            listing.scores.append(scores[row])
        place = () if starts is None or ends is None else (starts[row], ends[row])
        part = PooledPart(ranks[topic], *place)
        listing.parts.setdefault(name, []).append(part)
    return lists


# The recipes: they turn the lists of the runs for a topic into documents, in order.


def by_depth(lists: Lists, depth: int) -> list[str]:
    """Return the first `depth` documents of each run, by their best rank."""
    return round_robin([each.documents[:depth] for each in lists.values()])


def round_robin(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Return all documents, taken in turn from each ranking, each once."""
    deepest = max(map(len, rankings), default=0)
    return list(dict.fromkeys(one[rank] for rank in range(deepest) for one in rankings if rank < len(one)))


def by_fusion(lists: Lists, size: int, method: str) -> list[str]:
    """Return the first `size` documents of a fusion of the runs; ties are in the order of names."""
    fused: dict[str, float] = {}
    times: dict[str, int] = {}
    for listing in lists.values():
        for document, value in zip(listing.documents, fused_values(listing, method), strict=True):
            fused[document] = fused.get(document, 0.0) + value
            times[document] = times.get(document, 0) + 1
    if method == "combmnz":
        fused = {document: value * times[document] for document, value in fused.items()}
    return sorted(fused, key=lambda document: (-fused[document], document))[:size]


def fused_values(listing: TopicList, method: str) -> list[float]:
    """Return what each document of a run adds to a fusion."""
    ranks = range(1, len(listing.documents) + 1)
    if method == "rrf":
        return [1 / (RRF_K + rank) for rank in ranks]
    if method == "rbp":
        return [(1 - RBP_P) * RBP_P ** (rank - 1) for rank in ranks]
    # CombMNZ adds scores between 0 and 1
    low, high = min(listing.scores), max(listing.scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in listing.scores]


class PoolStratum(NamedTuple):
    """Ranks from `first` to `last`, and the share of their documents that is judged."""

    first: int
    last: int
    rate: float

    @property
    def name(self) -> str:
        """The ranks, as text."""
        return f"{self.first}-{self.last}"


def strata_of(text: str) -> list[PoolStratum]:
    """Return the strata that a text such as `1-10:1,11-50:0.2` names."""
    strata: list[PoolStratum] = []
    for each in text.split(","):
        ranks, _, rate = each.partition(":")
        first, _, last = ranks.partition("-")
        try:
            stratum = PoolStratum(int(first), int(last or first), float(rate))
        except ValueError:
            raise UsageError(f"{each!r} is not a stratum; expected ranks and a rate, for example 11-50:0.2") from None
        before = strata[-1].last if strata else 0
        if stratum.first != before + 1 or stratum.last < stratum.first or not 0 < stratum.rate <= 1:
            what = f"the ranks of each stratum begin where the last one ended ({before}), and rates are above 0 up to 1"
            raise UsageError(f"cannot use the stratum {each!r}: {what}")
        strata.append(stratum)
    return strata


class PooledDocument(NamedTuple):
    """A document of a pool: the number of its stratum from 1, its probability, and whether it was drawn."""

    document: str
    stratum: int
    chance: float
    drawn: bool


def by_strata(lists: Lists, strata: Sequence[PoolStratum], chance: random.Random) -> list[PooledDocument]:
    """Draw from each stratum; a document is in the stratum of its best rank in any run."""
    best: dict[str, int] = {}
    for listing in lists.values():
        for rank, document in enumerate(listing.documents, 1):
            best[document] = min(rank, best.get(document, rank))
    sampled = []
    for number, stratum in enumerate(strata, 1):
        inside = sorted(document for document, rank in best.items() if stratum.first <= rank <= stratum.last)
        # draw at least one, because nothing could be estimated from none
        count = min(len(inside), max(1, round(stratum.rate * len(inside))))
        drawn = set(chance.sample(inside, count))
        sampled += [PooledDocument(each, number, count / len(inside), each in drawn) for each in inside]
    return sampled


@dataclass(frozen=True)
class Recipe:
    """How a pool is made. One of depth, budget, size (with fusion) and strata is given; `live` needs depth."""

    depth: int | None = None
    budget: int | None = None
    fusion: str | None = None
    size: int | None = None
    strata: tuple[PoolStratum, ...] = ()
    live: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        given = [self.depth is not None, self.budget is not None, self.fusion is not None, bool(self.strata)]
        if sum(given) != 1:
            raise UsageError("choose one recipe: pass depth=, budget=, fusion= with size=, or strata=")
        for name in ("depth", "budget", "size"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise UsageError(f"{name} is {value}; expected 1 or more")
        if (self.fusion is None) != (self.size is None):
            raise UsageError("fusion= and size= belong together: pass both")
        if self.fusion is not None and self.fusion not in POOL_FUSIONS:
            raise UsageError(f"unknown fusion {self.fusion!r}; choose from {', '.join(POOL_FUSIONS)}")
        if self.live is not None and self.live not in LIVE_ORDERS:
            raise UsageError(f"unknown live order {self.live!r}; choose from {', '.join(LIVE_ORDERS)}")
        if self.live is not None and self.depth is None:
            raise UsageError("a live order requires a depth; pass depth=")

    def record(self) -> dict[str, Any]:
        """Return the recipe as a dict for JSON."""
        told = {"depth": self.depth, "budget": self.budget, "fusion": self.fusion, "size": self.size, "live": self.live}
        strata = {"strata": [list(each) for each in self.strata]} if self.strata else {}
        return {name: value for name, value in told.items() if value is not None} | strata

    def __str__(self) -> str:
        if self.strata:
            return "strata " + ", ".join(f"{each.name} at {each.rate:g}" for each in self.strata)
        kind = (
            f"depth {self.depth}" if self.depth else f"budget {self.budget}, round robin" if self.budget
            else f"the first {self.size} by {self.fusion}"
        )  # fmt: skip
        return f"{kind}, judged in the order of {self.live}" if self.live else kind


def pool_of_topic(recipe: Recipe, topic: str, lists: Lists) -> list[PooledDocument]:
    """Return the pool of a topic, in the order of judging; with strata, undrawn documents follow at the end."""
    # a topic has its own seed, so that its pool does not depend on the others
    chance = random.Random(f"{recipe.seed} {topic}")
    if recipe.strata:
        sampled = by_strata(lists, recipe.strata, chance)
        drawn = [each for each in sampled if each.drawn]
        chance.shuffle(drawn)
        return [*drawn, *(each for each in sampled if not each.drawn)]
    if recipe.fusion is not None and recipe.size is not None:
        names = by_fusion(lists, recipe.size, recipe.fusion)
    elif recipe.budget is not None:
        names = round_robin([each.documents for each in lists.values()])[:recipe.budget]
    else:
        names = by_depth(lists, recipe.depth or 0)
    # fusions and live recipes have an order; others are judged in random order
    if recipe.fusion is None and recipe.live is None:
        chance.shuffle(names)
    return [PooledDocument(name, 1, 1.0, True) for name in names]


@dataclass(frozen=True, repr=False)
class JudgingPool:
    """The pool of each topic, its recipe, and the results and fingerprints of the runs."""

    recipe: Recipe | None
    topics: dict[str, list[PooledDocument]]
    lists: dict[str, dict[str, TopicList]]
    fingerprints: dict[str, str]
    notes: list[str] = field(default_factory=list)

    def rows(self) -> list[list[Any]]:
        """Return a row for each topic: documents to judge, documents in the pool, and how many runs have the topic."""
        return [
            [topic, sum(each.drawn for each in sampled), len(sampled), sum(topic in one for one in self.lists.values())]
            for topic, sampled in self.topics.items()
        ]

    def show(self, layout: str = "text") -> str:
        """Return the size of the pool of each topic as text, tsv, csv, json, md, latex or html."""
        header = ["topic", "to judge", "in the pool", "runs"]
        if layout == "json":
            import json

            return json.dumps([dict(zip(header, row, strict=True)) for row in self.rows()], indent=1)
        judged = sum(row[1] for row in self.rows())
        sizes = f"{count_noun(judged, 'document')} to judge for {count_noun(len(self.topics), 'topic')}"
        caption = f"{sizes}; recipe: {self.recipe or 'none, from judgments'}"
        return render(layout, header, self.rows(), 1, 0, caption)

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.notes])


def make_pool(runs: Mapping[str, Run], recipe: Recipe | None, topics: Iterable[str] | None = None) -> JudgingPool:
    """Make the pool of each topic, in the order of the given topics, or else of the runs."""
    if recipe is None:
        return JudgingPool(None, {}, {}, {})
    lists = {name: topic_lists(run) for name, run in runs.items()}
    found = list(dict.fromkeys(topic for each in lists.values() for topic in each))
    wanted = found if topics is None else list(topics)
    notes = []
    if lacking := [topic for topic in wanted if topic not in set(found)]:
        notes.append(f"no run has results for {count_noun(len(lacking), 'topic')}: {', '.join(lacking[:5])}")
    if beyond := [topic for topic in found if topic not in set(wanted)]:
        missing = f"{count_noun(len(beyond), 'topic')} not in the file of topics"
        notes.append(f"left out {missing}: {', '.join(beyond[:5])}")
    pools = {
        topic: pool_of_topic(recipe, topic, {name: each[topic] for name, each in lists.items() if topic in each})
        for topic in wanted
        if topic in set(found)
    }
    return JudgingPool(recipe, pools, lists, {name: fingerprint(each) for name, each in lists.items()}, notes)


def fingerprint(lists: Mapping[str, TopicList]) -> str:
    """Return a hash of a run: its documents in their order, topic by topic."""
    digest = blake2b(digest_size=16)
    for topic in sorted(lists):
        digest.update("\t".join([topic, *lists[topic].documents]).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
