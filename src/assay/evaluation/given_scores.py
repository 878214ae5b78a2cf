"""Read scores that Assay did not compute: a value per system, topic and measure, from tables, lines and frames."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names, quote
from assay.evaluation.provenance import GIVEN, MeasureFacts
from assay.evaluation.score_files import GivenCost, GivenMeasure, given_measure, saved_scores
from assay.evaluation.score_table import ALL, INFINITE, ScoreTable
from assay.files.json_lines import array_objects, json_object
from assay.files.line_blocks import text_lines
from assay.files.parquet import MAGIC, refusing_parquet
from assay.files.source import Source
from assay.measures.base import Measure, MeasuresLike
from assay.measures.notation import measures_of, parse
from assay.measures.spellings import translate_name
from assay.reading.format import Request
from assay.reading.given import given_run, is_file, source_of
from assay.reading.other_packages import materialize, unwrap
from assay.reading.read import run_blocks
from assay.reading.recognition import SAVED_SCORES
from assay.reading.schema import schema_of
from assay.reading.topics import rows_with_header
from assay.reading.values import is_frame
from assay.tables.column_names import SCORE_NAMES
from assay.tables.ids import Floats
from assay.tables.notes import sort_names
from assay.tables.places import Place
from assay.vocabulary import FileKind

EXPECTED = (
    "expected scores: a file of `assay evaluate --save`, a table with the columns system, topic, measure and value (or "
    "system, topic and a column for each measure), or lines with `measure topic value` (trec_eval -q), "
    "`topic measure value` or `run topic measure value`"
)
SAVE = "`assay evaluate JUDGMENTS RUN --save scores.json`"
# Lines that trec_eval prints among the values, but that hold a text.
TEXTS = ("runid", "relstring")
CORRECTED = "these values are corrected by people's judgments and cannot be combined with others"
# How a missing value is written.
MISSING = ("", "nan", "null", "none", "na", "n/a")


class Row(NamedTuple):
    """A value and its place; `system` is None if the file does not name it."""

    place: Place
    system: str | None
    topic: str
    measure: Measure
    value: float


# From a file, a frame or records to rows.


def rows_of(given: Any, label: str) -> Iterator[Row]:
    """Yield the values in a file, a frame, or a list of records."""
    if is_file(given):
        yield from rows_in(source_of(given))
        return
    given = unwrap(materialize(given))
    records = frame_records(given) if is_frame(given) else given
    if not isinstance(records, list | tuple):
        raise UsageError(f"{label}: {type(given).__name__} is not a table of scores; {EXPECTED}")
    numbered = ((Place(label, number, "row"), as_record(each, label)) for number, each in enumerate(records, 1))
    yield from table_rows(numbered)


def frame_records(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a polars or pandas frame."""
    return frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")


def as_record(given: Any, label: str) -> Mapping[str, Any]:
    """Return a record as a mapping; ir_measures gives named tuples."""
    record = given._asdict() if hasattr(given, "_asdict") else given
    if not isinstance(record, Mapping):
        raise UsageError(f"{label}: {quote(str(given))} is not a record with a topic, a measure and a value")
    return record


def rows_in(source: Source) -> Iterator[Row]:
    """Yield the values in a file, whatever its format."""
    if source.head().strip() in (b"", b"{}", b"[]"):
        raise source.fault(f"no scores in this file; save some with {SAVE}")
    try:
        yield from rows_of_format(source)
    except InputError:
        kind = other_kind(source)
        if kind is None:
            raise
        what = "this is a run; save its scores" if kind == "run" else "these are judgments; save the scores of a run"
        raise source.fault(f"{what} first with {SAVE}") from None


def other_kind(source: Source) -> FileKind | None:
    """Return what a file is that has no scores: a run that can be read, or judgments by the names of its columns."""
    try:
        given = given_run(source)
        columns = schema_of(given.names() if given.has_columns else [])
        if columns.kind == "judgments" and columns.column("document"):
            return "judgments"
        return "run" if next(run_blocks(given, Request(in_pieces=True)))() else None
    except InputError:
        return None


