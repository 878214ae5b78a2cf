"""Given: what a user hands over as a run or as judgments, classified once: a file, a frame, objects or a table.

What reads a Given asks it, and not what it was made of. Objects of other packages (ranx, trectools, Chroma, and the
datasets of ir_datasets) are unwrapped here; they are told by their shape, and only ir_datasets is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.errors import InputError, UsageError, count_noun, quote, shorten
from assay.files.source import STDIN, Source
from assay.reading.dicts import plain_judgments, plain_run
from assay.reading.format import Block, Format, Request
from assay.reading.recognition import every_format, format_named, recognise, recognise_folder
from assay.reading.schema import Schema, comparable_name
from assay.reading.values import is_empty, is_frame, plain_value
from assay.tables.column_names import LISTS, LOG_NAMES
from assay.tables.judgments import Judgments
from assay.tables.places import Place, Places
from assay.tables.run import Run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.reading.input_types import JudgmentsLike, RunLike, RunsLike
    from assay.reading.rows import Rows

# What an empty file should have held.
NOUNS: dict[FileKind, str] = {"run": "a run", "judgments": "judgments"}
# What is before the name of a dataset of ir_datasets, as in PyTerrier.
DATASET = "irds:"
# Some of what a result of Chroma's query() has, each a list for each question, or None.
QUERIED = ("ids", "documents", "metadatas", "distances", "included")
# Where the results for a question hold the list of them: those of Pinecone, Qdrant, Weaviate and LlamaIndex, chains of
# LangChain, and what logs call it, as Elasticsearch, Redis and Haystack do.
GROUPS = "groups"
HELD = ("matches", "points", "objects", "source_nodes", "context", *LISTS)


@dataclass(eq=False, repr=False)
class Given:
    """A run or judgments as they were handed over; `label` is how messages name them."""

    kind: FileKind
    label: str

    @property
    def may_have_names(self) -> bool:
        """Whether it is more than a number, even one that numpy holds."""
        return True

    @property
    def path(self) -> str | None:
        """The path of a file; None of anything else."""
        return None

    @property
    def done(self) -> int:
        """How many bytes of a file were read."""
        return 0

    @property
    def empty_topics(self) -> set[str]:
        """The topics that are there, but with no results."""
        return set()

    def names(self) -> list[str]:
        """The names of columns, or of the keys of records, wherever they are."""
        return []

    def reaches(self, path: str) -> bool:
        """Whether objects have an attribute, or a path of such, that nobody knows but the user."""
        return False

    def refuse_more_fields(self) -> None:
        """If text is measured, a run of whole documents must not look as if it returned parts of them."""

    def opened(self) -> Given:
        """What a file by topic holds, as the same dict is given in Python; anything else as it is."""
        return self

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, some whole topics at a time, each read when it is called."""
        raise NotImplementedError

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class GivenFile(Given):
    """A file, or a folder of files; `asked` is the format that the user named."""

    source: Source
    asked: Format | None = None

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.source.path

    @property
    def done(self) -> int:
        """How many bytes were read."""
        return self.source.done

    @cached_property
    def folder(self) -> Format | None:
        """The format of the files in a folder; None of a file."""
        return recognise_folder(self.source.path, "run" if self.kind == "run" else None)

    @cached_property
    def format(self) -> Format:
        """The format: that of the folder, the one that was asked for, or what the first bytes look like."""
        return self.folder or self.asked or recognise(self.source, self.kind)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the file."""
        return self.folder is None and self.source.head().strip() in (b"", b"{}", b"[]")

    def opened(self) -> Given:
        """What a file by topic holds, as the same dict is given in Python; another file as it is."""
        if self.is_empty or self.folder or self.kind not in self.format.holds:
            return self
        lists = self.format.lists(self.source, self.kind)
        return self if lists is None else GivenObjects(self.kind, self.label, lists)

    def names(self) -> list[str]:
        """The names of the columns."""
        return self.format.column_names(self.source)

    def refuse_more_fields(self) -> None:
        """If text is measured, a run of whole documents must not look as if it returned parts of them."""
        self.format.refuse_more_fields(self.source)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        return self._readable(request).format.run_blocks(self.source, request)

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        if self.folder is None and request.pools is not None:
            with_pools = next(each for each in every_format() if each.has_pools)
            return with_pools.judgments(self.source, request)
        return not_empty(self._readable(request).format.judgments(self.source, request))

    def _readable(self, request: Request) -> GivenFile:
        """The same, unless it is empty or has no columns that could be chosen."""
        if self.is_empty:
            raise self.source.fault(f"the input is empty; expected {NOUNS[self.kind]}")
        if self.folder is None or self.kind == "run":
            refuse_columns(self.source, self.format, request)
        return self


@dataclass(eq=False, repr=False)
class GivenFrame(Given):
    """A frame of pandas, polars, Arrow or Spark."""

    frame: Any

    def names(self) -> list[str]:
        """The names of the columns."""
        names = [str(name) for name in self.frame.columns] if hasattr(type(self.frame), "columns") else []
        if doubled := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"two columns are named {doubled}", self.label)
        return names

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        from assay.reading.frames import frame_blocks, frame_rows
        from assay.reading.memory import frame_of

        return frame_blocks(frame_rows(frame_of(self.frame, self.label, request), Places(self.label)), request)

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        from assay.reading.frames import frame_judgments, frame_rows
        from assay.reading.memory import frame_of

        frame, places = frame_of(self.frame, self.label, request), Places(self.label)
        chosen = frame_rows(frame, places).chosen("judgments", request)
        return not_empty(frame_judgments(frame, chosen, places, request))


@dataclass(eq=False, repr=False)
class GivenObjects(Given):
    """Results or grades in a dict by topic, or records."""

    objects: Any

    @property
    def may_have_names(self) -> bool:
        """Whether it is more than a number, even one that numpy holds."""
        return isinstance(self.objects, Iterable) and getattr(self.objects, "ndim", 1) > 0

    @property
    def empty_topics(self) -> set[str]:
        """The topics that are there, but with no results."""
        if not isinstance(self.objects, Mapping):
            return set()
        return {str(topic) for topic, results in self.objects.items() if is_empty(results)}

    @cached_property
    def plain_judgments(self) -> Judgments | None:
        """The judgments in a dict of dicts; None if anything in it has to be looked at."""
        return plain_judgments(self.objects, self.label) if isinstance(self.objects, dict) else None

    @property
    def is_plain(self) -> bool:
        """Whether it has no texts: a run of dicts of dicts, or grades in such."""
        if self.kind == "judgments":
            return self.plain_judgments is not None
        return isinstance(self.objects, dict) and all(isinstance(results, dict) for results in self.objects.values())

    def names(self) -> list[str]:
        """The keys of records and chunks."""
        from assay.reading.lists import names_in_lists
        from assay.reading.records import flat, is_record

        if isinstance(self.objects, Mapping):
            return names_in_lists(self.objects)
        return [str(name) for record in self.objects if is_record(record) for name in flat(record)]

    def reaches(self, path: str) -> bool:
        """Whether objects have an attribute, or a path of such, that nobody knows but the user."""
        from assay.reading.records import bare, is_record, value_at_path

        lists = self.objects.values() if isinstance(self.objects, Mapping) else [self.objects]
        items = (bare(each) for some in lists if isinstance(some, list | tuple) for each in some)
        return any(is_record(each) and value_at_path(each, path) is not None for each in items)

    def rows(self, collection: Any, columns: Mapping[str, str], whole: bool = False) -> Rows:
        """The rows; `whole`: whole documents are judged, and records are not chunks."""
        from assay.reading.memory import rows_in_memory

        return rows_in_memory(self.objects, self.kind, self.label, collection, columns, whole)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, all of it at once."""
        if isinstance(self.objects, Mapping):
            plain = plain_run(self.objects, self.label, is_only_ranked=not request.gather)
            if plain is not None:
                return iter([lambda: plain])
        return self._read(request).run_blocks(request)

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        return self.plain_judgments or self._read(request).judgments(request)

    def _read(self, request: Request) -> GivenRows:
        from assay.reading.memory import locate_rows

        return GivenRows.of(
            locate_rows(self.rows(request.documents, request.columns), request.documents, request=request)
        )


