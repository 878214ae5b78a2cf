"""trec_eval's measures by their names there: which of ours each is, with which parameters, how it is printed and averaged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from assay.compat.trec_files import atof, atol
from assay.errors import AssayError
from assay.measures.counts import NumNonRelJudgedRet, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.graded import DCG, RBP, G, RBPresidual, RnDCG, binG, gains, nDCG, nDCGrel
from assay.measures.ranked import AP, COUNTS, RR, YAAP, IPrec, Rprec, bpref, infAP
from assay.measures.sets import P, R, RelativeP, SetAP, SetF, SetP, SetR, Success, Utility
from assay.ranking import Ranking, Values

Column: TypeAlias = "Callable[[Ranking], Values]"
Pairs: TypeAlias = "tuple[tuple[str, float], ...]"
Shown: TypeAlias = Literal["both", "topics", "summary"]
Over: TypeAlias = Literal["mean", "sum", "geometric", "number", "tag", "none"]
Takes: TypeAlias = Literal["nothing", "ranks", "levels", "numbers", "pairs"]


class Refused(AssayError):
    """What trec_eval stops at, with its exit status."""

    def __init__(self, status: int, what: str):
        super().__init__(what)
        self.status = status


@dataclass(frozen=True)
class Settings:
    """What the command line says about all measures: the version to be like, -l and -N."""

    version: int = 9
    rel: int = 1
    collection: int = 0

    @property
    def count(self) -> str:
        """How many relevant documents a recall level asks for."""
        return f"trec{self.version}"


@dataclass(frozen=True)
class Entry:
    """A measure of trec_eval. `column` makes what computes it from one parameter, or all of them, and the settings."""

    name: str
    column: Callable[[Any, Settings], Column]
    takes: Takes = "nothing"
    default: tuple[Any, ...] = ()
    over: Over = "mean"
    shown: Shown = "both"
    since: int = 9
    in_all: bool = True


@dataclass(frozen=True)
class Line:
    """A line of the output, or one for each topic: the name printed, the values, and how they are combined."""

    name: str
    column: Column
    over: Over
    shown: Shown


# What is computed a little differently from ours


def interpolated(level: float, settings: Settings) -> Column:
    """Precision at a recall level: not a number where nothing was retrieved and none was asked for; levels beyond 0 and 1 work."""
    measure = IPrec(min(max(level, 0.0), 1.0), settings.rel, settings.count)

    def column(ranking: Ranking) -> Values:
        base = ranking.recall_base(settings.rel)
        needed = COUNTS[settings.count](level, base)
        values = np.where(needed > base, 0.0, measure(ranking))
        return np.where((needed <= 0) & (ranking.retrieved == 0), np.nan, values)

    return column


def averaged_points(levels: tuple[float, ...], settings: Settings) -> Column:
    """The mean over recall levels, which are passed from the last to the first and taken to ascend.

    A level above one that was passed is never met again; it and all before it get the highest precision of all.
    """

    def column(ranking: Ranking) -> Values:
        base, found = ranking.recall_base(settings.rel), NumRelRet(settings.rel)(ranking)
        highest = interpolated(0.0, settings)(ranking)
        bound = np.full(len(ranking), np.iinfo(np.int64).max)
        beyond, lost, total = bound > 0, bound < 0, np.zeros(len(ranking))
        for level in reversed(levels):
            needed = COUNTS[settings.count](level, base)
            beyond = beyond & (needed > found)
            lost = lost | (~beyond & (needed > bound))
            bound = np.where(beyond, bound, needed)
            total = total + np.where(beyond, 0.0, np.where(lost, highest, interpolated(level, settings)(ranking)))
        return total / len(levels)

    return column


def utility(coefficients: tuple[float, ...], settings: Settings) -> Column:
    """Utility, which must have four coefficients."""

    def column(ranking: Ranking) -> Values:
        if len(coefficients) != 4:
            raise Refused(4, f"utility has {len(coefficients)} coefficients; expected 4, as in utility.1,-1,0,0")
        return Utility(*coefficients, settings.collection, settings.rel)(ranking)

    return column


def relevance_string(lengths: tuple[float, ...], settings: Settings) -> Column:
    """The grades of the first results, a letter each."""
    length = max(int(lengths[0]), 0)

    def letter(grade: int) -> str:
        return ">" if grade > 9 else "." if grade < 0 else str(grade)

    def column(ranking: Ranking) -> Values:
        strings = np.empty(len(ranking), object)
        for topic, (begin, end) in enumerate(zip(ranking.starts[:-1], ranking.starts[1:], strict=True)):
            letters = ["-"] * min(length, int(ranking.retrieved[topic]))
            for rank, grade in zip(ranking.rank[begin:end].tolist(), ranking.grade[begin:end].tolist(), strict=True):
                if rank > len(letters):
                    break
                letters[rank - 1] = letter(grade)
            strings[topic] = f"'{''.join(letters)}'"
        return strings

    return column


def chosen_gains(pairs: Pairs, settings: Settings) -> tuple[tuple[int, float], ...]:
    """The gains of `level=gain` pairs: version 9 makes a number of any level, 10 passes over what is none."""
    kept = [pair for pair in pairs if settings.version == 9 or re.fullmatch(r"[+-]?\d+", pair[0])]
    chosen = tuple((atol(level.encode("latin-1")), gain) for level, gain in kept)
    if any(level < 0 for level, _ in chosen):
        raise Refused(1, "gains of levels below 0 are not supported")
    return chosen


def by_gain(measure: Column, pairs: Pairs, settings: Settings) -> Column:
    """A measure of the ranking in which each grade is replaced by its gain."""
    chosen = chosen_gains(pairs, settings)
    if any(gain < 0 for _, gain in chosen):
        raise Refused(1, "gains below 0 are supported for ndcg, dcg and ideal_dcg only")

    def column(ranking: Ranking) -> Values:
        ideal = ranking.ideal
        worth = gains(ideal, chosen)
        order = np.lexsort((-worth, ideal.each(np.arange(len(ideal)))))
        return measure(replace(ranking.with_grades(gains(ranking, chosen)), ideal=ideal.with_grades(worth[order])))

    return column if chosen else measure


def ideal_dcg(pairs: Pairs, settings: Settings) -> Column:
    """The DCG of the best ranking there can be."""
    measure = nDCG(gains=chosen_gains(pairs, settings))
    return lambda ranking: DCG(gains=measure.gains)(measure.best(ranking.ideal))


def r_ndcg(pairs: Pairs, settings: Settings) -> Column:
    """RnDCG; not a number where documents are relevant but none gains anything."""
    value, best = by_gain(RnDCG(0), pairs, settings), by_gain(lambda one: one.ideal.highest(one.ideal.grade), pairs, settings)

    def column(ranking: Ranking) -> Values:
        values = np.where(best(ranking) > 0, value(ranking), np.nan)
        return np.where(ranking.recall_base(settings.rel) > 0, values, 0.0)

    return column


def persistence(pairs: Pairs) -> float:
    """The p of rank-biased precision."""
    return next((value for name, value in pairs if name == "p"), 0.9)


def rbp(pairs: Pairs, settings: Settings) -> Column:
    """Graded RBP; gains are a share of the highest gain, also of one that was given but that no document has."""
    measure = RBP(persistence(pairs), graded=True)
    highest = max((gain for _, gain in chosen_gains(pairs, settings)), default=0.0)

    def column(ranking: Ranking) -> Values:
        own = np.maximum(ranking.ideal.highest(ranking.ideal.grade), 1)
        return measure(ranking) * own / np.maximum(own, highest)

    return by_gain(column, pairs, settings)


def rbp_residual(pairs: Pairs, settings: Settings) -> Column:
    """The residual of RBP, but 0 where nothing retrieved is unjudged."""
    measure = RBPresidual(persistence(pairs))
    return lambda ranking: np.where(Unjudged()(ranking) > 0, measure(ranking), 0.0)


def no_column(_: Any, settings: Settings) -> Column:
    """For what needs no ranking."""
    return lambda ranking: np.ones(len(ranking))


# The table, in the order in which measures are printed

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(float(f"{tenth / 10:.1f}") for tenth in range(11))
FIFTHS = tuple(float(f"{fifth / 5:.1f}") for fifth in range(1, 11))

TABLE = (
    Entry("runid", no_column, over="tag", shown="summary"),
    Entry("num_q", no_column, over="number", shown="summary"),
    Entry("num_ret", lambda _, s: NumRet(), over="sum"),
    Entry("num_rel", lambda _, s: NumRel(s.rel), over="sum"),
    Entry("num_rel_ret", lambda _, s: NumRelRet(s.rel), over="sum"),
    Entry("map", lambda _, s: AP(s.rel)),
    Entry("gm_map", lambda _, s: AP(s.rel), over="geometric", shown="summary"),
    Entry("Rprec", lambda _, s: Rprec(s.rel)),
    Entry("bpref", lambda _, s: bpref(s.rel)),
    Entry("recip_rank", lambda _, s: RR(s.rel)),
    Entry("iprec_at_recall", interpolated, "levels", TENTHS),
    Entry("P", lambda k, s: P(s.rel, k), "ranks", RANKS),
    Entry("relstring", relevance_string, "numbers", (10.0,), over="none", shown="topics"),
    Entry("recall", lambda k, s: R(s.rel, k), "ranks", RANKS),
    Entry("infAP", lambda _, s: infAP(s.rel)),
    Entry("gm_bpref", lambda _, s: bpref(s.rel), over="geometric", shown="summary"),
    Entry("Rprec_mult", lambda x, s: Rprec(s.rel, max(x, 0.0)), "levels", FIFTHS),
    Entry("utility", utility, "numbers", (1.0, -1.0, 0.0, 0.0)),
    Entry("11pt_avg", averaged_points, "numbers", TENTHS),
    Entry("binG", lambda _, s: binG(s.rel)),
    Entry("G", lambda pairs, s: by_gain(G(), pairs, s), "pairs"),
    Entry("dcg", lambda pairs, s: DCG(gains=chosen_gains(pairs, s)), "pairs", since=10, in_all=False),
    Entry("ideal_dcg", ideal_dcg, "pairs", since=10, in_all=False),
    Entry("ndcg", lambda pairs, s: nDCG(gains=chosen_gains(pairs, s)), "pairs"),
    Entry("ndcg_rel", lambda pairs, s: by_gain(nDCGrel(), pairs, s), "pairs"),
    Entry("Rndcg", r_ndcg, "pairs"),
    Entry("ndcg_cut", lambda k, s: nDCG(k=k), "ranks", RANKS),
    Entry("map_cut", lambda k, s: AP(s.rel, k), "ranks", RANKS),
    Entry("relative_P", lambda k, s: RelativeP(s.rel, k), "ranks", RANKS),
    Entry("success", lambda k, s: Success(s.rel, k), "ranks", (1, 5, 10)),
    Entry("set_P", lambda _, s: SetP(s.rel)),
    Entry("set_relative_P", lambda _, s: RelativeP(s.rel)),
    Entry("set_recall", lambda _, s: SetR(s.rel)),
    Entry("set_map", lambda _, s: SetAP(s.rel)),
    Entry("set_F", lambda x, s: SetF(x[0] ** 0.5, s.rel), "numbers", (1.0,)),
    Entry("num_nonrel_judged_ret", lambda _, s: NumNonRelJudgedRet(s.rel), over="sum"),
    Entry("yaap", lambda _, s: YAAP(s.rel), in_all=False),
    Entry("rbp", rbp, "pairs", since=10),
    Entry("rbp_resid", rbp_residual, "pairs", since=10),
    Entry("unj", lambda k, s: Unjudged(k), "ranks", (5, 10, 20), since=10),
)
SET = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"]
OFFICIAL = [entry.name for entry in TABLE[:12]]


def named(name: str, version: int) -> list[str]:
    """The measures that a name or a nickname stands for."""
    known = [entry for entry in TABLE if entry.since <= version]
    nicknames = {"official": OFFICIAL, "set": SET, "all_trec": [entry.name for entry in known if entry.in_all]}
    if name in nicknames:
        return nicknames[name]
    if name in [entry.name for entry in known]:
        return [name]
    if name.startswith(("prefs", "all_prefs", "qrels_jg")) or name.endswith("_avgjg"):
        raise Refused(1, f"measure {name!r} is not supported: preferences and judgment groups are not")
    raise Refused(1, f"illegal measure {name!r}")


def lines(chosen: Iterable[str], parameters: dict[str, str], settings: Settings) -> list[Line]:
    """The lines of some measures in the order of the table; parameters as typed, `5,10` or `1=3,2=9`."""
    return [line for entry in TABLE if entry.name in chosen for line in _lines(entry, parameters.get(entry.name), settings)]


def _lines(entry: Entry, typed: str | None, settings: Settings) -> list[Line]:
    given = entry.default if typed is None else parsed(entry, typed)
    if entry.takes in ("ranks", "levels"):
        form = "{}_{}" if entry.takes == "ranks" else "{}_{:3.2f}"
        each = [(form.format(entry.name, one), one) for one in given]
    else:
        suffix = "" if typed is None or entry.takes == "nothing" else f"_{typed}"
        each = [(entry.name + suffix, given)]
    return [Line(name, entry.column(one, settings), entry.over, entry.shown) for name, one in each]


def parsed(entry: Entry, typed: str) -> tuple[Any, ...]:
    """A measure's parameters."""
    parts = typed.split(",")
    if entry.takes == "pairs":
        if not all(part.count("=") == 1 for part in parts):
            raise Refused(2, f"{entry.name}.{typed}: expected level=gain pairs, as in 1=3,2=9")
        return tuple((name, _number(value)) for name, _, value in (part.partition("=") for part in parts))
    if entry.takes in ("nothing", "numbers"):
        return tuple(map(_number, parts))
    cuts = sorted(map(_number if entry.takes == "levels" else _whole, parts))
    if len(set(cuts)) < len(cuts):
        raise Refused(2, f"{entry.name}.{typed}: a cut-off is given twice")
    if entry.takes == "ranks" and cuts[0] <= 0:
        raise Refused(2, f"{entry.name}.{typed}: a cut-off is a rank, 1 or more")
    return tuple(cuts)


def _number(text: str) -> float:
    return atof(text.encode("latin-1"))


def _whole(text: str) -> int:
    return atol(text.encode("latin-1"))
