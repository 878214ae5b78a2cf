"""The notation in which a measure is typed and printed: `P(rel=2)@5`, `nDCG(dcg=exp)@10`."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any, cast

import numpy as np

from assay.errors import UsageError
from assay.measures.base import ForeignMeasure, Measure, MeasuresLike, as_typed, number
from assay.measures.base import as_typed as written_value
from assay.measures.spellings import LEVEL, as_here, spelt_out, translate_name, why_not_a_measure, with_level
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, TEXT
from assay.vocabulary import FAMILIES

# Checks of a measure's parameters together, beyond what each one allows.

# The units that a measure can count, and the kind of judgments that its formula must work on.
UNITS = {"document": DOCUMENTS, "token": TEXT, "element": DOCUMENTS}


def check_cut(measure: Measure, k: object) -> None:
    """Raise an error unless the cut-off is a whole number of at least 1."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 10**9):
        raise UsageError(f"{type(measure).__name__}@{as_typed(k)}: expected a rank, at least 1")


def check_unit(measure: Measure) -> None:
    """Raise an error unless the unit is one that the measure can count, and a budget is in that unit."""
    possible = [unit for unit, kind in UNITS.items() if kind in measure.kinds]
    if measure.unit and not possible:
        what = "elements" if ELEMENTS in measure.kinds else "documents"
        raise UsageError(f"{type(measure).__name__} always counts {what}; leave out unit=")
    # after a colon comes which elements
    unit = "element" if measure.unit.startswith("element:") else measure.unit
    if unit not in ("", *possible):
        raise UsageError(f"{measure}: unknown unit; choose from {', '.join(possible)}, or leave it out")
    for name, what, allowed in (("chars", "characters", ("",)), ("tokens", "tokens", ("", "token"))):
        budget = getattr(measure, name, None)
        if budget is None:
            continue
        if isinstance(budget, bool) or not isinstance(budget, int) or not 1 <= budget <= 10**12:
            raise UsageError(f"{measure}: {name} must be a number of {what}, at least 1")
        if measure.unit not in allowed:
            raise UsageError(f"{measure}: {name} always counts {what}; leave out unit=")


def check_numbers(measure: Measure) -> None:
    """Raise an error if rel is not a number, a parameter is infinite, or a weight is negative."""
    for name, (default, _) in type(measure).parameters().items():
        value = getattr(measure, name)
        if name == "rel" and (isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value)):
            raise UsageError(f"{measure}: rel must be a grade, a number")
        numbers = [value] if isinstance(default, float) else [gain for _, gain in value] if name == "gains" else []
        most = 10**6 if name == "mult" else np.inf
        if not np.isfinite(numbers).all() or (name in ("beta", "mult") and not 0 <= value <= most):
            expected = "a finite number" if name not in ("beta", "mult") else "a number of at least 0"
            upto = f", at most {most:,}" if np.isfinite(most) else ""
            raise UsageError(f"{measure}: {name} is out of range; expected {expected}{upto}")


ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "Precision": "P",
    "Recall": "R",
    "F1": "F",
    "R-precision": "Rprec",
    "HitRate": "Success",
    "hit": "Success",
    "Compat": "Compatibility",
    "Bpref": "bpref",
    "MAP_IA": "AP_IA",
    "SetRelP": "RelativeP",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
    "strec": "StRecall",
    "Coverage": "StRecall",
    "MAiP": "AiP",
    "iAP": "AiP",
    "iMAP": "AiP",
    "MAgP": "AgP",
    "xCG": "CG",
    "Q-measure": "Q",
    "R-measure": "Rmeasure",
    "inex_2002": "inex2002",
    "inex_eval": "inex2002",
    "inex_2003": "inex2003",
    "inex_eval_ng": "inex2003",
    "MAep": "Aep",
    "iMAep": "iAep",
}
# How similar a name must be to that of a measure to be suggested; nDGC has 3/4 of nDCG, OBJECT 1/2 of ASPECT.
NEAR = 0.7
TRUTHS = {"true": True, "false": False}
# What may be a cut-off without @: `ndcg10`, `ndcg_10`.
DIGITS_AT_END = re.compile(r"(.+?)([-_.]?)([0-9]+)")
# A number with commas between its thousands.
GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
# What people write between measures in one string; not within brackets.
BETWEEN_MEASURES = re.compile(r"[\s,;]+(?![^(]*\))")
# Commas outside the brackets or braces of a parameter's value.
BETWEEN_PARAMETERS = re.compile(r",(?![^()]*\))(?![^{}]*\})")
# What the user adds to the class of a measure whose formula counts characters as well as documents.
HOLDS_FOR_TEXT = "add kinds = (DOCUMENTS, TEXT) to its class if its formula holds for characters"


