"""A run -> the lines of a submission in INEX's XML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from xml.sax.saxutils import escape, quoteattr

from assay.formats.format import Columns


def submission_lines(columns: Columns, tag: str) -> Iterator[str]:
    """The lines of a submission: of elements where paths are known, else of offsets and lengths."""
    results = "element" if "path" in columns else "fol"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = f'participant-id="" run-id={quoteattr(tag)} task="" query="automatic" result-type="{results}"'
    yield f"<inex-submission {about}>"
    yield "<description></description>"
    yield "<collections><collection></collection></collections>"
    topic = None
    rows = zip(
        *(columns[field] for field in ("topic", "document", "rank", "score")), written_places(columns), strict=True
    )
    for name, document, rank, score, place in rows:
        if name != topic:
            yield from ["</topic>"] * (topic is not None)
            yield f"<topic topic-id={quoteattr(name)}>"
            topic = name
        yield f"<result><file>{escape(document)}</file>{place}<rank>{rank}</rank><rsv>{score!r}</rsv></result>"
    yield from ["</topic>"] * (topic is not None)
    yield "</inex-submission>"


def written_places(columns: Columns) -> Iterator[str]:
    """The elements that tell where results are."""
    if "path" not in columns:
        yield from (f'<fol offset="{start}" length="{length}"/>'
                    for start, length in zip(columns["start"], columns["length"], strict=True))  # fmt: skip
        return
    for path, last in zip(columns["path"], columns.get("last") or repeat(""), strict=False):
        yield f"<passage start={quoteattr(path)} end={quoteattr(last)}/>" if last else f"<path>{escape(path)}</path>"