def rows_of_format(source: Source) -> Iterator[Row]:
    """Yield the values in a file that is not empty, whatever its format."""
    head = source.head().lstrip()
    if re.match(SAVED_SCORES, head):
        yield from saved_rows(source)
    elif head.startswith(MAGIC) and b"\0" in head:
        import polars as pl

        with refusing_parquet(source):
            frame = pl.read_parquet(io.BytesIO(source.whole()))
        records = ((Place(source.label, number, "row"), row) for number, row in enumerate(frame.to_dicts(), 1))
        yield from table_rows(records)
    elif head.startswith(b"["):
        objects = array_objects(source, "scores")
        yield from table_rows(((Place(source.label, number), each) for number, each in objects))
    elif head.startswith(b"{"):
        lines = text_lines(source, "scores")
        objects = ((number, json_object(line, number, source)) for number, line in lines)
        yield from table_rows(((Place(source.label, number), each) for number, each in objects))
    else:
        first = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
        separator = next((each for each in "\t," if is_header(first.split(each))), None)
        yield from separated_rows(source, separator) if separator else line_rows(source)


def is_header(names: list[str]) -> bool:
    """Return whether a first line names the columns of a table of scores."""
    columns = schema_of([name.strip().strip('"') for name in names])
    return len(names) > 1 and bool(columns.among(SCORE_NAMES["topic"]))


def saved_rows(source: Source) -> Iterator[Row]:
    """Yield the values of scores that Assay saved."""
    table, _, _ = saved_scores(source.path)
    if table.checked is not None:
        raise InputError(f"{CORRECTED}; evaluate all runs together, and pass checked=", source.label)
    place = Place(source.label)
    for system, by_measure in zip(table.systems, table.values, strict=True):
        for measure, values in zip(table.measures, by_measure, strict=True):
            for topic, value in zip(table.topics, values.tolist(), strict=True):
                yield Row(place, system, topic, measure, value)


def separated_rows(source: Source, separator: str) -> Iterator[Row]:
    """Yield the values of a CSV or TSV table with a header."""
    rows = rows_with_header(source, separator)
    records = ((place, dict(zip(names, cells, strict=True))) for place, names, cells in rows)
    yield from table_rows(records)


def table_rows(records: Iterable[tuple[Place, Mapping[str, Any]]]) -> Iterator[Row]:
    """Yield the values of records: one value per record, or one column per measure."""
    columns: dict[tuple[str, ...], dict[str, str]] = {}
    for place, record in records:
        names = tuple(map(str, record))
        if names not in columns:
            columns[names] = score_columns(list(names), place)
        chosen = {field: record[name] for field, name in columns[names].items()}
        for field in ("topic", "measure"):
            if field in chosen and as_text(chosen[field]) == "":
                raise place.fault(f"the {field} is empty; expected a name")
            if field in chosen and not isinstance(chosen[field], str | int | float):
                raise place.fault(f"the {field} is {quote(str(chosen[field]))}; expected a text or a number")
        system = (as_text(chosen["system"]) if "system" in chosen else None) or None
        others = [name for name in names if name not in columns[names].values()]
        values = {as_text(chosen["measure"]): chosen["value"]} if "value" in chosen else {n: record[n] for n in others}
        for name, value in values.items():
            measure = measure_of(name)
            yield Row(place, system, as_text(chosen["topic"]), measure, value_of(value, place, measure))


