"""Tables in files whose rows carry a text."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from assay.files.source import Source
from assay.formats.format import Format
from assay.formats.given_texts import records_of
from assay.formats.memory_texts import TOPICS, VALUES
from assay.formats.objects import chunk_of, is_name
from assay.formats.table_files import TableFile
from assay.formats.text_rows import TextRows
from assay.vocabulary import FileKind

# The columns that hold a text and nothing else.
TEXT_COLUMNS = ("text", "content", "page_content", "quote", "excerpt", "snippet", "chunk_text", "passage_text")
# So many rows are looked at to know the columns.
SAMPLE = 20


def text_rows_of(source: Source, kind: FileKind, format: Format) -> TextRows | None:
    """The rows of a table with texts; None where it has none, or is no table."""
    if not isinstance(format, TableFile) or format.name == "spans":
        return None
    numbered = iter(records_of(source))
    sample = [(number, plain(record)) for number, record in islice(numbered, SAMPLE)]
    if not any(name in record for _, record in sample for name in TEXT_COLUMNS):
        return None
    rows = TextRows(kind, source.label, "line" if sample[0][0] is not None else "row")
    for row, (line, record) in enumerate(chain(sample, ((number, plain(record)) for number, record in numbered)), 1):
        chunk = chunk_of({name: value for name, value in record.items() if value != ""})
        topic = next((record[name] for name in TOPICS if is_name(record.get(name))), None)
        if chunk is None or topic is None:
            # what is wrong with it is told when the table is read
            return None
        values = {name: record[name] for name in VALUES if record.get(name) not in (None, "")}
        rows.add({"query_id": str(topic), **values}, chunk, line or row)
    return rows


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record with the names of columns as they are compared."""
    return {name.lower().strip(): value for name, value in record.items()}
