"""Save scores to a file and load them: the value of every topic in full precision, and the provenance."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import NoneType, UnionType
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError, quote
from assay.evaluation.checked import Checked, CheckedPairs, CheckedTopics
from assay.evaluation.groups import Groups
from assay.evaluation.provenance import GIVEN, MeasureFacts, Provenance, Quote, SavedEvidence
from assay.evaluation.score_table import INFINITE, ScoreTable, in_json
from assay.files.line_blocks import text_of
from assay.files.source import Source
from assay.measures.base import Measure
from assay.measures.notation import one_measure, parse
from assay.options import with_new_names
from assay.tables.ids import Floats, Ints

# Measures whose values Assay did not compute: latencies, user studies, verdicts, and the output of other programs.


@dataclass(frozen=True, kw_only=True)
class GivenMeasure(Measure):
    """Values that the user gave. They are compared like those of any measure; over topics Assay takes the mean."""

    kinds = ()
    name: str = ""

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


@dataclass(frozen=True, kw_only=True)
class GivenCost(GivenMeasure):
    """Values that the user gave, where lower is better."""

    less_is_better = True

    __repr__ = GivenMeasure.__str__


def given_measure(name: str) -> Measure:
    """Return Assay's measure if the name is written as Assay prints it, else a new one."""
    try:
        measure = parse(name)
    except UsageError:
        return GivenMeasure(name=name)
    return measure if str(measure) == name else GivenMeasure(name=name)


# The content of such a file, as its first field says, and the version of its form.
HOLDS = "scores"
FORM = 1
# The form of scores that people checked: an older program would drop what corrects them.
CHECKED_FORM = 2
EXPECTED = "expected scores that scores.save() wrote"
LARGEST = float(np.finfo(np.float64).max)
LONGEST = 1 << 40
# What is saved for each run that people checked, beside its values.
CHECKED: dict[type, tuple[str, ...]] = {CheckedTopics: ("model", "people"), CheckedPairs: ("model", "human", "machine")}


class NotScores(Exception):
    """Raised with what is wrong with a file that should contain scores."""


def written_scores(scores: ScoreTable, missing: Mapping[str, list[str]], provenance: Provenance) -> bytes:
    """Return scores as the content of a file, one line per run and measure; the same scores give the same bytes."""
    form = FORM if scores.checked is None else CHECKED_FORM
    head = {"assay": HOLDS, "form": form, **asdict(provenance), "topics": scores.topics}
    if scores.groups is not None:
        head["groups"] = {"name": scores.groups.name, "of_topic": scores.groups.of_topic}
    checked = CHECKED.get(type(scores.checked), ())
    if isinstance(scores.checked, CheckedPairs):
        head["pairs"] = {"stratum": scores.checked.stratum.tolist(), "sizes": scores.checked.sizes.tolist()}
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    runs = []
    for number, (system, values) in enumerate(zip(scores.systems, scores.values, strict=True)):
        parts = {"values": values} | {name: getattr(scores.checked, name)[number] for name in checked}
        tables = ", ".join(f'"{name}": [\n{rows_in_json(part)}\n]' for name, part in parts.items())
        lacks = json.dumps(missing.get(system, []), ensure_ascii=False)
        name = json.dumps(system, ensure_ascii=False)
        runs.append(f'{{"run": {name}, "missing": {lacks}, {tables}}}')
    return ("{" + ",\n".join([*lines, '"runs": [\n' + ",\n".join(runs) + "\n]"]) + "}\n").encode()


def rows_in_json(values: Floats) -> str:
    """Return a line of JSON for each measure."""
    return ",\n".join(json.dumps([in_json(value) for value in row]) for row in values.tolist())


def saved_scores(path: str | os.PathLike[str] | Source) -> tuple[ScoreTable, dict[str, list[str]], Provenance]:
    """Load what `written_scores` wrote: the scores, the topics that each run lacks, and the provenance."""
    source = path if isinstance(path, Source) else Source(path)
    try:
        record = json.loads(text_of(source, is_json=True))
    except (ValueError, RecursionError):
        raise InputError(f"the file is not JSON; {EXPECTED}", source.label) from None
    try:
        return scores_in(record)
    except NotScores as fault:
        raise InputError(f"{fault}; {EXPECTED}", source.label) from None
    except UsageError as error:
        raise InputError(f"{error}; define your own measures before you load scores", source.label) from None


