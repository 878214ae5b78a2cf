"""Rows that carry a text: chunks of a run or gold evidence, whose places are known, or are to be found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.documents.evidence import Said
from assay.errors import InputError, counted, listed, quoted
from assay.formats.cells import python_text
from assay.formats.line_fields import WHOLE
from assay.formats.objects import Chunk
from assay.formats.plain_values import is_whole_text
from assay.tables.column_names import TableColumns
from assay.tables.places import Places
from assay.vocabulary import FileKind

# What an object in a list of a topic is called.
OBJECTS: dict[FileKind, str] = {"run": "result", "judgments": "quote"}
# What an object is called that is a chunk of a corpus, and was returned for no topic.
CHUNK = "chunk"


@dataclass(eq=False)
class TextRows:
    """Rows with a chunk each, and what else they hold under the names of columns: a topic, a score, a rank, a grade.

    `documents` are texts that stand in the same file as the rows, by their ids. Rows `of_corpus` are the chunks of a
    corpus, and of no topic. `columns` are those that the user sees, where the rows are of a table. `keys` are those of
    objects that tell neither a text nor a place, by row.
    """

    kind: FileKind
    label: str
    noun: str = "row"
    records: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    of_corpus: bool = False
    columns: TableColumns | None = None
    keys: dict[int, list[str]] = field(default_factory=dict)

    def add(self, record: dict[str, Any], chunk: Chunk, number: int | None = None) -> None:
        """A further row, and the number of its line, or of what else it is."""
        for offset in (chunk.start, chunk.end):
            if offset is not None and abs(offset) >= WHOLE:
                raise InputError(
                    f"offset {quoted(python_text(offset), 30)} is too large; expected at most 15 digits", self.label
                )
        for name in (str(record["query_id"]), *chunk.documents):
            if not is_whole_text(name):
                raise InputError(f"{quoted(name)} has half of a character, which is not UTF-8", self.label)
        self.records.append(record)
        self.chunks.append(chunk)
        self.numbers.append(len(self.records) if number is None else number)

    def without_gold(self, topics: list[str]) -> None:
        """Notes topics that have no rows: of judgments they cannot be measured."""
        if topics and self.kind == "judgments":
            number = counted(len(topics), "question")
            self.notes.append(
                f"{self.label}: {number} without gold, left out: {listed([quoted(topic) for topic in topics], 3)}"
            )

    def without_gold_among(self, topics: Iterable[str]) -> None:
        """Notes which of some topics have no rows."""
        with_gold = {record["query_id"] for record in self.records}
        self.without_gold([topic for topic in dict.fromkeys(topics) if topic not in with_gold])

    def __len__(self) -> int:
        return len(self.records)

    @property
    def are_objects(self) -> bool:
        """Whether the rows are objects in the lists of their topics."""
        return self.noun in (*OBJECTS.values(), CHUNK)

    @property
    def things(self) -> str:
        """What the rows are, as they are counted in an error."""
        return CHUNK if self.of_corpus else {"run": "result", "judgments": "span"}[self.kind]

    @property
    def expected(self) -> str:
        """What rows were expected where there are none."""
        return "chunks" if self.of_corpus else {"run": "a run", "judgments": "judgments"}[self.kind]

    @property
    def places(self) -> Places:
        """Where the rows stand."""
        key = self.in_words if self.are_objects and not self.of_corpus else None
        return Places(self.label, self.numbers.__getitem__, self.noun, key)

    def placed(self) -> Iterator[int]:
        """The rows that tell a document and a place in it."""
        for row, chunk in enumerate(self.chunks):
            if chunk.documents and chunk.start is not None and chunk.end is not None:
                yield row

    def said(self, rows: list[int], names: list[str]) -> list[Said]:
        """What some rows say of their texts, whose documents have these names."""
        claims = []
        for row, name in zip(rows, names, strict=True):
            chunk = self.chunks[row]
            assert chunk.text is not None and chunk.start is not None and chunk.end is not None
            claims.append(Said(chunk.text, name, chunk.start, chunk.end, chunk.in_parent))
        return claims

    def in_words(self, row: int) -> str:
        """Where a row stands, in words: `line 3`, or of an object its topic and its number there."""
        if self.are_objects and not self.of_corpus:
            return f"topic {self.records[row]['query_id']}, {self.noun} {self.numbers[row]}"
        return self.places[row].words
