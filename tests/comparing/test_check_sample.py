"""What people should judge: a draw that is random and the same each time, its chances, and the interval to expect."""

import json
import math
import statistics

import pytest
import scipy

import assay
from assay.comparing.check_sample import check_sample, shared_out
from assay.errors import InputError, UsageError
from assay.evaluation.check_by_people import in_drawn_order
from helpers.places import ROOT

FOLDER = ROOT / "examples" / "checked"
MODEL, RUNS = FOLDER / "model.qrels", [FOLDER / "bm25.run", FOLDER / "dense.run"]


def rows(sample):
    return [line.split() for line in sample.lines]


def test_topics_are_drawn_with_all_their_results_within_the_depth():
    sample = check_sample(MODEL, RUNS, "P@3", topics=12, seed=5)
    drawn = in_drawn_order(sorted({line.split()[0] for line in MODEL.read_text().splitlines()}), 5)[:12]
    assert {row[0] for row in rows(sample)} == set(drawn)
    results = {
        (topic, document)
        for run in RUNS
        for topic, _, document, rank, *_ in map(str.split, run.read_text().splitlines())
        if int(rank) <= 3 and topic in drawn
    }
    assert {(row[0], row[2]) for row in rows(sample)} == results
    assert {row[3] for row in rows(sample)} == {"?"}
    assert sample.about == f"drew 12 of 30 topics (chance 0.4); {len(results)} documents to judge; seed 5"


def test_each_topic_has_the_same_chance():
    topics = [f"q{number}" for number in range(20)]
    counts = dict.fromkeys(topics, 0)
    for seed in range(2000):
        for topic in in_drawn_order(topics, seed)[:5]:
            counts[topic] += 1
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_what_people_judge_of_a_draw_corrects_without_a_note_on_the_sample(tmp_path):
    sample = check_sample(MODEL, RUNS, "P@5", topics=10)
    people = {tuple(line.split()[::2]): line.split()[3] for line in (FOLDER / "people.qrels").read_text().splitlines()}
    assert people.keys() == {(row[0], row[2]) for row in rows(sample)}
    (tmp_path / "people").write_text("".join(f"{t} 0 {d} {people[t, d]}\n" for t, _, d, _ in rows(sample)))
    scores = assay.evaluate(MODEL, RUNS, ["P@5"], checked=tmp_path / "people")
    assert scores["dense", "P@5"] == assay.evaluate(MODEL, RUNS, ["P@5"], checked=FOLDER / "people.qrels")["dense", "P@5"]


@pytest.mark.parametrize("how", [{"topics": 10}, {"pairs": 40}])
def test_a_grade_that_people_forgot_is_refused(tmp_path, how):
    (tmp_path / "forgotten").write_bytes(check_sample(MODEL, RUNS, "P@5", **how).content)
    with pytest.raises(InputError) as error:
        assay.evaluate(MODEL, RUNS, ["P@5"], checked=tmp_path / "forgotten")
    lines = (tmp_path / "forgotten").read_text().splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.endswith("?"))
    assert str(error.value) == (
        f"{tmp_path}/forgotten:{first}: grade '?' is not given yet; expected the grade that people gave"
    )


def test_pairs_are_drawn_from_strata_by_the_models_grade_in_proportion(tmp_path):
    sample = check_sample(MODEL, RUNS, "P@5", pairs=60)
    model = {tuple(line.split()[::2]): line.split()[3] for line in MODEL.read_text().splitlines()}
    assert [(each.name, each.of, each.size, each.drawn) for each in sample.strata] == [
        ("1", "grade 0", list(model.values()).count("0"), 12),
        ("2", "grade 1", list(model.values()).count("1"), 48),
    ]
    for topic, _, document, stratum, grade in rows(sample):
        assert stratum == str(1 + int(model[topic, document]))
        assert grade in ("?", "-1")
    assert [sum(row[3] == name and row[4] == "?" for row in rows(sample)) for name in "12"] == [12, 48]
    first = {tuple(row[:3]) for row in rows(check_sample(MODEL, RUNS, "P@5", pairs=30)) if row[4] == "?"}
    assert first < {tuple(row[:3]) for row in rows(sample) if row[4] == "?"}
    filled = "".join(f"{line.replace('?', '1')}\n" for line in sample.lines)
    (tmp_path / "pairs").write_text(filled)
    assert assay.evaluate(MODEL, RUNS, ["P@5"], checked=tmp_path / "pairs").correction("bm25", "P@5").checked == 60


