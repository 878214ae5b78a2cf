"""trec_eval's measures: which of our measures each one is, its parameters, and how it is printed and averaged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from getopt import GetoptError, gnu_getopt
from itertools import groupby
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay import __version__
from assay.compat import trec_files as own
from assay.compat.trec_files import Refused, Settings, atof, atol, average_over_groups, decoded_for_message, latin
from assay.measures.counts import NumNonRelJudgedRet, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.graded import G, binG, nDCG, nDCGrel
from assay.measures.pooled import bpref, infAP
from assay.measures.ranked import AP, RR, YAAP, Rprec
from assay.measures.sets import P, R, RelativeP, SetAP, SetP, SetR, Success
from assay.ranking.documents import Values
from assay.tables.ids import Bools, Floats, Ints

# trec_eval's preferences: a group of judgments prefers one document to another, and a run fulfils that if it ranks the
# preferred document first.
#
# The judged documents of a topic are numbered by place: first the retrieved ones by rank, then the others. There are
# three kinds of preferences: both documents were retrieved; only one was, which counts as if the run preferred it;
# neither was.
#
#     scope      counts preferences of which        a preference is fulfilled if
#     RETRIEVED  both documents were retrieved      the preferred document is first
#     IMPLIED    at least one was                   ... or is the only one retrieved
#     ALL        all of them                        the same; if neither was retrieved it is not

Scope: TypeAlias = Literal["retrieved", "implied", "all"]
RETRIEVED: Scope = "retrieved"
IMPLIED: Scope = "implied"
ALL: Scope = "all"


class Preferred(NamedTuple):
    """A line of preferences: within a subgroup of a group, a document of a higher level is preferred."""

    group: str
    subgroup: str
    document: str
    level: float


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceGroup:
    """The preferences of a group of judgments. Its documents have places and levels.

    The first `retrieved` places are those of retrieved documents. `better[i, j]` counts how often the document at place
    i is preferred to the one at place j.
    """

    place: Ints
    level: Floats
    better: Ints
    retrieved: int

    def relevant(self, scope: Scope) -> int:
        """Return the number of documents with a level above 0."""
        return int(np.count_nonzero((self.level > 0) & self._within(scope)))

    def others(self, scope: Scope) -> int:
        """Return the number of documents with a level of 0 or below."""
        return int(np.count_nonzero((self.level <= 0) & self._within(scope)))

    def _within(self, scope: Scope) -> Bools:
        return self.place < (self.retrieved if scope == RETRIEVED else len(self.better))

    def fulfilled(self, scope: Scope) -> tuple[int, int]:
        """Return how many preferences are fulfilled, and how many there are."""
        return count_fulfilled(self.better, self.retrieved, scope)

    def balanced(self, scope: Scope) -> tuple[int, int]:
        """Return the same counts with as many nonrelevant documents as there are relevant ones, R.

        If there are fewer nonrelevant documents, N, each relevant document is also preferred to R - N more of them, and
        these preferences are fulfilled if it was retrieved. If there are more, only the first R count.
        """
        relevant, others = self.relevant(scope), self.others(scope)
        if others > relevant:
            return self.with_few_others(scope)
        done, possible = self.fulfilled(scope)
        added = relevant - others
        return done + self.relevant(RETRIEVED) * added, possible + self.relevant(ALL) * added

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """Return how many preferences are fulfilled and how many there are, with the first R nonrelevant documents."""
        raise NotImplementedError


class CompleteGroup(PreferenceGroup):
    """A group with one subgroup: of any two documents with different levels, one is preferred."""

    @classmethod
    def of(cls, lines: list[Preferred], places: dict[str, int], retrieved: int) -> CompleteGroup:
        """Make the group of some lines; a document on several lines counts as often."""
        level = np.array([line.level for line in lines])
        place = np.array([places[line.document] for line in lines], np.int64)
        order = np.lexsort((place, -level))
        level, place = level[order], place[order]
        if (torn := two_levels(place, level)) is not None:
            name = next(document for document, at in places.items() if at == torn)
            raise Refused(4, f"document {decoded_for_message(name)} has two levels in a subgroup")
        better = np.zeros((len(places), len(places)), np.int64)
        higher, lower = np.nonzero(level[:, None] > level)
        np.add.at(better, (place[higher], place[lower]), 1)
        return cls(place, level, better, retrieved)

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """Count as the original does: compare each of the first R with all documents, even its own level and itself.

        The original looks for them in the lowest level. If levels below 0, which the format does not have, leave fewer
        than R there, it reads beyond the end of its array; Assay counts only those that exist.
        """
        last = self.level == self.level.min()
        few = np.flatnonzero(last)[: self.relevant(scope)]
        compared = (self.level[:, None] > self.level) & ~last
        compared[:, few] = True
        within = self._within(scope)
        compared &= within[:, None] & within
        done = compared & (self.place[:, None] < self.place) & (self.place < self.retrieved)[:, None]
        return int(done.sum()), int(compared.sum())


class PartialGroup(PreferenceGroup):
    """A group with several subgroups: preferences are transitive across them."""

    @classmethod
    def of(cls, lines: list[Preferred], places: dict[str, int], retrieved: int) -> PartialGroup:
        """Make the group of some lines; raise an error if its preferences contradict one another."""
        better = np.zeros((len(places), len(places)), bool)
        levels = np.full(len(places), -1.0)
        for _, subgroup in groupby(
            sorted(lines, key=lambda line: (line.subgroup, -line.level)), lambda line: line.subgroup
        ):
            members = list(subgroup)
            place = np.array([places[line.document] for line in members])
            level = np.array([line.level for line in members])
            for line, at in zip(members, place, strict=True):
                if (levels[at] > 0 and line.level == 0) or (levels[at] == 0 and line.level > 0):
                    raise Refused(
                        4, f"document {decoded_for_message(line.document)} has level 0 and another level in a group"
                    )
                levels[at] = line.level
            higher, lower = np.nonzero(level[:, None] > level)
            better[place[higher], place[lower]] = True
        better = transitive_closure(better)
        if np.any(better & better.T):
            raise Refused(4, f"the preferences of group {decoded_for_message(lines[0].group)} contradict one another")
        place = np.flatnonzero(levels >= 0)
        return cls(place, levels[place], better.astype(np.int64), retrieved)

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """Return the counts without the nonrelevant documents beyond the first R of all."""
        kept = np.ones(len(self.better), bool)
        kept[self.place[self.level == 0][self.relevant(ALL) :]] = False
        return count_fulfilled(self.better * kept[:, None] * kept, self.retrieved, scope)


def two_levels(place: Ints, level: Floats) -> int | None:
    """Return a place that has two levels, or None."""
    order = np.lexsort((level, place))
    torn = np.flatnonzero((np.diff(place[order]) == 0) & (np.diff(level[order]) != 0))
    return int(place[order][torn[0]]) if len(torn) else None


def transitive_closure(better: Bools) -> Bools:
    """Return the preferences and all that follow from them."""
    reached = better | np.eye(len(better), dtype=bool)
    while True:
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached & ~np.eye(len(better), dtype=bool)
        reached = further


def count_fulfilled(better: Ints, retrieved: int, scope: Scope) -> tuple[int, int]:
    """Return how many preferences are fulfilled, and how many there are."""
    both = better[:retrieved, :retrieved]
    done, possible = np.triu(both).sum(), both.sum()
    if scope != RETRIEVED:
        done += better[:retrieved, retrieved:].sum()
        possible = better.sum() if scope == ALL else better.sum() - better[retrieved:, retrieved:].sum()
    return int(done), int(possible)


@dataclass(frozen=True, eq=False, repr=False)
class TopicPreferences:
    """The preferences of the groups of a topic, and how many of its judged documents were retrieved."""

    groups: list[PreferenceGroup]
    retrieved: int

    @classmethod
    def of(cls, lines: list[Preferred], ranked: Iterable[str]) -> TopicPreferences:
        """Make the preferences of a topic from its lines and the retrieved documents, best first."""
        judged = {line.document for line in lines}
        places = {
            document: place for place, document in enumerate(document for document in ranked if document in judged)
        }
        retrieved = len(places)
        places |= {document: retrieved + place for place, document in enumerate(sorted(judged - places.keys()))}
        groups: list[PreferenceGroup] = []
        for _, group in groupby(sorted(lines, key=lambda line: line.group), lambda line: line.group):
            members = list(group)
            kind = PartialGroup if len({line.subgroup for line in members}) > 1 else CompleteGroup
            groups.append(kind.of(members, places, retrieved))
        return cls(groups, retrieved)

    def fulfilled(self, scope: Scope) -> tuple[int, int]:
        """Return how many preferences are fulfilled in all groups, and how many there are."""
        counts = [group.fulfilled(scope) for group in self.groups]
        return sum(done for done, _ in counts), sum(possible for _, possible in counts)

    @cached_property
    def better(self) -> Ints:
        """How often each place is preferred to each other, over all groups."""
        return np.sum([group.better for group in self.groups], axis=0)

    def shares(self, scope: Scope) -> Floats:
        """Return for each pair of documents with preferences the share of its preferences that is fulfilled."""
        end = self.retrieved
        blocks = [
            (slice(None, end), slice(None, end)),
            (slice(None, end), slice(end, None)),
            (slice(end, None), slice(end, None)),
        ]
        shares = []
        for number, (rows, columns) in enumerate(blocks[: {RETRIEVED: 1, IMPLIED: 2, ALL: 3}[scope]]):
            right, wrong = self.better[rows, columns], self.better.T[rows, columns]
            about = (right + wrong > 0) & (np.triu(np.ones(right.shape, bool)) if number != 1 else True)
            shares.append(right[about] / (right + wrong)[about] if number < 2 else np.zeros(np.count_nonzero(about)))
        return np.concatenate(shares)


PreferenceColumn: TypeAlias = "Callable[[list[TopicPreferences]], Values]"


def topic_values(value: Callable[[TopicPreferences], float]) -> PreferenceColumn:
    """Return a function that computes a value for each topic."""
    return lambda topics: np.array([value(topic) for topic in topics], np.float64)


def number_fulfilled(scope: Scope) -> PreferenceColumn:
    """Return the number of preferences fulfilled."""
    return topic_values(lambda topic: topic.fulfilled(scope)[0])


def number_possible() -> PreferenceColumn:
    """Return the number of preferences."""
    return topic_values(lambda topic: topic.fulfilled(ALL)[1])


def simple(scope: Scope) -> PreferenceColumn:
    """Return the share of preferences that is fulfilled."""
    return topic_values(lambda topic: fulfilled_share(*topic.fulfilled(scope)))


def over_pairs(scope: Scope) -> PreferenceColumn:
    """Return the mean over pairs of documents of the share of preferences that is fulfilled."""
    return topic_values(
        lambda topic: summed_in_turn(shares) / len(shares) if len(shares := topic.shares(scope)) else 0.0
    )


def over_groups(scope: Scope) -> PreferenceColumn:
    """Return the mean over groups of the share of preferences that is fulfilled."""
    return topic_values(
        lambda topic: (
            summed_in_turn([fulfilled_share(*group.fulfilled(scope)) for group in topic.groups]) / len(topic.groups)
        )
    )


def over_balanced_groups(scope: Scope) -> PreferenceColumn:
    """Return the same for balanced groups; 0 if a group has no preferences."""

    def value(topic: TopicPreferences) -> float:
        counts = [group.balanced(scope) for group in topic.groups]
        if not all(possible for _, possible in counts):
            return 0.0
        return summed_in_turn([fulfilled_share(*count) for count in counts]) / len(counts)

    return topic_values(value)


def fulfilled_share(done: int, possible: int) -> float:
    """Return done / possible, or 0 if nothing is possible."""
    return done / possible if possible else 0.0


def summed_in_turn(values: Iterable[float]) -> float:
    """Return the sum, added in order, because another order may change the last digit."""
    return float(np.cumsum([0.0, *values])[-1])


Shown: TypeAlias = Literal["both", "topics", "summary"]
Over: TypeAlias = Literal["mean", "sum", "geometric", "number", "tag", "none"]
Takes: TypeAlias = Literal["nothing", "ranks", "levels", "numbers", "pairs"]
Needs: TypeAlias = Literal["qrels", "prefs", "qrels_jg"]


@dataclass(frozen=True)
class Entry:
    """A measure of trec_eval.

    `column` returns the function that computes it, from one parameter (ranks and levels) or from all; it is None if the
    measure needs no ranking. `needs` is the format of judgments that the measure requires.
    """

    name: str
    column: Callable[[Any, Settings], Callable[[Any], Any]] | None
    takes: Takes = "nothing"
    default: tuple[Any, ...] = ()
    over: Over = "mean"
    shown: Shown = "both"
    since: int = 9
    in_all: bool = True
    needs: Needs = "qrels"


@dataclass(frozen=True)
class OutputLine:
    """A kind of output line: the name to print, the function that computes its values, and how they are combined."""

    name: str
    column: Callable[[Any], Any] | None
    over: Over
    shown: Shown
    needs: Needs = "qrels"


RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(float(f"{tenth / 10:.1f}") for tenth in range(11))
FIFTHS = tuple(float(f"{fifth / 5:.1f}") for fifth in range(1, 11))

TABLE = (
    Entry("runid", None, over="tag", shown="summary"),
    Entry("num_q", None, over="number", shown="summary"),
    Entry("num_ret", lambda _, s: NumRet(), over="sum"),
    Entry("num_rel", lambda _, s: NumRel(rel=s.rel), over="sum"),
    Entry("num_rel_ret", lambda _, s: NumRelRet(rel=s.rel), over="sum"),
    Entry("map", lambda _, s: AP(rel=s.rel)),
    Entry("gm_map", lambda _, s: AP(rel=s.rel), over="geometric", shown="summary"),
    Entry("Rprec", lambda _, s: Rprec(rel=s.rel)),
    Entry("bpref", lambda _, s: bpref(rel=s.rel)),
    Entry("recip_rank", lambda _, s: RR(rel=s.rel)),
    Entry("iprec_at_recall", own.interpolated_at, "levels", TENTHS),
    Entry("P", lambda k, s: P(rel=s.rel, k=k), "ranks", RANKS),
    Entry("relstring", own.relevance_string, "numbers", (10.0,), over="none", shown="topics"),
    Entry("recall", lambda k, s: R(rel=s.rel, k=k), "ranks", RANKS),
    Entry("infAP", lambda _, s: infAP(rel=s.rel)),
    Entry("gm_bpref", lambda _, s: bpref(rel=s.rel), over="geometric", shown="summary"),
    Entry("Rprec_mult", own.r_precision, "levels", FIFTHS),
    Entry("utility", own.utility, "numbers", (1.0, -1.0, 0.0, 0.0)),
    Entry("11pt_avg", own.averaged_points, "numbers", TENTHS),
    Entry("binG", lambda _, s: binG(rel=s.rel)),
    Entry("G", lambda pairs, s: own.by_gain(G(), pairs, s), "pairs"),
    Entry("dcg", own.dcg, "pairs", since=10, in_all=False),
    Entry("ideal_dcg", own.ideal_dcg, "pairs", since=10, in_all=False),
    Entry("ndcg", own.ndcg, "pairs"),
    Entry("ndcg_rel", lambda pairs, s: own.by_gain(nDCGrel(), pairs, s), "pairs"),
    Entry("Rndcg", own.r_ndcg, "pairs"),
    Entry("ndcg_cut", lambda k, s: nDCG(k=k), "ranks", RANKS),
    Entry("map_cut", lambda k, s: AP(rel=s.rel, k=k), "ranks", RANKS),
    Entry("relative_P", lambda k, s: RelativeP(rel=s.rel, k=k), "ranks", RANKS),
    Entry("success", lambda k, s: Success(rel=s.rel, k=k), "ranks", (1, 5, 10)),
    Entry("set_P", lambda _, s: SetP(rel=s.rel)),
    Entry("set_relative_P", lambda _, s: RelativeP(rel=s.rel)),
    Entry("set_recall", lambda _, s: SetR(rel=s.rel)),
    Entry("set_map", lambda _, s: SetAP(rel=s.rel)),
    Entry("set_F", own.set_f, "numbers", (1.0,)),
    Entry("num_nonrel_judged_ret", lambda _, s: NumNonRelJudgedRet(rel=s.rel), over="sum"),
    Entry("prefs_num_prefs_poss", lambda _, s: number_possible(), over="sum", needs="prefs"),
    Entry("prefs_num_prefs_ful", lambda _, s: number_fulfilled(ALL), over="sum", needs="prefs"),
    Entry("prefs_num_prefs_ful_ret", lambda _, s: number_fulfilled(RETRIEVED), over="sum", needs="prefs"),
    Entry("prefs_simp", lambda _, s: simple(ALL), needs="prefs"),
    Entry("prefs_pair", lambda _, s: over_pairs(ALL), needs="prefs"),
    Entry("prefs_avgjg", lambda _, s: over_groups(ALL), needs="prefs"),
    Entry("prefs_avgjg_Rnonrel", lambda _, s: over_balanced_groups(ALL), needs="prefs"),
    Entry("prefs_simp_ret", lambda _, s: simple(RETRIEVED), needs="prefs"),
    Entry("prefs_pair_ret", lambda _, s: over_pairs(RETRIEVED), needs="prefs"),
    Entry("prefs_avgjg_ret", lambda _, s: over_groups(RETRIEVED), needs="prefs"),
    Entry("prefs_avgjg_Rnonrel_ret", lambda _, s: over_balanced_groups(RETRIEVED), needs="prefs"),
    Entry("prefs_simp_imp", lambda _, s: simple(IMPLIED), needs="prefs"),
    Entry("prefs_pair_imp", lambda _, s: over_pairs(IMPLIED), needs="prefs"),
    Entry("prefs_avgjg_imp", lambda _, s: over_groups(IMPLIED), needs="prefs"),
    Entry("map_avgjg", lambda _, s: average_over_groups(AP(rel=s.rel)), needs="qrels_jg"),
    Entry("P_avgjg", lambda k, s: average_over_groups(P(rel=s.rel, k=k)), "ranks", RANKS, needs="qrels_jg"),
    Entry(
        "Rprec_mult_avgjg", lambda x, s: average_over_groups(own.r_precision(x, s)), "levels", FIFTHS, needs="qrels_jg"
    ),
    Entry("yaap", lambda _, s: YAAP(rel=s.rel), in_all=False),
    Entry("rbp", own.rbp, "pairs", since=10),
    Entry("rbp_resid", own.rbp_residual, "pairs", since=10),
    Entry("unj", lambda k, s: Unjudged(k=k), "ranks", (5, 10, 20), since=10),
)
OFFICIAL = [entry.name for entry in TABLE[:12]]
SET = [*OFFICIAL[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"]
ALL_PREFS = [*OFFICIAL[:2], *(entry.name for entry in TABLE if entry.needs == "prefs")]
QRELS_JG = [*OFFICIAL[:2], *(entry.name for entry in TABLE if entry.needs == "qrels_jg")]
NICKNAMES = {"official": OFFICIAL, "set": SET, "prefs": ALL_PREFS[:8], "all_prefs": ALL_PREFS, "qrels_jg": QRELS_JG}


def measures_named(name: str, version: int) -> list[str]:
    """Return the measures that a name or a nickname means."""
    known = [entry for entry in TABLE if entry.since <= version]
    nicknames = NICKNAMES | {"all_trec": [entry.name for entry in known if entry.in_all and entry.needs == "qrels"]}
    if name in nicknames:
        return nicknames[name]
    names = [entry.name for entry in known]
    if name in names:
        return [name]
    # as trec_eval prints it: ndcg_cut_10
    stem, _, cut = name.rpartition("_")
    hint = f"; write {stem}.{cut}" if stem in names and cut.isdigit() else ""
    raise Refused(1, f"illegal measure {name!r}{hint}")


def output_lines(chosen: Iterable[str], parameters: dict[str, str], settings: Settings) -> list[OutputLine]:
    """Return the lines of some measures in table order; parameters are as typed, `5,10` or `1=3,2=9`."""
    entries = [entry for entry in TABLE if entry.name in chosen]
    return [line for entry in entries for line in _lines(entry, parameters.get(entry.name), settings)]


def _lines(entry: Entry, typed: str | None, settings: Settings) -> list[OutputLine]:
    given = entry.default if typed is None else parsed_parameters(entry, typed)
    if entry.takes in ("ranks", "levels"):
        form = "{}_{}" if entry.takes == "ranks" else "{}_{:3.2f}"
        each = [(form.format(entry.name, value), value) for value in given]
    else:
        suffix = "" if typed is None or entry.takes == "nothing" else f"_{typed}"
        each = [(entry.name + suffix, given)]
    make = entry.column
    return [
        OutputLine(name, make and make(value, settings), entry.over, entry.shown, entry.needs) for name, value in each
    ]


def parsed_parameters(entry: Entry, typed: str) -> tuple[Any, ...]:
    """Parse the parameters of a measure; ignore them if the measure takes none."""
    parts = typed.split(",")
    if entry.takes == "nothing":
        return ()
    if entry.takes == "pairs":
        if any(part.count("=") != 1 for part in parts):
            raise Refused(2, f"{entry.name}.{typed}: expected pairs, for example 1=3,2=9")
        return tuple((name, _number(value, entry)) for name, _, value in (part.partition("=") for part in parts))
    if entry.takes == "numbers":
        return tuple(_number(part, entry) for part in parts)
    cuts = sorted(_number(part, entry) if entry.takes == "levels" else _rank(part, entry) for part in parts)
    if len(set(cuts)) < len(cuts):
        raise Refused(2, f"{entry.name}.{typed}: a cut-off is given twice")
    return tuple(cuts)


def _number(text: str, entry: Entry) -> float:
    number = atof(text.encode("latin-1"))
    if not isfinite(number):
        raise Refused(2, f"{entry.name}: {text} is not a parameter; expected a number")
    return number


def _rank(text: str, entry: Entry) -> int:
    rank = atol(text.encode("latin-1"))
    if rank <= 0:
        raise Refused(2, f"{entry.name}: {text} is not a cut-off; expected a rank, 1 or more")
    return rank


# trec_eval's command line: the short and long options of the original, and a help text in our words.

VERSIONS = {9: "9.0.8", 10: "10.0-rc3"}
SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
    "like=": "--like",
}
FORMATS = ("qrels", "prefs", "qrels_prefs", "qrels_jg")
USAGE = (
    "usage: trec_eval [-q] [-c] [-n] [-J] [-l N] [-M N] [-N N] [-m MEASURE]... [-R FORMAT] [-Z FILE] [--like 9|10] "
    "QRELS RUN\n"
)
HELP = f"""{USAGE}
Measures a run and prints what NIST's trec_eval {VERSIONS[9]} prints, or {VERSIONS[10]} with --like 10.

  -q             every topic first, then the summary
  -c             average over all judged topics; those missing from the run count as failures
  -n             no summary
  -m MEASURE     a measure, measure.parameters or a nickname; repeatable; default: official
  -l N           lowest grade that counts as relevant (1)
  -M N           only the first N results of a topic count
  -J             leave unjudged results out before anything is measured
  -N N           number of documents in the collection, for utility
  --like 9|10    the version whose output and rules are followed (9)
  -R FORMAT      the format of QRELS: qrels, prefs, qrels_prefs or qrels_jg
  -T FORMAT      the format of RUN: trec_results
  -Z FILE        print how many standard deviations each value is from the mean in FILE
  -D LEVEL, -o   accepted and ignored
  -v, -h         the version, this text; with -m also the names that are printed for the measure

