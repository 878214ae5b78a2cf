"""Names and notations of INEX, trec_eval, ranx, ir_measures and others, and our measure for each."""

from __future__ import annotations

import re
from dataclasses import replace
from math import sqrt
from typing import Any

from assay.errors import UsageError
from assay.measures.base import Measure, as_typed

# Names without parameters; in ranx they may have a cut-off after @.
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
    "ndcg_burges": "nDCG(dcg=exp)",
    "dcg_burges": "DCG(dcg=exp)",
}
# Names of trec_eval that end in a number.
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
# Names of EvalJ that mean several measures.
SEVERAL = {"ep/gr": ("Aep", "iAep")}
# Names of trec_eval whose parameters are the gains of grades.
WITH_GAINS = {"ndcg": "nDCG", "dcg": "DCG"}
RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(tenth / 10 for tenth in range(11))
# The cut-offs that trec_eval uses for a name alone; P, recall and success alone are measures of ours.
BY_DEFAULT: dict[str, tuple[float, ...]] = {
    "map_cut": RANKS,
    "ndcg_cut": RANKS,
    "relative_P": RANKS,
    "iprec_at_recall": TENTHS,
    "Rprec_mult": tuple(fifth / 5 for fifth in range(1, 11)),
    "unj": (5, 10, 20),
}
PRINTED = "`assay trec_eval -m {}` prints"
MANY = "{} of trec_eval is a group of measures; " + PRINTED + " all of them; here, name each measure"
RAGAS = "{{}} of ragas and DeepEval asks a language model; Ragas{} counts ids, and RagasText{} compares texts"
# Names and patterns of names that are not measures here, and the error message for each.
REFUSED = {
    "relstring": "{} of trec_eval is a text, not a number; " + PRINTED + " it",
    "runid": "{} of trec_eval is the name of a run; every table shows it",
    "ideal_dcg": "{} of trec_eval is the divisor of nDCG; " + PRINTED.replace("-m", "--like 10 -m") + " it",
    "hits": "{} of ranx is a number of results; use NumRelRet, P or R, or HitRate for whether there is a hit",
    "context_recall": RAGAS.format("Recall", "Recall"),
    "context_precision": RAGAS.format("Precision", "Precision"),
    **dict.fromkeys(("official", "set", "all_trec", "prefs", "all_prefs", "qrels_jg"), MANY),
}
REFUSED_FORMS = {
    r"prefs_\w+": "{} of trec_eval compares preferences; `assay trec_eval -R qrels_prefs -m {}` prints it",
    r"\w+_avgjg": "{} of trec_eval needs groups of assessors; `assay trec_eval -R qrels_jg -m {}` prints it",
    r"rbp\.[0-9]+": "{} of ranx multiplies by the grade itself; RBP(p=0.{}) is binary, and "
    "RBP(p=0.{}, graded=True) takes shares of the highest grade",
}
NUMBER = r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
PARAMETERS = rf"(11pt_avg|[A-Za-z]\w*?)[._]({NUMBER}(?:={NUMBER})?(?:,{NUMBER}(?:={NUMBER})?)*)"
# Names of parameters in ir_measures, and ours.
RENAMED = {"cutoff": "k", "normalize": "normalise"}
LEVEL = re.compile(r"(.+)-l([0-9]+)")
# A cut-off in brackets, as INEX prints it (`iP[0.01R]` is at 1% of recall), or after `_at_`, as MTEB and loggers write.
IN_BRACKETS = re.compile(r"([^\[\]]+)\[([^\[\]]+?)R?\]")
AFTER_AT = re.compile(r"(\w+?)_at_([0-9]+)")


def with_cut_off(typed: str) -> str:
    """Write a cut-off after @ if it is written otherwise: `nxCG[10]`, `ndcg_at_10`."""
    form = IN_BRACKETS.fullmatch(typed) or AFTER_AT.fullmatch(typed)
    return f"{form[1].rstrip()}@{form[2]}" if form else typed


