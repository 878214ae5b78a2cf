"""Names of trec_eval and of ranx: which of our measures each is."""

from __future__ import annotations

import re
from dataclasses import replace
from math import sqrt
from typing import Any

from assay.errors import UsageError
from assay.measures.base import Measure, as_typed

# Names that stand alone, or with a cut-off behind @, in ranx.
NAMES = {
    "map": "AP",
    "gm_map": "GMAP",
    "gm_bpref": "GMbpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "11pt_avg": "IPrec11",
    "set_F": "SetF",
    "set_map": "SetAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_relative_P": "RelativeP",
    "R-prec": "Rprec",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelJudgedRet",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_q": "NumQ",
    "hit_rate": "Success",
    "r-precision": "Rprec",
    "f1": "F",
    "ndcg_burges": "nDCG(dcg=exp)",
    "dcg_burges": "DCG(dcg=exp)",
}
# Names that have a number behind them, in trec_eval.
NUMBERED = {
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "recall": "R@{}",
    "P": "P@{}",
    "success": "Success@{}",
    "relative_P": "RelativeP@{}",
    "iprec_at_recall": "IPrec@{}",
    "Rprec_mult": "Rprec(mult={})",
    "unj": "Unjudged@{}",
}
LEVEL = re.compile(r"(.+)-l([0-9]+)")


def translated(typed: str) -> str | None:
    """A name of trec_eval or of ranx as it is written here; None where it is none of theirs."""
    name, at, cut = typed.partition("@")
    if name in NAMES:
        return NAMES[name] + at + cut
    if match := re.fullmatch(r"(\w+?)[_.]([0-9]+(?:\.[0-9]+)?)", typed):
        theirs, number = match.groups()
        if theirs in NUMBERED:
            return NUMBERED[theirs].format(as_typed(float(number)))
        if theirs == "set_F":
            return f"SetF(beta={as_typed(sqrt(float(number)))})"
    return None


def with_level(measure: Measure, level: int) -> Measure:
    """A measure for which only grades from a level on are relevant, as ranx writes it: map@100-l2."""
    changed: dict[str, Any] = {}
    if "rel" in measure.parameters():
        changed["rel"] = level
    elif "gains" in measure.parameters():
        changed["gains"] = tuple((grade, 0.0) for grade in range(1, level))
    else:
        raise UsageError(f"{measure} has no level of relevance; write it without -l{level}")
    return replace(measure, **changed)
