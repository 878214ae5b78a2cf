"""The base class of formats of gold evidence and of chunks: rows with texts, often together with the documents."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar, cast

from assay.documents.line_index import lines_of
from assay.errors import InputError, quote
from assay.files.json_lines import TOO_DEEP, RepeatedName, json_object, not_json, parsed_json
from assay.files.line_blocks import text_of
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Block, Format, Readable, Request
from assay.reading.rows import Rows
from assay.reading.values import is_whole_text
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind


class TextFormat(Format):
    """A format of rows with texts."""

    holds: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    may_have_texts = True

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return the rows of a file."""
        raise NotImplementedError

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows:
        """Return the rows of a file; a format overrides this if it needs the documents."""
        return self.text_rows(source, kind)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "judgments", unless a format overrides this."""
        return "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield the whole run as one block."""
        from assay.reading.texts import table_of_texts

        self.refuse_kind(source, "run")
        yield lambda: cast(Run, table_of_texts(self.rows_with_texts(source, "run", request), request.documents))

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of a file."""
        from assay.reading.texts import table_of_texts

        return cast(Judgments, table_of_texts(self.rows_with_texts(source, "judgments", request), request.documents))

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the table of a file and its faults. It does not check whether texts match their offsets."""
        from assay.reading.texts import readable_rows

        kind = kind or self.kind_of(source)
        self.refuse_kind(source, kind)
        return readable_rows(self.rows_with_texts(source, kind, request), request.documents)

    def refuse_kind(self, source: Source, kind: FileKind) -> None:
        """Raise an error if a run is wanted but the format holds only judgments."""
        if kind not in self.holds:
            raise source.fault(f"these are judgments ({self.title}); expected a run")


class IdFormat(TextFormat):
    """A format of rows that name documents and have no texts."""

    holds: ClassVar[tuple[FileKind, ...]] = ("run", "judgments")
    may_have_texts = False

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the table of a file, or the first fault."""
        kind = kind or self.kind_of(source)
        try:
            return super().readable(source, kind, request)
        except InputError as error:
            return Readable(kind, None, Places(source.label, noun="row"), [error])


def refuse_broken_ids(rows: Rows, source: Source) -> None:
    """Raise an error if a topic or a document has a lone surrogate."""
    for record in rows.records:
        for name in (record["topic"], record["document"]):
            if not is_whole_text(name):
                raise source.fault(f"{quote(name)} contains a lone surrogate, which is not valid Unicode")


def json_of(source: Source) -> Any:
    """Return the value of a JSON file."""
    text = text_of(source, is_json=True)
    try:
        return parsed_json(text)
    except json.JSONDecodeError as error:
        raise source.fault(not_json(error, error.colno), error.lineno) from None
    except RepeatedName as error:
        raise source.fault(str(error)) from None
    except (ValueError, RecursionError):
        raise source.fault(TOO_DEEP) from None


def json_lines(source: Source) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the object on each line that is not blank, with the number of the line, and its place in words."""
    for number, line in enumerate(lines_of(source), 1):
        if line.strip():
            yield number, f"line {number}", json_object(line, number, source)


def require_value(record: object, name: str, type_: type, where: str, source: Source) -> Any:
    """Return a value of a record; raise an error if it is missing or has another type."""
    value = record.get(name) if isinstance(record, dict) else None
    if isinstance(value, bool) or not isinstance(value, type_):
        what = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}[type_]
        raise source.fault(f"{where}: {name} is {quote(json.dumps(value, ensure_ascii=False))}; expected {what}")
    return value


def objects_in(value: object, where: str, source: Source) -> list[dict[str, Any]]:
    """Return a list of objects; an empty one if the value is None. Raise an error if it is anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise source.fault(f"{where} is {quote(json.dumps(value, ensure_ascii=False))}; expected a list of objects")
    return value


# Names of topics and documents in the exports of annotation tools.

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
    """Return the topics of a labelled region: the question of its task, or else its labels."""
    asked = next((data[name] for name in QUESTIONS if isinstance(data.get(name), str | int) and data[name] != ""), None)
    return labels if asked is None else [str(asked)]


def document_of_task(data: dict[str, Any], otherwise: str) -> str:
    """Return the document that a task shows."""
    named = next(
        (data[name] for name in DOCUMENTS if isinstance(data.get(name), str | int) and data[name] != ""), otherwise
    )
    return str(named)
