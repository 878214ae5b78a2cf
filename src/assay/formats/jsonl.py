"""JSONL: an object a line."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

from assay.files.json_lines import json_object
from assay.files.plain_text import text_of
from assay.files.source import Source
from assay.formats.cells import plain
from assay.formats.contents import joined, records
from assay.formats.format import Columns
from assay.formats.frames import known_columns
from assay.formats.heads import Head
from assay.formats.table_files import Broken, TableFile, refusing
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl


class JsonLinesTable(TableFile):
    """An object in each line, with its values under the [names of the columns](#names-of-columns)."""

    name = "jsonl"
    title = "JSONL"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """An object, or the array of objects that is taken for JSONL and refused as such."""
        return re.match(rb'[{[]\s*["{[]', head.stripped) is not None

    def frame(self, source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Places]:
        """All rows of a file, and their lines."""
        import polars as pl

        content = text_of(source)
        filled = {number: line for number, line in enumerate(content.split("\n"), 1) if line.strip()}
        try:
            frame = pl.read_ndjson(io.BytesIO(content.encode()), infer_schema_length=None)
            if len(frame) == len(filled):
                return frame, Places(source.label, list(filled).__getitem__)
        except (pl.exceptions.PolarsError, RecursionError):
            pass
        rows = {}
        for number, line in filled.items():
            with refusing(broken):
                rows[number] = row_of(line, number, source)
        names = dict.fromkeys(name for row in rows.values() for name in row)
        columns = [pl.Series(name, [plain(row.get(name)) for row in rows.values()], pl.String) for name in names]
        return pl.DataFrame(columns), Places(source.label, list(rows).__getitem__)

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns; values that are missing are left out."""
        rows = (dict(zip(columns, row, strict=True)) for row in records(columns))
        return joined((json.dumps({name: value for name, value in row.items() if value is not None}, ensure_ascii=False)
                       for row in rows), name)  # fmt: skip


def row_of(line: str, number: int, source: Source) -> dict[str, Any]:
    """The values on a line, of which those that are used must be texts or numbers."""
    row = json_object(line, number, source)
    for name in known_columns(list(row)):
        if isinstance(row[name], bool | list | dict):
            raise source.fault(f"{name} {json.dumps(row[name])} is neither text nor a number", number)
    return row


FORMAT = JsonLinesTable()
