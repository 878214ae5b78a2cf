"""Format: one object per file format that recognises, reads, writes and checks its files, and describes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from assay.errors import InputError, quote
from assay.files.line_blocks import with_line_feeds
from assay.files.source import Source
from assay.reading.lines import wrong_whole
from assay.reading.numbers import is_number
from assay.reading.schema import schema_of
from assay.reading.values import NO_NAMES
from assay.tables.column_names import NAMES, SPAN_FIELDS
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.rows import Rows


# Recognising a format from the first bytes of a file.

# A first line that names the separator, for example `sep=;`.
SEPARATOR_TOLD = re.compile(rb'(?i)"?sep=([,;|\t])"?[,; \t]*\n')


class Head:
    """The first bytes of a file, and the lines in them that are neither blank nor comments.

    The last line may be cut off.
    """

    def __init__(self, content: bytes):
        self.content = content

    @cached_property
    def stripped(self) -> bytes:
        """The bytes without leading whitespace."""
        return self.content.lstrip()

    @cached_property
    def unix(self) -> bytes:
        """The bytes without leading whitespace, with line feeds as line ends."""
        return with_line_feeds(self.stripped)

    def lines(self) -> Iterator[str]:
        """Yield all lines that are neither blank nor comments."""
        for line in self.unix.split(b"\n"):
            if not line.startswith(b"#") and line.strip():
                yield line.decode(errors="replace")

    @cached_property
    def first_lines(self) -> list[str]:
        """The first two lines, or fewer."""
        return list(islice(self.lines(), 2))

    def whole_lines(self) -> list[str]:
        """Return the lines without the last one, if that may be cut off; a single line is taken to be whole."""
        told = list(self.lines())
        return told if self.unix.endswith(b"\n") or len(told) == 1 else told[:-1]

    @property
    def first(self) -> str:
        """The first line; empty if there is none."""
        return next(iter(self.first_lines), "")

    @cached_property
    def fields(self) -> list[str]:
        """The fields of the first line, split at ASCII whitespace."""
        return fields_of(self.first)

    @property
    def values(self) -> list[str]:
        """The values of the first line, split at tabs."""
        return self.first.split("\t")

    @cached_property
    def separator_told(self) -> str | None:
        """The separator that a first line such as `sep=;` names for spreadsheets; None if there is no such line."""
        line = SEPARATOR_TOLD.match(self.unix)
        return line[1].decode() if line else None

    @cached_property
    def header(self) -> str:
        """The first line that may have column names, comments included."""
        lines = self.unix.split(b"\n", 2)
        return lines[1 if self.separator_told and len(lines) > 1 else 0].decode(errors="replace")

    @property
    def comma(self) -> str:
        """The separator of CSV: the one the file names, else `;` if the header has semicolons but no comma, else `,`.

        Spreadsheets write semicolons if the locale uses a decimal comma.
        """
        if self.separator_told:
            return self.separator_told
        return ";" if ";" in self.header and "," not in self.header else ","

    def names_between(self, separator: str) -> list[str]:
        """Return the possible column names in the header; empty if one is a number or there is only one."""
        names = [part.strip().strip('"') for part in self.header.split(separator)]
        are_names = not self.header.startswith("#") and len(names) > 1 and not any(map(is_number, names))
        return names if are_names else []

    def has_header(self, separator: str) -> bool:
        """Return whether the header has column names: at least one is known, and none is a number."""
        names = self.names_between(separator)
        return any(map(schema_of(names).column, NAMES.keys() - SPAN_FIELDS))


def fields_of(line: str) -> list[str]:
    """Return the fields of a line, split at ASCII whitespace."""
    return [field.decode() for field in line.encode().split()]


def reads_whole(text: str) -> bool:
    """Return whether a string is a whole number."""
    return wrong_whole(text.strip()) is None


def reads_place(text: str) -> bool:
    """Return whether a string is an offset or a length: a whole number, or an X for unknown."""
    return text.upper() == "X" or reads_whole(text)


def is_document(text: str) -> bool:
    """Return whether the second field of a line is a document, not the Q0 or the iteration of a TREC file."""
    return text.upper() != "Q0" and any(map(str.isalnum, text.strip("0")))


# How many lines tell what the fields of a file mean.
FIRST_LINES = 100
# The share of these lines that must be spans, so that a few faulty lines are reported as such.
MOST_LINES = 0.9


def has_spans(head: Head) -> bool:
    """Return whether a file may have spans without column names (topic, document, start, end), separated by tabs.

    Nearly all starts are less than their ends, and no document is the Q0 or 0 of qrels.
    """
    if head.first.count("\t") != 3:
        return False
    rows = [line.split("\t") for line in head.whole_lines()[:FIRST_LINES]]
    if any(len(row) != 4 or not is_document(row[1].strip()) for row in rows):
        return False
    spans = [row for row in rows if all(map(reads_whole, row[2:])) and int(row[2]) < int(row[3])]
    return len(spans) >= MOST_LINES * len(rows)


# A block of whole topics of a run. It is read when it is called, and returns None if it has no rows.
Block: TypeAlias = Callable[[], Run | None]
# The columns of a table to write.
Columns: TypeAlias = dict[str, list[Any]]
# What a run retrieves.
Unit = Literal["documents", "spans", "elements"]


class Request(NamedTuple):
    """What the caller wants from a reader.

    documents: if given, elements get the characters that they have there.
    ranks: read the rank column even if it is not needed for the order.
    gather: return all topics in one block.
    scattered: the rows of a topic may be anywhere in the file; still return blocks of whole topics.
    in_pieces: return blocks as they are read, even if they cut a topic in two.
    pools: which files of a folder to read.
    columns: the columns that the user named, by field. every_column: each of them must be in this input.
    subtopics, strata: a measure needs these in the judgments.
    decided: the rows are a part of a table whose columns are known to mean what their names say.
    of_parts: parts of documents are judged. of_elements: elements are assessed.
    annotators: whose judgments count. Only the study format reads this; it also takes `main` and `majority`.
    """

    documents: DocumentCollection | None = None
    ranks: bool = False
    gather: bool = False
    scattered: bool = False
    in_pieces: bool = False
    pools: Collection[str] | None = None
    columns: Mapping[str, str] = NO_NAMES
    every_column: bool = True
    subtopics: bool = False
    strata: bool = False
    decided: bool = False
    of_parts: bool = False
    of_elements: bool = False
    annotators: str | None = None


# The default request.
NOTHING_MORE = Request()


class Format:
    """A file format. The registry names its module, and the module has one object, FORMAT.

    The docstring of a format is its section in docs/formats.md, below the `title` and the `layouts` of its lines.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    # Whether files of the format may be runs, judgments or both.
    holds: ClassVar[tuple[FileKind, ...]] = ("run", "judgments")
    # Which kinds of results a written run may have; empty if the format cannot write runs.
    writes_runs_of: ClassVar[tuple[Unit, ...]] = ()
    writes_judgments: ClassVar[bool] = False
    # Whether written judgments keep their sets of evidence, annotators and facts.
    writes_labels: ClassVar[bool] = False
    # Whether written judgments keep their subtopics, and the strata of a sample.
    writes_subtopics: ClassVar[bool] = False
    writes_strata: ClassVar[bool] = False
    # Whether written judgments keep the questions that are marked as having no answer.
    writes_unanswerable: ClassVar[bool] = False
    # Whether written judgments keep topics with nothing relevant.
    writes_irrelevant: ClassVar[bool] = True
    # Whether each row is a whole document, so that a check can summarise a file without faults block by block.
    only_documents: ClassVar[bool] = False
    # Whether a file has named columns.
    has_columns: ClassVar[bool] = False
    # Whether the user may choose the columns with `columns=`.
    takes_columns: ClassVar[bool] = False
    # Whether rows may have a text, with or without offsets.
    may_have_texts: ClassVar[bool] = False
    # Whether ranks order the results of a run, and scores only break ties between equal ranks.
    by_rank: ClassVar[bool] = False
    # What a folder of files in this format may hold.
    folders_hold: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    # Whether judgments may be a folder of files from which `pools` chooses some.
    has_pools: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """The text about this format on the page of formats."""
        return inspect.getdoc(type(self)) or ""

    @property
    def layouts(self) -> list[str]:
        """The fields of a line, if the format has lines."""
        return []

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Return whether the first bytes of a file look like this format; `kind` is the kind expected, if known."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return whether a file of this format is a run or judgments."""
        raise NotImplementedError

    def column_names(self, source: Source) -> list[str]:
        """Return the names of the columns of a file; empty if the format has no named columns."""
        return []

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield a run as blocks of whole topics."""
        raise NotImplementedError

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of a file."""
        raise NotImplementedError

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows | None:
        """Return the rows of a file whose format is made for texts; None if this file has none."""
        raise NotImplementedError

    def lists(self, source: Source, kind: FileKind) -> Mapping[str, Any] | None:
        """Return the results of a file by topic, as a dict has them in Python; None if the file has rows."""
        return None

    def is_folder(self, path: str) -> bool:
        """Return whether a folder holds files of this format."""
        return False

    def refuse_more_fields(self, source: Source) -> None:
        """Raise an error if text is measured and a run of whole documents looks as if it returned parts of them."""

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the rows that can be read, and the faults of the others."""
        raise NotImplementedError

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run.

        The columns are topic, document, rank, score, and if known start, end, length, path and last. Results with more
        text around their passage also have a text.
        """
        raise NotImplementedError

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with judgments. The documents give lengths that are not known."""
        raise NotImplementedError


# Writing. A number is written so that it is read back as the same number.

# Characters that a field of a line cannot contain.
NOT_IN_LINES = re.compile(r"[ \t\n\r\v\f\0]")


def refuse(texts: Iterable[str], what: str, field: str, strange: re.Pattern[str], name: str) -> None:
    """Raise an error if a text contains a character that the format cannot represent."""
    for text in texts:
        if strange.search(text):
            cannot = f"contains whitespace or other characters that {what} cannot represent"
            raise InputError(f"{field} {quote(text)} {cannot}", name)


def refuse_in_lines(columns: Columns, what: str, name: str) -> None:
    """Raise an error if an id would not be one field of a line, or a line would look like a comment."""
    for field in ("topic", "document", "path", "last"):
        refuse(columns.get(field, ()), what, field, NOT_IN_LINES, name)
    for text in columns["topic"]:
        if text.startswith(("#", "\ufeff")):
            problem = f"topic {quote(text)} would be read as a comment in {what}"
            raise InputError(f"{problem}; expected an id that does not begin with #", name)


def content_of_lines(lines: Iterable[str], name: str) -> bytes:
    """Return lines as the bytes of a file."""
    return encode("".join(f"{line}\n" for line in lines), name)


def encode(text: str, name: str) -> bytes:
    """Return text as the bytes of a file."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("some ids contain a lone surrogate, which UTF-8 cannot encode", name) from None


