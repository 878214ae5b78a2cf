"""JSON that has the results or the evidence under each topic, as a Python dict has them."""

import json
import re
from itertools import chain
from typing import Any

from assay.errors import InputError
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Format, Head, Readable, Request
from assay.reading.lists import lists_by_topic, names_in_lists, rows_by_topic
from assay.reading.other_packages import unwrapped_run
from assay.reading.records import KNOWN
from assay.reading.rows import Rows
from assay.reading.schema import schema_of, usual_name
from assay.reading.text_format import json_of
from assay.reading.texts import readable_rows, records_of
from assay.tables.column_names import EVIDENCE, LISTS, NAMES, NO_ANSWER
from assay.tables.places import Place, Places
from assay.vocabulary import FileKind

# A name with a list or an object as its value; others before it may have null, or all may.
STRING = rb'"(?:[^"\\]|\\.)*+"'
BY_NAME = re.compile(rb"\{(?:\s*+%s\s*+:\s*+null\s*+,)*+\s*+%s\s*+:\s*+(?:[\[{]|null\s*+\})" % (STRING, STRING))
# A name with a string.
QUOTE = re.compile(rb"\{\s*+%s\s*+:\s*+(%s)\s*+[,}]" % (STRING, STRING))
# Names with a string or a number each, followed by a name with a list.
PLAIN = rb"\s*+%s\s*+:\s*+(?:%s|[-+.0-9eE]++|null|true|false)\s*+," % (STRING, STRING)
NAME = re.compile(rb'"((?:[^"\\]|\\.)*+)"\s*+:')
OF_LOG = re.compile(rb'\[?+\s*+\{((?:%s)++)\s*+"([a-z_]++)"\s*+:\s*+\[' % PLAIN)


# Names that only gold has, not results; and those that results may have too, but then with a score or a rank.
OF_GOLD = {"quote", *EVIDENCE, *NO_ANSWER}
LABELS = {
    *(name for what in ("fact", "quotation", "subtopic", "bep") for group in NAMES[what] for name in group),
    *("annotator", "annotator_id", "set", "set_id"),
}


class JsonByTopic(Format):
    """A JSON object with one entry per topic, the same shape that `assay.evaluate` takes in Python. The entry of a run
    is a list, best first, or an object `{document: score}`. The list may have chunks (objects with a document,
    `start` and `end`, or with a text), texts, document ids, `[document, score]` or `[document, start, end]`. The
    entry of judgments is a quote, a list of chunks, quotes or documents, or an object `{document: grade}`. Assay
    locates texts without offsets in the `--documents`. A log with one object per topic works the same way, in lines or
    in an array: `{"query_id": "1", "results": [...]}`. The list may also be called `hits`, `documents`, `chunks`,
    `contexts`, `passages` or `retrieved`.
    """

    name = "json"
    title = "JSON by topic"
    may_have_texts = True
    takes_columns = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise an object with a list, an object or a quote as its first value, if it is not a row; or a log."""
        if is_log(head):
            return True
        if kind != "run" and has_quotes(head):
            return True
        if BY_NAME.match(head.stripped) is None:
            return False
        first, *others = head.unix.split(b"\n", 2)
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            # the object goes on over several lines
            return True
        is_row = schema_of(record).column("topic") is not None
        return not is_row and not any(line.lstrip().startswith(b"{") for line in others)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "judgments" if something in the file is only used in gold; else "run"."""
        return "judgments" if self._is_gold(self.value(source), request) else "run"

    def may_be_gold(self, source: Source, request: Request = NOTHING_MORE) -> bool:
        """Return whether nothing in a file that is taken for a run shows that it is one: no score and no rank."""
        value = self.value(source)
        lists = [each for each in value.values() if isinstance(each, list)]
        are_spans = all(isinstance(each, dict) or (isinstance(each, list) and len(each) == 3) for each in chain(*lists))
        schema = schema_of(names_in_lists(value), request.columns)
        return len(lists) == len(value) and are_spans and not (schema.column("score") or schema.column("rank"))

    def _is_gold(self, value: dict[str, Any], request: Request) -> bool:
        """Return whether only gold has such names, or has such values for documents: whole numbers, lists or quotes."""
        if any(isinstance(each, str) for each in value.values()):
            return True
        schema = schema_of(names_in_lists(value), request.columns)
        grade, score = schema.column("grade"), schema.column("score")
        names = {usual_name(name)[1] for name in schema.names}
        is_labelled = not LABELS.isdisjoint(schema.names) and not (score or schema.column("rank"))
        if (grade and grade != score) or not OF_GOLD.isdisjoint(names) or is_labelled:
            return True
        if unwrapped_run(value) is not value:
            # what a vector database returned
            return False
        values = [each for inner in value.values() if isinstance(inner, dict) for each in inner.values()]
        return bool(values) and all(map(is_of_gold, values))

    def column_names(self, source: Source) -> list[str]:
        """Return the names that the results of topics have."""
        return names_in_lists(self.value(source))

    def value(self, source: Source) -> dict[str, Any]:
        """Return the object of a file by topic; the records of a log become one."""
        if is_log(Head(source.head())):
            return lists_by_topic((Place(source.label, line), record) for line, record in records_of(source))

        value = json_of(source)
        if not isinstance(value, dict) or not value:
            what = "there are no topics in this file"
            raise source.fault(f"{what}; expected an object with a list or an object for each topic")
        return value

    def lists(self, source: Source, kind: FileKind) -> dict[str, Any]:
        """Return what the file has for each topic; in a run, results of other packages become lists."""
        value = self.value(source)
        return value if kind == "judgments" else unwrapped_run(value)

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows:
        """Return the rows of a file."""
        return rows_by_topic(self.lists(source, kind), kind, source.label, request.documents, request.columns)

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the table of a file, or the first fault."""
        kind = kind or self.kind_of(source, request)
        try:
            rows = rows_by_topic(self.lists(source, kind), kind, source.label, request.documents, request.columns)
        except InputError as error:
            return Readable(kind, None, Places(source.label), [error])
        return readable_rows(rows, request.documents)


def has_quotes(head: Head) -> bool:
    """Return whether a file is one object with a quote for each question, and not a row with known columns."""
    first = QUOTE.match(head.stripped)
    if first is None or len(first[1].split()) < 2:
        return False
    names = {usual_name(name.decode(errors="replace"))[1] for name in NAME.findall(head.stripped)}
    is_one = not any(line.lstrip().startswith(b"{") for line in head.unix.split(b"\n")[1:])
    return is_one and names.isdisjoint((*KNOWN, "title"))


def is_of_gold(value: Any) -> bool:
    """Return whether only gold has such a value for a document: a whole number, spans or quotes, or subtopic grades."""
    if isinstance(value, dict):
        return all(type(grade) is int for grade in value.values())
    return type(value) is int or isinstance(value, list) or (isinstance(value, str) and len(value.split()) > 1)


def is_log(head: Head) -> bool:
    """Return whether a file begins with an object that has a topic, no document, and then a list of results."""
    begins = OF_LOG.match(head.stripped)
    if begins is None or begins[2].decode() not in LISTS:
        return False
    columns = schema_of([name.decode(errors="replace") for name in NAME.findall(begins[1])])
    return columns.column("topic") is not None and columns.column("document") is None


FORMAT = JsonByTopic()
