"""What the formats of gold evidence and of chunks have in common: rows with texts, often beside the documents."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar, cast

from assay.errors import quote
from assay.files.json_lines import TOO_DEEP, RepeatedName, not_json, parsed_json
from assay.files.line_blocks import text_of
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Block, Format, Readable, Request
from assay.reading.rows import Rows
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind


class TextFormat(Format):
    """A format of rows with texts."""

    holds: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    may_have_texts = True

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """The rows of a file."""
        raise NotImplementedError

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows:
        """The rows of a file."""
        return self.text_rows(source, kind)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Judgments, unless a format says otherwise."""
        return "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, all of it at once."""
        from assay.reading.texts import table_of_texts

        self.refuse_kind(source, "run")
        yield lambda: cast(Run, table_of_texts(self.text_rows(source, "run"), request.documents))

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        from assay.reading.texts import table_of_texts

        return cast(Judgments, table_of_texts(self.text_rows(source, "judgments"), request.documents))

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What a file holds; whether the texts stand where it says is another question."""
        from assay.reading.texts import readable_rows

        kind = kind or self.kind_of(source)
        self.refuse_kind(source, kind)
        return readable_rows(self.text_rows(source, kind), request.documents)

    def refuse_kind(self, source: Source, kind: FileKind) -> None:
        """A format of gold holds no run."""
        if kind not in self.holds:
            raise source.fault(f"these are judgments ({self.title}); expected a run")


def json_of(source: Source) -> Any:
    """The value of a JSON file."""
    text = text_of(source, is_json=True)
    try:
        return parsed_json(text)
    except json.JSONDecodeError as error:
        raise source.fault(not_json(error, error.colno), error.lineno) from None
    except RepeatedName as error:
        raise source.fault(str(error)) from None
    except (ValueError, RecursionError):
        raise source.fault(TOO_DEEP) from None


def require_value(record: object, name: str, type_: type, where: str, source: Source) -> Any:
    """A value of a record, which must be there and of a type."""
    value = record.get(name) if isinstance(record, dict) else None
    if isinstance(value, bool) or not isinstance(value, type_):
        what = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}[type_]
        raise source.fault(f"{where}: {name} is {quote(json.dumps(value, ensure_ascii=False))}; expected {what}")
    return value


def objects_in(value: object, where: str, source: Source) -> list[dict[str, Any]]:
    """A list of objects, which may not be there."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise source.fault(f"{where} is {quote(json.dumps(value, ensure_ascii=False))}; expected a list of objects")
    return value


# What the exports of annotation tools call topics and documents.

QUESTIONS = ("query_id", "question_id", "topic_id", "topic", "question", "query")
DOCUMENTS = (
    "doc_id",
    "document_id",
    "docno",
    "docid",
    "document",
    "source",
    "file_path",
    "file_name",
    "filename",
    "file",
)


def topic_of_label(data: dict[str, Any], labels: list[str]) -> list[str]:
    """The topics of a labelled region: the question of its task, or its labels."""
    asked = next((data[name] for name in QUESTIONS if isinstance(data.get(name), str | int) and data[name] != ""), None)
    return labels if asked is None else [str(asked)]


def document_of_task(data: dict[str, Any], otherwise: str) -> str:
    """The document that a task shows."""
    named = next(
        (data[name] for name in DOCUMENTS if isinstance(data.get(name), str | int) and data[name] != ""), otherwise
    )
    return str(named)
