"""What a file format is: one object that recognises, reads, writes and
checks its files, and says what they look like.
"""

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
from assay.reading.schema import Schema
from assay.tables.column_names import NAMES, SPAN_FIELDS
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.rows import Rows


# The first bytes of a file, from which its format is recognised.

# The first line of a file that says what is between its values.
SEPARATOR_TOLD = re.compile(rb'(?i)"?sep=([,;|\t])"?[,; \t]*\n')


class Head:
    """The first bytes of a file, and the lines in them that are neither
    blank nor comments; the last may be cut short.
    """

    def __init__(self, content: bytes):
        self.content = content

    @cached_property
    def stripped(self) -> bytes:
        """The bytes without blanks before them."""
        return self.content.lstrip()

    @cached_property
    def unix(self) -> bytes:
        """The bytes without blanks before them, with line feeds at the ends of lines."""
        return with_line_feeds(self.stripped)

    def lines(self) -> Iterator[str]:
        """All lines."""
        for line in self.unix.split(b"\n"):
            if not line.startswith(b"#") and line.strip():
                yield line.decode(errors="replace")

    @cached_property
    def first_lines(self) -> list[str]:
        """The first two lines, or fewer."""
        return list(islice(self.lines(), 2))

    @property
    def first(self) -> str:
        """The first line; empty if there is none."""
        return next(iter(self.first_lines), "")

    @cached_property
    def fields(self) -> list[str]:
        """The fields of the first line, between blanks as a reader of bytes knows them."""
        return fields_of(self.first)

    @property
    def values(self) -> list[str]:
        """The values of the first line between tabs."""
        return self.first.split("\t")

    @cached_property
    def separator_told(self) -> str | None:
        """What a first line such as `sep=;`, which tells it to spreadsheets, says that is between values."""
        line = SEPARATOR_TOLD.match(self.unix)
        return line[1].decode() if line else None

    @cached_property
    def header(self) -> str:
        """The first line of all that may have the names of columns."""
        lines = self.unix.split(b"\n", 2)
        return lines[1 if self.separator_told and len(lines) > 1 else 0].decode(errors="replace")

    @property
    def comma(self) -> str:
        """What is between the values of CSV: what the file tells, or a semicolon where the first line has any and
        no comma, as spreadsheets write it where numbers have a comma.
        """
        if self.separator_told:
            return self.separator_told
        return ";" if ";" in self.header and "," not in self.header else ","

    def names_between(self, separator: str) -> list[str]:
        """What may be names of columns in the first line; nothing if one is a number, or there is only one."""
        names = [part.strip().strip('"') for part in self.header.split(separator)]
        are_names = not self.header.startswith("#") and len(names) > 1 and not any(map(is_number, names))
        return names if are_names else []

    def has_header(self, separator: str) -> bool:
        """Whether the first line has names of columns: some are known, and none is a number."""
        names = self.names_between(separator)
        return any(map(Schema(names).column, NAMES.keys() - SPAN_FIELDS))


def fields_of(line: str) -> list[str]:
    """The fields of a line, between blanks as a reader of bytes knows them."""
    return [field.decode() for field in line.encode().split()]


def reads_whole(text: str) -> bool:
    """Whether a text is a whole number."""
    return wrong_whole(text.strip()) is None


def reads_place(text: str) -> bool:
    """Whether a text is an offset or a length: a whole number, or an X if that is not known."""
    return text.upper() == "X" or reads_whole(text)


def is_document(text: str) -> bool:
    """Whether the second field of a line is a document, and not the Q0 or the iteration of a TREC file."""
    return text.upper() != "Q0" and text.strip("0") != ""


# A part of a run, some whole topics of it, read when it is called; None if it has no rows.
Block: TypeAlias = Callable[[], Run | None]
# The columns of a table that is to be written.
Columns: TypeAlias = dict[str, list[Any]]
# What the results of a run are.
Unit = Literal["documents", "spans", "elements"]
# Those that a user names of a table, where none are told.
NO_COLUMNS: Mapping[str, str] = {}


class Request(NamedTuple):
    """What is asked of a reader beside the file.

    Where `documents` are given, elements get the characters they have there. `ranks` asks for the rank column where
    that is not needed for the order, `gather` for all topics at once, `scattered` for whole topics at a time wherever
    their rows stand, and `in_pieces` for blocks as they are read, whatever topics they cut. Of a folder, `pools`
    chooses some files. `columns` are those that a user names of a table, by field; where `every_column` is set they
    must be there. `subtopics` and `strata` say that something is measured for which judgments must have them.
    `decided` says that rows are some of a table of which it is known what its columns are taken for: for their names.
    `of_parts` says that parts of documents are judged, `of_elements` that elements are assessed. `annotators` says
    whose judgments count; a study has words for this that no file has.
    """

    documents: DocumentCollection | None = None
    ranks: bool = False
    gather: bool = False
    scattered: bool = False
    in_pieces: bool = False
    pools: Collection[str] | None = None
    columns: Mapping[str, str] = NO_COLUMNS
    every_column: bool = True
    subtopics: bool = False
    strata: bool = False
    decided: bool = False
    of_parts: bool = False
    of_elements: bool = False
    annotators: str | None = None


# What is asked where nothing is said.
NOTHING_MORE = Request()