@dataclass(eq=False, repr=False)
class GivenRows(Given):
    """Rows that were read already, whose texts have their places."""

    rows: Rows

    @staticmethod
    def of(rows: Rows) -> GivenRows:
        """What some rows are."""
        return GivenRows(rows.kind, rows.label, rows)

    @property
    def empty_topics(self) -> set[str]:
        """The topics that are there, but with no results."""
        return set(self.rows.empty_topics)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, all of it at once."""
        from assay.reading.memory import run_of_rows

        yield lambda: run_of_rows(self.rows, request)

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        from assay.reading.memory import judgments_of_rows

        return judgments_of_rows(self.rows, request)


@dataclass(eq=False, repr=False)
class GivenTable(Given):
    """A table of our own, which was read before."""

    table: Run | Judgments

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, all of it at once, with the characters of its elements where the documents are given."""
        from assay.reading.columns import with_characters

        if not isinstance(self.table, Run):
            raise InputError("these are judgments; expected a run", self.label)
        run = self.table.named(self.label)
        yield lambda: with_characters(run, request.documents)

    def judgments(self, request: Request) -> Judgments:
        """The judgments."""
        if not isinstance(self.table, Judgments):
            raise InputError("this is a run; expected judgments", self.label)
        return self.table


def given_judgments(judgments: JudgmentsLike | RunLike | Given, format: str | None = None) -> Given:
    """Judgments, whatever they were given as."""
    if isinstance(judgments, Given):
        return judgments
    if isinstance(judgments, list | tuple) and len(judgments) > 1 and all(map(is_file, judgments)):
        what = f"judgments= has {count_noun(len(judgments), 'file')}"
        raise UsageError(f"{what}; expected one, because a topic may be in several of them")
    if isinstance(judgments, str) and judgments.startswith(DATASET):
        judgments = judged_in(judgments.removeprefix(DATASET))
    return classify(by_topic(unwrap(materialize(judgments)), "judgments"), "judgments", "judgments", format)


