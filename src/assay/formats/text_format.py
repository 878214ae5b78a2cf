"""What the formats of gold evidence and of chunks have in common: rows with texts, often beside the documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar, cast

from assay.errors import quoted
from assay.files.plain_text import text_of
from assay.files.source import Source
from assay.formats.format import NOTHING_MORE, Block, Format, Request
from assay.formats.readable import Readable
from assay.formats.text_rows import TextRows
from assay.formats.text_tables import readable_rows, table_of_texts
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind


class TextFormat(Format):
    """A format of rows with texts."""

    holds: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    may_have_texts = True

    def text_rows(self, source: Source, kind: FileKind) -> TextRows:
        """The rows of a file."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Judgments, unless a format says otherwise."""
        return "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, all of it at once."""
        if "run" not in self.holds:
            raise source.fault(f"holds judgments ({self.title}); expected a run")
        yield lambda: cast(Run, table_of_texts(self.text_rows(source, "run"), request.documents)[0])

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        return cast(Judgments, table_of_texts(self.text_rows(source, "judgments"), request.documents)[0])

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What a file holds; whether the texts stand where it says is another question."""
        return readable_rows(self.text_rows(source, kind or self.kind_of(source)), request.documents)


def json_of(source: Source) -> Any:
    """The value of a JSON file."""
    text = text_of(source)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise source.fault(f"is not JSON ({error.msg} at column {error.colno})", error.lineno) from None
    except (ValueError, RecursionError):
        raise source.fault("has too many digits or brackets") from None


def needed(record: Any, name: str, type_: type, where: str, source: Source) -> Any:
    """A value of a record, which must be there and of a type."""
    value = record.get(name) if isinstance(record, dict) else None
    if isinstance(value, bool) or not isinstance(value, type_):
        what = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}[type_]
        raise source.fault(f"{where}: {name} is {quoted(json.dumps(value, ensure_ascii=False))}; expected {what}")
    return value


def objects_in(value: Any, where: str, source: Source) -> list[dict[str, Any]]:
    """A list of objects, which may not be there."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise source.fault(f"{where} is {quoted(json.dumps(value, ensure_ascii=False))}; expected a list of objects")
    return value
