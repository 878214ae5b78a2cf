"""The commands that replace other programs, trec_eval, inex_eval and evalj; and `assay examples`."""

import click

from assay.cli.command import command, file_names, option
from assay.cli.common import echo, print_notes, say
from assay.vocabulary import LAYOUTS


@command(
    "trec_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=file_names)
def trec_eval(arguments: tuple[str, ...]) -> None:
    """Print what NIST's trec_eval 9.0.8 prints, or 10 with --like 10; `assay trec_eval -h` shows its options."""
    from assay.compat.trec_eval import trec_eval as library

    echo(library(list(arguments)))


@command(
    "inex_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=file_names)
def inex_eval(arguments: tuple[str, ...]) -> None:
    """Print what the evaluator of INEX 2010 prints; `assay inex_eval -h` shows its options."""
    from assay.compat.inex_eval import inex_eval as library

    echo(library(list(arguments)))


@command()
@click.argument("config", shell_complete=file_names)
@option("--per-topic", type=click.Path(file_okay=False), help="Write the values of each topic to files in this folder.")
@option(
    "--graphs", type=click.Path(file_okay=False), help="Draw the curves of nxCG, CG and ep to SVG files in this folder."
)
@option(
    "--as",
    "layout",
    type=click.Choice(LAYOUTS[:-1]),
    default="text",
    show_default=True,
    help="Layout of the tables.",
)
@option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    help="Digits after the point in text, md and latex.",
)
def evalj(config: str, per_topic: str | None, graphs: str | None, layout: str, digits: int) -> None:
    """Evaluate all runs as an EvalJ CONFIG says: TASK, METRICS, QUANT_FUNCTIONS, ASSESSMENTS_DIR, SUBMISSIONRUNS_DIR
    and so on.

    Paths are relative to the folder of the configuration. Assay prints a table for each task and quantisation.
    """
    from assay.compat.evalj import evalj as library

    for printed, notes in library(config, layout, digits, per_topic, graphs):
        say(printed)
        print_notes(notes)


@command()
@click.argument("folder", type=click.Path())
def examples(folder: str) -> None:
    """Copy the example files into FOLDER, which must be new or empty.

    The documentation uses them. Call the folder `examples` to type the commands of its pages as they are.

    \b
    assay examples examples
    assay evaluate examples/judgments.qrels examples/bm25.run
    """
    from assay.files.examples import write_examples

    files = write_examples(folder)
    say(
        f"copied {len(files)} files into {folder}; try:\n"
        f"  assay evaluate {folder}/judgments.qrels {folder}/bm25.run {folder}/dense.run\n"
        f"  assay evaluate {folder}/chunks/gold.jsonl {folder}/chunks/bm25-400.jsonl -m hit@5 -m R@5\n"
        f"{folder}/README.md lists them all",
        nl=True,
    )
