"""Given: classify what a user passes as a run or as judgments, once: a file, a frame, objects or one of our tables.

Code that reads a Given calls its methods and never asks what the input was.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from assay.errors import InputError, UsageError, count_noun, quote
from assay.files.source import STDIN, Source
from assay.reading.dicts import plain_judgments, plain_run
from assay.reading.format import Block, Format, Request
from assay.reading.other_packages import (
    DATASET,
    judged_in,
    materialize,
    only_topic,
    unwrap,
    unwrapped_judgments,
    unwrapped_run,
)
from assay.reading.recognition import every_format, format_named, recognise, recognise_folder
from assay.reading.schema import comparable_name, schema_of
from assay.reading.values import NO_NAMES, is_empty, is_frame
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.reading.input_types import JudgmentsLike, RunLike, RunsLike
    from assay.reading.rows import Rows

# What an error about an empty file says was expected.
NOUNS: dict[FileKind, str] = {"run": "a run", "judgments": "judgments"}


@dataclass(eq=False, repr=False)
class Given:
    """A run or judgments as the user passed them; `label` is their name in messages."""

    kind: FileKind
    label: str

    @property
    def may_have_names(self) -> bool:
        """Whether this can have named columns or keys: not if it is a number, or a numpy array without dimensions."""
        return True

    @property
    def has_columns(self) -> bool:
        """Whether this is a table: a frame, or a file with named columns."""
        return False

    @property
    def path(self) -> str | None:
        """The path of a file; None for anything else."""
        return None

    @property
    def done(self) -> int:
        """The number of bytes read so far from a file."""
        return 0

    @property
    def empty_topics(self) -> set[str]:
        """The topics that the input lists without any results."""
        return set()

    def names(self) -> list[str]:
        """Return the names of the columns, or the keys of the records at any depth."""
        return []

    def records(self, told: Mapping[str, str] = NO_NAMES) -> Iterator[tuple[int | None, Any]]:
        """Yield the records of a table, each with the line on which it begins; None if it has no lines.

        told: the columns that the user named, by field.
        """
        raise NotImplementedError

    @cached_property
    def all_names(self) -> list[str]:
        """The names of the columns of a table, and of all values inside them in any row, such as `metadata.source`."""
        from assay.reading.records import names_within

        names = self.names()
        return list(dict.fromkeys([*names, *names_within(names, (record for _, record in self.records()))]))

    def reaches(self, path: str) -> bool:
        """Return whether any record has a value at this path, which the user named in `columns=`."""
        from assay.reading.records import value_at_path

        if not self.has_columns or path.partition(".")[0] not in self.names():
            return False
        return any(value_at_path(record, path) is not None for _, record in self.records())

    def refuse_more_fields(self) -> None:
        """Raise an error if text is measured and this run of whole documents looks as if it returned parts of them."""

    def opened(self) -> Given:
        """Return a file of results by topic as the objects that its dict gives in Python; anything else unchanged."""
        return self

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Yield the run as blocks of whole topics. A block is read when it is called."""
        raise NotImplementedError

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
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
        """The number of bytes read so far."""
        return self.source.done

    @cached_property
    def folder(self) -> Format | None:
        """The format of the files in a folder; None for a file."""
        return recognise_folder(self.source.path, "run" if self.kind == "run" else None)

    @cached_property
    def format(self) -> Format:
        """The format: that of the folder, else the one the user named, else the one that the first bytes look like."""
        return self.folder or self.asked or recognise(self.source, self.kind)

    @property
    def is_empty(self) -> bool:
        """Whether the file has no content, or only `{}` or `[]`."""
        return self.folder is None and self.source.head().strip() in (b"", b"{}", b"[]")

    @property
    def has_columns(self) -> bool:
        """Whether this is a file with named columns."""
        return not self.folder and not self.is_empty and self.format.has_columns

    def records(self, told: Mapping[str, str] = NO_NAMES) -> Iterator[tuple[int | None, Any]]:
        """Yield the records of a table, each with the line on which it begins; None if the format has no lines."""
        from assay.reading.texts import records_of

        return records_of(self.source, told)

    def opened(self) -> Given:
        """Return a file of results by topic as the objects that its dict gives in Python; any other file unchanged."""
        if self.is_empty or self.folder or self.kind not in self.format.holds:
            return self
        lists = self.format.lists(self.source, self.kind)
        return self if lists is None else GivenObjects(self.kind, self.label, lists)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return self.format.column_names(self.source)

    def refuse_more_fields(self) -> None:
        """Raise an error if text is measured and this run of whole documents looks as if it returned parts of them."""
        self.format.refuse_more_fields(self.source)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Return the run as blocks of whole topics."""
        self._refuse_unreadable(request)
        opened = self.opened()
        return self.format.run_blocks(self.source, request) if opened is self else opened.run_blocks(request)

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
        if self.folder is None and request.pools is not None:
            with_pools = next(each for each in every_format() if each.has_pools)
            return with_pools.judgments(self.source, request)
        self._refuse_unreadable(request)
        opened = self.opened()
        found = self.format.judgments(self.source, request) if opened is self else opened.judgments(request)
        return not_empty(found)

    def _refuse_unreadable(self, request: Request) -> None:
        """Raise an error if the file is empty, or if the user chose columns and the format has none."""
        if self.is_empty:
            raise self.source.fault(f"the input is empty; expected {NOUNS[self.kind]}")
        if self.folder is None or self.kind == "run":
            refuse_columns(self.source, self.format, request)


@dataclass(eq=False, repr=False)
class GivenFrame(Given):
    """A frame of pandas, polars, Arrow or Spark."""

    frame: Any

    @property
    def has_columns(self) -> bool:
        """A frame has named columns."""
        return True

    def records(self, told: Mapping[str, str] = NO_NAMES) -> Iterator[tuple[int | None, Any]]:
        """Yield the records of the frame."""
        from assay.reading.texts import records_in_memory

        return ((None, record) for record in records_in_memory(self.frame))

    def names(self) -> list[str]:
        """Return the names of the columns."""
        names = [str(name) for name in self.frame.columns] if hasattr(type(self.frame), "columns") else []
        if doubled := [name or "''" for name, times in Counter(names).items() if times > 1]:
            raise InputError(f"two columns are named {doubled[0]}", self.label)
        return names

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Return the run as blocks of whole topics."""
        from assay.reading.frames import frame_blocks, frame_rows
        from assay.reading.memory import frame_of

        return frame_blocks(frame_rows(frame_of(self.frame, self.label, request), Places(self.label)), request)

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
        from assay.reading.frames import frame_judgments, frame_rows
        from assay.reading.memory import frame_of

        frame, places = frame_of(self.frame, self.label, request), Places(self.label)
        chosen = frame_rows(frame, places).chosen("judgments", request)
        return not_empty(frame_judgments(frame, chosen, places, request))


