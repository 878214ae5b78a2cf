"""What the commands share: the group, the options of an evaluation, and how things are printed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from assay import __version__
from assay.cli.completion import file_names, measure_names
from assay.vocabulary import (
    ANNOTATORS,
    BLANKS,
    DUPLICATES,
    ELEMENT_TASKS,
    FORMATS,
    LAYOUTS,
    OVERLAPS,
    QUANTISATIONS,
    TEXT_TASKS,
    TEXTS,
    TIES,
    TOPICS,
)

if TYPE_CHECKING:
    from assay.public.scores import Scores

LONG_WORK = 50 << 20
# Commas that are neither within brackets nor before a mere number.
BETWEEN_MEASURES = re.compile(r",(?![^(]*\))(?!\s*-?[0-9.]+(?:=-?[0-9.]+)?\s*(?:,|$))")
STANDARD_OUTPUT = "-"
# The quantisations of each scale, as the help of --quant lists them.
SCALES = "; of ".join(f"{year}: {', '.join(names)}" for year, names in QUANTISATIONS.items()).replace(
    "gen,", "gen (default),", 1
)


class Commands(click.Group):
    """Runs a command and turns what Assay refuses into one line on standard error and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input never shows a traceback."""
        from assay.errors import AssayError

        try:
            return super().invoke(ctx)
        except AssayError as error:
            click.echo(in_options(str(error)), err=True)
            sys.exit(error.status)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="assay")
def main() -> None:
    """Measure retrieval: how much of what was returned is relevant, and how much of what is relevant was returned."""
    for stream in (sys.stdout, sys.stderr):
        # a letter that a terminal cannot show is no reason to stop
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def documents_of(context: click.Context, option: click.Parameter, path: str | None) -> Any:
    """The documents at a path, or that path itself where what is found out about them may be kept."""
    if path is None or not context.meta.get(NO_CACHE):
        return path
    from assay.documents.lookup import Documents

    return Documents(path, cache=False)


def columns_of(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The columns that hold some fields, each given as field=name."""
    if unclear := next((each for each in given if "=" not in each), None):
        raise click.BadParameter(f"{unclear!r} is not FIELD=NAME, as document=chunk_id", context, option)
    return {field.strip(): name.strip() for field, _, name in (each.partition("=") for each in given)}


