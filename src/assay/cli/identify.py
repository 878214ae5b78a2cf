"""Tell what a file is (a run, judgments, or something else that a command takes), and which command takes it."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from assay.errors import AssayError, InputError, count_noun, list_names
from assay.evaluation.given_scores import is_saved
from assay.files.line_blocks import is_utf8
from assay.files.source import HEAD, Source, archive_of
from assay.reading.format import Format, Head, Request
from assay.reading.recognition import fault_of_other_file, recognise, recognise_folder
from assay.reading.schema import schema_of
from assay.studies.study import is_study, open_study
from assay.tables.column_names import PART_IDS

# The command for each kind of file; `{file}` is the file, and words in capitals are files of other kinds.
COMMANDS = {
    "run": "assay evaluate JUDGMENTS {file}",
    "judgments": "assay evaluate {file} RUN",
    "documents": "assay evaluate JUDGMENTS RUN --documents {file}",
    "chunks": "assay ceiling JUDGMENTS {file}",
    "topics": "assay report JUDGMENTS RUN --topics-file {file} -o report.html",
    "quotes": "assay locate {file} --documents DOCUMENTS -o gold.jsonl",
    "saved scores": "assay gate JUDGMENTS RUN --not-worse-than {file}",
    "scores": "assay compare --scores {file}",
    "study": "assay assess {file} --documents DOCUMENTS",
    "configuration": "assay evalj {file}",
    "measures": "assay evaluate JUDGMENTS RUN --define {file} -m NAME",
}
# How kinds of files are called in the output.
TITLES = {
    "run": "a run",
    "scores": "a table of scores",
    "study": "a study of `assay assess`",
    "configuration": "a configuration of EvalJ",
    "measures": "Python with measures",
}
# Columns that only a table of scores has.
OF_SCORES = {"system", "measure", "value"}
# Names of a column with quotes to locate; a text in another column may be a question.
QUOTES = {"quote", "quotes", "excerpt", "excerpts", "evidence"}
SETTING = re.compile(
    rb"^[ \t]*(TASK|METRICS|QUANT_FUNCTIONS|ASSESSMENTS_DIR|SUBMISSIONRUNS_DIR)[ \t]*[:=]", re.MULTILINE
)
TOPIC_ELEMENT = re.compile(rb"<(top|topics?|inex[_-]topic|quer(y|ies))[\s>]", re.IGNORECASE)
MEASURE_CLASS = re.compile(r"^class (\w+)\(", re.MULTILINE)
# A line of a TREC run or of TREC judgments.
TREC_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+(-?[\d.]+|\d+\s+\S+\s+\S+)\s*")
# Prose has at least this many lines, and at least this many different numbers of words per line.
LINES_OF_TEXT, LENGTHS_OF_TEXT = 3, 3
# How many files of a folder Assay identifies, and how many tell whether a folder has documents.
MOST_FILES, FIRST_FILES = 200, 3
# How many runs a suggested command has.
MOST_RUNS = 3


@dataclass(frozen=True)
class Identity:
    """What a file is if it is neither a run nor judgments: its kind, its format, and how much it contains.

    For a folder of several files, `holds` has a line for each kind, and `first` is the file to begin with.
    """

    path: str
    kind: str
    format: str
    holds: str
    first: str = ""

    def lines(self) -> list[str]:
        """Return the lines that say what the file is, and how much it contains."""
        if self.first:
            return [f"{self.path}: {self.format}", f"  {self.holds}"]
        what = TITLES.get(self.kind, self.kind)
        return [f"{self.path}: {what}{f' ({self.format})' if self.format else ''}", f"  {self.holds}"]


def kind_of_file(path: str) -> str:
    """Tell the kind of a file or folder, a key of COMMANDS, from its first bytes; empty if no command takes it."""
    try:
        source = Source(path)
        if kind := kind_beside(source):
            return kind
        if in_folder := recognise_folder(path):
            kind = in_folder.kind_of(source)
            return kind if kind in in_folder.folders_hold else ""
        # a pipe can be read once only
        if not os.path.isfile(path) or is_unknown(source):
            return ""
        format = recognise(source)
        is_other = format.name == "trec" and not TREC_LINE.fullmatch(Head(source.head()).first)
        return "" if is_other or not can_be_read(source, format) else format.kind_of(source, Request())
    except (AssayError, OSError, ValueError, MemoryError):
        return ""


def can_be_read(source: Source, format: Format) -> bool:
    """Tell from the first bytes whether a file can be a run or judgments of its format."""
    if format.name in ("csv", "tsv"):
        return schema_of(format.column_names(source)).column("topic") is not None
    if format.name != "trec":
        return True
    from assay.reading.formats.trec import has_ranks_as_documents

    # the last line may be cut off within a letter
    head = source.head()
    return is_utf8(head[: head.rfind(b"\n") + 1]) and not has_ranks_as_documents(source)


def kind_beside(source: Source) -> str:
    """Tell the kind of a file that is neither a run nor judgments; empty if it may be one of these."""
    path = source.path
    if os.path.isdir(path):
        return "" if recognise_folder(path) or has_other_files(path) else "documents"
    if not os.path.isfile(path):
        return ""
    if is_study(path):
        # a study in which somebody judged is read as judgments
        with open_study(path) as study:
            return "" if next(iter(study.judgments()), None) else "study"
    head = source.head()
    if is_saved(path):
        return "saved scores"
    if fault_of_other_file(head):
        return ""
    if archive_of(head):
        return "documents"
    if path.endswith(".py"):
        return "measures" if MEASURE_CLASS.search(head.decode("utf-8", "replace")) else ""
    if len(set(SETTING.findall(head))) > 1:
        return "configuration"
    if TOPIC_ELEMENT.search(head) and head.lstrip().startswith(b"<") and b"submission" not in head:
        return "topics"
    format = recognise(source)
    return kind_of_table(source, format) if format.has_columns else ""


def has_other_files(folder: str) -> bool:
    """Tell whether a folder has no files, or its first files are something else than documents."""
    files = sorted(entry.path for entry in os.scandir(folder) if entry.is_file() and not entry.name.startswith("."))
    return not files or any(map(kind_of_file, files[:FIRST_FILES]))


def kind_of_table(source: Source, format: Format) -> str:
    """Tell the kind of a table with column names that is neither a run nor judgments; empty if it may be one."""
    names = format.column_names(source)
    if {name.lower() for name in names} >= OF_SCORES:
        return "scores"
    columns = schema_of(names)
    topic, document, text = columns.column("topic"), columns.column("document"), columns.text
    if topic is None:
        are_chunks = columns.spans or (text and columns.among(PART_IDS))
        return "chunks" if are_chunks else "documents" if text and format.name == "jsonl" else ""
    if columns.spans or any(columns.column(each) for each in ("score", "rank", "grade")):
        return ""
    if text and (document or text.lower() in QUOTES):
        return "quotes"
    return "" if document or len(names) < 2 else "topics"


def is_unknown(source: Source) -> bool:
    """Tell whether Assay cannot use a file: a page, a file of another program, Python, or prose.

    Prose has lines of many lengths, and none of them looks like a run or judgments.
    """
    if fault_of_other_file(source.head()):
        return True
    if source.path.endswith(".py"):
        return True
    # leave out the last line, which may be cut off
    lines = list(Head(source.head()).lines())[: -1 if len(source.head()) >= HEAD else None]
    lengths = {len(line.split()) for line in lines}
    is_prose = len(lines) >= LINES_OF_TEXT and len(lengths) >= LENGTHS_OF_TEXT
    is_default = is_prose and recognise(source).name == "trec"
    return is_default and not any(TREC_LINE.fullmatch(line) for line in lines)


def identify(path: str) -> Identity | None:
    """Tell what a file is, and how much it contains; None if it is, or may be meant as, a run or judgments."""
    source = Source(path)
    kind = kind_beside(source)
    if not kind:
        expected = f"expected {list_names([TITLES.get(each, each) for each in COMMANDS], len(COMMANDS))}"
        if os.path.isfile(path) and is_unknown(source):
            unknown = f"Assay does not know this kind of file; {expected}"
            raise InputError(fault_of_other_file(source.head()) or unknown, path)
        return identify_folder(path, expected) if os.path.isdir(path) else None
    is_table = kind in ("chunks", "quotes", "scores", "topics", "documents") and os.path.isfile(path)
    format = recognise(source).name if is_table and not archive_of(source.head()) and source.head()[:1] != b"<" else ""
    return Identity(path, kind, format, count_contents(kind, path))


def identify_folder(folder: str, expected: str) -> Identity | None:
    """Tell what the files of a folder are; None if it is read as one run or one set of judgments."""
    here, is_known = files_here(folder), recognise_folder(folder) is not None
    if is_known and len(here) < 2:
        return None
    if not here:
        raise InputError(f"this is a folder without a file that Assay knows; {expected}", folder)
    kind = "judgments" if "judgments" in here else next(iter(here))
    return Identity(folder, kind, "a folder", "\n".join(as_table(here)).strip(), here[kind][0])


def count_contents(kind: str, path: str) -> str:
    """Return how much a file contains, for example `12 topics`."""
    if kind in ("saved scores", "scores"):
        from assay.api import read_scores

        scores = read_scores(path)
        systems, topics = count_noun(len(scores.systems), "system"), count_noun(len(scores.topics), "topic")
        measures = f"{count_noun(len(scores.measures), 'measure')} ({list_names(list(map(str, scores.measures)))})"
        return f"{systems}, {topics}, {measures}"
    if kind == "documents" and (os.path.isdir(path) or archive_of(Source(path).head())):
        from assay.documents.lookup import open_collection

        collection = open_collection(path)
        collection.refuse_no_text()
        return count_noun(len(list(collection.names)), "document")
    if kind == "topics":
        from assay.reading.topics import read_titles

        return count_noun(len(read_titles(path)), "topic")
    if kind == "study":
        with open_study(path) as study:
            sizes = {"topic": len(study.topics()), "document": len(study.documents())}
            sizes["judgment"] = sum(1 for _ in study.judgments())
        return ", ".join(count_noun(number, noun) for noun, number in sizes.items())
    text = b"".join(Source(path).blocks()).decode("utf-8", "replace")
    if kind == "measures":
        return f"defines {list_names(MEASURE_CLASS.findall(text))}"
    if kind == "configuration":
        return count_noun(len(re.findall(r"^[ \t]*TASK[ \t]*[:=]", text, re.MULTILINE)), "task")
    from assay.reading.texts import records_of

    return count_noun(sum(1 for _ in records_of(Source(path))), kind.removesuffix("s"))


# The files of a folder, and the commands that take them.


def files_here(folder: str = ".") -> dict[str, list[str]]:
    """Return the files of a folder by kind, in the order of COMMANDS."""
    entries = sorted(os.scandir(folder or "."), key=lambda entry: (entry.is_dir(), entry.name))
    found: dict[str, list[str]] = {kind: [] for kind in COMMANDS}
    for entry in [each for each in entries if not each.name.startswith(".")][:MOST_FILES]:
        path = entry.name if folder in ("", ".") else os.path.join(folder, entry.name)
        kind = kind_of_file(path)
        # a folder of XML files may be assessments, but a file is the surer guess
        if kind and not (entry.is_dir() and found[kind]):
            found[kind].append(path)
    # the surest judgments come first, because commands take only one file of them
    found["judgments"].sort(key=lambda path: "qrels" not in os.path.basename(path))
    return {kind: paths for kind, paths in found.items() if paths}


def files_together(references: Sequence[str], runs: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the first of some judgments or runs that shares a topic with any of the runs, and the first such runs."""
    topics = cache(topics_of)
    for reference in references:
        shared = (run for run in runs if not topics(reference).isdisjoint(topics(run)))
        if found := list(islice(shared, MOST_RUNS)):
            return reference, found
    return None