@dataclass(eq=False, repr=False)
class GivenObjects(Given):
    """A dict of results or grades by topic, or a list of records."""

    objects: Any

    @property
    def may_have_names(self) -> bool:
        """Whether this can have named columns or keys: not if it is a number, or a numpy array without dimensions."""
        return isinstance(self.objects, Iterable) and getattr(self.objects, "ndim", 1) > 0

    @property
    def empty_topics(self) -> set[str]:
        """The topics that the dict lists without any results."""
        if not isinstance(self.objects, Mapping):
            return set()
        return {str(topic) for topic, results in self.objects.items() if is_empty(results)}

    @cached_property
    def plain_judgments(self) -> Judgments | None:
        """The judgments in a dict of dicts; None if its values have to be checked one by one."""
        return plain_judgments(self.objects, self.label) if isinstance(self.objects, dict) else None

    @property
    def is_plain(self) -> bool:
        """Whether this has ids and numbers only, no texts: a run, or grades, in a dict of dicts."""
        if self.kind == "judgments":
            return self.plain_judgments is not None
        return isinstance(self.objects, dict) and all(isinstance(results, dict) for results in self.objects.values())

    def names(self) -> list[str]:
        """Return the keys of the records and chunks."""
        from assay.reading.lists import names_in_lists
        from assay.reading.records import flat, is_record

        if isinstance(self.objects, Mapping):
            return names_in_lists(self.objects)
        return [str(name) for record in self.objects if is_record(record) for name in flat(record)]

    def reaches(self, path: str) -> bool:
        """Return whether objects have this attribute, or path of attributes, that the user named in `columns=`."""
        from assay.reading.records import bare, is_record, value_at_path

        lists = self.objects.values() if isinstance(self.objects, Mapping) else [self.objects]
        items = (bare(each) for some in lists if isinstance(some, list | tuple) for each in some)
        return any(is_record(each) and value_at_path(each, path) is not None for each in items)

    def rows(self, collection: Any, columns: Mapping[str, str], whole: bool = False) -> Rows:
        """Return the rows. `whole`: whole documents are judged, so the texts of records are not read."""
        from assay.reading.memory import rows_in_memory

        return rows_in_memory(self.objects, self.kind, self.label, collection, columns, whole)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Return the whole run as one block."""
        if isinstance(self.objects, Mapping):
            plain = plain_run(self.objects, self.label, is_only_ranked=not request.gather)
            if plain is not None:
                return iter([lambda: plain])
        return self._read(request).run_blocks(request)

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
        return self.plain_judgments or self._read(request).judgments(request)

    def _read(self, request: Request) -> GivenRows:
        from assay.reading.memory import locate_rows

        return GivenRows.of(
            locate_rows(self.rows(request.documents, request.columns), request.documents, request=request)
        )


@dataclass(eq=False, repr=False)
class GivenRows(Given):
    """Rows that were read already, and whose texts were located in the documents."""

    rows: Rows

    @staticmethod
    def of(rows: Rows) -> GivenRows:
        """Wrap some rows."""
        return GivenRows(rows.kind, rows.label, rows)

    @property
    def empty_topics(self) -> set[str]:
        """The topics that the input lists without any results."""
        return set(self.rows.empty_topics)

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Yield the whole run as one block."""
        from assay.reading.memory import table_of

        yield lambda: not_empty(cast(Run, table_of(self.rows, request)))

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
        from assay.reading.memory import table_of

        return not_empty(cast(Judgments, table_of(self.rows, request)))