def score_columns(names: list[str], place: Place) -> dict[str, str]:
    """Return which column has the system, the topic, the measure and the value; the system may be missing.

    If there is neither a column of measures nor one of values, all other columns are measures.
    """
    schema = schema_of(names)
    found = {field: next(iter(schema.among(groups)), []) for field, groups in SCORE_NAMES.items()}
    known = [name for field in ("system", "topic") for name in found[field]]
    is_wide = not found["measure"] and not found["value"] and bool(set(names) - set(known))
    chosen: dict[str, str] = {}
    for field, groups in SCORE_NAMES.items():
        best = found[field]
        if len(best) > 1:
            raise place.fault(f"{' and '.join(best)} could both be the {field}; rename one of these columns")
        if not best and not (field == "system" or (is_wide and field != "topic")):
            usual = ", ".join(name for group in groups for name in group)
            raise place.fault(f"no {field} column among {list_names(names, 12)}; expected one of {usual}")
        chosen |= {field: best[0]} if best else {}
    return chosen


def as_text(value: object) -> str:
    """Return a name as text; 1.0 becomes 1, because frames often hold ids as floats."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def value_of(given: object, place: Place, measure: Measure) -> float:
    """Return a value; NaN if it is missing, and infinity only if the measure may be infinite."""
    if given is None or (isinstance(given, str) and given.strip().lower() in MISSING):
        return math.nan
    try:
        value = math.inf if given == INFINITE else float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise place.fault(
            f"value {quote(str(given))} is not a number; expected a number, or an empty value if it is missing"
        ) from None
    if math.isinf(value) and not (measure.may_be_infinite and value > 0):
        raise place.fault("the value is infinite; expected a finite number, or an empty value if it is missing")
    return value


def line_rows(source: Source) -> Iterator[Row]:
    """Yield the values on lines of three or four fields."""
    lines = [(Place(source.label, number), line.split()) for number, line in text_lines(source, "scores")]
    width = len(lines[0][1])
    if width not in (3, 4):
        what = f"{count_noun(width, 'field')} on this line: {quote(' '.join(lines[0][1]))}"
        raise lines[0][0].fault(f"{what}; {EXPECTED}")
    for place, fields in lines:
        if len(fields) != width:
            raise place.fault(
                f"expected {width} fields, as on the first line, found {len(fields)}: {quote(' '.join(fields))}"
            )
    if width == 4 and {fields[1] for _, fields in lines} <= {"0", "Q0"}:
        raise lines[0][0].fault(f"this line is a judgment (topic 0 document grade); {EXPECTED}")
    # trec_eval names the measure first, ir_measures the topic
    first, second = ({fields[column] for _, fields in lines} for column in (0, 1))
    topic_first = width == 3 and all(map(is_named, second)) and not all(map(is_named, first))
    for place, fields in lines:
        system = fields[0] if width == 4 else None
        *names, value = fields[1:] if width == 4 else fields
        topic, name = names if width == 4 or topic_first else reversed(names)
        if name not in TEXTS:
            measure = measure_of(name, of_trec_eval=width == 3)
            yield Row(place, system, topic, measure, value_of(value, place, measure))


def is_named(name: str) -> bool:
    """Return whether a text is the name of a measure of Assay or of trec_eval."""
    return not isinstance(measure_of(name, of_trec_eval=True), GivenMeasure)


@cache
def measure_of(name: str, of_trec_eval: bool = False) -> Measure:
    """Return the measure with a name; the names that trec_eval prints are translated to Assay's."""
    ours = translate_name(name) if of_trec_eval else None
    return given_measure(name) if ours is None else parse(ours)


# From rows to scores.


