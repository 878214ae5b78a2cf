"""INEX's XML: submissions of 2002 to 2010, and assessments of 2002 to 2007.

The modules that read and write them are imported only when needed, so recognising other formats does not load them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Block, Columns, Format, Head, Readable, Request, content_of_lines, refuse
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.run import not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

XML = rb"<(\?xml|!DOCTYPE|!--|inex-|efficiency-submission|assessments)"
NOT_IN_XML = re.compile(r"^\s|\s\Z|[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Inex(Format):
    """Submissions and assessments of INEX in XML. A submission is `inex-submission` or `efficiency-submission` with
    results as `<path>`, `<passage start end/>` or `<fol offset length/>`, and with `<rank>`, `<rsv>`, both or
    neither. Assessments (2002 to 2007) are one file per topic, or a folder with such files at any depth. Assessments
    with passages need `--documents`; assessed elements do not. `assay convert --to inex` writes highlighted text as
    assessments of 2005 to 2007, into a folder if there are several topics. Every element that overlaps a passage
    gets its size, its highlighted size, and exhaustivity 2 unless it was assessed.
    """

    name = "inex"
    title = "INEX's XML"
    writes_runs_of = ("elements", "spans")
    writes_judgments = True
    has_pools = True
    by_rank = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise anything that begins like XML."""
        return re.match(XML, head.stripped) is not None

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Tell from the outermost element whether a file, or the first file of a folder, is a run or judgments."""
        from assay.reading.formats.assessments import files_below
        from assay.reading.formats.submissions import ASSESSMENTS, refuse_other_than_submissions
        from assay.reading.xml_events import root

        source = Source(files_below(source.path)[0]) if os.path.isdir(source.path) else source
        if root(source)[0] == ASSESSMENTS:
            return "judgments"
        refuse_other_than_submissions(source)
        return "run"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield the whole run as one block."""
        from assay.reading.formats.submissions import submitted_run

        yield lambda: not_empty(submitted_run(source, request.documents))

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the assessments of one topic, or of all files below a folder; `pools` in the request chooses some."""
        from assay.reading.formats.assessments import judgments_below, judgments_of_files

        if request.pools is not None or os.path.isdir(source.path):
            return judgments_below([source.path], request.documents, request.pools)
        return judgments_of_files([source], source.label, request.documents)

    def is_folder(self, path: str) -> bool:
        """Return whether there are XML files below a folder, at any depth."""
        from assay.reading.formats.assessments import files_below

        return bool(files_below(path))

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the table of a file or folder.

        A check ends at the first fault in XML, because the rest of the file is then unknown.
        """
        from assay.reading.formats.assessments import files_below, readable_assessments
        from assay.reading.formats.submissions import places_of_results, submitted_run

        files = files_below(source.path) if os.path.isdir(source.path) else []
        if files or (kind or self.kind_of(source)) == "judgments":
            return readable_assessments([Source(file) for file in files] or [source], source.label, request.documents)
        return Readable("run", not_empty(submitted_run(source)), places_of_results(source), [])

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a submission: with elements if paths are known, else with offsets and lengths."""
        from assay.reading.formats.submissions import submission_lines

        for field in ("topic", "document", "path", "last"):
            refuse(columns.get(field, ()), "XML", field, NOT_IN_XML, name)
        return content_of_lines(submission_lines(columns, tag), name)

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of the assessments of one topic: passages, entry points, and elements that overlap them."""
        files = self.assessment_files(judgments, documents)
        if len(files) > 1:
            what = f"there are {len(files)} topics, but a file of INEX assessments has one"
            raise InputError(f"{what}; write to a folder instead", judgments.name)
        return next(iter(files.values()))

    def assessment_files(self, judgments: Judgments, documents: DocumentCollection | None) -> dict[str, bytes]:
        """Return the bytes of a file for each topic, by topic."""
        from assay.reading.formats.assessments import assessment_lines

        if not isinstance(judgments, HighlightJudgments):
            raise InputError("these judgments have no highlighted text; INEX assessments need it", judgments.name)
        if documents is None:
            raise InputError("INEX assessments need the elements of the documents; pass documents=", judgments.name)
        topics = list(dict.fromkeys(judgments.topic.texts()))
        refuse([*topics, *judgments.document.texts()], "XML", "topic or document", NOT_IN_XML, judgments.name)
        lines = {topic: assessment_lines(judgments, topic, documents) for topic in topics}
        return {topic: content_of_lines(each, judgments.name) for topic, each in lines.items()}


FORMAT = Inex()