@dataclass(eq=False, repr=False)
class GivenTable(Given):
    """One of our own tables, a Run or Judgments, that was read before."""

    table: Run | Judgments

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Yield the whole run as one block. If there are documents, its elements get their characters."""
        from assay.reading.columns import with_characters

        if not isinstance(self.table, Run):
            raise InputError("these are judgments; expected a run", self.label)
        run = self.table.named(self.label)
        yield lambda: with_characters(run, request.documents)

    def judgments(self, request: Request) -> Judgments:
        """Return the judgments."""
        if not isinstance(self.table, Judgments):
            raise InputError("this is a run; expected judgments", self.label)
        return self.table


def given_judgments(judgments: JudgmentsLike | RunLike | Given, format: str | None = None) -> Given:
    """Return the Given for judgments of any type."""
    if isinstance(judgments, Given):
        return judgments
    if isinstance(judgments, list | tuple) and len(judgments) > 1 and all(map(is_file, judgments)):
        what = f"judgments= has {count_noun(len(judgments), 'file')}"
        raise UsageError(f"{what}; expected one, because a topic may be in several of them")
    if isinstance(judgments, str) and judgments.startswith(DATASET):
        judgments = judged_in(judgments.removeprefix(DATASET))
    return classify(unwrapped_judgments(judgments), "judgments", "judgments", format)


def given_run(run: RunLike | JudgmentsLike | Given, name: str | None = None, format: str | None = None) -> Given:
    """Return the Given for a run of any type. A file keeps its own label; other inputs are labelled `name`."""
    if isinstance(run, Given):
        return run
    return classify(unwrapped_run(run), "run", name or (run.name if isinstance(run, Run) else "run"), format)


def classify(value: Any, kind: FileKind, label: str, format: str | None) -> Given:
    """Return the Given for a value that holds no objects of other packages any more."""
    asked = asked_format(format, kind)
    if is_file(value):
        source = source_of(value)
        return GivenFile(kind, source.label, source, asked)
    if isinstance(value, Run | Judgments):
        return GivenTable(kind, label if kind == "run" else value.name, value)
    return GivenFrame(kind, label, value) if is_frame(value) else GivenObjects(kind, label, value)


def given_runs(runs: RunsLike | Mapping[str, Given], format: str | None = None) -> dict[str, Given]:
    """Return the runs by name from one run, a list of runs or a dict of them. Files are named after themselves."""
    if isinstance(runs, Mapping) and runs and all(isinstance(run, Given) for run in runs.values()):
        return dict(runs)
    named = unwrapped_run(runs) if isinstance(runs, dict) else materialize(runs)
    if isinstance(named, Mapping) and not is_one_run(named):
        if len({str(name) for name in named}) < len(named):
            raise UsageError("two runs have the same name; rename one")
        refuse_one_topic_each(named.values())
        return {str(name): given_run(run, str(name), format) for name, run in named.items()}
    if isinstance(named, list | tuple) and not named:
        raise UsageError("no run was given; pass at least one")
    several = isinstance(named, list | tuple) and all(is_file(run) or is_table(run) for run in named)
    listing = list(named) if several else [named]
    refuse_one_topic_each(listing)
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
    """Return the judgments, and the runs by name; raise an error if more than one is standard input."""
    judged, named = given_judgments(judgments, format), given_runs(runs, format)
    refuse_two_streams([judged.path, *(run.path for run in named.values())])
    return judged, named


def refuse_two_streams(paths: Sequence[str | None]) -> None:
    """Raise an error if more than one input is standard input."""
    if paths.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")


# Files, formats and columns.


def is_file(given: object) -> TypeGuard[str | os.PathLike[str] | Source]:
    """Return whether the input is a path or an opened file."""
    return isinstance(given, str | os.PathLike | Source)


def source_of(given: str | os.PathLike[str] | Source) -> Source:
    """Return the Source of a file."""
    return given if isinstance(given, Source) else Source(given)


def source_or_object(given: object) -> Any:
    """Return a file as a Source, and an object of another package as a dict or a frame; anything else unchanged."""
    given = unwrap(materialize(given))
    return source_of(given) if is_file(given) else given


def asked_format(format: str | None, kind: FileKind | None = None) -> Format | None:
    """Return the format that the user named. None if there is no name, or if the format cannot hold this kind."""
    chosen = None if format is None else format_named(format)
    return chosen if chosen and (kind is None or kind in chosen.holds) else None


def refuse_columns(source: Source, format: Format, request: Request) -> None:
    """Raise an error if the user chose columns and the file's format has no named columns."""
    if request.columns and request.every_column and not format.takes_columns:
        raise source.fault(
            f"the format {format.name} has no named columns; pass columns= only for tables such as CSV or JSONL"
        )