def is_saved(given: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether this is a file of scores that Assay saved."""
    return is_file(given) and re.match(SAVED_SCORES, source_of(given).head()) is not None


def opened(given: Any) -> Any:
    """Return the input with its files opened, because standard input can be opened only once.

    A list with one file becomes the file, unless the user named its system.
    """
    if isinstance(given, Mapping):
        return {name: opened(each) for name, each in given.items()}
    if isinstance(given, list | tuple) and all(map(is_file, given)):
        sources = list(map(source_of, given))
        return sources[0] if len(sources) == 1 and not sources[0].name else sources
    return source_of(given) if is_file(given) else given


@dataclass(frozen=True)
class GivenScores:
    """Scores that were read, and the facts about their measures."""

    table: ScoreTable
    facts: list[MeasureFacts]


def read_given_scores(given: Any, lower_is_better: str | Sequence[str] = ()) -> GivenScores:
    """Read scores from one or several tables.

    A table that names no system gets the name of its file, or its key in a dict.
    """
    rows = list(named_rows(given))
    if not rows:
        raise InputError(f"no value for any topic; {EXPECTED}", label_of(given))
    lower = [lower_is_better] if isinstance(lower_is_better, str) else list(lower_is_better)
    names = list(dict.fromkeys(str(row.measure) for row in rows))
    if unknown := next((name for name in lower if name not in names), None):
        raise UsageError(f"unknown measure {unknown!r} in lower_is_better; choose from {list_names(names, 12)}")
    by_name: dict[str, Measure] = {str(row.measure): row.measure for row in reversed(rows)}
    measures = [GivenCost(name=name) if name in lower else by_name[name] for name in names]
    systems = list(dict.fromkeys(str(row.system) for row in rows))
    topics = sort_names(dict.fromkeys(row.topic for row in rows))
    at_measure, at_system, at_topic = (
        {name: number for number, name in enumerate(each)} for each in (names, systems, topics)
    )
    values = np.full((len(systems), len(names), len(topics)), np.nan)
    places: dict[tuple[int, int, int], Place] = {}
    for row in rows:
        at = at_system[str(row.system)], at_measure[str(row.measure)], at_topic[row.topic]
        if at in places:
            what = f"{row.measure} of {row.system} for topic {row.topic}"
            raise row.place.fault(f"{what} is given twice{places[at].first}")
        places[at], values[at] = row.place, row.value
    refuse_unscored(systems, names, values, label_of(given))
    table = ScoreTable(systems, measures, topics, values, notes_on_missing(systems, measures, topics, values))
    return GivenScores(table, [facts_of_given(measure) for measure in measures])


def facts_of_given(measure: Measure) -> MeasureFacts:
    """Return the facts about a measure whose values were given."""
    return MeasureFacts(str(measure), GIVEN, "1", {"lower_is_better": str(measure.less_is_better)})


def label_of(given: Any) -> str:
    """Return the name of the given scores in errors."""
    if is_file(given):
        return source_of(given).label
    several = isinstance(given, list | tuple) and given and all(map(is_file, given))
    return ", ".join(source_of(each).label for each in given) if several else "scores"


def named_rows(given: Any) -> Iterator[Row]:
    """Yield the rows of all inputs, each with its system."""
    several = isinstance(given, list | tuple) and given and all(is_file(each) or is_frame(each) for each in given)
    alone = [("", each) for each in (given if several else [given])]
    for number, (told, each) in enumerate(given.items() if isinstance(given, Mapping) else alone, 1):
        name = str(told) or (source_of(each).name if is_file(each) else "")
        label = source_of(each).label if is_file(each) else str(name or "scores")
        otherwise = source_of(each).stem if is_file(each) else f"run {number}"
        rows = list(rows_of(each, label))
        # drop means over topics; Assay computes them
        of_topics = [row for row in rows if row.topic != ALL]
        if rows and not of_topics:
            what = "only values over all topics; expected a value for each topic"
            raise InputError(f"{what}, as trec_eval -q prints it; save them with {SAVE}", label)
        systems = list(dict.fromkeys(row.system for row in of_topics if row.system))
        if name and len(systems) > 1:
            what = f"found {len(systems)} systems ({list_names(systems)})"
            raise InputError(f"{what}; expected only one, which gets the name {name}", label)
        yield from (row._replace(system=name or row.system or otherwise) for row in of_topics)


def refuse_unscored(systems: list[str], names: list[str], values: Floats, label: str) -> None:
    """Raise an error if a system has no value of a measure for any topic."""
    for s, m in np.argwhere(np.isnan(values).all(axis=2)).tolist():
        raise InputError(f"no value of {names[m]} for {systems[s]}; expected a value for at least one topic", label)


def notes_on_missing(systems: list[str], measures: Sequence[Measure], topics: list[str], values: Floats) -> list[str]:
    """Return notes that name the missing values; they count neither as 0 nor in a mean."""
    notes = []
    for m, measure in enumerate(measures):
        missing = np.isnan(values[:, m])
        if not missing.any():
            continue
        lacking = [
            f"{system}: {list_names([topics[t] for t in np.flatnonzero(row)], 3)}"
            for system, row in zip(systems, missing, strict=True)
            if row.any()
        ]
        more = f"; and {len(lacking) - 3} more systems" if len(lacking) > 3 else ""
        are = "is" if missing.sum() == 1 else "are"
        values_of = f"{measure}: {missing.sum():,} of {missing.size:,} values"
        what = f"{values_of} {are} missing ({'; '.join(lacking[:3])}{more})"
        notes.append(f"{what}; Assay takes the mean over the topics with a value")
    return notes


# Join given scores with those of an evaluation.


def split_measures(
    given: ScoreTable, measures: MeasuresLike | None
) -> tuple[list[Measure] | None, list[Measure]]:
    """Split the measures that the user asks for into those to compute and those of the given scores.

    The measures to compute are None if the user names none, which means the defaults.
    """
    if measures is None:
        return None, given.measures
    asked, known = measures_of(measures, given.measures), {*map(str, given.measures)}
    theirs = [measure for measure in asked if str(measure) in known]
    # a user who names none of the given measures gets all of them beside the computed ones
    return [measure for measure in asked if str(measure) not in known], theirs or given.measures


def join_scores(scores: ScoreTable, others: ScoreTable) -> ScoreTable:
    """Add the measures of other scores, for the systems and topics of the first."""
    if twice := next((str(each) for each in others.measures if str(each) in map(str, scores.measures)), None):
        raise UsageError(f"{twice} is in both scores; expected different measures")
    if others.checked is not None:
        raise UsageError(f"{CORRECTED}; evaluate all measures together, and pass checked=")
    lacking = [system for system in scores.systems if system not in others.systems]
    if lacking:
        what = f"no scores for {list_names(lacking)}, only for {list_names(others.systems)}"
        raise InputError(f"{what}; name a run as NAME=FILE, or rename a system")
    common = [topic for topic in scores.topics if topic in others._topic_numbers]
    if not common:
        raise InputError(
            "the scores share no topic with the evaluation: "
            f"{list_names(others.topics, 3)} vs {list_names(scores.topics, 3)}"
        )
    rows = [others.systems.index(system) for system in scores.systems]
    beside = np.full((len(scores.systems), len(others.measures), len(scores.topics)), np.nan)
    beside[:, :, [scores._topic_numbers[topic] for topic in common]] = others.values[
        np.ix_(rows, range(len(others.measures)), [others._topic_numbers[topic] for topic in common])
    ]
    refuse_unscored(scores.systems, [str(each) for each in others.measures], beside, "scores")
    measures = [*scores.measures, *others.measures]
    missing = notes_on_missing(scores.systems, others.measures, scores.topics, beside)
    notes = [*scores.notes, *left_out(scores, others), *missing]
    values, checked = np.concatenate([scores.values, beside], axis=1), scores.checked and scores.checked.beside(beside)
    return ScoreTable(scores.systems, measures, scores.topics, values, notes, scores.groups, checked)


def left_out(scores: ScoreTable, others: ScoreTable) -> list[str]:
    """Return a note on the systems and topics of other scores that the evaluation does not have."""
    names = [str(measure) for measure in others.measures]
    systems = [system for system in others.systems if system not in scores.systems]
    topics = [topic for topic in others.topics if topic not in scores._topic_numbers]
    what = [f"{count_noun(len(systems), 'system')} ({list_names(systems, 3)})"] if systems else []
    what += [f"{count_noun(len(topics), 'topic')} ({list_names(topics, 3)})"] if topics else []
    return [f"{list_names(names, 3)}: left out {' and '.join(what)} that the evaluation does not have"] if what else []

