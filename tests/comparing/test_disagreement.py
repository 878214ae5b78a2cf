"""Where annotators disagree: documents by grade, rank, system and length, against a second count."""

import json
import random

import pytest

import assay
from helpers.commands import invoke

DOCUMENTS = [f"d{number:03d}" for number in range(140)]


@pytest.fixture(scope="module")
def judged():
    """A model's grades, people's, two runs of different length, and texts."""
    draw = random.Random(1)
    people = {topic: {document: draw.choice([0, 1, 2]) for document in draw.sample(DOCUMENTS, 60)} for topic in "abc"}
    model = {
        topic: {document: min(2, max(0, grade + draw.choice([-1, 0, 1]))) for document, grade in grades.items()}
        for topic, grades in people.items()
    }
    runs = {
        "short": {topic: {document: draw.random() for document in draw.sample(DOCUMENTS, 12)} for topic in "abc"},
        "long": {topic: {document: draw.random() for document in draw.sample(DOCUMENTS, 130)} for topic in "abc"},
    }
    texts = {document: "x" * draw.randrange(1000) for document in DOCUMENTS}
    return model, people, runs, texts


def shown(judged, **more):
    model, people, *_ = judged
    alike = assay.agreement({"model": model, "people": people}, **more)
    return {(row["by"], row["of"]): row for row in json.loads(alike.disagreement("json"))}


def expected(judged, which):
    """Documents, the share with the same grade, and the mean difference, of those that are asked for."""
    model, people, *_ = judged
    pairs = [(model[t][d], people[t][d]) for t in people for d in people[t] if which(t, d)]
    return len(pairs), sum(m == h for m, h in pairs) / len(pairs), sum(m - h for m, h in pairs) / len(pairs)


def check(judged, row, which):
    assert (row["documents"], row["agreed"], row["difference"]) == pytest.approx(expected(judged, which))


def rank_in(run, topic, document):
    order = sorted(run[topic], key=lambda each: -run[topic][each])
    return order.index(document) + 1 if document in order else 10**6


def test_documents_are_divided_by_the_grade_of_the_other(judged):
    rows = shown(judged)
    assert list(rows) == [("all", ""), *(("grade of other", grade) for grade in "012")]
    check(judged, rows["all", ""], lambda t, d: True)
    for grade in range(3):
        check(judged, rows["grade of other", str(grade)], lambda t, d, grade=grade: judged[1][t][d] == grade)


def test_documents_are_divided_by_their_best_rank_and_by_system(judged):
    runs, rows = judged[2], shown(judged, runs=judged[2])
    names = {"1": (1, 1), "2 to 5": (2, 5), "6 to 10": (6, 10), "11 to 20": (11, 20), "21 to 50": (21, 50),
             "51 to 100": (51, 100), "beyond 100, or not retrieved": (101, 10**6)}  # fmt: skip
    for name, (low, high) in names.items():
        check(judged, rows["rank", name],
              lambda t, d, low=low, high=high: low <= min(rank_in(run, t, d) for run in runs.values()) <= high)  # fmt: skip
    for system, run in runs.items():
        check(judged, rows["first 10 of", system], lambda t, d, run=run: rank_in(run, t, d) <= 10)


def test_documents_are_divided_into_four_parts_by_the_length_of_their_text(judged):
    rows = [row for (by, _), row in shown(judged, documents=judged[3]).items() if by == "length"]
    assert len(rows) == 4
    assert max(row["documents"] for row in rows) - min(row["documents"] for row in rows) <= 4
    for row in rows:
        low, high = (int(end.replace(",", "")) for end in row["of"].split(" to "))
        check(judged, row, lambda t, d, low=low, high=high: low <= len(judged[3][d]) <= high)


def test_one_run_shows_ranks_but_no_tau(judged):
    _, _, runs, _ = judged
    rows = shown(judged, runs={"short": runs["short"]})
    check(judged, rows["first 10 of", "short"], lambda topic, document: rank_in(runs["short"], topic, document) <= 10)
    alike = assay.agreement({"model": judged[0], "people": judged[1]}, runs={"short": runs["short"]})
    assert "tau AP" not in alike.header
    assert alike.notes == ["tau is left out because it needs at least two runs; found one"]


def test_a_sample_of_pairs_is_compared_where_people_judged(judged, tmp_path):
    model, people, runs, _ = judged
    drawn = {(topic, document) for topic in people for document in list(people[topic])[::3]}
    lines = [
        f"{topic} 0 {document} 1 {people[topic][document] if (topic, document) in drawn else -1}\n"
        for topic in people
        for document in people[topic]
    ]
    (tmp_path / "people").write_text("".join(lines))
    alike = assay.agreement({"model": model, "people": assay.read_judgments(tmp_path / "people")}, runs=runs)
    rows = {(row["by"], row["of"]): row for row in json.loads(alike.disagreement("json"))}
    check(judged, rows["all", ""], lambda topic, document: (topic, document) in drawn)
    long = runs["long"]
    check(judged, rows["first 10 of", "long"], lambda t, d: (t, d) in drawn and rank_in(long, t, d) <= 10)
    assert alike.notes == [
        f"left out {180 - len(drawn)} judgments: a negative grade means that the document was not judged",
        "tau is left out because people judged only a sample of the documents",
    ]


def test_a_judge_that_prefers_one_system_shows():
    done = invoke("agreement", "examples/checked/model.qrels", "examples/checked/people.qrels", "--disagreement",
                  "--run", "examples/checked/bm25.run", "--run", "examples/checked/dense.run")  # fmt: skip
    rows = {tuple(line.split("\t")[2:4]): line.split("\t")[4:] for line in done.stdout.splitlines()[1:]}
    assert float(rows["first 10 of", "bm25"][2]) == pytest.approx(-0.02)
    assert float(rows["first 10 of", "dense"][2]) == pytest.approx(0.22)


def test_highlighted_text_has_no_grades_to_disagree_on(tmp_path):
    lines = [{"topic": "1", "document": "d", "start": 0, "end": 5, "annotator": name} for name in ("ann", "bob")]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    done = invoke("agreement", tmp_path / "gold.jsonl", "--disagreement")
    assert (done.stderr, done.exit_code) == (
        "--disagreement works only with grades; these judgments are highlighted text\n", 2,
    )  # fmt: skip
