"""The commands that are other programs, trec_eval, inex_eval and evalj; and the examples."""

from __future__ import annotations

import click

from assay.cli.command import command, option
from assay.cli.command_options import file_names
from assay.cli.common import echo, noted, say
from assay.vocabulary import LAYOUTS


@command(
    "trec_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=file_names)
def trec_eval(arguments: tuple[str, ...]) -> None:
    """Print what NIST's trec_eval prints, of version 9.0.8 or (--like 10) 10; `assay trec_eval -h` explains."""
    from assay.compat.trec_eval import trec_eval as library

    echo(library(list(arguments)))


@command(
    "inex_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=file_names)
def inex_eval(arguments: tuple[str, ...]) -> None:
    """Print what the evaluator of INEX 2010 prints; `assay inex_eval -h` explains."""
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
    help="How to print the tables.",
)
@option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits of text, md and latex.")
def evalj(config: str, per_topic: str | None, graphs: str | None, layout: str, digits: int) -> None:
    """Evaluate all runs as an EvalJ CONFIG says: TASK, METRICS, QUANT_FUNCTIONS, ASSESSMENTS_DIR, SUBMISSIONRUNS_DIR
    and so on.

    Folders are seen from the folder of the configuration. One table is printed for each task and quantisation.
    """
    from assay.compat.evalj import evalj as library

    for printed, notes in library(config, layout, digits, per_topic, graphs):
        say(printed)
        noted(notes)


@command()
@click.argument("folder", type=click.Path())
def examples(folder: str) -> None:
    """Copy the example files into FOLDER, which must be new or empty.

    The pages of the documentation use them. Call the folder `examples` to type their commands as they are.

    \b
    assay examples examples
    assay evaluate examples/judgments.qrels examples/bm25.run
    """
    from assay.files.examples import write_examples

    files = write_examples(folder)
    say(
        f"copied {len(files)} files into {folder}; for a start:\n"
        f"  assay evaluate {folder}/judgments.qrels {folder}/bm25.run {folder}/dense.run\n"
        f"  assay evaluate {folder}/chunks/gold.jsonl {folder}/chunks/bm25-400.jsonl -m hit@5 -m R@5\n"
        f"{folder}/README.md lists them all",
        nl=True,
    )