QRELS has lines `topic 0 document grade`, RUN has lines `topic Q0 document rank score tag`. Results are ranked by
score, equal scores by document id, the greater first; the rank column is ignored. Files may be compressed;
- is standard input. Nicknames: official, set, all_trec.

Preferences: with -R prefs QRELS has lines `topic group subgroup document level`: within a subgroup a higher level is
preferred. -R qrels_prefs takes `topic group document level`, each group its own only subgroup. Measures: prefs,
all_prefs.
Several assessors: with -R qrels_jg QRELS has lines `topic group document grade`. Measures: qrels_jg, the mean over
groups.
Z-scores: FILE has lines `topic measure mean deviation`; values missing from it are printed as -1000000.

Exit status: 0 done, 1 usage or measure, 2 file or parameter, 4 a topic cannot be evaluated, 7 no topic in common, 255 a
file of z-scores that cannot be read.
"""


class TextAsked(Exception):
    """The command line asks for a text instead of an evaluation."""

    def __init__(self, status: int, out: str = "", err: str = ""):
        super().__init__(out or err)
        self.status, self.out, self.err = status, out, err


@dataclass
class TrecOptions:
    """The options of the command line."""

    judgments: str = ""
    run: str = ""
    format: str = "qrels"
    z_scores: str | None = None
    version: int = 9
    per_topic: bool = False
    complete: bool = False
    summary: bool = True
    judged_only: bool = False
    rel: int = 1
    depth: int | None = None
    collection: int = 0
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[OutputLine]:
        """Return the lines to print."""
        chosen = self.measures or set(measures_named("official", self.version))
        return output_lines(chosen, self.parameters, Settings(self.version, self.rel, self.collection))


def parse_trec_options(arguments: list[str]) -> TrecOptions:
    """Parse a command line; raise TextAsked if it asks for help, and Refused if it makes no sense."""
    try:
        typed, files = gnu_getopt(arguments, SHORT, list(LONG))
    except GetoptError as error:
        raise TextAsked(1, err=f"trec_eval: {error}\n{USAGE}") from None
    given = [(_short(name), value) for name, value in typed]
    options = TrecOptions(version=_version([value for name, value in given if name == "--like"]))
    names = [name for name, _ in given]
    if "-v" in names:
        raise TextAsked(0, err=f"trec_eval version {VERSIONS[options.version]} (Assay {__version__})\n")
    for name, value in given:
        _set_trec(options, name, value)
    if "-h" in names:
        raise TextAsked(0, out=HELP + _printed_names(options))
    if len(files) != 2:
        raise TextAsked(1, err=f"trec_eval: expected 2 files, QRELS and RUN; found {len(files)}\n{USAGE}")
    options.judgments, options.run = files
    return options


def _short(name: str) -> str:
    return LONG.get(name[2:]) or LONG.get(f"{name[2:]}=") or name


def _version(asked: list[str]) -> int:
    version = asked[-1] if asked else "9"
    if version not in map(str, VERSIONS):
        raise TextAsked(1, err=f"trec_eval: unknown --like {version}; expected 9 or 10\n{USAGE}")
    return int(version)


def _set_trec(options: TrecOptions, name: str, value: str) -> None:
    match name:
        case "-q":
            options.per_topic = True
        case "-c":
            options.complete = True
        case "-n":
            options.summary = False
        case "-J":
            options.judged_only = True
        case "-l":
            options.rel = _not_negative(name, value)
        case "-M":
            options.depth = _not_negative(name, value)
        case "-N":
            options.collection = atol(os.fsencode(value))
        case "-m":
            _add_measure(options, latin(os.fsencode(value)))
        case "-R":
            options.format = _format(name, value, *FORMATS)
        case "-T":
            _format(name, value, "trec_results")
        case "-Z":
            options.z_scores = value


def _not_negative(name: str, value: str) -> int:
    number = atol(os.fsencode(value))
    if number < 0:
        raise Refused(1, f"{name} {value} is not supported; expected 0 or more")
    return number


def _add_measure(options: TrecOptions, typed: str) -> None:
    name, dot, parameters = typed.partition(".")
    if dot and not parameters:
        raise Refused(1, f"illegal measure {typed!r}: nothing follows the dot")
    options.measures.update(measures_named(name, options.version))
    if dot:
        options.parameters.setdefault(name, parameters)


def _format(name: str, value: str, *known: str) -> str:
    if value not in known:
        raise Refused(2, f"{name} {value} is not a format; expected {' or '.join(known)}")
    return value


def _printed_names(options: TrecOptions) -> str:
    if not options.measures:
        return ""
    return "\nPrinted for the measures asked for: " + " ".join(line.name for line in options.lines()) + "\n"