def given_run(run: RunLike | JudgmentsLike | Given, name: str | None = None, format: str | None = None) -> Given:
    """A run, whatever it was given as; a file keeps its own label."""
    if isinstance(run, Given):
        return run
    return classify(unwrapped_run(run), "run", name or (run.name if isinstance(run, Run) else "run"), format)


def classify(value: Any, kind: FileKind, label: str, format: str | None) -> Given:
    """What a run or judgments are, which hold no objects of other packages any more."""
    asked = asked_format(format, kind)
    if is_file(value):
        source = source_of(value)
        return GivenFile(kind, source.label, source, asked)
    if isinstance(value, Run | Judgments):
        return GivenTable(kind, label if kind == "run" else value.name, value)
    return GivenFrame(kind, label, value) if is_frame(value) else GivenObjects(kind, label, value)


def given_runs(runs: RunsLike | Mapping[str, Given], format: str | None = None) -> dict[str, Given]:
    """Runs by name: one, a list or a dict of them; files are named after themselves."""
    if isinstance(runs, Mapping) and runs and all(isinstance(run, Given) for run in runs.values()):
        return dict(runs)
    named = unwrapped_run(runs) if isinstance(runs, dict) else materialize(runs)
    if isinstance(named, Mapping) and not is_one_run(named):
        if len({str(name) for name in named}) < len(named):
            raise UsageError("two runs have the same name; rename one")
        return {str(name): given_run(run, str(name), format) for name, run in named.items()}
    if isinstance(named, list | tuple) and not named:
        raise UsageError("no run was given; pass at least one")
    several = isinstance(named, list | tuple) and all(is_file(run) or is_table(run) for run in named)
    listing = list(named) if several else [named]
    names = [name_of(run, f"run {number}" if several else "run") for number, run in enumerate(listing, 1)]
    if len(set(names)) < len(names):
        names = [
            source_of(run).name or source_of(run).path if is_file(run) else name
            for run, name in zip(listing, names, strict=True)
        ]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"run {repeated} was given twice")
    return {name: given_run(run, name, format) for name, run in zip(names, listing, strict=True)}


def given_inputs(
    judgments: JudgmentsLike | Given, runs: RunsLike | Mapping[str, Given], format: str | None = None
) -> tuple[Given, dict[str, Given]]:
    """The judgments, and the runs by name; only one of them may be standard input."""
    judged, named = given_judgments(judgments, format), given_runs(runs, format)
    refuse_two_streams([judged.path, *(run.path for run in named.values())])
    return judged, named


def refuse_two_streams(paths: Sequence[str | None]) -> None:
    """Only one of several inputs may be standard input."""
    if paths.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")


# What files and columns a user may ask for.


def is_file(given: object) -> TypeGuard[str | os.PathLike[str] | Source]:
    """Whether something was given by its path."""
    return isinstance(given, str | os.PathLike | Source)


def source_of(given: str | os.PathLike[str] | Source) -> Source:
    """The source of a file, however it was given."""
    return given if isinstance(given, Source) else Source(given)


