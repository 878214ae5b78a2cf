"""Assay measures retrieval: how much of what was returned is relevant, and how much of what is relevant was returned.

    import assay
    from assay import AP, nDCG

    scores = assay.evaluate("qrels.txt", ["bm25.run", "dense.run"], [AP, nDCG @ 10])
    scores                        a table, in a terminal and in a notebook
    scores.per_topic              a polars frame
    scores.compare()              which runs are better, and whether that is by chance

Each of these is a function of judgments and runs (files, frames, dicts or tables); `help(assay.evaluate)` tells more.

    evaluate            the values of runs by measures, as Scores
    Evaluator           the same, made ready once for many runs
    compare             pairs of runs, tested: of Scores too, as scores.compare()
    compare_groups      the same in each group of topics
    significance_table  the table of a paper; scores.table()
    baseline_table      the same, each run beside a baseline
    fuse                one run of several
    correlate           how alike measures rank runs; scores.correlate()
    chance_of_best      how likely each run is the best
    gate                whether a run is worse than a baseline; scores.save, read_scores
    ceiling             the best that any ranking of chunks could reach
    chart               a picture of runs; scores.chart()
    report              one HTML page about runs; scores.report("report.html")

    read_run, read_judgments    files or objects as tables
    check                       every fault of a file, and what is in it
    convert                     a run or judgments in another format
    locate                      where texts stand in documents
    agreement                   how alike annotators are
    relevance                   how relevant each element of judged documents is
    recall_base, ideal_run      of assessed elements

    explain("nDCG")     what a measure is: formula, source, parameters
    parse("nDCG@10")    the measure that a text names
    curve("IPrec")      a measure at all points of its curve

The measures are classes, as assay.AP and assay.nDCG; `from assay.measures import *` names all of them, and
`assay measures` lists them. A measure of your own is a subclass of Measure. What Assay refuses is an AssayError.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.vocabulary import FAMILIES

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assay.checking.check import check as check
    from assay.comparing.agreement import agreement as agreement
    from assay.comparing.comparison import Comparison as Comparison
    from assay.comparing.correlation import Correlation as Correlation
    from assay.comparing.grouped import GroupedComparison as GroupedComparison
    from assay.comparing.letters import SignificanceTable as SignificanceTable
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
    from assay.public.evaluator import Evaluator as Evaluator
    from assay.public.questions import baseline_table as baseline_table
    from assay.public.questions import chance_of_best as chance_of_best
    from assay.public.questions import compare as compare
    from assay.public.questions import compare_groups as compare_groups
    from assay.public.questions import correlate as correlate
    from assay.public.questions import report as report
    from assay.public.questions import significance_table as significance_table
    from assay.public.read_scores import read_scores as read_scores
    from assay.public.scores import Scores as Scores
    from assay.ranking.document_ranking import Ranking as Ranking
    from assay.ranking.document_ranking import ratio as ratio
    from assay.ranking.kinds import DOCUMENTS as DOCUMENTS
    from assay.ranking.kinds import ELEMENTS as ELEMENTS
    from assay.ranking.kinds import SAMPLED as SAMPLED
    from assay.ranking.kinds import SUBTOPICS as SUBTOPICS
    from assay.ranking.kinds import TEXT as TEXT
    from assay.tables.judgments import Judgments as Judgments
    from assay.tables.run import Run as Run

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
    "public.evaluator": ("Evaluator",),
    "converting.convert": ("convert",),
    "converting.locate": ("locate",),
    "converting.relevance": ("relevance",),
    "converting.recall_base": ("ideal_run", "recall_base"),
    "fusing.fuse": ("fuse",),
    "public.questions": (
        "baseline_table",
        "chance_of_best",
        "compare",
        "compare_groups",
        "correlate",
        "report",
        "significance_table",
    ),
    "comparing.comparison": ("Comparison",),
    "comparing.correlation": ("Correlation",),
    "comparing.grouped": ("GroupedComparison",),
    "comparing.letters": ("SignificanceTable",),
    "comparing.agreement": ("agreement",),
    "public.ceiling": ("ceiling",),
    "public.chart": ("chart",),
    "tables.judgments": ("Judgments",),
    "tables.run": ("Run",),
    "checking.check": ("check",),
    # a package of its own, as it needs Spark
    "spark": (),
    "gating.gate": ("gate",),
}
_HOMES |= {f"measures.{family}": names for family, names in FAMILIES.items()}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
# How long numpy's threads turn in circles, as a power of two of the processor's clock; read when OpenBLAS is loaded.
_REST = "OPENBLAS_THREAD_TIMEOUT"
# help(assay) shows in full what stands here: the page above and no more, where all names make thousands of lines.
__all__ = ["__version__"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _NAMES:
            if _NAMES[name] != "errors":
                _load_numpy()
            return getattr(import_module(f"assay.{_NAMES[name]}"), name)
        if name in {home.partition(".")[0] for home in _HOMES}:
            return import_module(f"assay.{name}")
        raise AttributeError(f"assay has no {name!r}")


def _load_numpy() -> None:
    """Load numpy so that the threads it begins, one for each core, do not turn in circles for a tenth of a second until
    they rest: the cores are wanted for other work. They rest a millisecond after they were needed.
    """
    if "numpy" not in sys.modules and _REST not in os.environ:
        os.environ[_REST] = "21"
        try:
            import_module("numpy")
        finally:
            os.environ.pop(_REST, None)


def __dir__() -> list[str]:
    return sorted([*__all__, *_NAMES])