def scores_in(record: object) -> tuple[ScoreTable, dict[str, list[str]], Provenance]:
    """Return the scores in a record; every part is checked before it is used."""
    if not isinstance(record, dict) or record.get("assay") != HOLDS:
        raise NotScores("the file has no scores")
    form = record.get("form")
    if form not in (FORM, CHECKED_FORM):
        forms = f"this version of Assay reads forms {FORM} and {CHECKED_FORM}"
        raise NotScores(f"the file has form {quote(str(form))}; {forms}")
    facts = [measure_in(told) for told in part(record, "measures", list)]
    if not facts:
        raise NotScores("the file has no measures")
    topics = different_names(record, "topics")
    documents = record.get("documents")
    if documents is not None and not isinstance(documents, str):
        raise NotScores("documents is not a string")
    provenance = Provenance(
        part(record, "program", str), part(record, "gold", str), documents,
        with_new_names(part(record, "rules", dict)), facts,
        None if record.get("evidence") is None else evidence_in(record["evidence"]),
    )  # fmt: skip
    names, measures = [each.name for each in facts], [saved_measure(each) for each in facts]
    if [str(measure) for measure in measures] != names or len(set(names)) < len(names):
        raise NotScores("a measure occurs twice, or is not written as Assay writes it")
    runs = part(record, "runs", list)
    systems = [part(run, "run", str) for run in runs]
    if len(set(systems)) < len(systems) or not systems:
        raise NotScores("a run occurs twice, or there is no run")
    values = np.array([values_in(run, len(measures), len(topics)) for run in runs])
    checked = checked_in(record, runs, values) if form == CHECKED_FORM else None
    missing = {part(run, "run", str): different_names(run, "missing") for run in runs}
    groups = groups_in(record["groups"], topics) if "groups" in record else None
    return ScoreTable(systems, measures, topics, values, groups=groups, checked=checked), missing, provenance


def checked_in(record: dict[str, Any], runs: list[Any], values: Floats) -> Checked:
    """Return what people checked."""
    measures, topics = values.shape[1:]

    def part_of_runs(name: str, width: int) -> Floats:
        return np.array([values_in(run, measures, width, name) for run in runs])

    model = part_of_runs("model", topics)
    if "pairs" not in record:
        return CheckedTopics(model, part_of_runs("people", topics))
    stratum, sizes = (whole_numbers(part(record, "pairs", dict), name) for name in ("stratum", "sizes"))
    drawn = np.bincount(stratum, minlength=len(sizes))
    if len(drawn) > len(sizes) or (drawn > sizes).any() or not drawn.all():
        raise NotScores("the checked pairs do not fit their strata")
    return CheckedPairs(
        model, values, part_of_runs("human", len(stratum)), part_of_runs("machine", len(stratum)), stratum, sizes
    )


def whole_numbers(record: object, name: str) -> Ints:
    """Return a list of numbers, each at least 0."""
    numbers = part(record, name, list)
    if not numbers or not all(isinstance(each, int) and 0 <= each <= LONGEST for each in numbers):
        raise NotScores(f"{name} is not a list of numbers")
    return np.array(numbers, np.int64)


def evidence_in(told: object) -> SavedEvidence:
    """Return the evidence, with every part checked."""
    gold, documents = part(told, "gold", str), part(told, "documents", dict)
    others = part(told, "others", dict | NoneType)
    quotes = part(told, "quotes", list | NoneType)
    for each in quotes or ():
        if not isinstance(each, list) or [type(value) for value in each] != [str, int, str]:
            raise NotScores(f"{quote(str(each))} is not a quote")
    quoted_texts = None if quotes is None else [Quote(*each) for each in quotes]
    return SavedEvidence(gold, documents, others, quoted_texts)


def saved_measure(facts: MeasureFacts) -> Measure:
    """Return the measure whose values were saved."""
    lower = facts.parameters.get("lower_is_better") == "True"
    if facts.unit != GIVEN:
        return one_measure(facts.name)
    return GivenCost(name=facts.name) if lower else given_measure(facts.name)


def part(record: object, name: str, kind: type | UnionType) -> Any:
    """Return a field of a record; raise an error if it has another type."""
    if not isinstance(record, dict) or not isinstance(record.get(name), kind):
        raise NotScores(f"{name} is missing, or has the wrong type")
    return record[name]


def different_names(record: object, name: str) -> list[str]:
    """Return a list of strings; raise an error if one occurs twice."""
    names = part(record, name, list)
    if not all(isinstance(each, str) for each in names) or len(set(names)) < len(names):
        raise NotScores(f"{name} is not a list of strings that are all different")
    return names


def measure_in(told: object) -> MeasureFacts:
    """Return the facts about a measure."""
    kinds = {each.name: dict if each.name == "parameters" else str for each in fields(MeasureFacts)}
    return MeasureFacts(**{name: part(told, name, kind) for name, kind in kinds.items()})


def values_in(run: object, measures: int, topics: int, what: str = "values") -> list[list[float]]:
    """Return the values of a run: one row per measure, one number per topic."""
    rows = part(run, what, list)
    if len(rows) != measures or not all(isinstance(row, list) and len(row) == topics for row in rows):
        name = part(run, "run", str)
        raise NotScores(f"run {name} does not have {measures} x {topics} {what}")
    return [[value_in(value) for value in row] for row in rows]


def value_in(value: object) -> float:
    """Return a value: NaN if it is missing, and infinity if the file says so."""
    if value is None or value == INFINITE:
        return math.nan if value is None else math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise NotScores(f"{quote(str(value))} is not a value")
    return float(value)


def groups_in(told: object, topics: list[str]) -> Groups:
    """Return the groups of topics."""
    of_topic = part(told, "of_topic", list)
    if len(of_topic) != len(topics) or not all(isinstance(group, str) for group in of_topic):
        raise NotScores("not every topic has a group")
    return Groups(part(told, "name", str), of_topic)