def source_or_object(given: object) -> Any:
    """A file as a source; an object of another package as a dict or a frame; anything else as it is."""
    given = unwrap(materialize(given))
    return source_of(given) if is_file(given) else given


def asked_format(format: str | None, kind: FileKind | None = None) -> Format | None:
    """The format that was asked for by its name, if any was; one of judgments alone is not asked for of a run."""
    chosen = None if format is None else format_named(format)
    return chosen if chosen and (kind is None or kind in chosen.holds) else None


def refuse_columns(source: Source, format: Format, request: Request) -> None:
    """Columns cannot be told of a file that has none."""
    if request.columns and request.every_column and not format.takes_columns:
        raise source.fault(
            f"the format {format.name} has no named columns; pass columns= only for tables such as CSV or JSONL"
        )


def refuse_unknown_columns(given: Sequence[Given], columns: Mapping[str, str], others: Sequence[str] = ()) -> None:
    """Columns that a user names must be in one of the tables, or among others that are known to be there, or they would
    change nothing.
    """
    if not columns or not all(each.may_have_names for each in given):
        # what is not a table is refused when it is read
        return
    names = [comparable_name(name) for each in given for name in each.names()]
    names += map(comparable_name, others)
    for field, name in columns.items():
        # a name may be a path into what a column holds
        if comparable_name(name) in names or comparable_name(name).partition(".")[0] in names:
            continue
        if not any(each.reaches(name) for each in given):
            raise UsageError(f"no input has the column {quote(name)} that you named for the {field}")


def kind_of(given: Any, format: str | None, request: Request) -> FileKind:
    """Whether something is a run or judgments."""
    if isinstance(given, Run | Judgments):
        return "run" if isinstance(given, Run) else "judgments"
    if is_file(given):
        source = source_of(given)
        if (in_folder := recognise_folder(source.path)) and in_folder.folders_hold == ("judgments",):
            return "judgments"
        return (asked_format(format) or recognise(source)).kind_of(source, request)
    if hasattr(type(given), "columns"):
        return Schema([str(name) for name in given.columns], request.columns).kind
    raise UsageError("cannot tell whether this is a run or judgments; pass kind='run' or kind='judgments'")


# One run, or several by name.


def is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is a run by topic, and not a dict of runs by name."""
    inner: Any = next((run for run in runs.values() if not isinstance(run, Mapping) or run), {})
    if isinstance(inner, list | tuple):
        from assay.reading.lists import are_queries, first_object, is_chunk

        # a ranking of documents, of (document, score), of (document, start, end), or of chunks
        lists = {topic: each for topic, each in runs.items() if isinstance(each, list | tuple) and each}
        return all(
            isinstance(plain_value(given), str | int) or (isinstance(given, list | tuple) and is_result(given))
            for given in inner
        ) or (all(is_chunk(first_object(chunks), topic) for topic, chunks in lists.items()) or are_queries(lists))
    if not isinstance(inner, Mapping):
        return False
    value = next(iter(inner.values()), None)
    return isinstance(value, float) or not isinstance(value, Mapping | list | tuple)


def is_result(given: Sequence[Any]) -> bool:
    """Whether a tuple, or a list that JSON made of it, is a result: a document or a text with a score, or a span."""
    from assay.reading.records import is_scored

    return is_span(given) or (is_scored(given) and isinstance(given[0], str | int))


def is_span(given: Sequence[Any]) -> bool:
    """Whether a tuple, or a list that JSON made of it, is a document with a start and an end.

    It might else be a record of topic, document and score.
    """
    if len(given) < 3 or not isinstance(given[0], str | int):
        return False
    start, end = map(plain_value, given[1:3])
    if isinstance(start, float) and isinstance(end, float) and isinstance(given[0], str):
        return start.is_integer() and end.is_integer() and start <= end
    return isinstance(start, int) and isinstance(end, int)


def is_table(given: object) -> bool:
    """Whether something is a run by itself, and not a record of one."""
    if isinstance(given, Mapping):
        # a record is a dict too, but of plain values
        return all(isinstance(value, Mapping | list | tuple) for value in given.values())
    return is_frame(given) or hasattr(given, "columns") or isinstance(given, Run) or unwrap(given) is not given


def name_of(run: Any, otherwise: str) -> str:
    """The name of a run: that of its file or table, of a run of ranx, or the tag in trectools' first row."""
    if is_file(run):
        return str(source_of(run).stem)
    if isinstance(run, Run):
        return run.name
    package, name = type(run).__module__.partition(".")[0], None
    if package == "ranx":
        name = getattr(run, "name", None)
    elif package == "trectools" and "system" in getattr(run, "run_data", ()) and len(run.run_data):
        name = run.run_data["system"].iloc[0]
    return name if isinstance(name, str) and name else otherwise