def run_lines(columns: Columns, name: str, tag: str, what: str, places: Iterable[str]) -> bytes:
    """Return a run with TREC's fields in each line, followed by the place of the result."""
    refuse_in_lines(columns, what, name)
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score")), places, strict=False)
    return content_of_lines(
        (f"{topic} Q0 {document} {rank} {score!r} {tag}{place}" for topic, document, rank, score, place in rows), name
    )


def records(columns: Columns) -> Iterator[tuple[object, ...]]:
    """Return the rows of some columns."""
    return zip(*columns.values(), strict=True)


# For checks: the rows of a file that can be read, the faults of the others, and the places of all.

Read = TypeVar("Read", Run, Judgments)
# The most faults that are listed for a file. A file with more is probably of another kind.
MOST_FAULTS = 10_000


@dataclass(eq=False, repr=False)
class Unresolved:
    """Highlighted text whose characters are not known.

    `topics` and `documents` are those of each judgment. `passages` and `entries` are the rows of the judgments to which
    each passage and each best entry point belongs.
    """

    topics: list[str]
    documents: list[str]
    passages: list[int]
    entries: list[int]


@dataclass(eq=False, repr=False)
class Readable(Generic[Read]):
    """The part of a file that can be read (None if nothing can), the places of its rows, and the faults of the others.

    Judgments also have the row of the file in which each judgment begins (`rows`), and that of each highlighted span
    (`span_rows`). `once`: the file has each document once per topic, and its passages do not overlap.
    """

    kind: FileKind
    table: Read | None
    places: Places
    faults: list[InputError]
    rows: Ints | None = None
    span_rows: Ints | None = None
    once: bool = False
    unresolved: Unresolved | None = None


def are_too_many(faults: list[InputError] | None, source: Source, line: int | None) -> bool:
    """Return whether there are so many faults that the rest of the file is skipped; if so, append a fault for that."""
    if faults is None or len(faults) < MOST_FAULTS:
        return False
    faults.append(source.fault(f"more than {MOST_FAULTS:,} faults; Assay did not check the rest of the file", line))
    return True


class Held(Source):
    """Some lines of a source, kept in memory."""

    def __init__(self, source: Source, held: list[bytes]):
        super().__init__(source.path)
        self._label, self._held = source.label, b"\n".join(held)

    @property
    def label(self) -> str:
        """The name of the source in messages."""
        return self._label

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """Yield all lines as one block."""
        if self._held:
            yield self._held
