"""Grades in words, as TREC's RAG track has them: the same through every door, counted where they are unscored."""

import json
import random

import polars as pl
import pytest

import assay
from assay.errors import InputError
from helpers import naive_checked

ROWS = [
    ("q1", "s1", "support", 1), ("q1", "s2", "partial_support", 0.5), ("q1", "s3", "not_support", 0),
    ("q1", "s4", "Support", 1), ("q2", "s1", "vital", 1), ("q2", "s2", "okay", 0.5), ("q2", "s3", "failed", -999),
    ("q2", "s4", "unscored", -999), ("q3", "s1", "full_support", 1), ("q3", "s2", "no_support", 0), ("q3", "s3", "2", 2),
]  # fmt: skip
RUN = {topic: {f"s{number}": 1 / number for number in range(1, 5)} for topic in ("q1", "q2", "q3")}


def by_topic(word):
    """The rows as dicts of dicts."""
    judged = {}
    for topic, document, text, _ in ROWS:
        judged.setdefault(topic, {})[document] = word(text)
    return judged


def records():
    return [{"topic": topic, "document": document, "grade": word} for topic, document, word, _ in ROWS]


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


DOORS = {
    "qrels": lambda folder: written(folder / "a.qrels", (f"{t} 0 {d} {word}" for t, d, word, _ in ROWS)),
    "csv": lambda folder: written(folder / "a.csv", ["topic,document,grade", *(f"{t},{d},{w}" for t, d, w, _ in ROWS)]),
    "jsonl": lambda folder: written(folder / "a.jsonl", map(json.dumps, records())),
    "assignment": lambda folder: written(
        folder / "b.jsonl", (json.dumps({"qid": t, "docid": d, "assignment": w}) for t, d, w, _ in ROWS)
    ),
    "records": lambda folder: records(),
    "dicts": lambda folder: by_topic(lambda word: int(word) if word.isdecimal() else word),
    "frame": lambda folder: pl.DataFrame(records()),
}


@pytest.mark.parametrize("door", DOORS)
def test_words_are_grades_through_every_door(door, tmp_path):
    judged = assay.read_judgments(DOORS[door](tmp_path))
    rows = zip(judged.topic.texts(), judged.document.texts(), judged.grade.tolist(), strict=True)
    assert sorted(rows) == sorted((topic, document, grade) for topic, document, _, grade in ROWS)


@pytest.mark.parametrize("door", DOORS)
def test_shares_of_supported_sentences_are_precision(door, tmp_path):
    scores = assay.evaluate(DOORS[door](tmp_path), RUN, ["P(rel=1)", "P(rel=0.5)"])
    assert [scores["P", topic] for topic in ("q1", "q2", "q3")] == [0.5, 0.25, 0.5]
    assert [scores["P(rel=0.5)", topic] for topic in ("q1", "q2", "q3")] == [0.75, 0.5, 0.5]


@pytest.mark.parametrize("door", ["qrels", "jsonl", "dicts"])
def test_what_could_not_be_judged_is_counted(door, tmp_path):
    given = DOORS[door](tmp_path)
    name = given if door != "dicts" else "judgments"
    (note,) = [note for note in assay.evaluate(given, RUN, ["P"]).notes if "unscored" in note]
    assert note == (
        f"{name}: 2 of 11 judgments are unscored; such documents count as unjudged; "
        "pass judged_only= to leave them out of rankings"
    )
    assert assay.evaluate(given, RUN, ["P"], judged_only=True)["P", "q2"] == 0.5


def test_an_unscored_judgment_is_written_as_such(tmp_path):
    assert b"\nq2 0 s3 unscored\n" in assay.convert(DOORS["qrels"](tmp_path), "trec")


def test_other_words_are_refused(tmp_path):
    path = written(tmp_path / "bad.qrels", ["q1 0 s1 support", "q1 0 s2 supports"])
    with pytest.raises(InputError) as error:
        assay.read_judgments(path)
    assert str(error.value) == f"{path}:2: grade 'supports' is not a number"


def test_a_label_of_a_span_is_a_name_as_before():
    judged = assay.read_judgments([{"topic": "1", "document": "d", "start": 0, "end": 4, "label": "support"}])
    assert judged.grade.tolist() == [1]


SPANS = [("vital", 0), ("okay", 20), ("failed", 40), ("not_support", 60)]
FACTS = [{"topic": "1", "document": "d", "start": at, "end": at + 10, "fact": word, "grade": word} for word, at in SPANS]


