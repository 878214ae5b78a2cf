"""INEX's runs of XML elements as text: `topic Q0 document rank score tag path`, and for a range also its last path.

Only the documents show which characters an element has; if they are given, the results get their spans too.
"""

import numpy as np

from assay.errors import quote
from assay.files.source import Source
from assay.reading import lines
from assay.reading.columns import with_characters
from assay.reading.format import Columns, Head, Request, run_lines
from assay.reading.line_files import LineFile
from assay.tables.ids import Bools, Ids
from assay.tables.places import Place, Places
from assay.tables.run import ElementRun, Run, no_ids
from assay.vocabulary import FileKind

SLASH = ord("/")
NONE = "-"


class ElementLines(lines.LineFields):
    """A line of a run of elements. The last path may be missing; then the result is one element, not a range."""

    def misfit(self, values: list[str], wanted: tuple[str, ...]) -> str | None:
        """Return what is wrong with the fields of one line; None if nothing is."""
        alone = self is RANGES and len(values) < len(RANGES.fields)
        return ELEMENTS.misfit(values, wanted) if alone else super().misfit(values, wanted)

    def wrong_value(self, field: str, value: str) -> str | None:
        """Return what is wrong with the value of a field; None if nothing is."""
        if field in ("path", "last") and not value.startswith("/") and (field, value) != ("last", NONE):
            what = "path" if field == "path" else "last path"
            return f"{what} {quote(value)} does not begin with /; expected for example /article[1]/sec[2]"
        return super().wrong_value(field, value)


FIELDS = ("topic", "Q0", "document", "rank", "score", "tag", "path")
ELEMENTS = ElementLines("a run of elements", FIELDS, numbers=("score",), wholes=("rank",))
RANGES = ElementLines("a run of elements", (*FIELDS, "last"), numbers=("score",), wholes=("rank",))


class Elements(LineFile):
    """XML elements of documents, in the format of INEX. A run of elements has seven fields; a range of elements has an
    eighth, the path of its last element.

    - A path is for example `/article[1]/bdy[1]/sec[2]`. A name without a number is the first element of that name.
      `…/p[1]/text()[2].7` is a point, seven characters into the second text of a paragraph.
    - The rank gives the order; the score orders equal ranks.
    - Assay measures elements by their characters, which it reads from `--documents`, or by their paths if the judgments
      are assessed elements.
    """

    name = "elements"
    title = "Elements"
    holds = ("run",)
    writes_runs_of = ("elements",)
    run_fields = RANGES
    result = "an element"
    by_rank = True

    @property
    def layouts(self) -> list[str]:
        """The fields of a line of an element, and of a range of elements."""
        return [" ".join(declared.fields) for declared in (ELEMENTS, RANGES)]

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a run with a path after the tag."""
        return kind != "judgments" and len(head.fields) > 6 and head.fields[6].startswith("/")

    def are_judgments(self, head: Head) -> bool:
        """Return False: this format has only runs."""
        return False

    def run_of(self, block: bytes, source: Source, request: Request) -> Run | None:
        """Return the part of a run in a padded block of lines; None if it has no line."""
        run = elements_of(block, source)
        return run and with_characters(run, request.documents, LinesOfElements(source, run))

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run of elements."""
        paths = zip(columns["path"], columns["last"], strict=True)
        places = (f" {path} {last}" if last else f" {path}" for path, last in paths)
        return run_lines(columns, name, tag, ELEMENTS.name, places)


def elements_of(block: bytes, source: Source) -> ElementRun | None:
    """Return the part of a run of elements in a padded block of lines; None if it has no line."""
    block = lines.without_tabs(block, ELEMENTS, ELEMENTS.fields, source)
    table = None if b"\n#" in block else lines.field_ends(block)
    declared = ELEMENTS if table is not None and table.shape[1] == len(FIELDS) else RANGES
    if table is None:
        block = widen_lines(block)
    taken = lines.block_columns(block, declared, ("topic", "document", "rank", "score", *declared.fields[6:]), source)
    if not taken:
        return None
    last = taken.pop("last", None)
    if not (begins(taken["path"]).all() and (last is None or np.all(begins(last) | is_none(last)))):
        raise lines.first_fault(source, declared, declared.fields)
    if last is None:
        last = no_ids(len(taken["path"]))
    else:
        last = Ids(last.buffer, last.start, np.where(is_none(last), last.start, last.end))
    return ElementRun(source.label, places=lines.finder(source, ELEMENTS), **taken, last=last, by_rank=True)


def widen_lines(block: bytes) -> bytes:
    """Return a padded block in which every line has a last path, so that all are alike; `-` stands for none."""
    lines_of = (line.split(None, len(RANGES.fields)) for line in block.split(b"\n") if not line.startswith(b"#"))
    wide = ([*line, NONE.encode()] if len(line) == len(FIELDS) else line for line in lines_of if line)
    return lines.pad(b"".join(b" ".join(line) + b"\n" for line in wide))


def begins(paths: Ids) -> Bools:
    """Return which paths begin with a slash."""
    return np.frombuffer(paths.buffer, np.uint8)[paths.start] == SLASH


def is_none(paths: Ids) -> Bools:
    """Return which paths are `-`, the mark of no path."""
    return (np.frombuffer(paths.buffer, np.uint8)[paths.start] == ord(NONE)) & (paths.length == 1)


class LinesOfElements(Places):
    """The places of the rows of a run: the first line with the row's topic, document and path."""

    def __init__(self, source: Source, run: ElementRun):
        super().__init__(run.name)
        self.source, self.run = source, run

    def __getitem__(self, row: int) -> Place:
        wanted = [ids[row : row + 1].texts()[0] for ids in (self.run.topic, self.run.document, self.run.path)]
        for number, fields in lines.walk(self.source):
            if [fields[0], fields[2], fields[6]] == wanted:
                return Place(self.run.name, number)
        return Place(self.run.name, row + 1, "result")


FORMAT = Elements()
