"""What measures: this machine, or a Spark cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import load_measures, noted, separate
from assay.errors import UsageError
from assay.vocabulary import ENGINES

if TYPE_CHECKING:
    from assay.spark.cluster_scores import ClusterScores

# What a command takes that may be measured on a cluster.
ENGINE = [
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="local",
        show_default=True,
        help="What measures: this machine, or Apache Spark, which reads Parquet from any store.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="The cluster of --engine spark, as spark://host:7077, yarn or local[4]; by default as Spark is set up.",
    ),
    click.option(
        "--partitions",
        type=click.IntRange(1),
        help="Into how many parts --engine spark divides the topics; by default as Spark is set up.",
    ),
]


def refuse_cluster_options(**given: Any) -> None:
    """What is told of a cluster needs one."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} goes with --engine spark")


def scores_on_spark(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    master: str | None,
    copies: bool,
    **rules: Any,
) -> ClusterScores:
    """The scores of some runs, measured by Spark; what was decided is printed when the command has printed its own."""
    if copies:
        raise UsageError("copies are looked for on one machine only; leave out --copies")
    from assay.spark.cluster import evaluate
    from assay.spark.sessions import session_at

    load_measures(define)
    scores = evaluate(judgments, list(runs), separate(measures) or None, spark=session_at(master), **rules)
    if not quiet:
        notes = scores.notes
        click.get_current_context().call_on_close(lambda: noted(notes))
    return scores