@cache
def spellings() -> dict[str, str]:
    """Map each name and alias, as it is and in lower case, to its spelling."""
    names = list(chain(ALIASES, *FAMILIES.values()))
    return {name.lower(): name for name in names} | {name: name for name in names}


def find(name: str) -> type[Measure] | None:
    """Return the measure with this name, in upper or lower case, or None.

    The name may be one of ours, an alias, or that of a class that a user defined. A hyphen counts as an underscore.
    """
    # exact spelling first, because gR and gr are two measures
    underscored = spellings().get(name.lower().replace("-", "_"), name)
    name = spellings().get(name) or spellings().get(name.lower()) or underscored
    name = ALIASES.get(name, name)
    for family, names in FAMILIES.items():
        if name in names:
            return getattr(import_module(f"assay.measures.{family}"), name)
    return next((cls for cls in reversed(list(_subclasses(Measure))) if cls.__name__ == name and is_own(cls)), None)


def is_measure(typed: str) -> bool:
    """Return whether a text names a measure, whatever its parameters."""
    return find(re.split("[(@]", translate_name(typed.strip()) or typed)[0].strip()) is not None


def known_measures() -> list[type[Measure]]:
    """Return all measures: ours, then those that users defined."""
    ours = [cls for names in FAMILIES.values() for name in names if (cls := find(name))]
    return [*ours, *(cls for cls in _subclasses(Measure) if is_own(cls))]


def _subclasses(parent: type[Measure]) -> Iterable[type[Measure]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)


def is_own(cls: type[Measure]) -> bool:
    """Return whether a class is a measure that a user defined."""
    return cls.__call__ is not Measure.__call__ and not cls.__module__.startswith("assay.")


def parse(typed: str) -> Measure:
    """Return the measure with a name such as `P(rel=2)@5`; names of trec_eval and ranx work too."""
    if level := LEVEL.fullmatch(typed.strip()):
        return check_parameters(with_level(parse(level[1]), int(level[2])))
    typed = translate_name(one_name(typed.strip())) or typed
    name = re.split("[(@]", typed)[0].strip()
    cls = find(name)
    if cls is None:
        raise UsageError(unknown_measure(typed, name))
    # the brackets may contain a score, itself a measure with its own brackets, commas and @
    parts = re.fullmatch(r"[^(@]*(?:\((.*)\))?\s*(?:@([^()@]+))?", typed.strip())
    if parts is None:
        raise UsageError(f"{typed!r} is not a measure; expected for example AP, P@10 or nDCG(dcg=exp)@10")
    given, cut = ((part or "").strip() for part in parts.groups())
    told = [_split_parameter(part.strip(), cls, typed) for part in BETWEEN_PARAMETERS.split(given) if part.strip()]
    name, told = as_here(cls.__name__, told)
    cls = find(name) or cls
    values = [(parameter, _parameter_value(parameter, value, cls, typed)) for parameter, value in told]
    if cut:
        if cls.cutoff not in cls.parameters():
            another = f", or PairAccuracy@{cut} for the Accuracy of ir_measures" if name == "Accuracy" else ""
            raise UsageError(f"{cls.__name__} has no cut-off; write it without @{cut}{another}")
        if "," in cut:
            raise UsageError(f"{typed!r} names several measures: {', '.join(spelt_out(typed))}")
        values.append((cls.cutoff, _value(cut, cls.cutoff, cls, typed)))
    if len(dict(values)) < len(values):
        raise UsageError(f"{typed!r}: a parameter is given twice")
    parameters = dict(values)
    condensed = parameters.pop("judged_only", False)
    measure = check_parameters(cls(**parameters))
    if not condensed:
        return measure
    from assay.measures.from_ir_measures import of_judged

    return of_judged(measure, typed)


def one_name(typed: str) -> str:
    """Return what was typed; raise an error if it is several measures in one string."""
    parts = BETWEEN_MEASURES.split(typed.strip())
    if len(parts) > 1 and all(map(is_measure, parts)):
        import json

        listed = json.dumps(parts, ensure_ascii=False)
        raise UsageError(f"{typed!r} names {len(parts)} measures; pass a list: {listed}")
    return typed


def unknown_measure(typed: str, name: str) -> str:
    """Return the error message for an unknown measure, with a suggestion if there is one."""
    if said := why_not_a_measure(typed.strip()):
        return said
    near = weighted_f(typed.strip()) or (with_digits(name) if name == typed.strip() else None) or nearest_name(name)
    hint = f"; did you mean {near}?" if near else ";"
    return f"unknown measure {typed if not name.isidentifier() else name!r}{hint} `assay measures` lists all"


