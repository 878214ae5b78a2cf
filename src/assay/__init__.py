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
    why                 where the values of a topic come from, row by row
    compare             pairs of runs, tested: of Scores too, as scores.compare()
    compare_groups      the same in each group of topics
    significance_table  the table of a paper; scores.table()
    baseline_table      the same, each run beside a baseline
    fuse                one run of several
    correlate           how alike measures rank runs; scores.correlate()
    chance_of_best      how likely each run is the best
    topics_needed       how many topics show a difference
    gate                whether a run is worse than a baseline; scores.save, read_scores
    ceiling             the best that any ranking of chunks could reach
    misses              which questions lost most, and why
    chart               a picture of runs; scores.chart()
    report              one HTML page about runs; scores.report("report.html")
    audit               how far a test set can be trusted

    read_run, read_judgments    files or objects as tables
    check                       every fault of a file, and what is in it
    convert                     a run or judgments in another format
    locate                      where texts are in documents
    check_sample                which topics or pairs people should check of a model's judgments
    pool, pool_bias             what people should judge, and whom the judgments favour
    agreement                   how alike annotators are
    relevance                   how relevant each element of judged documents is
    recall_base, ideal_run      of assessed elements

    explain("nDCG")     what a measure is: formula, source, parameters
    parse("nDCG@10")    the measure that a text names
    curve("IPrec")      a measure at all points of its curve

The measures are classes, as assay.AP and assay.nDCG; `from assay import *` names all of them and all functions, and
`assay measures` lists them. A measure of your own is a subclass of Measure. What Assay refuses is an AssayError.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

from assay.vocabulary import FAMILIES

__version__ = "0.2.0"

# Assay loads a name when it is first used: `assay --help` needs neither numpy nor polars. __init__.pyi, which type
# checkers read too, says in which module each name is. spark is a package of its own, as it needs Spark.
_PACKAGES = ("spark",)


@cache
def _homes() -> dict[str, str]:
    """The module of each public name."""
    found: dict[str, str] = {}
    for line in _stub().splitlines():
        if line.startswith("from assay."):
            _, home, _, name, *_ = line.split()
            names = FAMILIES[home.rpartition(".")[2]] if name == "*" else (name,)
            found.update(dict.fromkeys(names, home))
    return found


def _stub() -> str:
    """What __init__.pyi says."""
    stub: bytes = __loader__.get_data(os.path.join(os.path.dirname(__file__), "__init__.pyi"))
    return stub.decode()


class _Public(list[str]):
    """All public names, for `from assay import *`.

    help(assay) asks of each whether it is `in` here, and shows in full what is: the page above and no more, because all
    names make thousands of lines.
    """

    def __contains__(self, name: object) -> bool:
        return name == "__version__"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _Public(["__version__", *_homes()])
    home = _homes().get(name)
    if home:
        return getattr(import_module(home), name)
    if name in _PACKAGES or name in {each.split(".")[1] for each in _homes().values()}:
        return import_module(f"assay.{name}")
    raise AttributeError(f"assay has no {name!r}")


def __dir__() -> list[str]:
    return sorted(["__version__", *_homes()])
