"""The commands about files: check, convert, fuse, locate, agreement, relevance and recall-base."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from assay.cli import command_options as options
from assay.cli.command import command, option
from assay.cli.common import default_layout, in_options, noted, put, refuse_output, say
from assay.vocabulary import FILE_KINDS, FUSIONS, NORMALISATIONS, RECALL_BASE_RULES, FileKind

if TYPE_CHECKING:
    from assay.documents.lookup import Documents

# The format in which a file is written: the one that is asked for, or the one that the ending of its name tells.

# What the ending of a name tells; runs of spans without names of columns stand between tabs too.
ENDINGS = {".csv": ("csv",), ".tsv": ("tsv", "spans"), ".jsonl": ("jsonl",), ".parquet": ("parquet",)}


def format_to_write(output: str, to: str | None, default: str | None = None) -> str:
    """The format in which a file is written; refused where its ending tells another than was asked for, or none."""
    from assay.errors import UsageError
    from assay.files.source import COMPRESSED

    name, ending = os.path.splitext(output)
    if ending.lower() in COMPRESSED:
        ending = os.path.splitext(name)[1]
    told = ENDINGS.get(ending.lower())
    if to is None and told:
        return default if default in told else told[0]
    if to is not None and told and to not in told:
        raise UsageError(f"{output}: the ending {ending} is that of {told[0]}, and --to says {to}")
    if (to := to or default) is None:
        raise UsageError(f"no format to write; give --to FORMAT, or -o with an ending of {', '.join(ENDINGS)}")
    return to


OUTPUT = option(
    "-o",
    "--output",
    type=click.Path(),
    default="-",
    help="The file to write, compressed where its name ends so; standard output by default.",
    group="Output",
)

DEPTH = option(
    "--depth", type=click.IntRange(1), metavar="N", help="Write only the first N results of each topic of a run."
)


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=options.file_names)
@option(
    "--task",
    type=options.TASK_NAMES,
    metavar="TASK",
    help="A task of INEX, as of `assay evaluate`; where a run does not keep to it that is a fault.",
    group="INEX",
)
@options.taking(options.DOCUMENTS)
@option(
    "--kind",
    type=click.Choice(FILE_KINDS),
    help="What the files are; told from their content by default.",
    group="Reading files",
)
@option(
    "--format",
    type=options.FORMAT_NAMES,
    help="Format of the files; told from their content by default.",
    group="Reading files",
)
@options.COLUMNS
def check(
    files: tuple[str, ...],
    task: str | None,
    documents: Documents | None,
    kind: FileKind | None,
    format: str | None,
    columns: dict[str, str],
) -> None:
    """Show every fault of each FILE, with line numbers, and what is in it. Exit status 1 if anything is wrong.

    With --task the results of runs must not overlap, stand apart from others of their document, go beyond its end, or
    be too many, each as the task has it; without, the report tells which tasks a run keeps to. The lengths of documents
    are those of the --documents, or of judgments that are given before the runs. Of runs and judgments that are given
    together it is told where their topics or documents do not meet; with --documents also which documents are not
    there.

    \b
    assay check bm25.run
    assay check inex2009.qrels run.fol --task focused
    assay check elements.run --task relevant-in-context --documents wikipedia.zip
    """
    from assay.checking.check import check as library
    from assay.checking.summary import across
    from assay.errors import InputError, printable
    from assay.reading.read import opened_documents

    collection, faulty = opened_documents(documents), False
    lengths: dict[str, int] = {}
    checked = []
    for file in files:
        try:
            report = library(file, kind, format, task, collection, lengths, columns)
            lengths |= report.lengths
            checked.append((file, report))
            say(in_options(str(report)), nl=True)
            faulty |= bool(report.faults)
        except InputError as error:
            say(in_options(str(error)), nl=True)
            faulty = True
    for said in across(checked, format, collection):
        say(in_options(printable(str(said))), nl=True)
        faulty |= isinstance(said, InputError)
    sys.exit(1 if faulty else 0)


@command()
@click.argument("file", shell_complete=options.file_names)
@option(
    "--to",
    type=options.FORMAT_NAMES,
    help="The format to write; by default the one that the output's ending tells.",
    group="Output",
)
@OUTPUT
@options.taking(options.DOCUMENTS)
@option(
    "--kind",
    type=click.Choice(FILE_KINDS),
    help="What the file is; told from its content by default.",
    group="Reading files",
)
@option(
    "--format",
    type=options.FORMAT_NAMES,
    help="Format of the file; told from its content by default.",
    group="Reading files",
)
@options.COLUMNS
@options.REPEATS
@DEPTH
@option(
    "--annotators",
    metavar="WHO",
    help="Whose judgments of a study to write: main (one assessor for each document), majority, union, or a name.",
)
def convert(file: str, to: str | None, output: str, documents: Documents | None, **how: Any) -> None:
    """Write a run or judgments in another format: element paths as characters, say, with the documents at hand.

    The assessments of INEX (--to inex) have a file for each topic: name a folder as the output.

    \b
    assay convert run.xml --to fol --documents wikipedia.zip -o run.fol
    assay convert inex2009.qrels --to jsonl
    assay convert bm25.run -o bm25.parquet
    assay convert study.db --to inex --documents wikipedia.zip --annotators majority -o assessments/
    """
    from assay.converting.convert import convert as library

    notes: list[str] = []
    if to == "inex" and (output.endswith("/") or os.path.isdir(output)):
        from assay.converting.convert import convert_to_assessments

        asked = {name: how[name] for name in ("format", "columns", "annotators")}
        files = convert_to_assessments(file, documents=documents, notes=notes, **asked)
        os.makedirs(output, exist_ok=True)
        for topic, content in files.items():
            put(os.path.join(output, re.sub(r"[^\w.-]", "_", topic) + ".xml"), content)
        noted(notes)
        return
    target = format_to_write(output, to)
    refuse_output(output, file, documents)
    put(output, library(file, target, documents=documents, notes=notes, **how))
    noted(notes)


@command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=options.file_names)
@option(
    "--method",
    type=click.Choice(FUSIONS),
    default="rrf",
    show_default=True,
    help="By ranks: rrf, isr, rbc, borda, condorcet; by scores: combsum, combmnz, combanz, combmed.",
)
@option(
    "--normalise",
    type=click.Choice(NORMALISATIONS),
    help="How scores are made comparable, within each run and topic; min-max by default, for methods by scores alone.",
)
@option("--k", type=float, help="Of rrf: what is added to ranks; 60 by default.")
@option("--p", type=float, help="Of rbc: how much of its weight a rank passes on to the next; 0.9 by default.")
@option(
    "--to",
    type=options.FORMAT_NAMES,
    help="The format to write; by default the one that the output's ending tells, or trec, spans or elements, as "
    "results are.",
    group="Output",
)
@OUTPUT
@DEPTH
@options.REPEATS
@options.taking(options.DOCUMENTS)
@option(
    "--format",
    type=options.FORMAT_NAMES,
    help="Format of the files; told from their content by default.",
    group="Reading files",
)
@options.COLUMNS
@option("--quiet", is_flag=True, help="Do not print what was decided on standard error.", group="Output")
def fuse(
    runs: tuple[str, ...], to: str | None, output: str, documents: Documents | None, quiet: bool, **how: Any
) -> None:
    """Make one run of several RUNs, best result first.

    Results are taken in the order in which they are measured. What a run lacks adds nothing; Borda shares the points
    that are left among what a run lacks, and Condorcet takes it as last.

    Documents of one id are one result, and elements of one path. Spans are fused character by character: a character
    has the rank and the score of the first result with it in each run, and text that stands in the same results of all
    runs stays together. So chunks that are the same in all runs stay whole, of others the common text is a result of
    its own, and no fused results overlap.

    \b
    assay fuse bm25.run dense.run -o hybrid.run
    assay fuse bm25.run dense.run --method combmnz --normalise z -o hybrid.run
    assay fuse a.tsv b.tsv --to jsonl -o fused.jsonl
    """
    from assay.converting.convert import convert as written
    from assay.converting.convert import unit_of
    from assay.fusing.fuse import fuse as library

    by_default = {"documents": "trec", "spans": "spans", "elements": "elements"}
    # what cannot be written is refused before anything is read
    format_to_write(output, to, by_default["documents"])
    refuse_output(output, runs, documents)
    run = library(list(runs), documents=documents, **how)
    notes = list(run.notes)
    target = format_to_write(output, to, by_default[unit_of(run)])
    put(output, written(replace(run, notes=()), target, documents=documents, notes=notes))
    noted([] if quiet else notes)


@command()
@click.argument("texts", shell_complete=options.file_names)
@options.taking(options.DOCUMENTS)
@option(
    "-o",
    "--output",
    type=click.Path(),
    default="-",
    help="The JSONL file to write; standard output by default.",
    group="Output",
)
@option(
    "--near",
    type=float,
    metavar="LIKENESS",
    help="Take the passage most like a text that was not found, if its likeness is at least this, from 0.6 to 1.",
)
@option("--allow-missing", is_flag=True, help="Exit with status 0 also where texts were not found.")
@options.COLUMNS
def locate(
    texts: str, documents: Documents, output: str, near: float | None, allow_missing: bool, columns: dict[str, str]
) -> None:
    """Find each of the TEXTS in the --documents, and write the same rows with doc_id, start, end, how and a note on
    that.

    TEXTS is a JSONL, CSV, TSV or Parquet file with a text (text, content, page_content, quote, chunk or excerpt) and,
    where it is known, its document (doc_id, source, ...) in each row; the texts of a document, for each topic where
    rows have one, in the order in which they stand there. How: exact, normalized (blanks, Unicode forms, quotes and
    dashes, soft hyphens or case were tolerated), ambiguous (several places, of which the first was taken that is not
    before the text before it), near 0.97 (the most similar passage, with --near), missing. Exit status 1 if any is
    missing.

    Each text that is missing or ambiguous is listed with the nearest passage, what differs, and how to accept it.
    Likeness is 1 - edit distance / length of the longer, after whitespace, case, quotes and dashes are made alike.
    Rows that have offsets already are carried over to the --documents: the column change says unchanged, moved, altered
    or gone.

    \b
    assay locate quotes.jsonl --documents corpus -o gold.jsonl
    assay locate gold.jsonl --documents new-corpus -o new-gold.jsonl
    assay locate sheet.csv --column "text=Supporting quote" --documents corpus -o gold.jsonl
    assay locate study.db --documents new-corpus -o moved.db

    A study of `assay assess` whose documents changed becomes a new study, in which the judgments have the offsets of
    the --documents; what is gone or in several places is listed, and such documents are open again.
    """
    from assay.converting.locate import LISTED
    from assay.converting.locate import locate as library
    from assay.studies.study import is_study

    if is_study(texts):
        sys.exit(1 if moved_study(texts, documents, output, near) and not allow_missing else 0)
    refuse_output(output, texts, documents)
    locations = library(texts, documents, columns=columns, near=near)
    put(output, locations.lines())
    for line in (*locations.listing("--near {:.2f}", LISTED), locations.summary()):
        say(line, nl=True, err=True)
    if likeness := locations.acceptable():
        columns_told = [part for name, column in columns.items() for part in ("--column", f"{name}={column}")]
        corpus = ["--documents", getattr(documents, "label", str(documents))]
        command = ["assay", "locate", texts, *corpus, *columns_told, "--near", f"{likeness[0]:.2f}"]
        what = "this passage" if len(likeness) == 1 else f"these {len(likeness):,} passages"
        say(f"to accept {what}: {shlex.join([*command, '-o', output])}", nl=True, err=True)
    sys.exit(1 if locations.counts["missing"] and not allow_missing else 0)


def moved_study(study: str, documents: Documents, output: str, near: float | None) -> bool:
    """Move the judgments of a study to changed documents, say what became of them, and whether any text is missing."""
    from assay.converting.locate import LISTED
    from assay.converting.move_study import move_study
    from assay.errors import UsageError

    if output == "-":
        raise UsageError("the moved study is a new file: pass --output, for example -o moved.db")
    refuse_output(output, study, documents)
    moved = move_study(study, documents, output, near)
    for line in (*moved.listing("--near {:.2f}", LISTED), *moved.summary()):
        say(line, nl=True, err=True)
    return moved.locations is not None and bool(moved.locations.counts["missing"])


@command()
@click.argument("judgments", nargs=-1, required=True, metavar="JUDGMENTS...", shell_complete=options.file_names)
@option("--confusion", is_flag=True, help="Print how often each two grades met, instead of the coefficients.")
@option(
    "--disagreement",
    is_flag=True,
    help="Print where grades differ: by grade, with --run by rank and system, with --documents by length of the text.",
)
@option(
    "--run",
    "runs",
    multiple=True,
    shell_complete=options.file_names,
    help="A run: print Kendall's tau of the runs under the grades of two annotators. Repeatable.",
)
@option(
    "-m",
    "--measure",
    shell_complete=options.measure_names,
    help="The measure of the runs, AP by default.",
    group="Measures",
)
@option(
    "--chart",
    "drawing",
    type=click.Path(),
    help="Draw how far any two annotators agree: .svg, .png, .pdf or .html.",
    group="Output",
)
@options.taking(options.DOCUMENTS)
@options.taking(options.PRINTING)
@option("--format", type=options.FORMAT_NAMES, help="Format of the judgments.", group="Reading files")
@option("--quiet", is_flag=True, help="Do not print what was decided on standard error.", group="Output")
def agreement(
    judgments: tuple[str, ...],
    confusion: bool,
    disagreement: bool,
    drawing: str | None,
    runs: tuple[str, ...],
    layout: str | None,
    digits: int,
    quiet: bool,
    **how: Any,
) -> None:
    """Measure how far annotators agree: people or models, a file each, or all in one file with a column annotator.

    Of grades: the share of documents with the same grade, Cohen's kappa (also with linear and quadratic weights),
    Fleiss' kappa and Krippendorff's alpha (nominal, ordinal and interval), for any two annotators and over all.

    Of highlighted text, in one file: character F1, Jaccard, the share of pairs with any overlap, Cohen's kappa per
    character, which unmarked text inflates, and Krippendorff's alpha over all characters. The last two need the lengths
    of documents, of the judgments or the --documents.

    \b
    assay agreement ann.qrels bob.qrels model.qrels
    assay agreement ann.qrels model.qrels --run bm25.run --run dense.run -m nDCG@10
    assay agreement model.qrels ann.qrels --run bm25.run --run dense.run --disagreement
    assay agreement gold.jsonl --documents corpus
    assay agreement study.db --chart agreement.svg

    Of a study of `assay assess` also the distance of entry points and their nearness s(x,b), and what differs with
    suggestions of a program and without.
    """
    from assay.comparing.agreement import agreement as library
    from assay.comparing.grade_agreement import GradeAgreement
    from assay.errors import UsageError

    given = judgments[0] if len(judgments) == 1 else list(judgments)
    alike = library(given, runs=list(runs) or None, **how)
    if drawing:
        from assay.api import chart
        from assay.charts.saving import save

        save(chart(alike), drawing)
    layout = layout or default_layout()
    if confusion or disagreement:
        option = "--confusion" if confusion else "--disagreement"
        if not isinstance(alike, GradeAgreement):
            raise UsageError(f"{option} works only with grades; these judgments are highlighted text")
        say(alike.confusion(layout) if confusion else alike.disagreement(layout, digits), layout)
    else:
        say(alike.show(layout, digits), layout)
    noted([] if quiet else alike.notes)


@command()
@click.argument("judgments", shell_complete=options.file_names)
@click.argument("documents", type=click.Path(), callback=options.documents_of)
@option("--all", "everything", is_flag=True, help="Also elements without highlighted text, of all judged documents.")
@options.CACHING
@options.taking(options.PRINTING)
@option("--format", type=options.FORMAT_NAMES, help="Format of the judgments.", group="Reading files")
@options.COLUMNS
def relevance(
    judgments: str,
    documents: Documents,
    everything: bool,
    layout: str | None,
    digits: int,
    format: str | None,
    columns: dict[str, str],
) -> None:
    """For every element of the DOCUMENTS with text highlighted in the JUDGMENTS: its size, how much is highlighted, the
    ratio.
    """
    from assay.converting.relevance import relevance as library

    elements = library(judgments, documents, everything=everything, format=format, columns=columns)
    layout = layout or default_layout()
    say(elements.show(layout, digits), layout)


@command("recall-base")
@click.argument("assessments", shell_complete=options.file_names)
@option(
    "--quant",
    default="gen",
    show_default=True,
    help="Quantisation: elements valued above 0 are relevant. Also a .csv or .tsv file of e, s and value.",
)
@option(
    "--rule",
    type=click.Choice(RECALL_BASE_RULES),
    default="2005",
    show_default=True,
    help="How ideal elements are chosen: by quantised score, or by specificity and then exhaustivity.",
)
@options.POOLS
@option("--ideal-run", type=click.Path(), help="Write the ideal run, best element first, to this file.")
@option(
    "--to",
    type=options.FORMAT_NAMES,
    default="inex",
    show_default=True,
    help="Format of the ideal run.",
    group="Output",
)
@options.taking(options.DOCUMENTS)
@options.LAYOUT
def recall_base(
    assessments: str,
    quant: str,
    rule: str,
    pools: list[str] | None,
    ideal_run: str | None,
    to: str,
    documents: Documents | None,
    layout: str | None,
) -> None:
    """Count the elements of the ASSESSMENTS by grade, and show how they overlap and what the ideal recall-base is.

    \b
    assay recall-base assessments --quant strict --ideal-run ideal.xml
    """
    from assay.converting.convert import convert
    from assay.converting.recall_base import ideal_run as constructed
    from assay.converting.recall_base import recall_base as library

    if ideal_run:
        refuse_output(ideal_run, assessments, documents)
    layout = layout or default_layout()
    say(library(assessments, quant=quant, rule=rule, pools=pools or None).show(layout), layout)
    if ideal_run:
        run = constructed(assessments, quant=quant, rule=rule, pools=pools or None, documents=documents)
        put(ideal_run, convert(run, to, documents=documents))