@pytest.mark.parametrize("door", ["records", "frame", "csv", "jsonl", "parquet"])
def test_facts_are_vital_or_okay(door, tmp_path):
    if door == "parquet":
        pl.DataFrame(FACTS).write_parquet(tmp_path / "a.parquet")
    elif door == "csv":
        pl.DataFrame(FACTS).write_csv(tmp_path / "a.csv")
    elif door == "jsonl":
        written(tmp_path / "a.jsonl", map(json.dumps, FACTS))
    given = {"records": FACTS, "frame": pl.DataFrame(FACTS)}.get(door, tmp_path / f"a.{door}")
    scores = assay.evaluate(given, {"1": [("d", 20, 30)]}, ["FactRecall@5", "R@5"])
    # half a grade is highlighted as a whole one is, and what is not supported or unscored is none
    assert (scores["FactRecall@5"], scores["R@5"]) == (0.5, 0.5)
    name = given if door not in ("records", "frame") else "judgments"
    assert f"{name}: 1 of 4 spans is unscored; Assay leaves them out" in scores.notes


def test_other_words_of_spans_are_refused():
    with pytest.raises(InputError) as error:
        assay.read_judgments([{**FACTS[0], "grade": "vitale"}])
    assert str(error.value) == "judgments: record 1: grade 'vitale' is not a whole number"


def test_shares_of_supported_sentences_are_corrected_by_people():
    draw = random.Random(3)
    topics, words = [f"q{number:02d}" for number in range(30)], ["not_support", "partial_support", "support"]
    truth = {topic: {f"s{number}": draw.choice(words) for number in range(6)} for topic in topics}
    model = {
        topic: {sentence: draw.choice([word, word, "support", "failed"]) for sentence, word in of_topic.items()}
        for topic, of_topic in truth.items()
    }
    people = {topic: truth[topic] for topic in draw.sample(topics, 12)}
    run = {topic: dict.fromkeys(truth[topic], 1.0) for topic in topics}

    def share(judged, topic):
        return sum(word == "support" for word in judged[topic].values()) / 6

    h, m = ([share(judged, topic) for topic in topics if topic in people] for judged in (truth, model))
    u = [share(model, topic) for topic in topics if topic not in people]
    assert assay.evaluate(model, run, "P", checked=people)["P"] == pytest.approx(naive_checked.corrected(h, m, u)[0])


# Nuggets, as nuggetizer assigns them.


def nugget_line(topic, assignments, run="r1"):
    nuggets = [{"text": f"fact {number}", "importance": "vital", "assignment": word} for number, word in enumerate(assignments)]
    return json.dumps({"query": "?", "qid": topic, "run_id": run, "answer_text": "…", "nuggets": nuggets})


def test_precision_over_the_nuggets_of_an_answer_is_the_score_of_trec(tmp_path):
    draw, words = random.Random(5), ["support", "partial_support", "not_support"]
    assigned = {f"q{number}": draw.choices(words, k=draw.randint(2, 20)) for number in range(12)}
    path = written(tmp_path / "assigned.jsonl", (nugget_line(topic, of_topic) for topic, of_topic in assigned.items()))
    scores = assay.evaluate(path, path, ["P", "P(rel=0.5)"])
    # strict_all_score and all_score of nuggetizer: partial support counts nothing, and a half
    strict = [sum(word == "support" for word in of_topic) / len(of_topic) for of_topic in assigned.values()]
    halves = [sum({"support": 1, "partial_support": 0.5}.get(word, 0) for word in each) / len(each) for each in assigned.values()]
    assert scores["P"] == pytest.approx(sum(strict) / 12)
    assert (scores["P"] + scores["P(rel=0.5)"]) / 2 == pytest.approx(sum(halves) / 12)


def test_answers_of_several_runs_are_judged_in_one_file(tmp_path):
    lines = {run: nugget_line("q1", words, run) for run, words in (("a", ["support", "failed"]), ("b", ["not_support"] * 2))}
    judged = written(tmp_path / "all.jsonl", lines.values())
    runs = {run: written(tmp_path / f"{run}.jsonl", [line]) for run, line in lines.items()}
    scores = assay.evaluate(judged, runs, ["P"])
    assert (scores["a", "P"], scores["b", "P"]) == (0.5, 0)
    (note,) = [note for note in scores.notes if "unscored" in note]
    assert note.startswith(f"{judged}: 1 of 4 judgments is unscored")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (nugget_line("q1", ["supports"]), "line 1, nugget 1: assignment is 'supports'; {}"),
        ('{"qid": "q1", "run_id": "a", "nuggets": [{"text": "x", "importance": "vital"}]}', "line 1, nugget 1: assignment is 'None'; {}"),
        ('{"qid": "", "run_id": "a", "nuggets": []}', "line 1 has no qid; expected one"),
        ('{"qid": "q1", "nuggets": []}', "line 1 has no run_id or docid; expected one"),
        ('{"qid": "q1", "run_id": "a", "nuggets": [3]}', "line 1: nuggets is '[3]'; expected a list of objects"),
    ],
)  # fmt: skip
def test_nuggets_that_are_not_as_they_are_assigned_are_refused(line, what, tmp_path):
    path = written(tmp_path / "bad.jsonl", [line])
    with pytest.raises(InputError) as error:
        assay.read_judgments(path)
    expected = "expected support, partial_support or not_support"
    assert str(error.value) == f"{path}: {what.format(expected)}"