def spelt_out(typed: str) -> list[str]:
    """Return the measures that a name means: several for `P@5,10`, `ndcg_cut` or `ep/gr`, else the name itself."""
    typed = with_cut_off(typed.strip())
    name, bracket, parameters = typed.partition("(")
    if name in SEVERAL:
        return [f"{each}{bracket}{parameters}" for each in SEVERAL[name]]
    before, at, cuts = typed.rpartition("@")
    if at and "," in cuts and ")" not in cuts:
        return [f"{before}@{cut.strip()}" for cut in cuts.split(",")]
    if typed in BY_DEFAULT:
        return [NUMBERED[typed].format(as_typed(value)) for value in BY_DEFAULT[typed]]
    if (match := with_parameters(typed)) and match[1] in NUMBERED and "=" not in match[2]:
        return [NUMBERED[match[1]].format(as_typed(float(value))) for value in match[2].split(",")]
    return [typed]


def with_parameters(typed: str) -> re.Match[str] | None:
    """Match a name of trec_eval with its parameters, after a dot or an underscore."""
    return re.fullmatch(PARAMETERS, typed) if "." in typed or "_" in typed else None


def translate_name(typed: str) -> str | None:
    """Translate a name of another program to ours; None if it is not one, or if it means several measures."""
    written = with_cut_off(typed)
    if written != typed:
        return translate_name(written) or written
    name, at, cut = typed.partition("@")
    if name in NAMES:
        return NAMES[name] + at + cut
    match = with_parameters(typed)
    if match is None:
        return None
    theirs, given = match[1], match[2].split(",")
    if theirs in WITH_GAINS and all("=" in pair for pair in given):
        return f"{WITH_GAINS[theirs]}(gains={';'.join(given).replace('=', ':')})"
    if "=" in match[2]:
        return None
    if theirs == "11pt_avg":
        return f"IPrec11(levels={';'.join(given)})"
    if theirs == "utility" and len(given) == 4:
        return f"Utility({', '.join(f'{name}={value}' for name, value in zip('abcd', given, strict=True))})"
    if theirs == "set_F" and len(given) == 1 and float(given[0]) >= 0:
        return f"SetF(beta={as_typed(sqrt(float(given[0])))})"
    return spelt_out(typed)[0] if theirs in NUMBERED and len(given) == 1 else None


def why_not_a_measure(typed: str) -> str | None:
    """Return why a name of trec_eval or ranx is not a measure here, and what to write instead; None if unknown."""
    name = typed.partition("@")[0]
    plain = name.partition(".")[0]
    if said := REFUSED.get(plain) or REFUSED.get(plain.lower()):
        return said.format(name, name)
    for pattern, said in REFUSED_FORMS.items():
        if re.fullmatch(pattern, name):
            value = name.partition(".")[2] or name
            return said.format(name, value, value)
    several = spelt_out(typed)
    return f"{typed!r} names {len(several)} measures: {', '.join(several)}" if len(several) > 1 else None


def as_here(name: str, told: list[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """Translate a measure and its parameters from the notation of ir_measures."""
    told = [(RENAMED.get(parameter, parameter), _value_here(parameter, value)) for parameter, value in told]
    given = dict(told)
    if name == "NumRet" and "rel" in given:
        return "NumRelRet", told
    if name == "SetP" and "relative" in given:
        relative = given["relative"].lower() == "true"
        return "RelativeP" if relative else name, [pair for pair in told if pair[0] != "relative"]
    return name, told


def _value_here(parameter: str, value: str) -> str:
    value = value.strip("'\"")
    if (parameter, value) == ("dcg", "exp-log2"):
        return "exp"
    return value[1:-1].replace(",", ";").replace(" ", "") if re.fullmatch(r"\{.*\}", value) else value


def with_level(measure: Measure, level: int) -> Measure:
    """Return a measure for which only grades from this level on are relevant, as in ranx's map@100-l2."""
    changed: dict[str, Any] = {}
    if "rel" in measure.parameters():
        changed["rel"] = level
    elif "gains" in measure.parameters():
        changed["gains"] = tuple((grade, 0.0) for grade in range(1, level))
    else:
        raise UsageError(f"{measure} has no level of relevance; write it without -l{level}")
    return replace(measure, **changed)
