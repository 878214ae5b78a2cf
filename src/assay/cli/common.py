"""What the commands share: evaluating runs, and printing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from assay.compat.printed import Printed
    from assay.files.source import Source
    from assay.scores import Scores

LONG_WORK = 50 << 20
# Commas between measures: not within brackets, and not before a bare number.
BETWEEN_MEASURES = re.compile(r",(?![^(]*\))(?!\s*-?[0-9.]+(?:=-?[0-9.]+)?\s*(?:[,\]]|$))")
# A parameter that a message of the library names, for example `pass documents=`; one with a value only after a verb,
# because measures have values too: `R(chars=2000)`.
PARAMETER = re.compile(r"(?:(\b(?:pass|need|or|leave out) )(\w+)=(\w*)|(?<![\w(])(\w+)=)(?=[,;.]|\s|$)")
# The measures that a message of the library lists.
LIST_OF_MEASURES = re.compile(r"pass a list: (\[.*\])")
STANDARD_OUTPUT = "-"
OUT_OF_MEMORY = "not enough memory; use smaller files or a machine with more memory"
SPREADSHEET_SAFE = "assay.spreadsheet_safe"
# How a cell begins that a spreadsheet would run as a formula; some programs skip a tab or a line end before it.
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def scores_of(
    judgments: str | None,
    runs: tuple[str | Source, ...],
    measures: tuple[str, ...],
    scores: tuple[str | Source, ...],
    lower_is_better: tuple[str, ...],
    format: str | None,
    define: tuple[str, ...],
    quiet: bool,
    **rules: Any,
) -> Scores:
    """Evaluate runs, and join scores that are given; print the notes after the command's own output."""
    from assay.api import evaluate, evaluate_beside

    given = given_scores(judgments, runs, scores, lower_is_better)
    load_measures(define)
    asked = separate(measures) or None
    with progress([judgments, *runs] if judgments else []) as step:
        rules |= {"format": format, "progress": step}
        if given is None:
            result = evaluate(judgments or "", list(runs), asked, **rules)
        else:
            result = evaluate_beside(given, judgments, list(runs), asked, **rules)
    if not quiet:
        click.get_current_context().call_on_close(lambda: print_notes(result.notes))
    return result


def given_scores(
    judgments: str | None,
    runs: tuple[str | Source, ...],
    scores: tuple[str | Source, ...],
    lower_is_better: tuple[str, ...],
) -> Scores | None:
    """Read the scores that are given; return None if there are none. Then judgments and runs are required."""
    has_runs = judgments is not None and runs
    if not (has_runs or (scores and judgments is None)):
        lacking = "JUDGMENTS" if judgments is None else "RUN..."
        context = click.get_current_context()
        parameter = next(each for each in context.command.params if each.metavar == lacking)
        raise click.MissingParameter(ctx=context, param=parameter)
    if not scores:
        if lower_is_better:
            raise click.UsageError("--lower-is-better requires --scores", click.get_current_context())
        return None
    from assay.api import read_scores

    return read_scores(list(scores), lower_is_better=lower_is_better)


def print_notes(notes: list[str]) -> None:
    """Print notes on standard error."""
    from assay.errors import printable

    for note in notes:
        click.echo(f"note: {in_options(printable(note))}", err=True)


def in_options(message: str) -> str:
    """Replace parameters in a message of the library by options: `pass documents=` becomes `pass --documents`."""
    import json

    message = LIST_OF_MEASURES.sub(lambda listed: f"write {as_options(json.loads(listed[1]))}", message)
    if not PARAMETER.search(message):
        return message
    options = {str(option.name): option for option in every_option(click.get_current_context().find_root())}

    def named(asked: re.Match[str]) -> str:
        verb, name, value, bare = asked.groups(default="")
        option = options.get(name or bare)
        if option is None:
            return asked[0]
        return f"{verb}{max(option.opts, key=len)}" + (f" {value}" if value and not option.is_flag else "")

    return PARAMETER.sub(named, message)


def as_options(measures: list[str]) -> str:
    """Return measures as options: `-m AP -m nDCG@10`."""
    import shlex

    return shlex.join(word for measure in measures for word in ("-m", measure))


