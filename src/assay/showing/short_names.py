"""Short headings for columns, where measures have long names, and the legend that tells their parameters."""

from __future__ import annotations

import re

# Names up to so many characters stand as they are.
LONGEST = 16
# A name, its parameters in brackets, and what stands behind them: nxCG(quant=gen)@10.
IN_FULL = re.compile(r"(\w+)\((.*)\)(.*)")


def short_names(names: list[str]) -> dict[str, str]:
    """A heading for each name: a long one without its parameters, but for the values in which it differs from others of
    the same heading.
    """
    parts = {name: IN_FULL.fullmatch(name) for name in names if len(name) > LONGEST}
    without = {name: part[1] + part[3] for name, part in parts.items() if part}
    short = {}
    for name, heading in without.items():
        # those of one kind, short ones too
        alike = [other for other in names if without.get(other, other) == heading]
        own = _parameters(name)
        shared = set(own).intersection(*(_parameters(other) for other in alike))
        differing = [each.partition("=")[2] for each in own if each not in shared]
        short[name] = " ".join([heading, *differing])
    headings = {name: short.get(name, name) for name in names}
    used = list(headings.values())
    return {name: name if used.count(heading) > 1 else heading for name, heading in headings.items()}


def _parameters(name: str) -> list[str]:
    """The parameters of a name, as `quant=gen`; brackets within them are theirs."""
    part = IN_FULL.fullmatch(name)
    return re.split(r", (?![^(]*\))", part[2]) if part else []


def legend_of(headings: dict[str, str]) -> str:
    """The parameters of what has a short heading, each once; nothing where there is none."""
    by_parameters: dict[str, list[str]] = {}
    for name, heading in headings.items():
        if heading != name:
            by_parameters.setdefault(", ".join(_parameters(name)), []).append(heading)
    return "; ".join(f"{', '.join(short)}: {parameters}" for parameters, short in by_parameters.items())