def refuse_unknown_columns(given: Sequence[Given], columns: Mapping[str, str], others: Sequence[str] = ()) -> None:
    """Raise an error if a column that the user named is in none of the inputs, nor among `others`.

    Such a name would change nothing, so it is probably a typo.
    """
    if not columns or not all(each.may_have_names for each in given):
        # an input that is not a table is refused when it is read
        return
    names = {comparable_name(name) for name in (*(name for each in given for name in each.names()), *others)}
    # a name may be a path into the values of a column; those of `others` are read later
    begins = {comparable_name(name) for name in others}
    for field, name in columns.items():
        is_known = comparable_name(name) in names or comparable_name(name).partition(".")[0] in begins
        if not is_known and not any(each.opened().reaches(name) for each in given):
            raise UsageError(f"no input has the column {quote(name)} that you named for the {field}")


def kind_of(given: Any, format: str | None, request: Request) -> FileKind:
    """Return whether the input is a run or judgments."""
    if isinstance(given, Run | Judgments):
        return "run" if isinstance(given, Run) else "judgments"
    if is_file(given):
        source = source_of(given)
        if (in_folder := recognise_folder(source.path)) and in_folder.folders_hold == ("judgments",):
            return "judgments"
        return (asked_format(format) or recognise(source)).kind_of(source, request)
    given = unwrap(given)
    if hasattr(type(given), "columns"):
        return schema_of([str(name) for name in given.columns], request.columns).kind
    if isinstance(given, list) and given:
        names = GivenObjects("run", "run", given).names()
        schema = schema_of(list(dict.fromkeys(names)), request.columns)
        # the records of logs have neither a document nor a text, but lists of them
        if schema.column("document") or schema.text:
            return schema.kind
    raise UsageError("cannot tell whether this is a run or judgments; pass kind='run' or kind='judgments'")


# One run, or several by name.


def is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Return whether a dict is one run by topic, not a dict of several runs by name."""
    inner: Any = next((run for run in runs.values() if run is not None and (not isinstance(run, Mapping) or run)), {})
    if isinstance(inner, list | tuple):
        from assay.reading.lists import are_by_topic

        return are_by_topic({key: each for key, each in runs.items() if isinstance(each, list | tuple) and each})
    if not isinstance(inner, Mapping):
        return False
    value = next((each for each in inner.values() if each is not None), None)
    return isinstance(value, float) or not (isinstance(value, Mapping | list | tuple) or is_frame(value))


def refuse_one_topic_each(runs: Collection[Any]) -> None:
    """Raise an error if each of several runs has one topic, and no two the same: these are the topics of one run."""
    topics = list(map(only_topic, runs)) if len(runs) > 1 else [""]
    if not all(topics) or len(set(topics)) < len(topics):
        return
    what = f"each of these {len(runs)} runs has one topic, and all topics differ"
    raise UsageError(f"{what}; if they are topics of one run, pass all records in one list or frame")


def is_table(given: object) -> bool:
    """Return whether the input is a whole run, not one record of a run."""
    if isinstance(given, Mapping):
        # a record is a dict too, but its values are plain
        return all(isinstance(value, Mapping | list | tuple) or is_frame(value) for value in given.values())
    if isinstance(given, list) and given:
        # a record may be a list too, of plain values
        return all(isinstance(each, Mapping | list | tuple) for each in given)
    return is_frame(given) or hasattr(given, "columns") or isinstance(given, Run) or unwrap(given) is not given


def name_of(run: Any, otherwise: str) -> str:
    """Return the name of a run: that of its file or table, of a ranx run, or the tag in the first row of trectools."""
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