# Objects of other packages.


def materialize(given: Any) -> Any:
    """What can be read only once, as a generator can, as a list, also under the names of a dict; others as they are."""
    if not is_read_once(given):
        return given
    return {name: materialize(each) for name, each in given.items()} if isinstance(given, dict) else list(given)


def is_read_once(given: Any) -> bool:
    """Whether something is an iterator of records or results, or a dict of such."""
    if isinstance(given, dict):
        first = next(iter(given.values()), None)
        if isinstance(first, dict):
            return is_read_once(first)
        # scores, of which there are many, are not looked at one by one
        return hasattr(first, "__iter__") and any(map(is_read_once, given.values()))
    # neither is a table nor an open file
    is_other = hasattr(given, "__arrow_c_stream__") or hasattr(given, "read")
    return isinstance(given, Iterator) and not is_other


def by_topic(given: Any, kind: FileKind) -> Any:
    """The lists of a log by topic, where records, objects or the rows of a frame have one each; anything else as it is.
    """
    is_table = is_frame(given) and hasattr(type(given), "columns")
    if not is_table and not (isinstance(given, list | tuple) and given):
        return given
    from assay.reading.lists import is_log_record, is_named_log, lists_by_topic, named_lists_by_topic
    from assay.reading.records import flat, is_record

    records = given
    if is_table:
        names = {str(name) for name in given.columns}
        if names.isdisjoint((*LISTS, *LOG_NAMES, "input")):
            return given
        from assay.reading.texts import records_in_memory

        records = list(records_in_memory(given))
    first = records[0] if isinstance(records, list | tuple) and records else None
    if not is_record(first):
        return given
    numbered = ((Place(kind, number, "record"), record) for number, record in enumerate(records, 1))
    if is_named_log(flat(first), kind):
        return named_lists_by_topic(numbered, kind)
    is_log = isinstance(first, Mapping) and not first.keys().isdisjoint(LISTS) and is_log_record(first)
    return lists_by_topic(numbered) if is_log else given


def unwrap(given: Any) -> Any:
    """An object of another package as a dict or a frame; anything else as it is."""
    package = type(given).__module__.partition(".")[0]
    if package == "ranx" and hasattr(given, "to_dict"):
        return given.to_dict()
    if package == "polars" and hasattr(given, "collect"):
        return given.collect()
    # what is on a cluster stays there
    if package not in ("pandas", "polars", "pyspark") and hasattr(given, "__arrow_c_stream__"):
        return frame_of_arrow(given)
    if package == "trectools":
        return next((getattr(given, name) for name in ("run_data", "qrels_data") if hasattr(given, name)), given)
    if package in ("ragas", "deepeval"):
        return next((getattr(given, name) for name in ("samples", "test_cases") if hasattr(given, name)), given)
    return given


def frame_of_arrow(given: Any) -> Any:
    """A table of Arrow, or a stream of one, which can be read only once, as a frame; as it is if that cannot be."""
    import polars as pl

    try:
        return pl.DataFrame(given)
    except (Exception, pl.exceptions.PanicException):
        # what is wrong with it is reported when it is read
        return given


def unwrapped_run(given: Any) -> Any:
    """A run as a dict or a frame where it is an object of another package, or holds such objects by topic; others as
    they are. Of judgments a dict in a dict may name documents, whatever they are called.
    """
    given = materialize(given)
    if is_searched(given) or (is_array(given) and given.ndim == 2):
        hint = "pass the ids by topic, for example dict(zip(topics, ids))"
        raise UsageError(f"FAISS's search() returns arrays without topics; {hint}")
    if not isinstance(given, dict):
        return by_topic(unwrap(given), "run")
    if is_queried(given):
        hint = "pass one result per topic, for example {topic: collection.query(query_texts=[text])}"
        raise UsageError(f"Chroma's query() returns results without topics; {hint}")
    told = ((topic, each) for topic, each in given.items() if each is not None and not is_empty_list(each))
    topic, first = next(told, ("", None))
    if listed_results(first, topic) is first:
        return given
    return {topic: listed_results(results, topic) for topic, results in given.items()}


def is_empty_list(given: Any) -> bool:
    """Whether there are no results for a question."""
    return isinstance(given, list | tuple) and not given


