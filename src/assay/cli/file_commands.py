"""The commands about files: check, convert, fuse, locate, agreement, relevance and recall-base."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from assay.cli import common, options
from assay.cli.command import command, file_names, measure_names, option
from assay.errors import InputError, UsageError, printable
from assay.vocabulary import (
    FILE_KINDS,
    FORMATS_OF_RUNS,
    FORMATS_TO_WRITE,
    FUSIONS,
    NORMALISATIONS,
    RECALL_BASE_RULES,
    FileKind,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.documents.lookup import Documents

# The format to write: as --to says, or as the ending of the file name says.

# The formats by the ending of a file name; a run of spans without column names is separated by tabs too.
ENDINGS = {".csv": ("csv",), ".tsv": ("tsv", "spans"), ".jsonl": ("jsonl",), ".parquet": ("parquet",)}


# The format with fields in lines for each kind of results.
PLAIN = {"documents": "trec", "spans": "spans", "elements": "elements"}


def format_to_write(
    output: str, to: str | None, default: str | None = None, proposed: Callable[[], str] = lambda: "FORMAT"
) -> str:
    """Return the format to write; refuse an ending that contradicts --to, and a file without a format.

    `proposed` is called for the format that this error proposes.
    """
    from assay.files.source import COMPRESSED

    name, ending = os.path.splitext(output)
    if ending.lower() in COMPRESSED:
        ending = os.path.splitext(name)[1]
    told = ENDINGS.get(ending.lower())
    if to is None and told:
        return default if default in told else told[0]
    if to is not None and told and to not in told:
        raise UsageError(f"{output}: the ending {ending} means {told[0]}, but --to says {to}; change one of them")
    if (to := to or default) is None:
        what = f"{output}: the ending {ending} does not name a format" if ending else "no format to write"
        raise UsageError(f"{what}; pass --to {proposed()}, or -o FILE with one of the endings {', '.join(ENDINGS)}")
    return to


def plain_format(file: str, documents: Documents | None, format: str | None, columns: dict[str, str]) -> str:
    """Return the format with fields in lines for what a file holds: documents, parts of them, or highlighted text."""
    from assay.converting.convert import unit_of
    from assay.reading.format import Request
    from assay.reading.given import kind_of
    from assay.reading.read import read_judgments, read_run
    from assay.tables.judgments import HighlightJudgments

    if kind_of(file, format, Request(columns=columns)) == "run":
        return PLAIN[unit_of(read_run(file, None, format, documents, columns))]
    judgments = read_judgments(file, format, documents, columns=columns)
    return "fol" if isinstance(judgments, HighlightJudgments) else "trec"


OUTPUT = option(
    "-o",
    "--output",
    type=click.Path(),
    default="-",
    help="The file to write, compressed if its name ends in .gz or the like; standard output by default.",
    group="Output",
)

DEPTH = option(
    "--depth", type=click.IntRange(1), metavar="N", help="Write only the first N results of each topic of a run."
)


@command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=file_names)
@option(
    "--task",
    type=options.TASK_NAMES,
    metavar="TASK",
    help="A task of INEX; a run that breaks its rules has a fault.",
    group="INEX",
)
@options.taking(options.DOCUMENTS)
@option(
    "--kind",
    type=click.Choice(FILE_KINDS),
    help="What the files are; recognised from their content by default.",
    group="Reading files",
)
@options.FORMAT
@options.COLUMNS
def check(
    files: tuple[str, ...],
    task: str | None,
    documents: Documents | None,
    kind: FileKind | None,
    format: str | None,
    columns: dict[str, str],
) -> None:
    """Show what each FILE is, how much it holds, and every fault with its line. The exit status is 1 if there is one.

    With --task a run must follow the rules of the task: whether results may overlap, how many there may be, and so on;
    without it the report lists the tasks whose rules a run follows. Lengths of documents come from the --documents, or
    from judgments given before the runs. If you give runs and judgments together, the report shows topics or documents
    that are not in both; with --documents also documents that are missing there.

    \b
    assay check bm25.run
    assay check inex2009.qrels run.fol --task focused
    assay check elements.run --documents wikipedia.zip
    """
    from assay.checking.check import check as library
    from assay.checking.summary import across
    from assay.cli.identify import identify
    from assay.reading.read import opened_documents

    collection, faulty = opened_documents(documents), False
    # if the user says anything about the files, they are a run or judgments
    is_plain = not (task or documents or kind or format or columns)
    lengths: dict[str, int] = {}
    checked = []
    for file in files:
        try:
            if is_plain and (identity := identify(file)):
                common.say("\n".join(map(printable, "\n".join(identity.lines()).split("\n"))), nl=True)
                noted_next(identity.kind, identity.first or file)
                continue
            report = library(file, kind, format, task, collection, lengths, columns)
            lengths |= report.lengths
            checked.append((file, report))
            common.say(common.in_options(str(report)), nl=True)
            if is_plain and not report.faults and len(files) == 1:
                noted_next(report.kind, file)
            faulty |= bool(report.faults)
        except InputError as error:
            common.say(common.in_options(str(error)), nl=True)
            faulty = True
    for said in across(checked, format, collection):
        common.say(common.in_options(printable(str(said))), nl=True)
        faulty |= isinstance(said, InputError)
    sys.exit(1 if faulty else 0)


def noted_next(kind: str, file: str) -> None:
    """Print the command that takes a file, on a terminal only: programs read only what was found."""
    from assay.cli.identify import command_for, files_here
    from assay.files.source import STDIN

    if file != STDIN and common.default_layout() == "text":
        common.say(f"next: {command_for(kind, file, files_here(os.path.dirname(file)))}", nl=True, err=True)


@command()
@click.argument("file", shell_complete=file_names)
@option(
    "--to",
    type=click.Choice(FORMATS_TO_WRITE),
    help="The format to write; by default taken from the ending of the --output.",
    group="Output",
)
@OUTPUT
@options.taking(options.DOCUMENTS)
@option(
    "--kind",
    type=click.Choice(FILE_KINDS),
    help="What the file is; recognised from its content by default.",
    group="Reading files",
)
@options.FORMAT
@options.COLUMNS
@options.REPEATS
@DEPTH
@option(
    "--annotators",
    metavar="WHO",
    help="Whose judgments of a study to write: main (one assessor for each document), majority, union, or a name.",
)
@option("--pseudonyms", is_flag=True, help="Write assessor-1, assessor-2 ... instead of the names of annotators.")
@options.SPREADSHEET
def convert(file: str, to: str | None, output: str, documents: Documents | None, **how: Any) -> None:
    """Write a run or judgments in another format. With --documents, element paths can become offsets.

    Assessments of INEX (--to inex) have a file for each topic, so name a folder as the --output.

    \b
    assay convert run.xml --to fol --documents wikipedia.zip -o run.fol
    assay convert inex2009.qrels --to jsonl
    assay convert bm25.run -o bm25.parquet
    assay convert study.db --to inex --documents wiki.zip -o assessments/
    """
    from assay.converting.convert import convert as library

    notes: list[str] = []
    if to == "inex" and (output.endswith("/") or os.path.isdir(output)):
        from assay.converting.convert import convert_to_assessments

        for name in ("duplicates", "depth", "pseudonyms"):
            if click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                raise UsageError(f"--{name} does not apply to assessments of INEX")
        asked = {name: how[name] for name in ("format", "columns", "annotators")}
        files = convert_to_assessments(file, documents=documents, notes=notes, **asked)
        os.makedirs(output, exist_ok=True)
        for topic, content in files.items():
            common.write_output(os.path.join(output, re.sub(r"[^\w.-]", "_", topic) + ".xml"), content)
        common.print_notes(notes)
        return
    target = format_to_write(
        output, to, proposed=lambda: plain_format(file, documents, how["format"], how["columns"])
    )
    common.refuse_output(output, file, documents)
    content = library(file, target, documents=documents, notes=notes, **how)
    if click.get_current_context().meta.get(common.SPREADSHEET_SAFE):
        content = common.without_formulas(content.decode("utf-8", "replace"), target).encode()
    common.write_output(output, content)
    common.print_notes(notes)


@command()
@options.SOME_RUNS
@option(
    "--method",
    type=click.Choice(FUSIONS),
    default="rrf",
    show_default=True,
    help="By ranks: rrf, isr, rbc, borda, condorcet; by scores: combsum, combmnz, combanz, combmed.",
)
@option(
    "--normalise",
    type=options.SpeltFreely(NORMALISATIONS),
    help="How to normalise scores within each run and topic, for methods by scores; min-max by default.",
)
@option("--k", type=float, help="The constant that rrf adds to ranks; 60 by default.")
@option("--p", type=float, help="The persistence p of rbc; 0.9 by default.")
@option(
    "--to",
    type=click.Choice(FORMATS_OF_RUNS),
    help="The format to write; by default taken from the ending of the --output, or else trec, spans or elements.",
    group="Output",
)
@OUTPUT
@DEPTH
@options.REPEATS
@options.taking(options.DOCUMENTS)
@options.FORMAT
@options.COLUMNS
@options.QUIET
def fuse(
    runs: tuple[str, ...], to: str | None, output: str, documents: Documents | None, quiet: bool, **how: Any
) -> None:
    """Fuse several RUNs into one, best result first.

    Each run is taken in the order in which it would be measured. A result that is missing from a run gets nothing from
    it; Borda shares the remaining points among missing results, and Condorcet ranks them last.

    Documents with the same id, and elements with the same path, are one result. Spans are fused character by character:
    a character has the rank and score of the first result that contains it in each run. So chunks that are the same in
    all runs stay whole, text that other chunks share becomes a result of its own, and fused results do not overlap.

    \b
    assay fuse bm25.run dense.run -o hybrid.run
    assay fuse bm25.run dense.run --method combmnz --normalise z -o hybrid.run
    assay fuse a.tsv b.tsv --to jsonl -o fused.jsonl
    """
    from assay.converting.convert import convert as written
    from assay.converting.convert import unit_of
    from assay.fusing.fuse import fuse as library

    # refuse a wrong output before anything is read
    format_to_write(output, to, PLAIN["documents"])
    common.refuse_output(output, runs, documents)
    run = library(list(runs), documents=documents, **how)
    notes = list(run.notes)
    target = format_to_write(output, to, PLAIN[unit_of(run)])
    common.write_output(output, written(replace(run, notes=()), target, documents=documents, notes=notes))
    common.print_notes([] if quiet else notes)


@command()
@click.argument("texts", shell_complete=file_names)
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
    help="Accept the most similar passage for a text that was not found, if the similarity is at least this, "
    "from 0.6 to 1.",
)
@option("--allow-missing", is_flag=True, help="Exit with status 0 even if texts were not found.")
@options.COLUMNS
def locate(
    texts: str, documents: Documents, output: str, near: float | None, allow_missing: bool, columns: dict[str, str]
) -> None:
    """Find each of the TEXTS in the --documents, and write the same rows with doc_id, start, end, how and note.

    TEXTS is a JSONL, CSV, TSV or Parquet file. Each row has a text (text, content, page_content, quote, chunk or
    excerpt) and, if it is known, its document (doc_id, source, ...). The texts of a document, for each topic if rows
    have one, should be in the order of the document. The column how says exact, normalized (whitespace, Unicode form,
    quotes and dashes, soft hyphens or case differ), ambiguous (found at several offsets; the first that is not before
    the text before it was taken), near 0.97 (the most similar passage, with --near) or missing. If the document does
    not have the text verbatim, the row gets the text of the document, and the given text as quoted. The exit status is
    1 if a text is missing.

    Assay lists each missing or ambiguous text with the nearest passage, what differs, and how to accept it. Similarity
    is 1 - edit distance / length of the longer text, after normalizing whitespace, case, quotes and dashes. Rows that
    already have offsets are carried over to the --documents: the column change says unchanged, moved, altered or gone.

    \b
    assay locate quotes.jsonl --documents corpus -o gold.jsonl
    assay locate gold.jsonl --documents new-corpus -o new-gold.jsonl
    assay locate sheet.csv --column "text=Supporting quote" --documents corpus
    assay locate study.db --documents new-corpus -o moved.db

    A study of `assay assess` whose documents changed becomes a new study, in which the judgments have the offsets of
    the --documents; what is gone or in several places is listed, and such documents are open again.
    """
    from assay.converting.locate import LISTED
    from assay.converting.locate import locate as library
    from assay.studies.study import is_study

    if is_study(texts):
        sys.exit(1 if moved_study(texts, documents, output, near) and not allow_missing else 0)
    stem, ending = os.path.splitext(output)
    if ending.lower() in {*ENDINGS, ".xlsx"} - {".jsonl"}:
        raise UsageError(f"assay locate writes JSONL, not {ending}; pass -o {stem}.jsonl")
    common.refuse_output(output, texts, documents)
    locations = library(texts, documents, columns=columns, near=near)
    common.write_output(output, locations.lines())
    for line in (*locations.listing("--near {:.2f}", LISTED), locations.summary()):
        common.say(line, nl=True, err=True)
    common.print_notes(locations.notes)
    if likeness := locations.acceptable():
        columns_told = [part for name, column in columns.items() for part in ("--column", f"{name}={column}")]
        corpus = ["--documents", getattr(documents, "label", str(documents))]
        command = ["assay", "locate", texts, *corpus, *columns_told, "--near", f"{likeness[0]:.2f}"]
        what = "this passage" if len(likeness) == 1 else f"these {len(likeness):,} passages"
        common.say(f"to accept {what}: {shlex.join([*command, '-o', output])}", nl=True, err=True)
    sys.exit(1 if locations.counts["missing"] and not allow_missing else 0)


def moved_study(study: str, documents: Documents, output: str, near: float | None) -> bool:
    """Move the judgments of a study to changed documents, print the changes, and return whether a text is missing."""
    from assay.converting.locate import LISTED, move_study

    if output == "-":
        raise UsageError("the moved study is a new file: pass --output, for example -o moved.db")
    common.refuse_output(output, study, documents)
    moved = move_study(study, documents, output, near)
    for line in (*moved.listing("--near {:.2f}", LISTED), *moved.summary()):
        common.say(line, nl=True, err=True)
    return moved.locations is not None and bool(moved.locations.counts["missing"])


@command()
@click.argument("judgments", nargs=-1, required=True, metavar="JUDGMENTS...", shell_complete=file_names)
@option("--confusion", is_flag=True, help="Print the confusion matrix of grades instead of the coefficients.")
@option(
    "--disagreement",
    is_flag=True,
    help="Print where grades differ: by grade, with --run also by rank and system, with --documents by text length.",
)
@option(
    "--run",
    "runs",
    multiple=True,
    shell_complete=file_names,
    help="Also correlate the system rankings under two annotators (Kendall's tau) over these runs; repeatable.",
)
@option(
    "-m",
    "--measure",
    shell_complete=measure_names,
    help="The measure of the runs; AP by default.",
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
@options.FORMAT
@options.QUIET
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
    """Measure inter-annotator agreement between people or models: a file each, or one file with a column annotator.

    For grades: the share of documents with the same grade, Cohen's kappa (also with linear and quadratic weights),
    Fleiss' kappa and Krippendorff's alpha (nominal, ordinal and interval), for each pair of annotators and over all.

    For highlighted text: character F1, Jaccard, the share of pairs with any overlap, Cohen's kappa per
    character (which unmarked text inflates), and Krippendorff's alpha over all characters. The last two need the
    lengths of documents, from the judgments or the --documents.

    \b
    assay agreement ann.qrels bob.qrels model.qrels
    assay agreement ann.qrels model.qrels --run bm25.run --run dense.run
    assay agreement model.qrels ann.qrels --run bm25.run --disagreement
    assay agreement gold.jsonl --documents corpus
    assay agreement study.db --chart agreement.svg

    Of a study of `assay assess` also the distance of entry points and their nearness s(x,b), and what differs with
    suggestions of a program and without.
    """
    from assay.comparing.agreement import agreement as library
    from assay.comparing.grade_agreement import GradeAgreement

    if drawing:
        common.refuse_output(drawing, judgments, runs)
    given = judgments[0] if len(judgments) == 1 else list(judgments)
    alike = library(given, runs=list(runs) or None, **how)
    if drawing:
        from assay.api import chart
        from assay.charts.saving import save

        save(chart(alike), drawing)
    layout = layout or common.default_layout()
    if confusion or disagreement:
        option = "--confusion" if confusion else "--disagreement"
        if not isinstance(alike, GradeAgreement):
            raise UsageError(f"{option} works only with grades; these judgments are highlighted text")
        common.say(alike.confusion(layout) if confusion else alike.disagreement(layout, digits), layout)
    else:
        common.say(alike.show(layout, digits), layout)
    common.print_notes([] if quiet else alike.notes)


@command()
@click.argument("judgments", shell_complete=file_names)
@click.argument("documents", type=click.Path(), callback=options.documents_of)
@option(
    "--all", "everything", is_flag=True, help="Also show elements without highlighted text, of all judged documents."
)
@options.CACHING
@options.taking(options.PRINTING)
@options.FORMAT
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
    """Show how relevant each element of the DOCUMENTS is by the JUDGMENTS: its size, how much of it is highlighted, and
    the ratio.
    """
    from assay.converting.elements import relevance as library

    elements = library(judgments, documents, everything=everything, format=format, columns=columns)
    layout = layout or common.default_layout()
    common.say(elements.show(layout, digits), layout)


@command("recall-base")
@click.argument("assessments", shell_complete=file_names)
@option(
    "--quant",
    default="gen",
    show_default=True,
    help="The quantisation, or a .csv or .tsv file of e, s and value. Elements with a value above 0 are relevant.",
)
@option(
    "--rule",
    type=click.Choice(RECALL_BASE_RULES),
    default="2005",
    show_default=True,
    help="Choose ideal elements by quantised score, or by specificity and then exhaustivity.",
)
@options.POOLS
@option("--ideal-run", type=click.Path(), help="Write the ideal run, best element first, to this file.")
@option(
    "--to",
    type=click.Choice(FORMATS_OF_RUNS),
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
    from assay.converting.elements import ideal_run as constructed
    from assay.converting.elements import recall_base as library

    if ideal_run:
        common.refuse_output(ideal_run, assessments, documents)
    layout = layout or common.default_layout()
    common.say(library(assessments, quant=quant, rule=rule, pools=pools or None).show(layout), layout)
    if ideal_run:
        run = constructed(assessments, quant=quant, rule=rule, pools=pools or None, documents=documents)
        common.write_output(ideal_run, convert(run, to, documents=documents))
