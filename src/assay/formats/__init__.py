"""Reading runs and judgments: from files of any known format, recognised by their content, or from objects in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from assay.errors import InputError, UsageError, quoted
from assay.files.source import STDIN, Source
from assay.formats import lines, trec
from assay.formats.column_names import NAMES, column
from assay.formats.recognition import TREC, Kind, kind_of, recognise
from assay.tables.judgments import Judgments
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.documents import Documents

Block = Callable[[], Run | None]
Rows = TypeVar("Rows", Run, Judgments)
# Formats of their own, and the modules that read them.
MODULES = {"fol": "fol", "elements": "elements", "inex": "inex", "genomics": "genomics"}
# Tables with columns, and the functions of records.py that read them.
TABLES = {"spans": "read_spans", "csv": "read_csv", "tsv": "read_tsv", "jsonl": "read_json_lines", "parquet": "read_parquet"}
FORMATS = {**MODULES, **TABLES}
# Formats that only runs have.
OF_RUNS = ("elements",)


def run_blocks(
    given: Any, name: str | None = None, form: str | None = None, *, documents: Documents | None = None, **options: bool
) -> Iterator[Block]:
    """A run, some whole topics at a time, each read when it is called: a path, `-` for standard input, or an object in memory.

    `ranks` asks for the rank column of whole documents too, `gather` for all topics at once. Where `documents` are given, elements
    get the characters they have there.
    """
    known(form)
    if isinstance(given, Run):
        yield lambda: located(given.named(name) if name else given, documents)
    elif not is_file(given):
        yield from lazily("memory").run_blocks(given, name or "run", **options)
    else:
        source = opened(given, "a run")
        yield from _file_blocks(source, form or recognise(source, "run"), documents, **options)


def _file_blocks(
    source: Source, form: str, documents: Documents | None, ranks: bool = False, gather: bool = False
) -> Iterator[Block]:
    if form == TREC:
        yield from trec.run_blocks(source, ranks, gather)
    elif form in MODULES:
        yield from lazily(MODULES[form]).run_blocks(source, gather, documents)
    else:
        yield from lazily("frames").run_blocks(lazily("records").rows(source, form), ranks, gather)


def read_run(given: Any, name: str | None = None, form: str | None = None, documents: Documents | None = None) -> Run:
    """A whole run in one table, with its rank column where it has one."""
    run = next(run_blocks(given, name, form, documents=documents, ranks=True, gather=True))()
    if run is None:
        raise (given if isinstance(given, Source) else Source(given)).fault("is empty; expected a run")
    return run.named(name) if name else run


def read_judgments(
    given: Any, form: str | None = None, documents: Documents | None = None, pools: Collection[str] | None = None
) -> Judgments:
    """Judgments: a path, `-` for standard input, or an object in memory; a folder where each file holds the assessments of a topic.

    Where they name passages by element paths, the `documents` tell their characters. Of a folder, `pools` chooses some files.
    """
    known(form)
    if isinstance(given, Judgments):
        return given
    if not is_file(given):
        in_memory: Judgments = lazily("memory").table(given, "judgments", "judgments")
        return not_empty(in_memory)
    if is_folder_of_xml(given):
        from_folder: Judgments = lazily("assessments").judgments_below([os.fspath(path_of(given))], documents, pools)
        return not_empty(from_folder)
    if pools is not None:
        of_pools: Judgments = lazily("assessments").judgments_below([os.fspath(path_of(given))], documents, pools)
        return of_pools
    source = opened(given, "judgments")
    if form is None or form in OF_RUNS:
        form = recognise(source, "judgments")
    if form == TREC:
        return trec.judgments(source)
    if form in MODULES:
        found: Judgments = lazily(MODULES[form]).judgments(source, documents)
    else:
        found = lazily("frames").judgments(*read_frame(source, form))
    return not_empty(found)


def opened(given: Any, what: str) -> Source:
    """A file that is not empty."""
    source = given if isinstance(given, Source) else Source(given)
    if not source.head():
        raise source.fault(f"is empty; expected {what}")
    return source


def path_of(given: Any) -> Any:
    """The path of a file, however it was given."""
    return given.path if isinstance(given, Source) else given


def is_folder_of_xml(given: Any) -> bool:
    """Whether a path is that of a folder with XML files somewhere below it."""
    path = path_of(given)
    return path != STDIN and os.path.isdir(path) and bool(lazily("assessments").files_below(path))


def located(run: Run, documents: Documents | None) -> Run:
    """The run with the characters of its elements, where the documents are given."""
    if documents is None or run.path is None:
        return run
    found: Run = lazily("elements").located(run, documents, lambda run, row: None)
    return found


def read_frame(source: Source, form: str, broken: list[InputError] | None = None) -> tuple[Any, str, Any]:
    """A file with named columns as a frame, its name, and the line of each of its rows; `broken` takes the faults of the others."""
    frame, line = getattr(lazily("records"), TABLES[form])(source, broken)
    return frame, source.label, line


def opened_documents(given: Any) -> Documents | None:
    """A collection of documents, given by its path or as it is."""
    if not isinstance(given, str | os.PathLike):
        return given
    from assay.documents.documents import Documents

    return Documents(given)


def refuse_more_fields(source: Source, form: str | None) -> None:
    """A run with fields behind its tag may be one of parts of documents: where text is measured it is not taken for whole ones."""
    if (form or recognise(source, "run")) != TREC:
        return
    for number, line in enumerate(source.head().replace(b"\r\n", b"\n").split(b"\n")[:-1], 1):
        if len(found := line.split()) > len(trec.RUN.fields) and not line.startswith(b"#"):
            what = f"expected {len(trec.RUN.fields)} fields of whole documents, 7 with a path, or 8 with offset and length"
            raise source.fault(f"{what}; found {len(found)}: {quoted(line.decode(errors='replace'))}", number)


def not_empty(table: Rows) -> Rows:
    """The table, unless it has no rows."""
    if not len(table):
        raise InputError("is empty; expected " + ("a run" if isinstance(table, Run) else "judgments"), table.name)
    return table


def lazily(module: str) -> Any:
    """A module of this package, loaded where it is used: TREC's files, the most common, need no other."""
    return import_module(f"assay.formats.{module}")


def is_file(given: Any) -> bool:
    """Whether a run or judgments were given by path."""
    return isinstance(given, str | os.PathLike | Source)


def known(form: str | None) -> str | None:
    """A format's name, if it is one."""
    if form is not None and form not in (TREC, *FORMATS):
        raise UsageError(f"unknown format {form!r}; known are {', '.join([TREC, *FORMATS])}")
    return form


__all__ = [
    "FORMATS",
    "NAMES",
    "STDIN",
    "TABLES",
    "TREC",
    "Block",
    "Kind",
    "Source",
    "column",
    "is_file",
    "kind_of",
    "known",
    "lines",
    "read_frame",
    "read_judgments",
    "read_run",
    "recognise",
    "refuse_more_fields",
    "run_blocks",
    "trec",
]
