"""Assay measures retrieval: how much of what was returned is relevant, and how much of what is relevant was returned."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assay.checking import check as check
    from assay.errors import AssayError as AssayError
    from assay.errors import InputError as InputError
    from assay.errors import UsageError as UsageError
    from assay.evaluation import evaluate as evaluate
    from assay.formats import read_judgments as read_judgments
    from assay.formats import read_run as read_run
    from assay.measures import Measure as Measure
    from assay.ranking import Ranking as Ranking
    from assay.ranking import ratio as ratio
    from assay.scores import Scores as Scores

# Names are loaded when they are asked for: `assay --help` needs neither numpy nor polars.
_HOMES = {
    "AssayError": "errors",
    "InputError": "errors",
    "UsageError": "errors",
    "check": "checking",
    "evaluate": "evaluation",
    "read_judgments": "formats",
    "read_run": "formats",
    "Ranking": "ranking",
    "ratio": "ranking",
    "Scores": "scores",
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    home = import_module("assay." + _HOMES.get(name, "measures"))
    if not hasattr(home, name):
        raise AttributeError(f"assay has no {name!r}")
    return getattr(home, name)


def __dir__() -> list[str]:
    from assay.measures import FAMILIES

    measures = [name for names in FAMILIES.values() for name in names]
    return sorted([*_HOMES, *measures, "Measure", "Linear", "Count", "parameter", "parse", "__version__"])
