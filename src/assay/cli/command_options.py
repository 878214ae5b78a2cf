"""The options that several commands take, each said once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay.vocabulary import (
    ANNOTATORS,
    BLANKS,
    CHARTS,
    DUPLICATES,
    ELEMENT_TASKS,
    FAMILIES,
    FORMATS,
    LAYOUTS,
    OVERLAPS,
    QUANTISATIONS,
    TEXT_TASKS,
    TEXTS,
    TIES,
    TOPICS,
)

# What a shell offers after Tab: files, measures and charts; formats, tasks and other words are known to their options.


def file_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The files that the shell knows itself."""
    return [CompletionItem(begun, type="file")]


def measure_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The measures whose names begin so, in any case of letters; of several between commas the last is completed."""
    before, comma, last = begun.rpartition(",")
    names = [name for names in FAMILIES.values() for name in names if name.lower().startswith(last.lower())]
    return [CompletionItem(f"{before}{comma}{name}") for name in names]


def chart_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The charts whose names begin so, and files, as what to draw need not be said."""
    named = [CompletionItem(name) for name in CHARTS if name.startswith(begun)]
    return [*named, *file_names(context, parameter, begun)]


# The quantisations of each scale, as the help of --quant lists them.
SCALES = "; of ".join(f"{year}: {', '.join(names)}" for year, names in QUANTISATIONS.items()).replace(
    "gen,", "gen (default),", 1
)


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
    click.option(
        "--format",
        type=FORMAT_NAMES,
        help="Format of all files, judgments and runs; recognised from their content by default.",
    ),
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