def topics_of(path: str) -> set[str]:
    """Return the topics of judgments, or of the first block of a run; none if the file cannot be read."""
    from assay.reading.given import given_run
    from assay.reading.read import read_judgments, run_blocks

    try:
        if kind_of_file(path) == "judgments":
            return set(read_judgments(path).topic.texts())
        first = next(run_blocks(given_run(path), Request(in_pieces=True)))()
        return set(first.topic.texts()) if first else set()
    except (AssayError, OSError, ValueError, MemoryError):
        return set()


def command_for(kind: str, path: str, here: dict[str, list[str]]) -> str:
    """Return the command that takes a file; if it needs other files, take them from the folder.

    Judgments and runs must share a topic.
    """
    judgments, runs = ([path] if kind == other else here.get(other, []) for other in ("judgments", "run"))
    judged, found = files_together(judgments, runs) or ("", [])
    known = {"JUDGMENTS": judged, "RUN": next(iter(found), ""), "DOCUMENTS": next(iter(here.get("documents", [])), "")}
    command = COMMANDS[kind].format(file=shlex.quote(path))
    if kind == "measures" and (name := MEASURE_CLASS.search(Source(path).head().decode("utf-8", "replace"))):
        command = command.replace(" NAME", f" {name[1]}")
    for word, file in known.items():
        command = command.replace(f" {word}", f" {shlex.quote(file)}") if file else command
    return command


def as_table(here: dict[str, list[str]]) -> Iterator[str]:
    """Yield one line per kind with the files of a folder."""
    for kind, paths in here.items():
        yield f"  {kind + ('s' if kind == 'run' and len(paths) > 1 else ''):14}  {list_names(paths, 5)}"
