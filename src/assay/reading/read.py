"""Reading runs and judgments: from files of any known format,
recognised by their content, or from objects in memory.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from assay.errors import InputError, UsageError, quoted
from assay.files.memory import available_memory
from assay.files.source import Source
from assay.reading.dicts import plain_run
from assay.reading.foreign import judgments_given, run_given
from assay.reading.format import NOTHING_MORE, Block, Format, Request
from assay.reading.recognition import every_format, format_named, recognise, recognise_folder
from assay.reading.schema import Schema, comparable_name, told_columns
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import DealtRows, Run, not_empty, whole_topics
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.lookup import Documents
    from assay.reading.input_types import JudgmentsLike, RunLike
    from assay.reading.rows import Rows

# Rows of a part of a run whose topics are scattered, about.
ROWS = 1 << 17


def run_blocks(
    given: RunLike | Rows, name: str | None = None, format: str | None = None, request: Request = NOTHING_MORE
) -> Iterator[Block]:
    """A run, some whole topics at a time, each read when it is called: a path,
    `-` for standard input, or an object in memory.
    """
    chosen = asked_format(format, "run")
    given = run_given(given)
    if request.scattered:
        blocks = run_blocks(given, name, format, request._replace(scattered=False, in_pieces=True))
        dealt: list[DealtRows] = []
        for part in filter(None, map(dealt_rows, blocks)):
            dealt.append(part)
            refuse_beyond_memory(dealt, given)
            # all but the columns is alike, and what finds places may hold the rows as they were read
            part.run = dealt[0].run
        yield from whole_topics(dealt, ROWS)
        return
    if isinstance(given, Run):
        yield lambda: located(given.named(name) if name else given, request.documents)
    elif isinstance(given, dict) and (plain := plain_run(given, name or "run", not request.gather)) is not None:
        yield lambda: plain
    elif not is_file(given):
        from assay.reading import memory

        yield from memory.blocks_in_memory(given, name or "run", request)
    else:
        source = opened_source(given, "a run")
        chosen = recognise_folder(source.path, "run") or chosen or recognise(source, "run")
        refuse_columns(source, chosen, request)
        yield from chosen.run_blocks(source, request)


# Memory that reading and measuring take beside the rows that are held: as many bytes for each of these.
BESIDE = 4 / 3


def refuse_beyond_memory(dealt: list[DealtRows], given: object) -> None:
    """Where topics are scattered all rows are held: if more will come than memory has room for, that is said before."""
    held, free = sum(map(len, dealt)), available_memory()
    if free is None or not (rows := expected_rows(given, held)):
        return
    size = BESIDE * sum(part.bytes for part in dealt) / held
    if (rows - held) * size > free:
        numbers = f"{rows:,} rows of about {size:.0f} bytes are {rows * size / 1e9:.1f} GB"
        what = f"its topics are scattered, and all rows have to be held: {numbers}, and {free / 1e9:.1f} GB are free"
        disk = "assay.spark.evaluate, or --engine spark --master 'local[*]', which uses the disk"
        label = given.label if isinstance(given, Source) else dealt[0].run.name
        raise InputError(f"{what}; sort the rows by topic, or measure them with {disk}", label)


def expected_rows(given: object, read: int) -> int:
    """How many rows a run has, of which some were read, as far as that can be known; 0 where it cannot."""
    if isinstance(given, Source):
        return given.rows or (read * given.size // given.done if given.done else 0)
    return len(given) if isinstance(given, Sized) else 0


def dealt_rows(block: Block) -> DealtRows | None:
    """The rows of a block by the hash of their topic; None where it has none."""
    run = block()
    return DealtRows(run) if run else None


def read_run(
    given: RunLike,
    name: str | None = None,
    format: str | None = None,
    documents: DocumentCollection | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """A whole run in one table, with its rank column where it has one.

    columns: which column of a table holds what, as `{"document": "chunk_id"}`, where the usual names do not tell.
    """
    return whole_run(given, name, format, Request(documents, ranks=True, gather=True, columns=told_columns(columns)))


def whole_run(given: Any, name: str | None, format: str | None, request: Request) -> Run:
    """A whole run in one table; the request says so."""
    run = next(run_blocks(given, name, format, request))()
    if run is None:
        raise source_of(given).fault("is empty; expected a run")
    return run.named(name) if name else run


def read_judgments(
    given: JudgmentsLike,
    format: str | None = None,
    documents: DocumentCollection | None = None,
    pools: Collection[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """Judgments: a path, `-` for standard input, or an object in memory; a folder
    where each file holds the assessments of a topic.

    Where they name passages by element paths, the `documents` tell their
    characters. Of a folder, `pools` chooses some files. columns: which column of a table holds what, as
    `{"document": "chunk_id"}`, where the usual names do not tell.
    """
    return judgments_of(given, format, Request(documents, pools=pools, columns=told_columns(columns)))


def judgments_of(given: JudgmentsLike | Rows, format: str | None, request: Request) -> Judgments:
    """Judgments, given as to `read_judgments`."""
    chosen = asked_format(format, "judgments")
    given = judgments_given(given)
    if isinstance(given, Judgments):
        return given
    if not is_file(given):
        from assay.reading import memory

        return not_empty(memory.judgments_in_memory(given, "judgments", request))
    if in_folder := format_of_folder(given):
        return not_empty(in_folder.judgments(source_of(given), request))
    if request.pools is not None:
        return next(each for each in every_format() if each.has_pools).judgments(source_of(given), request)
    source = opened_source(given, "judgments")
    if chosen is None or "judgments" not in chosen.holds:
        chosen = recognise(source, "judgments")
    refuse_columns(source, chosen, request)
    return not_empty(chosen.judgments(source, request))


def refuse_columns(source: Source, format: Format, request: Request) -> None:
    """Columns cannot be told of a file that has none."""
    if request.columns and request.every_column and not format.takes_columns:
        raise source.fault(
            f"has no columns with names, as it is of format {format.name}; expected a table for columns="
        )


def refuse_unknown_columns(given: list[Any], format: str | None, columns: Mapping[str, str]) -> None:
    """Columns that a user tells must be in one of the tables, or they would change nothing."""
    if not columns:
        return
    names = [comparable_name(name) for each in given for name in names_of(each, format)]
    for field, name in columns.items():
        # a name may be a path into what a column holds
        if comparable_name(name) not in names and comparable_name(name).partition(".")[0] not in names:
            raise UsageError(f"no table has a column {quoted(name)} for the {field}")


def names_of(given: Any, format: str | None) -> list[str]:
    """The names of the columns of a table, or of the keys of chunks, wherever they are; none of what has no columns."""
    if isinstance(given, Run | Judgments):
        return []
    if isinstance(given, Mapping):
        from assay.reading.records import names_in_lists

        return names_in_lists(given)
    if is_file(given):
        source = source_of(given)
        return (format_of_folder(given) or asked_format(format) or recognise(source)).column_names(source)
    if hasattr(type(given), "columns"):
        return [str(name) for name in given.columns]
    from assay.reading.records import flat

    return [str(name) for record in given if isinstance(record, Mapping) for name in flat(record)]


def asked_format(format: str | None, kind: FileKind | None = None) -> Format | None:
    """The format that was asked for by its name, if any was; one of judgments alone is not asked for of a run."""
    chosen = None if format is None else format_named(format)
    return chosen if chosen and (kind is None or kind in chosen.holds) else None


def kind_of_given(given: Any, format: str | None = None, request: Request = NOTHING_MORE) -> FileKind:
    """Whether something is a run or judgments."""
    if isinstance(given, Run | Judgments):
        return "run" if isinstance(given, Run) else "judgments"
    if is_file(given):
        source = source_of(given)
        if (in_folder := format_of_folder(given)) and in_folder.folders_hold == ("judgments",):
            return "judgments"
        return (asked_format(format) or recognise(source)).kind_of(source, request)
    if hasattr(type(given), "columns"):
        return Schema([str(name) for name in given.columns], request.columns).kind
    raise UsageError("whether this is a run or judgments cannot be told; expected kind='run' or kind='judgments'")


def opened_source(given: str | os.PathLike[str] | Source, what: str) -> Source:
    """A file that is not empty, or a folder of files."""
    source = source_of(given)
    if not format_of_folder(given) and source.head().strip() in (b"", b"{}", b"[]"):
        raise source.fault(f"is empty; expected {what}")
    return source


def is_file(given: object) -> TypeGuard[str | os.PathLike[str] | Source]:
    """Whether a run or judgments were given by path."""
    return isinstance(given, str | os.PathLike | Source)


def source_of(given: str | os.PathLike[str] | Source) -> Source:
    """The source of a file, however it was given."""
    return given if isinstance(given, Source) else Source(given)


def format_of_folder(given: str | os.PathLike[str] | Source) -> Format | None:
    """The format of the files in a folder; None where the path is none of a folder, or nothing in it is known."""
    return recognise_folder(source_of(given).path)


def located(run: Run, documents: DocumentCollection | None) -> Run:
    """The run with the characters of its elements, where the documents are given."""
    from assay.reading import element_places

    return element_places.with_characters(run, documents, Places(run.name, noun="result"))


def opened_documents(given: Any) -> DocumentCollection | None:
    """A collection of documents, given by its path, as it is, as a dict from ids to texts, or as objects with an id and
    a text each; a path must lead somewhere, even if nothing is looked up.
    """
    if given is None:
        return None
    if isinstance(given, list | tuple) or hasattr(type(given), "columns"):
        from assay.reading.text_records import hold_documents, texts_by_id

        given = texts_by_id(given) if hold_documents(given) else given
    if isinstance(given, Mapping):
        from assay.documents.in_memory import TextsInMemory

        return cast("Documents", TextsInMemory(given))
    from assay.documents.lookup import Documents

    documents = Documents(given) if isinstance(given, str | os.PathLike) else given
    if not hasattr(documents, "own_id"):
        expected = "expected a path, assay.Documents, a dict from ids to texts, or objects with an id and a text"
        raise UsageError(f"documents= is of type {type(given).__name__}; {expected}")
    if isinstance(documents, Documents) and not os.path.exists(documents.label):
        raise InputError("no such file or folder; expected documents", documents.label)
    return documents


def refuse_more_fields(source: Source, format: str | None) -> None:
    """Where text is measured, a run of whole documents must not look as if it returned parts of them."""
    (asked_format(format, "run") or recognise(source, "run")).refuse_more_fields(source)