def listed_results(given: Any, topic: Any) -> Any:
    """The list of results for a question that an object of another package holds; anything else as it is."""
    of_dict = isinstance(given, dict)
    if is_searched(given):
        return listed_ids(given[1])
    # most are documents with their scores
    if isinstance(given, list | tuple | str) or given is None or (of_dict and given.keys().isdisjoint((*HELD, GROUPS))):
        return given
    if is_frame(given):
        return rows_of_question(given)
    if is_queried(given):
        return chunks_queried(given, topic)
    if is_array(given):
        return listed_ids(given)
    if isinstance(groups := given.get(GROUPS) if of_dict else getattr(given, GROUPS, None), list):
        # of Qdrant: the best group first, and in each the best hit
        return [hit for group in groups for hit in listed_results(group, topic)]
    for name in HELD:
        inner = given.get(name) if of_dict else getattr(given, name, None)
        # Elasticsearch has hits in its hits
        inner = inner.get(name) if isinstance(inner, dict) else inner
        if isinstance(inner, list):
            return inner
    return given


def rows_of_question(frame: Any) -> Any:
    """The rows of a frame that has the results for one question, best first; one with a topic column is a run."""
    if type(frame).__module__.startswith("pyspark") or not hasattr(type(unwrap(frame)), "columns"):
        return frame
    from assay.reading.texts import records_in_memory

    names = [str(name) for name in unwrap(frame).columns]
    return frame if Schema(names).column("topic") else list(records_in_memory(frame))


def is_array(given: Any) -> bool:
    """Whether something is an array of numpy."""
    return type(given).__module__ == "numpy" and hasattr(given, "tolist") and hasattr(given, "dtype")


def is_searched(given: Any) -> bool:
    """Whether something is what FAISS's search() returns: the distances and the ids."""
    is_pair = type(given) is tuple and len(given) == 2 and all(map(is_array, given))
    return is_pair and given[1].dtype.kind in "iu" and given[0].shape == given[1].shape


def listed_ids(given: Any) -> Any:
    """An array as a list; of whole numbers, as FAISS returns them, without -1, which stands for no result."""
    given = given[0] if given.ndim == 2 and len(given) == 1 else given
    is_whole = given.dtype.kind in "iu"
    return [each for each in given.tolist() if each != -1] if is_whole and given.ndim == 1 else given.tolist()


def is_queried(given: Any) -> bool:
    """Whether something is a result of Chroma's query()."""
    return isinstance(given, dict) and all(name in given for name in QUERIED)


def chunks_queried(result: dict[str, Any], topic: Any) -> list[Any]:
    """The chunks of a result of Chroma's query() for one question, best first; ids alone where it has nothing more.

    It may have been taken out of its lists of one.
    """
    ids, texts, metadata = (result[name] for name in ("ids", "documents", "metadatas"))
    if any(isinstance(each, list) for each in ids):
        if len(ids) != 1:
            hint = 'for example dict(zip(topics, result["documents"]))'
            what = f"topic {topic} has {count_noun(len(ids), 'list')} of Chroma's query()"
            raise UsageError(f"{what}; expected one, {hint}")
        ids, texts, metadata = (each and each[0] for each in (ids, texts, metadata))
    if not texts and not any(metadata or ()):
        return list(ids)
    return [
        {"id": each, "text": texts[at] if texts else None, "metadata": (metadata and metadata[at]) or {}}
        for at, each in enumerate(ids)
    ]


def judged_in(dataset: str) -> dict[str, dict[str, Any]]:
    """The judgments of a dataset of ir_datasets, which gets them where it does not have them yet."""
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise UsageError(f"{DATASET}{dataset} needs the package ir_datasets: pip install ir_datasets") from None
    name = f"{DATASET}{dataset}"
    judgments: dict[str, dict[str, Any]] = {}
    try:
        loaded = ir_datasets.load(dataset)
        if not loaded.has_qrels():
            raise InputError("this dataset has no judgments; expected one with qrels", name)
        for judged in loaded.qrels_iter():
            judgments.setdefault(judged.query_id, {})[judged.doc_id] = judged.relevance
    except KeyError:
        raise InputError("ir_datasets has no dataset of this name", name) from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # whatever a download, a disk or a licence that was not accepted ends in
        why = shorten(next(iter(str(error).splitlines()), "") or type(error).__name__, 200)
        raise InputError(f"ir_datasets cannot load this dataset: {why} (no network?)", name) from None
    return judgments
