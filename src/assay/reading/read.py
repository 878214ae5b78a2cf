"""Read runs and judgments from files of any known format, recognised by their content, or from objects in memory."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, cast

from assay.errors import InputError, UsageError, type_name
from assay.files.memory import available_memory
from assay.reading.format import Block, Request
from assay.reading.given import Given, GivenFile, GivenFrame, given_judgments, given_run
from assay.reading.schema import told_columns
from assay.reading.text_locator import TextLocator
from assay.tables.judgments import Judgments
from assay.tables.run import HashPartition, Run, whole_topics
from assay.vocabulary import Texts

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.lookup import Documents
    from assay.reading.input_types import DocumentsLike, JudgmentsLike, RunLike

# About how many rows a block has if the topics of a run are scattered.
ROWS = 1 << 17


def run_blocks(run: Given, request: Request) -> Iterator[Block]:
    """Yield a run as blocks of whole topics. A block is read when it is called.

    If the rows of a topic are scattered over the file, all rows are read first and sorted into blocks by topic.
    """
    if not request.scattered:
        yield from run.run_blocks(request)
        return
    dealt: list[HashPartition] = []
    for part in filter(None, map(dealt_rows, run.run_blocks(request._replace(scattered=False, in_pieces=True)))):
        dealt.append(part)
        refuse_beyond_memory(dealt, run)
        # parts differ only in their columns; dropping the other runs frees the original rows that their places may hold
        part.run = dealt[0].run
    yield from whole_topics(dealt, ROWS)


# Reading and measuring take memory on top of the rows: this factor times the bytes of the rows covers all of it.
BESIDE = 4 / 3


def refuse_beyond_memory(dealt: list[HashPartition], given: Given) -> None:
    """Raise an error before memory runs out, because scattered topics make Assay hold all rows at once."""
    held, free = sum(map(len, dealt)), available_memory()
    if free is None or not (rows := expected_rows(given, held)):
        return
    size = BESIDE * sum(part.bytes for part in dealt) / held
    if (rows - held) * size > free:
        numbers = f"{rows:,} rows of about {size:.0f} bytes are {rows * size / 1e9:.1f} GB"
        what = f"the rows are not sorted by topic, so Assay must hold all: {numbers}, but {free / 1e9:.1f} GB are free"
        disk = "pass engine=spark and master=local[*] to use the disk (in Python assay.spark.evaluate)"
        raise InputError(f"{what}; sort the rows by topic, or {disk}", given.label)


def expected_rows(given: Given, read: int) -> int:
    """Estimate how many rows a run has, after `read` rows were read; 0 if there is no way to tell."""
    if isinstance(given, GivenFile):
        source = given.source
        return source.rows or (read * source.size // source.done if source.done else 0)
    return len(given.frame) if isinstance(given, GivenFrame) and isinstance(given.frame, Sized) else 0


def dealt_rows(block: Block) -> HashPartition | None:
    """Read a block and partition its rows by the hash of their topic; None if it has no rows."""
    run = block()
    return HashPartition(run) if run else None


def read_run(
    given: RunLike | JudgmentsLike,
    name: str | None = None,
    format: str | None = None,
    documents: DocumentsLike | None = None,
    columns: Mapping[str, str] | None = None,
    notes: list[str] | None = None,
    texts: Texts = "check",
) -> Run:
    """Read a whole run into one table; texts are located in the documents.

    columns: which column of a table means what, for example `{"document": "chunk_id"}`, if the usual names do not say.
    notes: a list to which Assay appends one sentence per decision about texts. texts: what to do with texts beside
    offsets, as in `evaluate`.
    """
    collection = opened_documents(documents)
    placing = TextLocator(collection, texts, told_columns(columns), [] if notes is None else notes)
    request = Request(collection, ranks=True, gather=True, columns=placing.columns)
    run = whole_run(placing.located_if_documents(given_run(given, name, format)), request)
    return run.named(name) if name else run


def whole_runs(
    named: Mapping[str, Given], documents: DocumentCollection | None, columns: Mapping[str, str] | None
) -> dict[str, Run]:
    """Return whole runs by name, each in one table; the parameters are those of `read_run`."""
    placing = TextLocator(documents, columns=told_columns(columns))
    request = Request(documents, ranks=True, gather=True, columns=placing.columns)
    return {name: whole_run(placing.located_if_documents(run), request) for name, run in named.items()}


def whole_run(given: Given, request: Request) -> Run:
    """Return a whole run in one table; the request must ask for that (`gather`)."""
    run = next(run_blocks(given, request))()
    if run is None:
        raise InputError("the input is empty; expected a run", given.label)
    return run


def read_judgments(
    given: JudgmentsLike | RunLike,
    format: str | None = None,
    documents: DocumentsLike | None = None,
    pools: Collection[str] | None = None,
    columns: Mapping[str, str] | None = None,
    notes: list[str] | None = None,
    texts: Texts = "check",
) -> Judgments:
    """Read judgments from a path, `-` for standard input, an object in memory, or a folder with one file per topic.

    documents: needed if passages are given as element paths, to find their characters. pools: which files of a folder
    to read. columns: which column of a table means what, for example `{"document": "chunk_id"}`, if the usual names do
    not say. notes, texts: as in `read_run`.
    """
    collection = opened_documents(documents)
    placing = TextLocator(collection, texts, told_columns(columns), [] if notes is None else notes)
    request = Request(collection, pools=pools, columns=placing.columns)
    return placing.located_if_documents(given_judgments(given, format)).judgments(request)


def opened_documents(given: Any) -> DocumentCollection | None:
    """Return the collection of documents: from a path, a collection, a dict {id: text}, or objects with id and text.

    A path must exist, even if no document is looked up.
    """
    if given is None:
        return None
    if isinstance(given, list | tuple) or hasattr(type(given), "columns"):
        from assay.reading.texts import hold_documents, texts_by_id

        given = texts_by_id(given) if hold_documents(given) else given
    if isinstance(given, Mapping):
        from assay.documents.lookup import TextsInMemory

        return cast("Documents", TextsInMemory(given))
    from assay.documents.lookup import Documents

    documents = Documents(given) if isinstance(given, str | os.PathLike) else given
    if not hasattr(documents, "own_id"):
        expected = "expected a path, assay.Documents, a dict from ids to texts, or objects with an id and a text"
        if isinstance(given, Iterator):
            expected = "Assay may read it several times; pass a list"
        raise UsageError(f"documents= has type {type_name(given)}; {expected}")
    if isinstance(documents, Documents) and not os.path.exists(documents.label):
        raise InputError("no such file or folder; expected documents", documents.label)
    return documents