def keep_nothing(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Remembers, before the documents are opened, that nothing shall be kept about them."""
    context.meta[NO_CACHE] = given


NO_CACHE = "assay.no_cache"
CACHING = click.option(
    "--no-cache",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=keep_nothing,
    help="Keep nothing about the documents for the next time, and use nothing that was kept.",
)
DOCUMENTS: list[Callable[[Any], Any]] = [
    click.option(
        "--documents",
        type=click.Path(),
        callback=documents_of,
        help="A folder, an archive or a JSONL file with the documents, where element paths or lengths must be "
        "looked up.",
    ),
    CACHING,
]
FORMAT_NAMES = click.Choice(list(FORMATS))
COLUMNS = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=NAME",
    callback=columns_of,
    help="The column of a table that holds a field, as document=chunk_id, where the usual names do not "
    "tell; repeatable.",
)
TASK_NAMES = click.Choice([*TEXT_TASKS, *ELEMENT_TASKS], case_sensitive=False)
TASK = click.option(
    "--task",
    type=TASK_NAMES,
    metavar="TASK",
    help="A task of INEX: its measures, if none are given, and its rules for runs. Of highlighted text "
    f"{', '.join(TEXT_TASKS)}; of assessed elements {', '.join(ELEMENT_TASKS)}.",
)
TOPICS_THAT_COUNT = click.option(
    "--topics",
    type=click.Choice(TOPICS),
    default="judged",
    show_default=True,
    help="Topics that count: all judged, those with anything relevant, those also in the run; or refuse differences.",
)
POOLS = click.option(
    "--pools",
    callback=lambda ctx, option, given: given and [pool.strip() for pool in given.split(",")],
    help="Of a folder of assessments, the pools that count, as 275,297.",
)
# What a command takes that shows values for groups of topics.
GROUPS: list[Callable[[Any], Any]] = [
    click.option(
        "--topics-file",
        type=click.Path(),
        help="A file with the topics' titles and what else is told of them: INEX or TREC topics, TSV, CSV or JSONL.",
    ),
    click.option("--by", metavar="COLUMN", help="A row for each group of topics, by a column of the --topics-file."),
]
MEASURE = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    shell_complete=measure_names,
    help="A measure such as AP, nDCG@10 or P(rel=2)@5; repeatable.",
)
OVERLAP = click.option(
    "--overlap",
    type=click.Choice(OVERLAPS),
    help="Results that overlap an earlier one: read again, which gains nothing (default), only new text counts, "
    "left out, or refused (most tasks).",
)
# How texts, blanks, annotators and copies are treated, and how files are read.
GOLD: list[Callable[[Any], Any]] = [
    click.option(
        "--texts",
        type=click.Choice(TEXTS),
        default="check",
        show_default=True,
        help="Texts of rows, where documents are given: compared with their offsets, counted where they stand, the "
        "same without those that are not found, or not looked at. Those without offsets are found.",
    ),
    click.option(
        "--blanks",
        type=click.Choice(BLANKS),
        default="count",
        show_default=True,
        help="Whether blanks count as other characters do; splitters strip them.",
    ),
    click.option(
        "--annotators",
        metavar=f"[{'|'.join(ANNOTATORS)}|NAME]",
        help="Where several annotators judged: the mean of the values against each (default), the best, all evidence "
        "as one, or one of them.",
    ),
    click.option(
        "--copies",
        is_flag=True,
        help="Evidence counts wherever it stands in the --documents: a verbatim copy elsewhere is as good.",
    ),
    click.option("--format", type=FORMAT_NAMES, help="Format of the files; recognised from their content by default."),
    COLUMNS,
]
QUIET = click.option(
    "--quiet", is_flag=True, help="Do not print what was decided (topics left out, ties broken) on standard error."
)
REPEATS = click.option(
    "--duplicates",
    type=click.Choice(DUPLICATES),
    default="refuse",
    show_default=True,
    help="A document that stands in a topic again, as chunks with the id of their document do: refused, or its "
    "first row counts, or the one with the best score.",
)
# What every command takes that evaluates runs.
EVALUATION: list[Callable[[Any], Any]] = [
    click.argument("judgments", shell_complete=file_names),
    click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=file_names),
    MEASURE,
    TASK,
    click.option("--quant", multiple=True, help=f"Quantisation of a task of {SCALES}; repeatable."),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1),
        help="Of a task of 2005: how little text is worth that was seen before; 1 by default.",
    ),
    POOLS,
    click.option(
        "--ties",
        type=click.Choice(TIES),
        default="docno",
        show_default=True,
        help="Order of equal scores: by document id as trec_eval, by input order, by rank column, or the mean over "
        "all.",
    ),
    OVERLAP,
    *DOCUMENTS,
    click.option(
        "--tokenizer",
        metavar="NAME",
        help="What makes tokens of the documents' texts, for R(tokens=500) or P(unit=token)@5: words, a .json file "
        "of Hugging Face's tokenizers, or tiktoken:NAME.",
    ),
    TOPICS_THAT_COUNT,
    click.option("--depth", type=click.IntRange(1), help="Use only the first N results of each topic."),
    click.option("--judged-only", is_flag=True, help="Leave out unjudged results before measuring (condensed lists)."),
    REPEATS,
    *GOLD,
    click.option(
        "--define",
        type=click.Path(exists=True, dir_okay=False),
        multiple=True,
        help="A Python file with measures of your own, to be used by name with -m.",
    ),
    QUIET,
]
LAYOUT = click.option(
    "--as", "layout", type=click.Choice(LAYOUTS), help="How to print; text on a terminal and tsv in a pipe by default."
)
PRINTING: list[Callable[[Any], Any]] = [
    LAYOUT,
    click.option(
        "--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits of text, md, latex and html."
    ),
]


def taking(options: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Give a command some options."""

    def given(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return given


def scores_of(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    format: str | None,
    define: tuple[str, ...],
    quiet: bool,
    **rules: Any,
) -> Scores:
    """The scores of some runs; what was decided is printed on standard error, when the command has printed its own."""
    from assay.public.evaluate import evaluate

    for file in define:
        load(file)
    with progress([judgments, *runs]) as step:
        scores = evaluate(judgments, list(runs), separate(measures) or None, format=format, progress=step, **rules)
    if not quiet:
        click.get_current_context().call_on_close(lambda: noted(scores.notes))
    return scores


def noted(notes: list[str]) -> None:
    """Lines about what was decided on the user's behalf."""
    from assay.errors import printable

    for note in notes:
        click.echo(f"note: {in_options(printable(note))}", err=True)


def in_options(message: str) -> str:
    """What the library says of its parameters, said of options: where it asks to give `documents=`, that is
    `--documents` here.
    """
    every = [
        option for command in main.commands.values() for option in command.params if isinstance(option, click.Option)
    ]
    options = {str(option.name): option for option in every}

    def named(asked: re.Match[str]) -> str:
        verb, name, value = asked.groups()
        if name not in options:
            return asked[0]
        return f"{verb}{options[name].opts[-1]}" + (f" {value}" if value and not options[name].is_flag else "")

    return re.sub(r"(\b(?:give|need|or) )(\w+)=(\w*)(?=[,;.]|\s|$)", named, message)


def refuse_output(output: str, *inputs: Any) -> None:
    """Refuse, before any work is done, an output that cannot be written, or that is one of the files that are read."""
    from assay.files.writing import refuse_input_as_output, refuse_unwritable

    if output == STANDARD_OUTPUT:
        return
    refuse_unwritable(output)
    files = [file for given in inputs for file in (given if isinstance(given, tuple) else [given])]
    refuse_input_as_output(output, *(getattr(file, "label", file) for file in files))


def put(output: str, content: bytes | Iterable[bytes]) -> None:
    """Write a file, or standard output; what is long may be given in pieces."""
    from assay.files.writing import write

    if output == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.writelines([content] if isinstance(content, bytes) else content)
    else:
        write(output, content)


def default_layout() -> str:
    """Aligned text for people, TSV for programs."""
    return "text" if sys.stdout and sys.stdout.isatty() else "tsv"


def separate(measures: tuple[str, ...]) -> list[str]:
    """Measures, also where several were given between commas; those of trec_eval's `P.5,10` stay together."""
    return [measure for given in measures for measure in BETWEEN_MEASURES.split(given)]


def load(file: str) -> None:
    """Run a Python file for the measures it defines."""
    import importlib.util

    from assay.errors import InputError

    name = "measures of " + file
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("is not a Python file; expected one whose name ends in .py", file)
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name, and a class lives as long as its module does
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot be run: {type(error).__name__}: {error}", file) from None


@contextmanager
def progress(files: list[str]) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error while large files are read; nothing where that is no terminal or the work is short."""
    from assay.files.source import Source

    total = sum(Source(file).size for file in files)
    if total < LONG_WORK or not (sys.stderr and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("reading"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda done: bar.update(task, completed=done)


def echo(printed: Any) -> None:
    """What another program would have printed, and its exit status."""
    click.echo(printed.out, nl=False)
    click.echo(printed.err, err=True, nl=False)
    sys.exit(printed.status)
