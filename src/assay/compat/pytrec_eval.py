"""pytrec_eval's interface, so that its users change only one import: `import assay.compat.pytrec_eval as pytrec_eval`.

The values are those of pytrec_eval-terrier 0.5, which wraps trec_eval 9.0.8, to the last bit. Input that pytrec_eval
refuses with a TypeError or a ValueError gets the same error here; input that makes it crash is refused too.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from assay.compat.trec_files import Refused, Settings
from assay.compat.trec_judgments import SequentialSums
from assay.compat.trec_measures import NICKNAMES, TABLE, OutputLine, output_lines
from assay.errors import AssayError
from assay.measures.base import LOWEST
from assay.ranking.align import align
from assay.ranking.documents import Ranking
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.reading.dicts import NUMBERS, plain_run
from assay.reading.format import NOTHING_MORE
from assay.reading.given import GivenObjects, given_judgments
from assay.reading.read import whole_run
from assay.tables.judgments import Judgments
from assay.tables.run import Run

_OF_RANKINGS = {entry.name: entry for entry in TABLE if entry.needs == "qrels" and entry.since == 9 and entry.in_all}
supported_measures = set(_OF_RANKINGS)
supported_nicknames = {
    "official": set(NICKNAMES["official"]),
    "set": set(NICKNAMES["set"]),
    "all_trec": set(supported_measures),
}
PARAMETERS = r"{}[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)"


class RelevanceEvaluator:
    """Judgments and measures, prepared to evaluate any number of runs."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ):
        self._lines = _lines(measures, Settings(rel=relevance_level))
        self._rules = Rules(judged_only=judged_docs_only_flag, single_precision=True)
        judged = {topic: grades for topic, grades in query_relevance.items() if len(grades) > 0}
        if any(not isinstance(grade, int) for grades in judged.values() for grade in grades.values()):
            raise TypeError("Expected relevance to be integer.")
        self._pool = Pool(_judgments(judged)) if judged else None
        if self._pool is not None:
            self._pool.is_for_many_runs = True

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of each measure for each topic that both the run and the judgments have."""
        if not scores or self._pool is None:
            return {}
        values: dict[str, dict[str, float]] = {}
        retrieved = {topic: results for topic, results in scores.items() if len(results) > 0}
        if retrieved:
            aligned = align(_run(retrieved), self._pool, self._rules)
            topics = [self._pool.topics[number] for number in aligned.topics.tolist()]
            values = self._values(topics, aligned.ranking)
        if len(retrieved) < len(scores):
            place = {topic: number for number, topic in enumerate(self._pool.topics)}
            empty = [topic for topic, results in scores.items() if len(results) == 0 and topic in place]
            nothing = self._pool.nothing_for(np.array([place[topic] for topic in empty], np.int64))
            values |= self._values(empty, nothing)
        return {topic: values[topic] for topic in scores if topic in values}

    def _values(self, topics: list[str], ranking: Ranking) -> dict[str, dict[str, float]]:
        """Return the values of some topics by measure name."""
        with np.errstate(all="ignore"):
            in_turn = SequentialSums.of(ranking)
            columns = [_column(line, in_turn, len(topics)) for line in self._lines]
        names = [line.name for line in self._lines]
        of_topics = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
        return dict(zip(topics, of_topics, strict=True))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse the lines of a TREC run: topic, Q0, document, rank, score and name."""
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        topic, _, document, _, score, _ = line.split()
        assert document not in run[topic], f"document {document} is retrieved twice for topic {topic}"
        run[topic][document] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse the lines of TREC judgments: topic, 0, document and grade."""
    judgments: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        topic, _, document, grade = line.split()
        assert document not in judgments[topic], f"document {document} is judged twice for topic {topic}"
        judgments[topic][document] = int(grade)
    return judgments


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Combine the values of all topics: the sum for counts, the geometric mean for gm_, else the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def _lines(measures: Iterable[str], settings: Settings) -> list[OutputLine]:
    """Return the lines to compute for some names: measures with or without parameters, or nicknames."""
    parameters: dict[str, set[str]] = {}
    for typed in measures:
        for name in sorted(supported_nicknames.get(typed, {typed})):
            measure, given = _measure(name)
            parameters.setdefault(measure, set()).update(given)
    joined = {name: ",".join(sorted(given)) for name, given in parameters.items() if given}
    # pytrec_eval names cut-offs in its keys, but not the parameters of a measure that has one value
    keys = {f"{name}_{given}": name for name, given in joined.items() if _OF_RANKINGS[name].takes == "numbers"}
    try:
        lines = output_lines(parameters, joined, settings)
    except Refused as refused:
        raise ValueError(str(refused)) from None
    return [replace(line, name=keys.get(line.name, line.name)) for line in lines]


def _measure(typed: str) -> tuple[str, list[str]]:
    """Split a name such as ndcg_cut_10 or P.5,10 into the measure and its parameters."""
    if typed in supported_measures:
        return typed, []
    for name, entry in _OF_RANKINGS.items():
        match = re.fullmatch(PARAMETERS.format(re.escape(name)), typed)
        if match and entry.takes in ("ranks", "levels", "numbers"):
            return name, match[1].split(",")
    raise ValueError(f"unsupported measure {typed}")


def _column(line: OutputLine, ranking: Ranking, topics: int) -> list[float]:
    """Return the values of a line; 0 if it is not a number, for example the name of a run."""
    if line.column is None or line.over == "none":
        return [1.0 if line.over == "number" else 0.0] * topics
    values = np.asarray(line.column(ranking), np.float64)
    return (np.log(np.maximum(values, LOWEST)) if line.over == "geometric" else values).tolist()


def _judgments(given: Mapping[str, Mapping[str, int]]) -> Judgments:
    grades = {topic: {name: int(grade) for name, grade in judged.items()} for topic, judged in given.items()}
    return given_judgments(grades).judgments(NOTHING_MORE)


def _run(given: Mapping[str, Mapping[str, float]]) -> Run:
    if not all(isinstance(topic, str) for topic in given):
        raise TypeError("Unable to extract query/object scores.")
    if isinstance(given, dict) and (plain := plain_run(given, "run", is_only_ranked=True)) is not None:
        return plain
    results = (scores for scores in given.values() if isinstance(scores, Mapping))
    if any(isinstance(score, str) for scores in results for score in scores.values()):
        raise TypeError("Unable to extract query/object scores: a score is a text")
    bounded = {topic: _bounded(scores) if isinstance(scores, Mapping) else scores for topic, scores in given.items()}
    try:
        return whole_run(GivenObjects("run", "run", bounded), NOTHING_MORE)
    except AssayError as error:
        raise TypeError(f"Unable to extract query/object scores: {error}") from None


def _bounded(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores with the largest numbers for infinite ones, for example of masked documents.

    In single precision, which orders the results, these are infinite again.
    """
    bounds = {np.inf: sys.float_info.max, -np.inf: -sys.float_info.max}
    return {name: bounds.get(score, score) if isinstance(score, NUMBERS) else score for name, score in scores.items()}
