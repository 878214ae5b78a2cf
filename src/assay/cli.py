"""The command line: one short function a command, each calling one library function. Only this module prints and exits."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay import __version__

FORMATS = ["trec", "fol", "elements", "inex", "genomics", "spans", "csv", "tsv", "jsonl", "parquet"]
TASKS = [
    "focused", "thorough", "relevant-in-context", "best-in-context", "restricted-focused", "restricted-relevant-in-context",
]
GRADED = [
    "CO.Focussed", "COS.Focussed", "CO.Thorough", "COS.Thorough", "CO.FetchBrowse", "COS.FetchBrowse", "SSCAS", "SVCAS", "VSCAS",
    "VVCAS",
]
DOCUMENTS = "A folder, an archive or a JSONL file with the documents, where element paths or lengths must be looked up."
FORMS = ["text", "tsv", "csv", "json", "md", "latex", "html"]
LONG_WORK = 50 << 20


class Commands(click.Group):
    """Runs a command and turns what Assay refuses into one line on standard error and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input never shows a traceback."""
        from assay.errors import AssayError

        try:
            return super().invoke(ctx)
        except AssayError as error:
            click.echo(str(error), err=True)
            sys.exit(error.status)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)
        except KeyboardInterrupt:
            sys.exit(130)
        except OSError as error:
            click.echo(f"{error.filename or 'standard output'}: {error.strerror}", err=True)
            # else Python would try to write the rest at exit
            sys.stdout = None
            sys.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="assay")
def main() -> None:
    """Measure retrieval: how much of what was returned is relevant, and how much of what is relevant was returned."""
    for stream in (sys.stdout, sys.stderr):
        # a letter that a terminal cannot show is no reason to stop
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@main.command()
@click.argument("judgments")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure such as AP, nDCG@10 or P(rel=2)@5; repeatable.")
@click.option("--task", type=click.Choice([*TASKS, *GRADED], case_sensitive=False), metavar="TASK",
              help="A task of INEX: its measures, if none are given, and its rules for runs. Of highlighted text "
              f"{', '.join(TASKS)}; "
              f"of assessed elements {', '.join(GRADED)}.")
@click.option("--quant", multiple=True, default=("gen",), show_default=True,
              help="Quantisation of a task of 2005: strict, gen, genLifted; of 2003: strict, gen, sog; repeatable.")
@click.option("--alpha", type=click.FloatRange(0, 1), default=1.0, show_default=True,
              help="Of a task of 2005: how little text is worth that was seen before.")
@click.option("--pools", callback=lambda ctx, option, given: given and [one.strip() for one in given.split(",")],
              help="Of a folder of assessments, the pools that count, as 275,297.")
@click.option("--per-topic", "-q", is_flag=True, help="Show every topic before the values over all topics.")
@click.option("--as", "form", type=click.Choice(FORMS), help="How to print; text on a terminal and tsv in a pipe by default.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits of text, md, latex and html.")
@click.option("--ties", type=click.Choice(["docno", "input", "rank", "expected"]), default="docno", show_default=True,
              help="Order of equal scores: by document id as trec_eval, by input order, by rank column, or the mean over all.")
@click.option("--overlap", type=click.Choice(["new", "drop", "reject"]),
              help="Results that overlap an earlier one: only new text counts (default), left out, or refused (most tasks).")
@click.option("--documents", type=click.Path(), help=DOCUMENTS)
@click.option("--topics", type=click.Choice(["judged", "relevant", "common", "error"]), default="judged", show_default=True,
              help="Topics that count: all judged, those with anything relevant, those also in the run; or refuse differences.")
@click.option("--depth", type=click.IntRange(1), help="Use only the first N results of each topic.")
@click.option("--judged-only", is_flag=True, help="Leave out unjudged results before measuring (condensed lists).")
@click.option("--format", "kind", type=click.Choice(FORMATS),
              help="Format of the files; recognised from their content by default.")
@click.option("--define", type=click.Path(exists=True, dir_okay=False), multiple=True,
              help="A Python file with measures of your own, to be used by name with -m.")
@click.option("--quiet", is_flag=True, help="Do not print what was decided (topics left out, ties broken) on standard error.")
def evaluate(
    judgments: str, runs: tuple[str, ...], measures: tuple[str, ...], per_topic: bool, form: str | None, digits: int,
    kind: str | None, define: tuple[str, ...], quiet: bool, **rules: Any,
) -> None:
    """Measure one or many RUNs against JUDGMENTS.

    Files may be those of TREC and INEX, CSV, TSV, JSONL or Parquet, compressed or not; - is standard input. Where text is
    highlighted characters are counted, else documents.

    \b
    assay evaluate qrels.txt bm25.run dense.run
    assay evaluate qrels.txt bm25.run -m AP -m nDCG@10 --per-topic
    assay evaluate highlights.jsonl chunks.jsonl -m R@5 -m "R(chars=2000)"
    assay evaluate inex2009.qrels run.fol --task focused
    """
    from assay.evaluation import evaluate as library

    for file in define:
        load(file)
    with progress([judgments, *runs]) as step:
        scores = library(judgments, list(runs), separate(measures) or None, form=kind, progress=step, **rules)
    click.echo(scores.show(form or default_form(), per_topic, digits), nl=form == "json")
    if not quiet:
        for note in scores.notes:
            click.echo(f"note: {note}", err=True)


@main.command()
@click.argument("name", required=False)
@click.option("--define", type=click.Path(exists=True, dir_okay=False), multiple=True, help="A Python file with your own measures.")
def measures(name: str | None, define: tuple[str, ...]) -> None:
    """List all measures, or explain one: `assay measures nDCG`."""
    from assay.measures import explain, listing

    for file in define:
        load(file)
    columns = shutil.get_terminal_size().columns if default_form() == "text" else 0
    click.echo(explain(name) if name else listing(columns), nl=False)


@main.command(short_help="Show every fault of files, and what is in them.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--task", type=click.Choice(TASKS), help="A task of INEX; where a run does not keep to it that is a fault.")
@click.option("--documents", type=click.Path(), help=DOCUMENTS)
@click.option("--kind", type=click.Choice(["run", "judgments"]), help="What the files are; told from their content by default.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format of the files; told from their content by default.")
def check(files: tuple[str, ...], task: str | None, documents: str | None, kind: Any, form: str | None) -> None:
    """Show every fault of each FILE, with line numbers, and what is in it. Exit status 1 if anything is wrong.

    With --task the results of runs must not overlap, stand apart from others of their document, go beyond its end, or be too
    many, each as the task has it; without, the report tells which tasks a run keeps to. The lengths of documents are those of
    the --documents, or of judgments that are given before the runs.

    \b
    assay check bm25.run
    assay check inex2009.qrels run.fol --task focused
    assay check elements.run --task relevant-in-context --documents wikipedia.zip
    """
    from assay.checking import check as library
    from assay.checking import opened_documents
    from assay.errors import InputError

    collection, faulty = opened_documents(documents), False
    lengths: dict[str, int] = {}
    for file in files:
        try:
            report = library(file, kind, form, task, collection, lengths)
            lengths |= report.lengths
            click.echo(str(report))
            faulty |= bool(report.faults)
        except InputError as error:
            click.echo(str(error))
            faulty = True
    sys.exit(1 if faulty else 0)


def default_form() -> str:
    """Aligned text for people, TSV for programs."""
    return "text" if sys.stdout and sys.stdout.isatty() else "tsv"


def separate(measures: tuple[str, ...]) -> list[str]:
    """Measures, also where several were given between commas."""
    return [one for given in measures for one in re.split(r",(?![^(]*\))", given)]


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
    from assay.formats import Source

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


@main.command("recall-base", short_help="Statistics of assessed elements, and the ideal run.")
@click.argument("assessments")
@click.option("--quant", default="gen", show_default=True, help="Quantisation: elements valued above 0 are relevant.")
@click.option("--rule", type=click.Choice(["2005", "2004"]), default="2005", show_default=True,
              help="How ideal elements are chosen: by quantised score, or by specificity and then exhaustivity.")
@click.option("--pools", help="Of a folder of assessments, the pools that count, as 275,297.")
@click.option("--ideal-run", type=click.Path(), help="Write the ideal run, best element first, to this file.")
@click.option("--to", type=click.Choice(["elements", "inex"]), default="inex", show_default=True, help="Format of the ideal run.")
@click.option("--as", "form", type=click.Choice(FORMS), help="How to print; text on a terminal and tsv in a pipe by default.")
def recall_base(
    assessments: str, quant: str, rule: str, pools: str | None, ideal_run: str | None, to: str, form: str | None
) -> None:
    """Tell how many elements of the ASSESSMENTS have which grades, how they overlap, and what the ideal recall-base is."""
    from assay.conversion import convert, write
    from assay.recall_base import ideal_run as constructed
    from assay.recall_base import recall_base as library

    chosen = pools.split(",") if pools else None
    click.echo(library(assessments, quant=quant, rule=rule, pools=chosen).show(form or default_form()), nl=False)
    if ideal_run:
        write(ideal_run, convert(constructed(assessments, quant=quant, rule=rule, pools=chosen), to))


@main.command(short_help="Write a run or judgments in another format.")
@click.argument("file")
@click.option("--to", type=click.Choice(FORMATS), required=True, help="The format to write.")
@click.option("-o", "--output", type=click.Path(), default="-", help="The file to write; standard output by default.")
@click.option("--documents", type=click.Path(), help=DOCUMENTS)
@click.option("--kind", type=click.Choice(["run", "judgments"]), help="What the file is; told from its content by default.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format of the file; told from its content by default.")
def convert(file: str, to: str, output: str, documents: str | None, kind: Any, form: str | None) -> None:
    """Write a run or judgments in another format: element paths as characters, say, with the documents at hand.

    \b
    assay convert run.xml --to fol --documents wikipedia.zip -o run.fol
    assay convert inex2009.qrels --to jsonl
    """
    from assay.conversion import convert as library
    from assay.conversion import write

    notes: list[str] = []
    content = library(file, to, documents=documents, kind=kind, form=form, notes=notes)
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        write(output, content)
    for note in notes:
        click.echo(f"note: {note}", err=True)


@main.command(short_help="Evaluate as a configuration of EvalJ says.")
@click.argument("config")
@click.option("--per-topic", type=click.Path(file_okay=False), help="Write the values of each topic to files in this folder.")
@click.option("--as", "form", type=click.Choice(FORMS[:-1]), default="text", show_default=True, help="How to print the tables.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits of text, md and latex.")
def evalj(config: str, per_topic: str | None, form: str, digits: int) -> None:
    """Evaluate all runs as an EvalJ CONFIG says: TASK, METRICS, QUANT_FUNCTIONS, ASSESSMENTS_DIR, SUBMISSIONRUNS_DIR and so on.

    Folders are seen from the folder of the configuration. One table is printed for each task and quantisation.
    """
    from assay.compat.evalj import evalj as library

    for printed, notes in library(config, form, digits, per_topic):
        click.echo(printed, nl=False)
        for note in notes:
            click.echo(f"note: {note}", err=True)


@main.command(short_help="How relevant each element of judged documents is.")
@click.argument("judgments")
@click.argument("documents", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="Also elements without highlighted text, of all judged documents.")
@click.option("--as", "form", type=click.Choice(FORMS), help="How to print; text on a terminal and tsv in a pipe by default.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits of text, md, latex and html.")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Format of the judgments.")
def relevance(judgments: str, documents: str, everything: bool, form: str | None, digits: int, kind: str | None) -> None:
    """For every element of the DOCUMENTS with text highlighted in the JUDGMENTS: its size, how much is highlighted, the ratio."""
    from assay.relevance import relevance as library

    click.echo(library(judgments, documents, everything=everything, form=kind).show(form or default_form(), digits), nl=False)


@main.command("inex_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def inex_eval(arguments: tuple[str, ...]) -> None:
    """Print what the evaluator of INEX 2010 prints; `assay inex_eval -h` explains."""
    from assay.compat.inex_eval import inex_eval as library

    echo(library(list(arguments)))


@main.command("trec_eval", context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trec_eval(arguments: tuple[str, ...]) -> None:
    """Print what NIST's trec_eval prints, of version 9.0.8 or (--like 10) 10; `assay trec_eval -h` explains."""
    from assay.compat.trec_eval import trec_eval as library

    echo(library(list(arguments)))


def echo(printed: Any) -> None:
    """What another program would have printed, and its exit status."""
    click.echo(printed.out, nl=False)
    click.echo(printed.err, err=True, nl=False)
    sys.exit(printed.status)
