"""Assay measures retrieval: how much of what was returned is relevant, and how much of what is relevant was returned.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.vocabulary import FAMILIES

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assay.checking.check import check as check
    from assay.comparing.agreement import agreement as agreement
    from assay.comparing.best import chance_of_best as chance_of_best
    from assay.comparing.correlation import correlate as correlate
    from assay.comparing.grouped import compare_groups as compare_groups
    from assay.comparing.significance import baseline_table as baseline_table
    from assay.comparing.significance import compare as compare
    from assay.comparing.significance import significance_table as significance_table
    from assay.converting.convert import convert as convert
    from assay.converting.locate import locate as locate
    from assay.converting.recall_base import ideal_run as ideal_run
    from assay.converting.recall_base import recall_base as recall_base
    from assay.converting.relevance import relevance as relevance
    from assay.documents.lookup import Documents as Documents
    from assay.errors import AssayError as AssayError
    from assay.errors import InputError as InputError
    from assay.errors import UsageError as UsageError
    from assay.formats.reading import read_judgments as read_judgments
    from assay.formats.reading import read_run as read_run
    from assay.fusing.fuse import fuse as fuse
    from assay.gating.gate import gate as gate
    from assay.measures.base import Count as Count
    from assay.measures.base import Linear as Linear
    from assay.measures.base import Measure as Measure
    from assay.measures.base import parameter as parameter
    from assay.measures.blended import *  # noqa: F403
    from assay.measures.budgets import *  # noqa: F403
    from assay.measures.counts import *  # noqa: F403
    from assay.measures.curves import curve as curve
    from assay.measures.diversity import *  # noqa: F403
    from assay.measures.elsewhere import *  # noqa: F403
    from assay.measures.entries import *  # noqa: F403
    from assay.measures.focused import *  # noqa: F403
    from assay.measures.graded import *  # noqa: F403
    from assay.measures.levels import *  # noqa: F403
    from assay.measures.listing import explain as explain
    from assay.measures.notation import parse as parse
    from assay.measures.passages import *  # noqa: F403
    from assay.measures.pooled import *  # noqa: F403
    from assay.measures.precall import *  # noqa: F403
    from assay.measures.ragas_contexts import *  # noqa: F403
    from assay.measures.ranked import *  # noqa: F403
    from assay.measures.sampled_pools import *  # noqa: F403
    from assay.measures.sets import *  # noqa: F403
    from assay.measures.snippets import *  # noqa: F403
    from assay.measures.user_models import *  # noqa: F403
    from assay.measures.xcg import *  # noqa: F403
    from assay.public.ceiling import ceiling as ceiling
    from assay.public.chart import chart as chart
    from assay.public.evaluate import evaluate as evaluate
    from assay.public.read_scores import read_scores as read_scores
    from assay.public.scores import Scores as Scores
    from assay.ranking.document_ranking import Ranking as Ranking
    from assay.ranking.document_ranking import ratio as ratio
    from assay.ranking.kinds import DOCUMENTS as DOCUMENTS
    from assay.ranking.kinds import ELEMENTS as ELEMENTS
    from assay.ranking.kinds import SAMPLED as SAMPLED
    from assay.ranking.kinds import SUBTOPICS as SUBTOPICS
    from assay.ranking.kinds import TEXT as TEXT
    from assay.reporting.report import report as report

# Names are loaded when they are asked for: `assay --help` needs neither numpy nor polars.
_HOMES: dict[str, tuple[str, ...]] = {
    "errors": ("AssayError", "InputError", "UsageError"),
    "documents.lookup": ("Documents",),
    "formats.reading": ("read_judgments", "read_run"),
    "ranking.document_ranking": ("Ranking", "ratio"),
    "ranking.kinds": ("DOCUMENTS", "ELEMENTS", "SAMPLED", "SUBTOPICS", "TEXT"),
    "measures.base": ("Count", "Linear", "Measure", "parameter"),
    "measures.notation": ("parse",),
    "measures.listing": ("explain",),
    "measures.curves": ("curve",),
    "public.scores": ("Scores",),
    "public.read_scores": ("read_scores",),
    "public.evaluate": ("evaluate",),
    "converting.convert": ("convert",),
    "converting.locate": ("locate",),
    "converting.relevance": ("relevance",),
    "converting.recall_base": ("ideal_run", "recall_base"),
    "fusing.fuse": ("fuse",),
    "comparing.significance": ("baseline_table", "compare", "significance_table"),
    "comparing.correlation": ("correlate",),
    "comparing.agreement": ("agreement",),
    "comparing.best": ("chance_of_best",),
    "comparing.grouped": ("compare_groups",),
    "public.ceiling": ("ceiling",),
    "public.chart": ("chart",),
    "reporting.report": ("report",),
    "checking.check": ("check",),
    # a package of its own, as it needs Spark
    "spark": (),
    "gating.gate": ("gate",),
}
_HOMES |= {f"measures.{family}": names for family, names in FAMILIES.items()}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *_NAMES]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _NAMES:
            return getattr(import_module(f"assay.{_NAMES[name]}"), name)
        if name in {home.partition(".")[0] for home in _HOMES}:
            return import_module(f"assay.{name}")
        raise AttributeError(f"assay has no {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
