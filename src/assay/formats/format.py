"""What a file format is: one object that recognises, reads, writes and
checks its files, and tells what they look like.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from assay.formats.heads import Head
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.lookup import Documents
    from assay.files.source import Source
    from assay.formats.readable import Readable

# A part of a run, some whole topics of it, read when it is called; None where it has no rows.
Block: TypeAlias = Callable[[], Run | None]
# The columns of a table that is to be written.
Columns: TypeAlias = dict[str, list[Any]]
# What the results of a run are.
Unit = Literal["documents", "spans", "elements"]
# Those that a user tells of a table, where none are told.
NO_COLUMNS: Mapping[str, str] = {}


class Request(NamedTuple):
    """What is asked of a reader beside the file.

    Where `documents` are given, elements get the characters they have there. `ranks` asks for the rank column where
    that is not needed for the order, `gather` for all topics at once, `scattered` for whole topics at a time wherever
    their rows stand, and `in_pieces` for blocks as they are read, whatever topics they cut. Of a folder, `pools`
    chooses some files. `columns` are those that a user tells of a table, by field; where `every_column` is set they
    must be there. `subtopics` and `strata` say that something is measured for which judgments must have them.
    `decided` says that rows are some of a table of which it is known what its columns are taken for: for their names.
    `of_parts` says that parts of documents are judged.
    """

    documents: Documents | None = None
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
    # What the results of a run may be that is written; nothing where no run can be.
    writes_runs_of: ClassVar[tuple[Unit, ...]] = ()
    writes_judgments: ClassVar[bool] = False
    # Whether judgments that are written keep their sets of evidence and their annotators.
    writes_labels: ClassVar[bool] = False
    # Whether they keep their subtopics, and the strata of a sample.
    writes_subtopics: ClassVar[bool] = False
    writes_strata: ClassVar[bool] = False
    # Whether a row is always a whole document, so that a file without faults can be summed up block by block.
    only_documents: ClassVar[bool] = False
    # Whether a file has columns with names.
    has_columns: ClassVar[bool] = False
    # Whether rows may have a text beside their places, or instead of them.
    may_have_texts: ClassVar[bool] = False
    # Whether the ranks of a run tell the order of its results, and the scores only that of equal ranks.
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
        """The fields of its lines, where it is one of lines."""
        return []

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Whether the first bytes of a file look like this format; `kind`
        tells what is expected there, if that is known.
        """
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Whether a file of this format holds a run or judgments."""
        raise NotImplementedError

    def column_names(self, source: Source) -> list[str]:
        """The names of the columns of a file; none where the format has no columns with names."""
        return []

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        raise NotImplementedError

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        raise NotImplementedError

    def is_folder(self, path: str) -> bool:
        """Whether a folder holds files of this format."""
        return False

    def refuse_more_fields(self, source: Source) -> None:
        """Where text is measured, a run of whole documents must not look as if it returned parts of them."""

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What of a file can be read, and what is wrong with the rest."""
        raise NotImplementedError

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """A file with a run.

        The columns are topic, document, rank, score, and where they are known start, end, length, path and last.
        """
        raise NotImplementedError

    def judgments_content(self, judgments: Judgments, documents: Documents | None) -> bytes:
        """A file with judgments; the documents tell lengths that are not known."""
        raise NotImplementedError
