"""Assay measures retrieval: how much of what was returned is relevant, and how much of what is relevant was returned.

    import assay
    from assay import AP, nDCG

    scores = assay.evaluate("qrels.txt", ["bm25.run", "dense.run"], [AP, nDCG @ 10])
    scores                        a table, in a terminal and in a notebook
    scores.per_topic              a polars frame
    scores.compare()              paired significance tests

These functions take judgments and runs (files, frames, dicts or tables); `help(assay.evaluate)` explains more.

    evaluate            measure runs, and return Scores
    Evaluator           the same for many runs; it prepares the judgments only once
    why                 show how the values of a topic are computed, row by row
    compare             compare systems with paired significance tests; scores.compare()
    compare_groups      the same in each group of topics; scores.compare_groups()
    significance_table  a table for a paper: systems x measures with significance letters; scores.table()
    baseline_table      a table for a paper: each system compared with a baseline
    fuse                fuse several runs into one
    correlate           correlate system rankings across measures; scores.correlate()
    chance_of_best      the probability that each system is the best
    topics_needed       how many topics are needed to detect a difference
    gate                pass or fail a run against thresholds or a baseline; scores.save, read_scores
    ceiling             the best that any ranking of chunks could reach
    misses              the questions that lost most, and why
    chart               draw a chart; scores.chart()
    report              write an HTML report on runs; scores.report("report.html")
    audit               how far a test set can be trusted

    read_run, read_judgments    read files or objects as tables
    check                       what is in a file, and every fault in it
    convert                     write a run or judgments in another format
    locate                      find texts in documents
    check_sample                draw topics or pairs of a model's judgments for people to check
    pool, pool_bias             choose what people should judge; measure which runs the judgments favour
    agreement                   inter-annotator agreement
    relevance                   how relevant each element of judged documents is
    recall_base, ideal_run      the ideal recall-base and the ideal run of assessed elements

    explain("nDCG")     explain a measure: formula, source, parameters
    parse("nDCG@10")    the measure with this name
    curve("IPrec")      a measure at all points of its curve

Measures are classes, for example assay.AP and assay.nDCG. `from assay import *` imports all of them and all functions;
`assay measures` lists them. To add a measure, subclass Measure. Errors that Assay raises are AssayErrors.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

from assay.vocabulary import FAMILIES

__version__ = "0.2.0"

# Assay loads a name when it is first used: `assay --help` needs neither numpy nor polars. __init__.pyi, which type
# checkers read too, says in which module each name is. spark is a separate package because it needs Spark.
_PACKAGES = ("spark",)


@cache
def _homes() -> dict[str, str]:
    """Return the module of each public name."""
    found: dict[str, str] = {}
    for line in _stub().splitlines():
        if line.startswith("from assay."):
            _, home, _, name, *_ = line.split()
            names = FAMILIES[home.rpartition(".")[2]] if name == "*" else (name,)
            found.update(dict.fromkeys(names, home))
    return found


def _stub() -> str:
    """Return the text of __init__.pyi."""
    stub: bytes = __loader__.get_data(os.path.join(os.path.dirname(__file__), "__init__.pyi"))
    return stub.decode()


class _Public(list[str]):
    """All public names, for `from assay import *`.

    help(assay) shows every name in full that is `in` this list. Only the page above should be shown, because all names
    together make thousands of lines. So `in` finds nothing but `__version__`.
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