def weighted_f(typed: str) -> str | None:
    """Return F with a weight that a name such as `F0.5@10` or `F_2` means; None if it is something else."""
    parts = re.fullmatch(r"[Ff][-_]?(\d*\.\d+|[23])(@\d+)?", typed)
    return f"F(beta={parts[1]}){parts[2] or ''}" if parts else None


def nearest_name(name: str) -> str | None:
    """Return the measure or alias whose name is most similar; None if none is similar."""
    import difflib

    folded = {spelling.lower(): spelling for spelling in [*(cls.__name__ for cls in known_measures()), *ALIASES]}
    return next((folded[near] for near in difflib.get_close_matches(name.lower(), folded, n=1, cutoff=NEAR)), None)


def with_digits(name: str) -> str | None:
    """Return the measure with a cut-off that a name with digits at its end may mean: nDCG@10 for `ndcg10`."""
    if not (parts := DIGITS_AT_END.fullmatch(name)):
        return None
    start, mark, digits = parts.groups()
    for meant in (translate_name(f"{start}_{digits}"), f"{start}@{digits}", f"{nearest_name(start)}@{digits}"):
        with suppress(UsageError):
            # F2 is F with another beta, not with a cut-off
            if meant and (mark or "beta" not in parse(meant).parameters()):
                return str(parse(meant))
    return None


def _split_parameter(part: str, cls: type[Measure], typed: str) -> tuple[str, str]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals:
        if (grouped := GROUPED.search(typed)) and name in grouped[0].split(",")[1:]:
            raise UsageError(f"{typed!r}: write {grouped[0].replace(',', '')} without a comma")
        raise UsageError(without(name, cls, typed))
    return name, value


def _parameter_value(name: str, value: str, cls: type[Measure], typed: str) -> Any:
    if name == "judged_only":
        if value.lower() not in TRUTHS:
            raise UsageError(f"{typed!r}: judged_only={value}; expected True or False")
        return TRUTHS[value.lower()]
    if name not in cls.parameters():
        raise UsageError(without(name, cls, typed))
    return _value(value, name, cls, typed)


def without(name: str, cls: type[Measure], typed: str) -> str:
    """Return the error message for a parameter that a measure does not have."""
    takes = ", ".join(cls.parameters()) or "no parameters"
    return f"{typed!r}: {cls.__name__} has no parameter {name!r}; it takes {takes}"


def _value(text: str, name: str, cls: type[Measure], typed: str) -> Any:
    default = cls.parameters()[name][0]
    kind = type(default)
    try:
        if kind is bool:
            return TRUTHS[text.lower()]
        if kind is float or (default is None and is_fraction(cls, name)):
            return float(text)
        if name == "rel":
            return number(text)
        if kind is int or default is None:
            return int(text)
        if kind is tuple:
            return tuple(_entry(entry) for entry in text.split(";"))
        if isinstance(default, Measure):
            return parse(text)
        return _plain(text) if kind is dataclasses._MISSING_TYPE else text
    except (KeyError, ValueError):
        expected = {bool: "True or False", float: "a number", tuple: "a list such as 1:3;2:9"}.get(
            kind, "a whole number"
        )
        expected = "a number" if name == "rel" else expected
        raise UsageError(f"{typed!r}: {name}={text}; expected {expected}") from None


def is_fraction(cls: type[Measure], name: str) -> bool:
    """Return whether a parameter without a default is a recall level, which need not be whole."""
    return next(str(f.type) for f in dataclasses.fields(cls) if f.name == name).startswith("float")


def _entry(text: str) -> Any:
    grade, colon, gain = text.partition(":")
    return (number(grade), float(gain)) if colon else float(text)


