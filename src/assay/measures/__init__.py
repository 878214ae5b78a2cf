"""Every measure, in one list; and the notation in which a measure is typed and printed: `P(rel=2)@5`, `nDCG(dcg=exp)@10`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from assay.errors import UsageError
from assay.measures.base import Count, Linear, Measure, check_cut, parameter
from assay.measures.base import written as written_value

# The one list: each family is a module, loaded when one of its measures is asked for.
FAMILIES = {
    "ranked": ("AP", "GMAP", "RR", "Rprec", "YAAP"),
    "levels": ("IPrec", "IPrec11"),
    "pooled": ("bpref", "GMbpref", "infAP"),
    "graded": ("nDCG", "DCG", "ERR", "RBP", "RBPresidual", "Q", "Compatibility", "nDCGrel", "RnDCG", "G", "binG"),
    "sets": ("P", "R", "F", "Success", "SetP", "SetR", "SetF", "SetAP", "RelativeP", "Accuracy", "Utility"),
    "counts": ("Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelJudgedRet"),
}
TITLES = {
    "ranked": "The order of relevant results",
    "levels": "Precision at levels of recall",
    "pooled": "Incomplete judgments",
    "graded": "The order of results by grade",
    "sets": "What was retrieved, whatever its order",
    "counts": "Counts and judgments",
}
ALIASES = {"MAP": "AP", "MRR": "RR", "Precision": "P", "Recall": "R", "Compat": "Compatibility"}
DEFAULT = ("AP", "nDCG@10", "P@10", "RR", "R@100")


def find(name: str) -> type[Measure] | None:
    """The measure of that name: one of the list, an alias, or one that a user made by subclassing Measure."""
    name = ALIASES.get(name, name)
    for family, names in FAMILIES.items():
        if name in names:
            return getattr(import_module(f"assay.measures.{family}"), name)
    return next((cls for cls in reversed(list(_subclasses(Measure))) if cls.__name__ == name and _is_own(cls)), None)


def known() -> list[type[Measure]]:
    """Every measure: the list, then what a user has made."""
    ours = [cls for names in FAMILIES.values() for name in names if (cls := find(name))]
    return [*ours, *(cls for cls in _subclasses(Measure) if _is_own(cls))]


def _subclasses(parent: type[Measure]) -> Iterable[type[Measure]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)


def _is_own(cls: type[Measure]) -> bool:
    return "__call__" in vars(cls) and not cls.__module__.startswith("assay.")


def __getattr__(name: str) -> Any:
    if name in (*ALIASES, *(one for names in FAMILIES.values() for one in names)):
        return find(name)
    raise AttributeError(f"assay has no {name!r}")


def parse(typed: str) -> Measure:
    """The measure that a text such as `P(rel=2)@5` names."""
    head, at_sign, cut = (part.strip() for part in typed.rpartition("@")) if "@" in typed else (typed.strip(), "", "")
    name, bracket, given = (part.strip() for part in head.partition("("))
    if not name.isidentifier() or (bracket and not given.endswith(")")) or (at_sign and not cut):
        raise UsageError(f"{typed!r} is not a measure; expected a form like AP, P@10 or nDCG(dcg=exp)@10")
    cls = named(name)
    values = dict(_assignment(part.strip(), cls, typed) for part in given[:-1].split(",") if part.strip())
    if at_sign:
        if cls.cutoff not in cls.parameters():
            raise UsageError(f"{cls.__name__} has no cut-off; write it without @{cut}")
        values[cls.cutoff] = _value(cut, cls.cutoff, cls, typed)
    try:
        return checked(cls(**values))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{typed!r}: {error}") from None


def named(name: str) -> type[Measure]:
    """The measure of that name, with a guess at what was meant where there is none."""
    if cls := find(name):
        return cls
    import difflib

    folded = {one.lower(): one for one in [*(cls.__name__ for cls in known()), *ALIASES]}
    near = [folded[one] for one in difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.5)]
    hint = f"; did you mean {near[0]}?" if near else ";"
    raise UsageError(f"unknown measure {name!r}{hint} `assay measures` lists all")


def _assignment(part: str, cls: type[Measure], typed: str) -> tuple[str, Any]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or name not in cls.parameters():
        takes = ", ".join(cls.parameters()) or "no parameters"
        raise UsageError(f"{typed!r}: {cls.__name__} has no parameter {name!r}; it takes {takes}")
    return name, _value(value.strip("'\""), name, cls, typed)


def _value(text: str, name: str, cls: type[Measure], typed: str) -> Any:
    default = cls.parameters()[name][0]
    kind = type(default)
    try:
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        if kind is float:
            return float(text)
        if kind is int or default is None:
            return int(text)
        if kind is tuple:
            return tuple(_entry(one) for one in text.split(";"))
        return _plain(text) if kind is dataclasses._MISSING_TYPE else text
    except (KeyError, ValueError):
        expected = {bool: "True or False", float: "a number", tuple: "a list such as 1:3;2:9"}.get(kind, "a whole number")
        raise UsageError(f"{typed!r}: {name}={text} is wrong; expected {expected}") from None


def _entry(text: str) -> Any:
    grade, colon, gain = text.partition(":")
    return (int(grade), float(gain)) if colon else float(text)


def _plain(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def checked(measure: Measure) -> Measure:
    """The measure, if its cut-off and threshold make sense."""
    if measure.cutoff == "k":
        check_cut(measure, getattr(measure, "k", None))
    return measure


def measures_of(given: Any) -> list[Measure]:
    """Measures from any mixture of names, measures and classes of measures, each once."""
    given = [given] if isinstance(given, str | Measure | type) else list(given)
    found = []
    for one in given:
        if isinstance(one, str):
            one = parse(one)
        elif isinstance(one, type) and issubclass(one, Measure):
            one = one()
        if not isinstance(one, Measure):
            raise UsageError(f"{one!r} is not a measure; expected a name such as 'nDCG@10' or a Measure")
        found.append(checked(one))
    if not found:
        raise UsageError("no measure was given")
    return list({str(one): one for one in found}.values())


def listing() -> str:
    """All measures by family, a line each: the name and the first sentence of what it is."""
    width = max(len(cls.__name__) for cls in known())
    families = {title: [cls for name in FAMILIES[family] if (cls := find(name))] for family, title in TITLES.items()}
    families["Your own"] = [cls for cls in known() if _is_own(cls)]
    parts = []
    for title, classes in families.items():
        lines = [f"  {cls.__name__:{width}}  {cls.sentence()}\n" for cls in classes]
        parts += [f"{title}:\n{''.join(lines)}"] if lines else []
    also = ", ".join(f"{alias} for {name}" for alias, name in ALIASES.items())
    return "\n".join([*parts, f"Also understood: {also}.\n`assay measures nDCG` explains one of them.\n"])


def explain(name: str) -> str:
    """One measure: what it is, its formula and source, its parameters; of `P(rel=2)@5` too."""
    cls = named(name.partition("@")[0].partition("(")[0].strip())
    lines = [f"{cls.__name__}", "", inspect.getdoc(cls) or "", ""]
    if cls.parameters():
        lines.append("Parameters:")
        for parameter_name, (default, meaning) in cls.parameters().items():
            written = f"@{parameter_name}" if parameter_name == cls.cutoff else parameter_name
            shown = "" if default in (None, ()) else f" (default {written_value(default)})"
            lines.append(f"  {written:<10} {meaning}{shown}")
    also = [alias for alias, one in ALIASES.items() if one == cls.__name__]
    lines += [f"Also called {', '.join(also)}."] if also else []
    return "\n".join(lines).rstrip() + "\n"


__all__ = [
    "ALIASES",
    "DEFAULT",
    "FAMILIES",
    "Count",
    "Linear",
    "Measure",
    "find",
    "known",
    "measures_of",
    "named",
    "parameter",
    "parse",
]
