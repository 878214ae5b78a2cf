"""brat: annotations in a file next to each text, one span per line."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from assay.errors import quote
from assay.files.line_blocks import text_of
from assay.files.source import STDIN, Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat
from assay.vocabulary import FileKind

SPAN = re.compile(r"(T\d+)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t(.*)")
NOTE = re.compile(r"#\d+\tAnnotatorNotes (T\d+)\t(.*)")
ENDING = ".ann"


class BratFiles(TextFormat):
    """The standoff files of brat: an `.ann` file, or a folder with such files at any depth. A line such as
    `T1<tab>Evidence 0 5<tab>words` is a span; `0 5;16 23` is a span with several parts. The document id is the file
    name without its ending, and the `.txt` file beside it, if there is one, has the text. The topic is the note on a
    span (`#1<tab>AnnotatorNotes T1<tab>topic`), or else the type of the span.
    """

    name = "brat"
    title = "brat"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a line that begins like a span."""
        return any(SPAN.match(line) for line in head.first_lines)

    def is_folder(self, path: str) -> bool:
        """Return whether there is an .ann file below a folder."""
        return next(annotation_files(path), None) is not None

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per span, or per part of a span."""
        is_folder = source.path != STDIN and os.path.isdir(source.path)
        rows = Rows(kind, source.label, "span" if is_folder else "line")
        for path in sorted(annotation_files(source.path)) if is_folder else [source.path]:
            name = Path(path).relative_to(source.path) if is_folder else Path(Path(path).name)
            self._add(rows, Source(path) if is_folder else source, name.with_suffix("").as_posix(), is_folder)
        return rows

    def _add(self, rows: Rows, source: Source, document: str, is_folder: bool) -> None:
        beside = Path(source.path).with_suffix(".txt")
        if source.path != STDIN and beside.exists():
            rows.texts[document] = beside.read_bytes().decode("utf-8", "replace")
        lines = text_of(source).split("\n")
        notes = {match[1]: match[2].strip() for line in lines if (match := NOTE.match(line))}
        for number, line in enumerate(lines, 1):
            if not line.startswith("T"):
                continue
            match = SPAN.fullmatch(line)
            if match is None:
                what = f"cannot read {quote(line)}"
                raise source.fault(f"{what}; expected a span, for example 'T1<tab>Evidence 0 5<tab>words'", number)
            spans = [tuple(map(int, part.split())) for part in match[3].split(";")]
            for start, end in spans:
                # brat joins the texts of several parts with spaces, and writes line breaks as spaces; such a text
                # cannot be compared
                text = match[4] if len(spans) == 1 and len(match[4]) == end - start else None
                topic = notes.get(match[1]) or match[2]
                rows.add(None if is_folder else number, topic=topic, document=document, start=start, end=end, text=text)


def annotation_files(path: str) -> Iterator[str]:
    """Yield the .ann files below a folder."""
    for folder, _, files in os.walk(path):
        yield from (os.path.join(folder, file) for file in files if file.endswith(ENDING) and not file.startswith("."))


FORMAT = BratFiles()