def _plain(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def check_parameters(measure: Measure) -> Measure:
    """Return the measure; raise an error if its parameters do not make sense."""
    if measure.cutoff == "k":
        check_cut(measure, getattr(measure, "k", None))
    check_numbers(measure)
    check_unit(measure)
    if isinstance(score := getattr(measure, "score", None), Measure):
        check_parameters(score)
        if TEXT not in score.kinds:
            hint = f"; {HOLDS_FOR_TEXT}" if is_own(type(score)) else ""
            raise UsageError(f"{measure}: {score} counts documents, but score= needs a measure that counts text{hint}")
    return measure


def measures_of(given: MeasuresLike | None, known: Sequence[Measure] = ()) -> list[Measure]:
    """Return measures from any mixture of names, measures and classes, each once; the default ones for None.

    known: the measures of some scores. If one of them has the given name, that one is returned, whatever else the name
    could mean.
    """
    given = DOCUMENTS.default_measures if given is None else given
    by_name = {str(measure): measure for measure in known}
    several = isinstance(given, Iterable) and not isinstance(given, str | Measure | type)
    asked = cast(Iterable[object], given) if several else [given]
    measures = []
    named = (by_name.get(each, each) if isinstance(each, str) else each for each in asked)
    spelt = (spelt_out(one_name(each)) if isinstance(each, str) else [each] for each in named)
    for measure in chain.from_iterable(spelt):
        if isinstance(measure, str):
            measure = parse(measure)
        elif type(measure).__module__.startswith("ir_measures"):
            from assay.measures.from_ir_measures import from_ir_measures

            measure = from_ir_measures(cast(ForeignMeasure, measure), find)
        elif isinstance(measure, type) and issubclass(measure, Measure) and measure.__call__ is not Measure.__call__:
            measure = measure()
        if not isinstance(measure, Measure):
            raise UsageError(f"{measure!r} is not a measure; expected a name such as 'nDCG@10' or a Measure")
        measures.append(check_parameters(measure))
    if not measures:
        raise UsageError("no measure; expected a name, for example AP")
    return list({str(measure): measure for measure in measures}.values())


def one_measure(given: MeasuresLike, known: Sequence[Measure] = ()) -> Measure:
    """Return the one measure of this name; refuse a name of several, such as `P@5,10`. known: see `measures_of`."""
    measures = measures_of(given, known)
    if len(measures) > 1:
        raise UsageError(f"expected one measure, found {len(measures)}: {', '.join(map(str, measures))}")
    return measures[0]


# All measures as text: a list by family, and the explanation of one.

TITLES = {
    "ranked": "Ranking of relevant results",
    "levels": "Precision at levels of recall",
    "pooled": "Incomplete judgments",
    "sampled_pools": "Judgments of a stratified sample",
    "graded": "Ranking by graded relevance",
    "blended": "Blends of gain and precision",
    "user_models": "User models",
    "diversity": "Subtopics: novelty and diversity",
    "sets": "Sets of results, in any order",
    "counts": "Counts and judgments",
    "focused": "Highlighted text",
    "facts": "Facts in excerpts",
    "budgets": "Reading cost",
    "best_entry_point": "Scores of a document, for gP and AgP",
    "passages": "Passages of TREC Genomics",
    "published": "Formulas of other evaluations",
    "snippets": "Formulas of other evaluations: BioASQ snippets",
    "ragas_contexts": "Formulas of other evaluations: ragas contexts",
    "xcg": "Assessed elements: cumulated gain",
    "precall": "Assessed elements: recall and precision",
}


def listing(columns: int = 0) -> str:
    """List all measures by family with their first sentences, wrapped to a width, or one line each."""
    import textwrap

    width = max(len(cls.__name__) for cls in known_measures())
    families = {title: [cls for name in FAMILIES[family] if (cls := find(name))] for family, title in TITLES.items()}
    families["Your own"] = [cls for cls in known_measures() if is_own(cls)]
    margin = " " * (width + 4)
    parts = []
    for title, classes in families.items():
        entries = [f"  {cls.__name__:{width}}  {cls.sentence()}" for cls in classes]
        wrapped = [
            textwrap.fill(entry, max(columns, 40), subsequent_indent=margin) if columns else entry for entry in entries
        ]
        parts += ["\n".join([f"{title}:", *wrapped, ""])] if entries else []
    also = ", ".join(f"{alias} for {name}" for alias, name in ALIASES.items())
    closing = f"Also accepted, in upper or lower case: {also}.\n`assay measures nDCG` explains one of them.\n"
    return "\n".join([*parts, textwrap.fill(closing, columns) + "\n" if columns else closing])


class Explanation(str):
    """A string that Python shows without quotation marks."""

    def __repr__(self) -> str:
        return self.rstrip()


def explain(name: str) -> Explanation:
    """Explain a measure: its definition, formula, source and parameters; `P(rel=2)@5` works too."""
    plain = (translate_name(name.strip()) or name).partition("@")[0].partition("(")[0].strip()
    cls = find(plain)
    if cls is None:
        raise UsageError(unknown_measure(name, plain))
    lines = [f"{cls.__name__}", "", inspect.getdoc(cls) or "", ""]
    if cls.parameters():
        lines.append("Parameters:")
        for parameter_name, (default, meaning) in cls.parameters().items():
            written = f"@{parameter_name}" if parameter_name == cls.cutoff else parameter_name
            shown = "" if default in (None, (), "") else f" (default {written_value(default)})"
            lines.append(f"  {written:<10} {meaning}{shown}")
    also = [alias for alias, called in ALIASES.items() if called == cls.__name__]
    lines += [f"Also called {', '.join(also)}."] if also else []
    return Explanation("\n".join(lines).rstrip() + "\n")
