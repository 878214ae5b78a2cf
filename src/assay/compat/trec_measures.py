"""trec_eval's measures: which of ours each is, with which parameters, and how it is printed and averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

from assay.compat import trec_columns as own
from assay.compat import trec_preferences as prefs
from assay.compat.trec_columns import Refused, Settings
from assay.compat.trec_files import atof, atol
from assay.compat.trec_groups import averaged
from assay.compat.trec_preferences import ALL, IMPLIED, RETRIEVED
from assay.measures.counts import NumNonRelJudgedRet, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.graded import G, binG, nDCG, nDCGrel
from assay.measures.pooled import bpref, infAP
from assay.measures.ranked import AP, RR, YAAP, Rprec
from assay.measures.sets import P, R, RelativeP, SetAP, SetP, SetR, Success

Shown: TypeAlias = Literal["both", "topics", "summary"]
Over: TypeAlias = Literal["mean", "sum", "geometric", "number", "tag", "none"]
Takes: TypeAlias = Literal["nothing", "ranks", "levels", "numbers", "pairs"]
Needs: TypeAlias = Literal["qrels", "prefs", "qrels_jg"]


@dataclass(frozen=True)
class Entry:
    """A measure of trec_eval. `column` makes what computes it, of one parameter or of all; None needs no ranking.

    `needs` is the format of judgments that it is a measure of.
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
    """A line of the output, or one for each topic: the name printed, the values, and how they are combined."""

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
    Entry("prefs_num_prefs_poss", lambda _, s: prefs.number_possible(), over="sum", needs="prefs"),
    Entry("prefs_num_prefs_ful", lambda _, s: prefs.number_fulfilled(ALL), over="sum", needs="prefs"),
    Entry("prefs_num_prefs_ful_ret", lambda _, s: prefs.number_fulfilled(RETRIEVED), over="sum", needs="prefs"),
    Entry("prefs_simp", lambda _, s: prefs.simple(ALL), needs="prefs"),
    Entry("prefs_pair", lambda _, s: prefs.over_pairs(ALL), needs="prefs"),
    Entry("prefs_avgjg", lambda _, s: prefs.over_groups(ALL), needs="prefs"),
    Entry("prefs_avgjg_Rnonrel", lambda _, s: prefs.over_balanced_groups(ALL), needs="prefs"),
    Entry("prefs_simp_ret", lambda _, s: prefs.simple(RETRIEVED), needs="prefs"),
    Entry("prefs_pair_ret", lambda _, s: prefs.over_pairs(RETRIEVED), needs="prefs"),
    Entry("prefs_avgjg_ret", lambda _, s: prefs.over_groups(RETRIEVED), needs="prefs"),
    Entry("prefs_avgjg_Rnonrel_ret", lambda _, s: prefs.over_balanced_groups(RETRIEVED), needs="prefs"),
    Entry("prefs_simp_imp", lambda _, s: prefs.simple(IMPLIED), needs="prefs"),
    Entry("prefs_pair_imp", lambda _, s: prefs.over_pairs(IMPLIED), needs="prefs"),
    Entry("prefs_avgjg_imp", lambda _, s: prefs.over_groups(IMPLIED), needs="prefs"),
    Entry("map_avgjg", lambda _, s: averaged(AP(rel=s.rel)), needs="qrels_jg"),
    Entry("P_avgjg", lambda k, s: averaged(P(rel=s.rel, k=k)), "ranks", RANKS, needs="qrels_jg"),
    Entry("Rprec_mult_avgjg", lambda x, s: averaged(own.r_precision(x, s)), "levels", FIFTHS, needs="qrels_jg"),
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
    """The measures that a name or a nickname stands for."""
    known = [entry for entry in TABLE if entry.since <= version]
    nicknames = NICKNAMES | {"all_trec": [entry.name for entry in known if entry.in_all and entry.needs == "qrels"]}
    if name in nicknames:
        return nicknames[name]
    if name in [entry.name for entry in known]:
        return [name]
    raise Refused(1, f"illegal measure {name!r}")


def output_lines(chosen: Iterable[str], parameters: dict[str, str], settings: Settings) -> list[OutputLine]:
    """The lines of some measures in the order of the table; parameters as typed, `5,10` or `1=3,2=9`."""
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
    """A measure's parameters; those of a measure that takes none are passed over."""
    parts = typed.split(",")
    if entry.takes == "nothing":
        return ()
    if entry.takes == "pairs":
        if any(part.count("=") != 1 for part in parts):
            raise Refused(2, f"{entry.name}.{typed}: expected pairs such as 1=3,2=9")
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