class Format:
    """A file format. Its module is named in the registry and has its one object, FORMAT.

    The docstring of a format is its section in docs/formats.md, below the `title` and the `layouts` of its lines.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    # What files of the format may hold.
    holds: ClassVar[tuple[FileKind, ...]] = ("run", "judgments")
    # What the results of a run may be that is written; nothing if no run can be.
    writes_runs_of: ClassVar[tuple[Unit, ...]] = ()
    writes_judgments: ClassVar[bool] = False
    # Whether judgments that are written keep their sets of evidence, their annotators and their facts.
    writes_labels: ClassVar[bool] = False
    # Whether they keep their subtopics, and the strata of a sample.
    writes_subtopics: ClassVar[bool] = False
    writes_strata: ClassVar[bool] = False
    # Whether a row is always a whole document, so that a file without faults can be summed up block by block.
    only_documents: ClassVar[bool] = False
    # Whether a file has columns with names.
    has_columns: ClassVar[bool] = False
    # Whether a user may say which of its names holds what.
    takes_columns: ClassVar[bool] = False
    # Whether rows may have a text beside their places, or instead of them.
    may_have_texts: ClassVar[bool] = False
    # Whether the ranks of a run give the order of its results, and the scores only that of equal ranks.
    by_rank: ClassVar[bool] = False
    # What a folder of files may hold, where the format has folders.
    folders_hold: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    # Whether judgments may be a folder of files, of which some can be chosen by their pools.
    has_pools: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """What the page on formats says of it."""
        return inspect.getdoc(type(self)) or ""

    @property
    def layouts(self) -> list[str]:
        """The fields of its lines, if it is one of lines."""
        return []

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Whether the first bytes of a file look like this format; `kind`
        says what is expected there, if that is known.
        """
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Whether a file of this format holds a run or judgments."""
        raise NotImplementedError

    def column_names(self, source: Source) -> list[str]:
        """The names of the columns of a file; none if the format has no columns with names."""
        return []

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        raise NotImplementedError

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        raise NotImplementedError

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows | None:
        """The rows of a file whose format is made for texts; None of a file without."""
        raise NotImplementedError

    def lists(self, source: Source, kind: FileKind) -> Mapping[str, Any] | None:
        """What a file has for each topic, as a dict has it in Python; None if it has rows."""
        return None

    def is_folder(self, path: str) -> bool:
        """Whether a folder holds files of this format."""
        return False

    def refuse_more_fields(self, source: Source) -> None:
        """If text is measured, a run of whole documents must not look as if it returned parts of them."""

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What of a file can be read, and what is wrong with the rest."""
        raise NotImplementedError

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """A file with a run.

        The columns are topic, document, rank, score, and where they are known start, end, length, path and last.
        """
        raise NotImplementedError

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """A file with judgments; the documents tell lengths that are not known."""
        raise NotImplementedError


# What files are written with: text that a format can hold. Numbers are written so
# that they are read as the same numbers again.

# What a line of blanks and fields cannot hold.
NOT_IN_LINES = re.compile(r"[ \t\n\r\v\f\0]")


def refuse(texts: Iterable[str], what: str, field: str, strange: re.Pattern[str], name: str) -> None:
    """No text may hold what the format cannot."""
    for text in texts:
        if strange.search(text):
            cannot = f"contains whitespace or other characters that {what} cannot represent"
            raise InputError(f"{field} {quote(text)} {cannot}", name)


def refuse_in_lines(columns: Columns, what: str, name: str) -> None:
    """Ids must be one field each, and no line may look like a comment."""
    for field in ("topic", "document", "path", "last"):
        refuse(columns.get(field, ()), what, field, NOT_IN_LINES, name)
    for text in columns["topic"]:
        if text.startswith(("#", "\ufeff")):
            problem = f"topic {quote(text)} would be read as a comment in {what}"
            raise InputError(f"{problem}; expected an id that does not begin with #", name)


def content_of_lines(lines: Iterable[str], name: str) -> bytes:
    """Lines as the content of a file."""
    return encode("".join(f"{line}\n" for line in lines), name)


def encode(text: str, name: str) -> bytes:
    """Text as the content of a file."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("some ids contain a lone surrogate, which UTF-8 cannot encode", name) from None


def run_lines(columns: Columns, name: str, tag: str, what: str, places: Iterable[str]) -> bytes:
    """A run with the fields of TREC in each line, and after them the place of the result."""
    refuse_in_lines(columns, what, name)
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score")), places, strict=False)
    return content_of_lines(
        (f"{topic} Q0 {document} {rank} {score!r} {tag}{place}" for topic, document, rank, score, place in rows), name
    )


def records(columns: Columns) -> Iterator[tuple[object, ...]]:
    """The rows of some columns."""
    return zip(*columns.values(), strict=True)


# The rows of a file that can be read, what is wrong with the others, and where they all stand; for checks.

Read = TypeVar("Read", Run, Judgments)
# How many faults are told of a file; whoever has more has another kind of file.
MOST_FAULTS = 10_000


@dataclass(eq=False, repr=False)
class Unresolved:
    """Highlighted text whose characters are not known.

    The topic and the document of each judgment, and the row of the judgment that each passage, and each best entry
    point, belongs to.
    """

    topics: list[str]
    documents: list[str]
    passages: list[int]
    entries: list[int]


@dataclass(eq=False, repr=False)
class Readable(Generic[Read]):
    """What of a file can be read, None if that is nothing, where its rows stand, and the faults of the others.

    Of judgments also the row of the file that each judgment begins in, and that of each highlighted span. `once`: the
    file tells of a document once for a topic, and its passages share no text.
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
    """Whether so many faults were found that the rest of a file is not looked at; then that is the last of them."""
    if faults is None or len(faults) < MOST_FAULTS:
        return False
    faults.append(source.fault(f"more than {MOST_FAULTS:,} faults; Assay did not check the rest of the file", line))
    return True


class Held(Source):
    """Some lines of a source."""

    def __init__(self, source: Source, held: list[bytes]):
        super().__init__(source.path)
        self._label, self._held = source.label, b"\n".join(held)

    @property
    def label(self) -> str:
        """How messages name it."""
        return self._label

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """The lines, all at once."""
        if self._held:
            yield self._held