def every_option(context: click.Context) -> Iterator[click.Option]:
    """Yield the options of all commands of a group."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield from (option for option in command.params if isinstance(option, click.Option)) if command else ()


def say(text: str, layout: str = "text", *, nl: bool = False, err: bool = False) -> None:
    """Print the result of a command.

    On a terminal, control characters are written out. With --spreadsheet-safe, no cell is printed that a spreadsheet
    would run.
    """
    if not err and click.get_current_context().meta.get(SPREADSHEET_SAFE):
        text = without_formulas(text, layout)
    click.echo(visible_on(sys.stderr if err else sys.stdout, text), nl=nl, err=err)


def visible_on(stream: TextIO | None, text: str | bytes) -> str | bytes:
    """Write out control characters if the stream is a terminal; a file or a pipe gets the text unchanged."""
    from assay.errors import visible

    if not (stream and stream.isatty()):
        return text
    return visible(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def without_formulas(text: str, layout: str) -> str:
    """Put ' before each cell of a TSV or CSV table that a spreadsheet would run as a formula; numbers stay."""
    import csv
    import io

    from assay.errors import UsageError
    from assay.showing.layout import EXACT

    if layout not in EXACT:
        raise UsageError("--spreadsheet-safe works only with csv and tsv")
    out = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=EXACT[layout])
    writer = csv.writer(out, delimiter=EXACT[layout], lineterminator="\n")
    writer.writerows([f"'{cell}" if is_formula(cell) else cell for cell in row] for row in rows)
    return out.getvalue() if text.endswith("\n") else out.getvalue().removesuffix("\n")


def is_formula(cell: str) -> bool:
    """Tell whether a spreadsheet would run a cell: it begins like a formula, and is not a number."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULAS)
    return False


def refuse_output(output: str, *inputs: Any) -> None:
    """Refuse, before any work is done, an output that cannot be written, or that is also an input."""
    from assay.files.writing import refuse_input_as_output, refuse_unwritable

    if output == STANDARD_OUTPUT:
        return
    refuse_unwritable(output)
    listed = [tuple(given.values()) if isinstance(given, dict) else given for given in inputs]
    files = [file for given in listed for file in (given if isinstance(given, tuple) else [given])]
    refuse_input_as_output(output, *(getattr(file, "label", file) for file in files))


def write_output(output: str, content: bytes | Iterable[bytes]) -> None:
    """Write to a file or to standard output; long content may come in pieces."""
    from assay.files.writing import write

    if output == STANDARD_OUTPUT:
        pieces = [content] if isinstance(content, bytes) else content
        if sys.stdout.isatty():
            pieces = [str(visible_on(sys.stdout, piece)).encode("utf-8", "replace") for piece in pieces]
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
    else:
        write(output, content)


def default_layout() -> str:
    """Return the default layout: aligned text on a terminal, TSV in a pipe."""
    return "text" if sys.stdout and sys.stdout.isatty() else "tsv"


def separate(measures: tuple[str, ...]) -> list[str]:
    """Split measures at commas; `P.5,10` of trec_eval stays together."""
    return [measure for given in measures for measure in BETWEEN_MEASURES.split(given)]


def load_measures(files: Iterable[str]) -> None:
    """Run Python files that define measures."""
    for file in files:
        load(file)


def load(file: str) -> None:
    """Run a Python file that defines measures."""
    import importlib.util

    from assay.errors import InputError

    name = "measures of " + file
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("not a Python file; expected a name that ends in .py", file)
    module = importlib.util.module_from_spec(spec)
    # dataclasses look up their module by name, and the module must live as long as its classes
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot run the file: {type(error).__name__}: {error}", file) from None


@contextmanager
def progress(files: list[str | Source]) -> Iterator[Callable[[int], None] | None]:
    """Show a progress bar on standard error while large files are read, if it is a terminal."""
    from assay.files.source import Source

    total = sum((file if isinstance(file, Source) else Source(file)).size for file in files)
    if total < LONG_WORK or not (sys.stderr and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("reading"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda done: bar.update(task, completed=done)


def echo(printed: Printed) -> None:
    """Print what another program would have printed, and exit with its status."""
    click.echo(visible_on(sys.stdout, printed.out), nl=False)
    click.echo(visible_on(sys.stderr, printed.err), err=True, nl=False)
    sys.exit(printed.status)
