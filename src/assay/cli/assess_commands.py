"""The commands for people who judge documents: assess, pool and pool-bias."""

import os
from typing import Any

import click
from click.core import ParameterSource

from assay.cli import Interrupted, options
from assay.cli.command import command, file_names, option
from assay.cli.common import default_layout, print_notes, refuse_output, say, separate, write_output
from assay.errors import InputError, UsageError
from assay.vocabulary import LIVE_ORDERS, POOL_FUSIONS, ROLES, STUDY_MODES

LOCAL_LINK = (
    "this link works only on this computer; for others, start the server with --host 0.0.0.0 --allow-host NAME, "
    "and pass the same here"
)


@command()
@click.argument("study", required=False, type=click.Path())
@option(
    "--documents",
    type=click.Path(),
    help="The documents: a folder, a .zip or .tar archive, or JSONL.",
    group="The study",
)
@option(
    "-o", "--output", type=click.Path(), help="The .jsonl file to write the gold of questions to.", group="The study"
)
@option("--demo", is_flag=True, help="Open a study of the example documents, in a temporary folder.", group="The study")
@option("--name", default="me", show_default=True, help="Your name in the judgments.", group="The study")
@option(
    "--suggest",
    metavar="FILE.py:FUNCTION",
    help="A Python function that suggests what to highlight; shown for four of five documents.",
    group="The study",
)
@option("--no-browser", is_flag=True, help="Print the link, but open no browser.", group="The study")
@option("--invite", metavar="NAME", help="Print a link for this person and exit.", group="People")
@option(
    "--role",
    type=click.Choice(ROLES),
    default="assessor",
    show_default=True,
    help="Role of the person to --invite.",
    group="People",
)
@option(
    "--days",
    type=click.FloatRange(0.01, 365),
    default=14,
    show_default=True,
    help="How many days the link works.",
    group="People",
)
@option("--revoke", metavar="NAME", help="End the access of this person and exit.", group="People")
@option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.", group="The server")
@option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; 8765 by default, or another if it is taken.",
    group="The server",
)
@option(
    "--allow-host",
    multiple=True,
    metavar="HOST",
    help="A host name under which people reach this server; repeatable.",
    group="The server",
)
@option("--certificate", type=click.Path(), help="A TLS certificate (PEM).", group="The server")
@option("--key", type=click.Path(), help="The private key of the --certificate.", group="The server")
@option("--insecure", is_flag=True, help="Let others on the network judge without TLS.", group="The server")
def assess(
    study: str | None,
    documents: str | None,
    output: str | None,
    demo: bool,
    name: str,
    suggest: str | None,
    no_browser: bool,
    invite: str | None,
    role: str,
    days: float,
    revoke: str | None,
    host: str,
    port: int | None,
    allow_host: tuple[str, ...],
    certificate: str | None,
    key: str | None,
    insecure: bool,
) -> None:
    """Open a page in the browser on which people highlight what is relevant.

    STUDY is a study (`assay pool` makes one), or a file of questions if you have documents but no runs. With questions,
    -o names the gold, which Assay writes again after each stroke.

    \b
    assay assess study.db --documents articles/
    assay assess questions.jsonl --documents manuals/ -o gold.jsonl
    assay assess study.db --invite anna
    assay assess --demo
    """
    from assay.assessing import launch
    from assay.studies.study import is_study, open_study

    if invite is None and revoke is None:
        launch.require_extra()
    if demo:
        if study or documents or output:
            raise UsageError("--demo brings its own study and documents; leave out STUDY, --documents and --output")
        import tempfile

        study, documents = launch.study_of_example(tempfile.mkdtemp(prefix="assay-demo-"))
    if study is None:
        raise click.MissingParameter(ctx=click.get_current_context(), param_type="argument", param_hint="STUDY")
    address = launch.Address(host, launch.PORT if port is None else port, allow_host, certificate, key)
    if invite is not None:
        source = click.get_current_context().get_parameter_source
        names = "host", "port", "allow_host", "certificate"
        is_named = any(source(each) is ParameterSource.COMMANDLINE for each in names)
        link = launch.invitation(study, invite, role, days, address if is_named else None)
        click.echo(link)
        print_notes([LOCAL_LINK] if launch.is_local(link) else [])
        return
    if revoke is not None:
        from assay.assessing.people import revoke as end_access

        with open_study(study) as opened:
            end_access(opened, revoke)
        return
    if not os.path.exists(study):
        raise InputError("no such file; expected a study or questions", study)
    if documents is None:
        raise UsageError("no documents to judge; pass --documents")
    if certificate and not key:
        raise UsageError("--certificate requires --key")
    if not (address.is_loopback or certificate or insecure):
        what = f"{host} can be reached from the network, and without TLS others there can read everything"
        raise UsageError(f"{what}; pass --certificate and --key, or --insecure")
    if address.is_everywhere and not allow_host:
        raise UsageError(
            f"{host} is not a host name; pass --allow-host with the name under which others reach this machine"
        )
    if not is_study(study):
        if output is None:
            raise InputError("not a study; if these are questions, pass --output to name a file for the gold", study)
        study = launch.study_of_questions(study, output)
    elif output is not None:
        raise UsageError("--output works only with questions; `assay convert` writes the judgments of a study")

    from assay.documents.lookup import Documents

    def ready(url: str, link: str) -> None:
        click.echo(f"{study}: open {link}", err=True)
        click.echo("The link works once. Press Ctrl+C to stop; everything is saved as you go.", err=True)
        if not no_browser:
            import webbrowser

            webbrowser.open(link)

    try:
        launch.run_study(study, Documents(documents), address, name, output, suggest, ready)
    except Interrupted:
        # Ctrl-C is how people stop the server
        click.echo("stopped", err=True)


# pool chooses which documents people should judge, and pool-bias measures which runs the judgments favour.


@command()
@options.RUNS
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
    help="What assessors do; by default highlight, or grades if the judgments are grades of documents.",
    group="The study",
)
@option(
    "--grades",
    metavar="0,1,2",
    help="The grades that assessors can choose; by default 0, 1, 2 and those of the judgments.",
    group="The study",
)
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
@options.FORMAT
@options.COLUMNS
@options.taking(options.PRINTING)
@options.QUIET
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
    from assay.assessing.new_study import pool as library

    if check is not None or check_pairs is not None:
        if how["judgments"] is None or not runs:
            raise UsageError("--check draws from the judgments of a model; pass --judgments and the runs")
        if check is not None and check_pairs is not None:
            raise UsageError("people check either topics or pairs; leave out --check or --check-pairs")
        from assay.comparing.check_sample import check_sample
        from assay.showing.layout import EXACT

        refuse_other_recipes()
        if output:
            refuse_output(output, how["judgments"], runs)
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
    """Refuse options of a study together with --check, which takes the first results of each run."""
    context = click.get_current_context()
    for name in ("budget", "fusion", "size", "strata", "live", "mode", "grades", "judges"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} does not apply with --check, which takes the first --depth results of each run")


@command("pool-bias")
@click.argument("judgments", shell_complete=file_names)
@options.SOME_RUNS
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
@options.FORMAT
@options.COLUMNS
@options.taking(options.PRINTING)
@options.QUIET
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
    if chart:
        refuse_output(chart, judgments, runs)
    bias = library(judgments, list(runs), groups=named, **how)
    if chart:
        from assay.charts.saving import save

        save(bias.chart(), chart)
    layout = layout or default_layout()
    say(bias.show(layout, digits), layout)
    print_notes([] if quiet else bias.notes)
