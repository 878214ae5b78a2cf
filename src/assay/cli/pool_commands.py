"""The commands about pools: which documents people should judge, and which runs the judgments favour."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from assay.cli import command_options as options
from assay.cli.command import command, option
from assay.cli.common import default_layout, print_notes, say, separate, write_output
from assay.errors import UsageError
from assay.vocabulary import LIVE_ORDERS, POOL_FUSIONS, STUDY_MODES


@command()
@click.argument("runs", nargs=-1, metavar="RUN...", shell_complete=options.file_names)
@option("-o", "--output", type=click.Path(), help="The new study to write, for `assay assess`.", group="Output")
@option("--depth", type=click.IntRange(1), help="Pool the first N documents of each run.", group="Choosing documents")
@option(
    "--budget",
    type=click.IntRange(1),
    help="Pool N documents per topic, taken from the runs in turn.",
    group="Choosing documents",
)
@option(
    "--fusion",
    type=click.Choice(POOL_FUSIONS),
    help="Pool the first --size documents of a fusion of the runs.",
    group="Choosing documents",
)
@option("--size", type=click.IntRange(1), help="Documents per topic of a --fusion.", group="Choosing documents")
@option(
    "--strata",
    metavar="RANKS:RATE,...",
    help="Ranks and the share to judge, for example 1-10:1,11-50:0.2.",
    group="Choosing documents",
)
@option(
    "--live",
    type=click.Choice(LIVE_ORDERS),
    help="Choose the next document from the judgments so far.",
    group="Choosing documents",
)
@option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of the order and of the samples.",
    group="Choosing documents",
)
@option(
    "--topics-file",
    type=click.Path(),
    help="A file with title, description and narrative of topics.",
    group="The study",
)
@options.taking(options.DOCUMENTS)
@option(
    "--judgments", type=click.Path(), help="Judgments to start from, alone or with runs.", group="Choosing documents"
)
@option(
    "--mode",
    type=click.Choice(STUDY_MODES),
    default="highlight",
    show_default=True,
    help="What assessors do.",
    group="The study",
)
@option("--grades", metavar="0,1,2", help="The grades that assessors can choose.", group="The study")
@option(
    "--judges",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many assessors judge each document.",
    group="The study",
)
@option(
    "--check",
    type=click.IntRange(1),
    help="Draw N topics whose --judgments people should check.",
    group="Checking a model's judgments",
)
@option(
    "--check-pairs",
    type=click.IntRange(1),
    help="Draw N pairs of topic and document instead.",
    group="Checking a model's judgments",
)
@option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="With --check: the measures for which to predict confidence intervals.",
    group="Measures",
)
@option(
    "--format",
    type=options.FORMAT_NAMES,
    help="Format of the runs; recognised from their content by default.",
    group="Reading files",
)
@options.COLUMNS
@options.taking(options.PRINTING)
@option("-q", "--quiet", is_flag=True, help="Do not print notes on standard error.", group="Output")
def pool(
    runs: tuple[str, ...],
    output: str | None,
    grades: str | None,
    check: int | None,
    check_pairs: int | None,
    measures: tuple[str, ...],
    layout: str | None,
    digits: int,
    quiet: bool,
    **how: Any,
) -> None:
    """Choose which documents of RUNs people should judge, and write a study for `assay assess`.

    Choose one recipe: --depth, --budget, --fusion with --size, or --strata. The study keeps the recipe, the seed, the
    runs, and the probability with which each document was chosen.

    \b
    assay pool *.run --depth 100 --documents corpus -o study.db
    assay pool *.run --budget 500 --documents articles.zip -o study.db
    assay pool *.run --strata 1-10:1,11-50:0.2 --documents corpus -o study.db
    assay pool --judgments inex2009.qrels --documents wikipedia.zip -o study.db
    assay pool *.run --judgments model.qrels --check 40 -m nDCG@10 -o people.qrels

    With --check or --check-pairs a model made the judgments, and the output is a file in which people write their
    grades; the table shows the confidence interval to expect for 10, 20, 40 and 80 topics.
    """
    from assay.assessing.making import pool as library

    if check is not None or check_pairs is not None:
        if how["judgments"] is None or not runs:
            raise UsageError("--check draws from the judgments of a model; pass --judgments and the runs")
        if check is not None and check_pairs is not None:
            raise UsageError("people check either topics or pairs; leave out --check or --check-pairs")
        from assay.comparing.check_sample import check_sample
        from assay.showing.layout import EXACT

        refuse_other_recipes()
        rules = {name: how[name] for name in ("documents", "format", "columns", "topics_file") if how[name] is not None}
        draw = {"topics": check, "pairs": check_pairs, "depth": how["depth"], "seed": how["seed"]}
        sample = check_sample(how["judgments"], list(runs), separate(measures) or None, **draw, **rules)
        if output:
            write_output(output, sample.content)
        layout = layout or default_layout()
        say(sample.show(layout, digits), layout)
        print_notes([sample.about] if not quiet and layout in (*EXACT, "json") else [])
        return
    if measures:
        raise UsageError("--measure requires --check")
    try:
        chosen = tuple(int(grade) for grade in grades.split(",")) if grades else ()
    except ValueError:
        raise UsageError(f"{grades!r} are not grades; expected numbers, for example 0,1,2") from None
    pooled = library(list(runs) or None, output, grades=chosen, **how)
    layout = layout or default_layout()
    say(pooled.show(layout), layout)
    print_notes([] if quiet else pooled.notes)


def refuse_other_recipes() -> None:
    """People who check a model judge the first results of each run; what makes a study has no meaning there."""
    context = click.get_current_context()
    for name in ("budget", "fusion", "size", "strata", "live", "mode", "grades", "judges"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} does not apply with --check, which takes the first --depth results of each run")


@command("pool-bias")
@click.argument("judgments", shell_complete=options.file_names)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=options.file_names)
@option("-m", "--measure", default="AP", show_default=True, help="A measure of whole documents.", group="Measures")
@option(
    "--depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="The depth to which each run was pooled.",
    group="Choosing documents",
)
@option(
    "--group",
    "groups",
    multiple=True,
    metavar="RUN=GROUP",
    help="The group of a run, for example bm25=ours; repeatable.",
)
@option(
    "-o",
    "--chart",
    type=click.Path(),
    help="Also draw the relevant documents by depth to this chart file.",
    group="Output",
)
@options.taking(options.DOCUMENTS)
@option(
    "--format",
    type=options.FORMAT_NAMES,
    help="Format of the files; recognised from their content by default.",
    group="Reading files",
)
@options.COLUMNS
@options.taking(options.PRINTING)
@option("-q", "--quiet", is_flag=True, help="Do not print notes on standard error.", group="Output")
def pool_bias(
    judgments: str,
    runs: tuple[str, ...],
    groups: tuple[str, ...],
    chart: str | None,
    layout: str | None,
    digits: int,
    quiet: bool,
    **how: Any,
) -> None:
    """Measure how much each run, or group of runs, loses without the judgments that only it contributed to the pool.

    If a run loses much without its own judgments, a new system would be judged unfairly.

    \b
    assay pool-bias qrels.txt *.run --depth 100
    assay pool-bias qrels.txt *.run --group bm25=ours --group dense=ours
    """
    from assay.assessing.bias import pool_bias as library

    if unclear := next((each for each in groups if "=" not in each), None):
        raise UsageError(f"{unclear!r} is not a group; expected RUN=GROUP")
    named = dict(each.split("=", 1) for each in groups) or None
    bias = library(judgments, list(runs), groups=named, **how)
    if chart:
        from assay.charts.saving import save

        save(bias.chart(), chart)
    layout = layout or default_layout()
    say(bias.show(layout, digits), layout)
    print_notes([] if quiet else bias.notes)