def test_documents_that_the_model_did_not_judge_are_a_stratum(tmp_path):
    lines = MODEL.read_text().splitlines(keepends=True)
    (tmp_path / "less").write_text("".join(lines[::2]))
    sample = check_sample(tmp_path / "less", RUNS, "P@5", pairs=60)
    assert [each.of for each in sample.strata] == ["unjudged documents", "grade 0", "grade 1"]
    assert sum(each.size for each in sample.strata) == len(lines)


def test_a_topic_without_results_stays_in_the_draw():
    topics = [f"q{number:02}" for number in range(12)]
    model = {topic: {"d1": 1, "d2": 0} for topic in topics}
    drawn = in_drawn_order(topics, 0)[:10]
    run = {topic: {"d1": 2.0, "d3": 1.0} for topic in topics if topic != drawn[0]}
    found = rows(check_sample(model, run, "P@5", topics=10))
    assert {row[2] for row in found if row[0] == drawn[0]} == {"d1", "d2"}
    assert {row[2] for row in found if row[0] == drawn[1]} == {"d1", "d3"}


def test_of_highlighted_text_the_drawn_topics_are_listed(tmp_path):
    topics = [f"q{number:02}" for number in range(12)]
    model = {topic: [("d", 0, 10 + number)] for number, topic in enumerate(topics)}
    run = {topic: [("d", 0, 5), ("e", 0, 5)] for topic in topics}
    (tmp_path / "titles.tsv").write_text("".join(f"{topic}\ttitle of {topic}\n" for topic in topics))
    sample = check_sample(model, run, "R@2", topics=10, topics_file=tmp_path / "titles.tsv")
    drawn = in_drawn_order(topics, 0)[:10]
    assert sample.lines == [f"{topic}\ttitle of {topic}" for topic in drawn]
    assert sample.about == "drew 10 of 12 topics (chance 0.8333); 20 documents to judge; seed 0"
    (tmp_path / "drawn.tsv").write_bytes(sample.content)
    assert sorted(assay.pool(run, depth=2, topics_file=tmp_path / "drawn.tsv").topics) == sorted(drawn)
    with pytest.raises(UsageError) as error:
        check_sample(model, run, "R@2", pairs=10)
    assert str(error.value) == (
        "single pairs check grades of documents, but these judgments have none; draw whole topics"
    )


@pytest.mark.parametrize(
    ("number", "sizes"), [(60, [44, 169]), (10, [1, 1, 1000]), (12, [3, 3, 3, 3]), (11, [2, 500, 7]), (20, [1000, 2, 2, 2])]
)
def test_a_number_is_shared_out_in_proportion_and_two_at_least(number, sizes):
    shares = shared_out(number, sizes)
    assert sum(shares) == number
    for share, size in zip(shares, sizes, strict=True):
        assert min(2, size) <= share <= size
    assert sorted(shares) == [share for _, share in sorted(zip(sizes, shares, strict=True))]


def test_the_interval_to_expect_is_that_of_the_least_variance():
    sample = check_sample(MODEL, RUNS, "P@5", topics=10)
    scores = assay.evaluate(MODEL, RUNS, ["P@5"])
    spread = statistics.mean(
        statistics.variance(scores[run, "P@5", topic] for topic in scores.topics) for run in scores.systems
    )
    assert [each.topics for each in sample.expected] == [10, 20]
    for each in sample.expected:
        n, others = each.topics, 30 - each.topics
        t = scipy.stats.t(n - 1).ppf(0.975)
        assert each.alone == pytest.approx(t * math.sqrt(spread / n))
        for r, half in each.with_model.items():
            # var(h − λ m)/n + λ² var(m)/N at its least, tried out
            tried = (
                (1 - 2 * lam * r + lam**2) / n + lam**2 / others for lam in (step / 10_000 for step in range(10_001))
            )
            assert half == pytest.approx(t * math.sqrt(spread * min(tried)), rel=1e-6)
    records = json.loads(sample.show("json"))
    assert list(records[0]) == [
        "measure", "topics", "people alone", "model with r = 0.5", "model with r = 0.7", "model with r = 0.9",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "people check either topics or pairs; pass topics= or pairs=, not both"),
        ({"topics": 10, "pairs": 10}, "people check either topics or pairs; pass topics= or pairs=, not both"),
        ({"topics": 9}, "9 topics to check are too few; a corrected value needs 10 or more"),
        ({"topics": 31}, "cannot check 31 topics; there are only 30"),
        ({"pairs": 300}, "cannot check 300 pairs; there are only 213"),
        ({"topics": 10, "seed": -1}, "seed is -1; expected 0 or more"),
    ],
)
def test_what_cannot_be_drawn_is_refused(how, message):
    with pytest.raises(UsageError) as error:
        check_sample(MODEL, RUNS, "P@5", **how)
    assert str(error.value) == message
