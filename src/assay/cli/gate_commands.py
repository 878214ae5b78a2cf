"""The command that passes or fails a run: gate."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay.cli import common
from assay.cli.command import command, file_names, option
from assay.cli.options import CHECKED, EVALUATION, PRINTING, named_file, taking
from assay.vocabulary import GATE_TESTS

# The arguments and options of an evaluation, but with one run.
ONE_RUN = [
    click.argument("judgments", required=False, metavar="JUDGMENTS", shell_complete=file_names),
    click.argument("run", required=False, metavar="RUN", callback=named_file, shell_complete=file_names),
    *EVALUATION[2:],
]
PASSED, FAILED, UNDECIDED = 0, 1, 2


@command()
@taking(ONE_RUN)
@option(
    "--require",
    multiple=True,
    metavar="DEMAND",
    help="A condition on a value, for example 'R(chars=2000) >= 0.70'; repeatable.",
)
@option(
    "--not-worse-than",
    type=click.Path(),
    metavar="FILE",
    help="Scores that `assay evaluate --save` wrote; the run must not be worse by any measure of that file, or by -m.",
)
@option("--baseline", metavar="NAME", help="The run of --not-worse-than to compare with, if the file has several.")
@option(
    "--margin",
    type=click.FloatRange(0),
    help="Fail unless a loss this large can be ruled out (non-inferiority). Without it, fail if a loss is significant.",
)
@option(
    "--level",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The significance level of the one-sided test.",
)
@option(
    "--test",
    type=click.Choice(GATE_TESTS),
    show_default="randomisation",
    help="The test, paired by topic; with --checked always a t-test of corrected differences.",
)
@option(
    "--means-only",
    is_flag=True,
    help="Compare means without a test: fail if the mean is lower by more than the margin.",
)
@option(
    "--allow-missing",
    is_flag=True,
    help="Score judged topics that are missing from the run 0; otherwise they are an error.",
)
@option(
    "--allow-changed-documents",
    is_flag=True,
    help="Compare even if documents with evidence changed since the baseline was saved.",
)
@option(
    "--samples",
    type=click.IntRange(100),
    default=10_000,
    show_default=True,
    help="Number of samples that the test draws.",
)
@option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the test.")
@option(
    "--topics-file",
    type=click.Path(),
    help="A file with the titles of topics, to show them.",
    group="Topics and ties",
)
@CHECKED
@option("--junit", type=click.Path(), help="Also write the checks to this file as JUnit XML.", group="Output")
@taking(PRINTING)
def gate(
    judgments: str | None,
    run: Any,
    measures: tuple[str, ...],
    scores: tuple[Any, ...],
    lower_is_better: tuple[str, ...],
    format: str | None,
    define: tuple[str, ...],
    quiet: bool,
    require: tuple[str, ...],
    not_worse_than: str | None,
    topics_file: str | None,
    junit: str | None,
    layout: str | None,
    digits: int,
    **given: Any,
) -> None:
    """Pass or fail a RUN: its values must meet the thresholds, and must not be worse than a saved baseline.

    "Not worse" is a paired test over topics. It is an error if the baseline was measured with other judgments,
    documents, topics or rules, or with another unit or version of a measure. Exit status: 0 if the run passes, 1 if it
    fails, 2 if nothing could be decided because of a file or of the command line. The output is text also in a pipe,
    unless --as says otherwise; --as md suits a pull request.

    \b
    assay evaluate gold.jsonl main.jsonl -m "R(chars=2000)" --save baseline.json
    assay gate gold.jsonl new.jsonl --not-worse-than baseline.json
    assay gate gold.jsonl new.jsonl --not-worse-than baseline.json --margin 0.02
    assay gate gold.jsonl new.jsonl --require "R(chars=2000) >= 0.70" --as md
    assay gate --scores latency.csv --require "latency <= 200"
    """
    from assay.gating.gate import gate as library
    from assay.gating.gate_result import junit as as_junit

    with leave_undecided(layout):
        if junit:
            read = given["documents"], given["chunks"], given["checked"], topics_file, not_worse_than
            common.refuse_output(junit, judgments, run, scores, define, *read)
    with leave_undecided(layout, junit):
        common.load_measures(define)
        given["scores"] = common.given_scores(judgments, () if run is None else (run,), scores, lower_is_better)
        given |= {"require": require, "not_worse_than": not_worse_than, "topics_file": topics_file, "format": format}
        outcome = library(judgments, run, common.separate(measures) or None, **given)
        if junit:
            common.write_output(junit, as_junit(outcome))
    layout = layout or "text"
    common.say(outcome.show(layout, digits), layout)
    common.print_notes([] if quiet else outcome.notes)
    sys.exit(PASSED if outcome.passed else FAILED)


@contextmanager
def leave_undecided(layout: str | None, junit: str | None = None) -> Iterator[None]:
    """Exit with the status of an undecided gate if anything is refused here; that is not the same as a run that fails.

    The JUnit file reports the error too. With --as md, standard output does as well, because it becomes the comment on
    a pull request.
    """
    from assay.errors import AssayError

    try:
        try:
            yield
        except MemoryError:
            raise AssayError(common.OUT_OF_MEMORY) from None
    except AssayError as error:
        error.status = UNDECIDED
        if junit:
            from assay.gating.gate_result import junit_of_error

            common.write_output(junit, junit_of_error(common.in_options(str(error))))
        if layout == "md":
            from assay.gating.gate_result import undecided_in_markdown

            common.say(undecided_in_markdown(common.in_options(str(error))))
        raise
