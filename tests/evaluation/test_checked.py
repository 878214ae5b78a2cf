"""Values by a model's judgments, corrected by people's: the formulas, what carries them, and what is refused."""

import itertools
import math
import pickle
import random
import statistics

import numpy as np
import pytest
from scipy import stats

import assay
from assay.errors import InputError, UsageError
from assay.evaluation.check_by_people import in_drawn_order, terms, welch_p
from assay.evaluation.checked import CheckedPairs, Estimate, corrected_mean, mean_of_sample
from assay.measures.notation import one_measure
from helpers import naive_checked
from helpers.samples import sample

TOPICS = [f"q{number:02d}" for number in range(40)]
DOCUMENTS = [f"d{number:02d}" for number in range(12)]


def random_values(random, n, others, noise=0.2):
    truth = [random.random() for _ in range(n + others)]
    model = [value + random.gauss(0.1, noise) for value in truth]
    return np.array(truth[:n]), np.array(model[:n]), np.array(model[n:])


def random_collection(seed, checked=15, topics=TOPICS):
    """A model's judgments, those of people for some topics, and three runs."""
    draw = random.Random(seed)
    truth = {topic: {document: draw.choice([0, 0, 1, 2]) for document in DOCUMENTS} for topic in topics}
    model = {
        topic: {document: max(0, grade + draw.choice([-1, 0, 0, 0, 1])) for document, grade in grades.items()}
        for topic, grades in truth.items()
    }
    runs = {
        name: {topic: {document: draw.random() + skill * grade for document, grade in truth[topic].items()} for topic in topics}
        for name, skill in (("bm25", 0.1), ("dense", 0.3), ("hybrid", 0.5))
    }
    drawn = in_drawn_order(topics, 0)[:checked]
    return model, {topic: truth[topic] for topic in topics if topic in drawn}, runs


@pytest.fixture(scope="module")
def collection():
    return random_collection(1)


@pytest.fixture(scope="module")
def scores(collection):
    model, people, runs = collection
    return assay.evaluate(model, runs, ["AP", "nDCG@10", "P@5"], checked=people)


def by_hand(collection, run, measure, minus=None):
    """h, m and u of a run, or of its differences from another, of two evaluations."""
    model, people, runs = collection
    by_model, by_people = assay.evaluate(model, runs, [measure]), assay.evaluate(people, runs, [measure])

    def value(scores, topic):
        return scores[run, measure, topic] - (scores[minus, measure, topic] if minus else 0)

    h = [value(by_people, topic) for topic in by_people.topics]
    m = [value(by_model, topic) for topic in by_people.topics]
    u = [value(by_model, topic) for topic in by_model.topics if topic not in people]
    return h, m, u


# The formulas.


@pytest.mark.parametrize("seed", range(sample(10, 500)))
def test_a_corrected_mean_is_that_of_plain_sums(seed):
    draw = random.Random(seed)
    h, m, u = random_values(draw, draw.randint(10, 40), draw.choice([0, 1, 2, 5, 200]), draw.choice([0.01, 0.2, 2]))
    estimate, weight = corrected_mean(h, m, u)
    theta, error, lam = naive_checked.corrected(h.tolist(), m.tolist(), u.tolist())
    assert (estimate.value, estimate.error, weight) == pytest.approx((theta, error, lam), abs=1e-12)
    assert estimate.free == len(h) - 1
    assert 0 <= weight <= 1
    t = stats.t(len(h) - 1)
    assert estimate.interval() == pytest.approx((theta - t.ppf(0.975) * error, theta + t.ppf(0.975) * error))
    assert estimate.p() == pytest.approx(2 * t.sf(abs(theta / error)))
    assert estimate.p(tails=1, bound=0.5) == pytest.approx(t.sf((theta - 0.5) / error))


def test_without_other_topics_it_is_the_mean_of_people():
    h, m, _ = random_values(random.Random(3), 12, 0)
    assert corrected_mean(h, m, np.zeros(0)) == (mean_of_sample(h), 0.0)
    assert corrected_mean(h, m, np.array([0.5])) == (mean_of_sample(h), 0.0)


def test_a_constant_model_leaves_the_mean_of_people():
    h, _, _ = random_values(random.Random(4), 12, 0)
    assert corrected_mean(h, np.full(12, 0.7), np.full(50, 0.7)) == (mean_of_sample(h), 0.0)


def test_a_constant_model_gives_the_mean_of_an_evaluation_by_people_to_the_last_bit():
    _, people, runs = random_collection(5)
    constant = {topic: dict.fromkeys(DOCUMENTS, 0) for topic in TOPICS}
    corrected = assay.evaluate(constant, runs, "AP", checked=people)
    assert corrected["bm25", "AP"] == assay.evaluate(people, runs, "AP")["bm25", "AP"]


def test_a_perfect_judge_narrows_the_interval():
    draw = random.Random(6)
    truth = np.array([draw.random() for _ in range(2000)])
    estimate, weight = corrected_mean(truth[:100], truth[:100], truth[100:])
    assert weight == pytest.approx(1, abs=0.15)
    assert estimate.error < 0.3 * mean_of_sample(truth[:100]).error


def test_a_model_that_judges_the_other_way_round_is_not_relied_on():
    h = np.linspace(0, 1, 20)
    assert corrected_mean(h, 1 - h, np.linspace(0, 1, 50))[1] == 0


def test_it_is_that_of_ppi_python():
    ppi = pytest.importorskip("ppi_py")
    for seed in range(20):
        h, m, u = random_values(random.Random(seed), 25, 100)
        estimate, weight = corrected_mean(h, m, u)
        n, others = len(h), len(u)
        low, high = ppi.ppi_mean_ci(h, m, u, alpha=0.05, lam=weight)
        assert float(np.squeeze(low + high)) / 2 == pytest.approx(estimate.value)
        # its variances have the divisor n, and its quantile is that of a normal distribution
        rest, of_model = np.var(h - weight * m) / n, weight**2 * np.var(u) / others
        theirs = float(np.squeeze(high - low)) / 2 / stats.norm.ppf(0.975)
        assert theirs == pytest.approx(math.sqrt(rest + of_model))
        assert estimate.error == pytest.approx(math.sqrt(rest * n / (n - 1) + of_model * others / (others - 1)))
        # and so has its covariance
        point = float(np.squeeze(ppi.ppi_mean_pointestimate(h, m, u)))
        lam = min(1, weight * (n - 1) / n)
        assert point == pytest.approx(float(lam * u.mean() + (h - lam * m).mean())) or weight in (0, 1)


# An evaluation.


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@5"])
@pytest.mark.parametrize("run", ["bm25", "dense"])
def test_scores_are_corrected_values(collection, scores, run, measure):
    h, m, u = by_hand(collection, run, measure)
    theta, error, lam = naive_checked.corrected(h, m, u)
    found = scores.correction(run, measure)
    assert scores[run, measure] == pytest.approx(theta)
    assert (found.corrected.error, found.weight) == pytest.approx((error, lam))
    assert (found.people.value, found.model) == pytest.approx((naive_checked.mean(h), naive_checked.mean([*m, *u])))
    people = naive_checked.covariance(h, h) / len(h)
    assert found.worth == pytest.approx(len(h) * people / error**2 - len(h))
    assert found.bias.value == pytest.approx(naive_checked.mean(m) - naive_checked.mean(h))
    assert (found.checked, found.total) == (15, 40)


def test_values_of_a_topic_are_those_of_people_where_they_judged_and_of_the_model_elsewhere(collection, scores):
    model, people, runs = collection
    by_model, by_people = assay.evaluate(model, runs, ["AP"]), assay.evaluate(people, runs, ["AP"])
    for topic in TOPICS:
        judged = by_people if topic in people else by_model
        assert scores["dense", "AP", topic] == judged["dense", "AP", topic]


def test_text_that_people_highlighted_corrects_what_a_model_highlighted():
    draw = random.Random(7)
    gold = {topic: [("d", start := draw.randrange(500), start + 100)] for topic in TOPICS}
    model = {topic: [(d, max(0, start - 30), end)] for topic, [(d, start, end)] in gold.items()}
    run = {topic: [("d", start := draw.randrange(500), start + 200)] for topic in TOPICS}
    people = {topic: gold[topic] for topic in in_drawn_order(TOPICS, 0)[:12]}
    found = assay.evaluate(model, run, "R@1", checked=people)
    by_model, by_people = assay.evaluate(model, run, "R@1"), assay.evaluate(people, run, "R@1")
    h, m = ([scores["R@1", topic] for topic in by_people.topics] for scores in (by_people, by_model))
    u = [by_model["R@1", topic] for topic in TOPICS if topic not in people]
    assert found["R@1"] == pytest.approx(naive_checked.corrected(h, m, u)[0])


def test_what_is_made_of_scores_keeps_the_correction(scores, tmp_path):
    expected = scores["hybrid", "nDCG@10"]
    scores.save(tmp_path / "saved.json")
    read = assay.read_scores(tmp_path / "saved.json")
    beside = assay.read_scores(
        [{"system": run, "topic": topic, "measure": "ms", "value": 2} for run in scores.systems for topic in TOPICS]
    )
    for made in (scores.only("nDCG@10"), read, pickle.loads(pickle.dumps(scores)), scores.join(beside)):
        assert made["hybrid", "nDCG@10"] == expected
        assert made.correction("hybrid", "nDCG@10") == scores.correction("hybrid", "nDCG@10")
    assert scores.join(beside)["hybrid", "ms"] == 2
    assert scores.to_dict()["hybrid/nDCG_at_10"] == expected
    assert dict(scores.means.rows_by_key("run", named=True))["hybrid"][0]["nDCG@10"] == expected
    assert scores.corrections.filter(run="hybrid", measure="nDCG@10")["value"].to_list() == [expected]
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "saved.json").read_bytes()


def test_the_table_shows_what_people_and_the_model_say(scores):
    found = scores.correction("bm25", "AP")
    low, high = found.corrected.interval()
    first = scores.show("tsv").splitlines()[:2]
    assert first[0].split("\t") == [
        "run", "measure", "value", "low", "high", "model", "people", "people_low", "people_high", "lambda", "worth", "judge",
    ]  # fmt: skip
    cells = first[1].split("\t")
    assert cells[:2] == ["bm25", "AP"]
    assert [float(cell) for cell in cells[2:7]] == [found.value, low, high, found.model, found.people.value]
    assert cells[-1] == found.judge()
    assert "value: corrected, 15 of 40 topics checked by people" in scores.show()


def test_a_table_of_topics_says_whose_values_it_has(scores):
    assert scores.show(per_topic=True).endswith(
        "\ntopics: by people's judgments where they judged, and by the model's elsewhere; all: corrected, 15 of 40 topics "
        "checked by people\n"
    )


@pytest.mark.parametrize(
    ("bias", "less", "words"),
    [
        (Estimate(0.09, 0.01, 20), False, "the model is generous: +0.09"),
        (Estimate(-0.09, 0.01, 20), False, "the model is strict: -0.09"),
        (Estimate(-0.09, 0.01, 20), True, "the model is generous: -0.09"),
        (Estimate(0.09, 0.05, 20), False, "no clear bias: +0.09"),
    ],
)
def test_the_bias_is_told_in_words(scores, bias, less, words):
    import dataclasses

    assert dataclasses.replace(scores.correction("bm25", "AP"), bias=bias).judge(less) == words


def test_groups_of_topics_are_corrected_each_by_their_own(collection):
    model, people, runs = collection
    drawn = [topic for topic in TOPICS if topic in people]
    groups = {topic: "a" if topic in drawn[:11] or (topic not in people and number % 3) else "b" for number, topic in enumerate(TOPICS)}
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, ["AP"], checked=people, by=groups)
    assert str(error.value) == (
        "group b: people checked 4 topics; a corrected value needs at least 10; leave out by= or checked="
    )
    alone = {topic: "a" for topic in groups if groups[topic] == "a"}
    scores = assay.evaluate(model, runs, ["AP"], checked=people, by=alone)
    within = [judged | {} for judged in ({t: g for t, g in each.items() if t in alone} for each in (model, people))]
    assert scores.of_group("a")["bm25", "AP"] == assay.evaluate(within[0], runs, ["AP"], checked=within[1])["bm25", "AP"]
    assert scores.per_group.filter(run="bm25", group="a")["AP"].to_list() == [scores.of_group("a")["bm25", "AP"]]


# Comparisons.


def test_pairs_are_compared_by_the_same_formula_on_their_differences(collection, scores):
    comparison = assay.compare(scores, "AP")
    assert comparison.about() == (
        "t-test of corrected differences, each with its own weight λ, two-tailed; 15 of 40 topics checked by people; "
        "Holm's correction for 3 pairs"
    )
    for pair in comparison.pairs:
        theta, error, _ = naive_checked.corrected(*by_hand(collection, pair.first, "AP", pair.second))
        assert pair.difference == pytest.approx(theta)
        t = stats.t(14)
        assert pair.p == pytest.approx(2 * t.sf(abs(theta) / error))
        assert (pair.low, pair.high) == pytest.approx((theta - t.ppf(0.975) * error, theta + t.ppf(0.975) * error))
    ps = sorted(pair.p for pair in comparison.pairs)
    holm = [min(1, max(p * (3 - place) for place, p in enumerate(ps[: last + 1]))) for last in range(3)]
    assert sorted(pair.corrected for pair in comparison.pairs) == pytest.approx(holm)


def test_with_a_constant_model_it_is_the_paired_t_test_of_people():
    _, people, runs = random_collection(8)
    constant = {topic: dict.fromkeys(DOCUMENTS, 0) for topic in TOPICS}
    (pair,) = assay.compare(constant, {name: runs[name] for name in ("bm25", "hybrid")}, "AP", checked=people).pairs
    (alone,) = assay.compare(people, {name: runs[name] for name in ("bm25", "hybrid")}, "AP", test="t").pairs
    assert (pair.difference, pair.low, pair.high, pair.p, pair.effect) == pytest.approx(
        (alone.difference, alone.low, alone.high, alone.p, alone.effect)
    )


def test_one_tail_asks_whether_the_first_is_better(scores):
    two, one = (assay.compare(scores, "AP", baseline="bm25", tails=tails).pairs[0] for tails in (2, 1))
    assert one.p == pytest.approx(two.p / 2 if two.difference > 0 else 1 - two.p / 2)


def test_where_less_is_better_the_better_system_has_less(collection):
    model, people, runs = collection
    # people did not see what dense retrieves
    unseen = {topic: {document: grade for document, grade in grades.items() if document > "d03"} for topic, grades in people.items()}
    runs = {"a": {t: {"d05": 2, "d06": 1} for t in TOPICS}, "b": {t: {"d01": 2, f"d0{5 - (n % 3 > 0)}": 1} for n, t in enumerate(TOPICS)}}
    scores = assay.evaluate(model, runs, "Unjudged@2", checked=unseen)
    (pair,) = assay.compare(scores, "Unjudged@2").pairs
    assert (pair.first, pair.better, pair.losses) == ("a", "a", 0)
    assert pair.difference < 0
    assert pair.p == 0
    (pair,) = assay.compare(scores, "Unjudged@2", baseline="a", tails=1).pairs
    assert (pair.difference > 0, pair.p, pair.wins) == (True, 1, 0)


def test_a_difference_of_rounding_alone_is_no_difference():
    assert Estimate(5e-18, 0.0, 20).p() == 1
    assert Estimate(5e-18, 0.0, 20).p(tails=1) == 1
    assert Estimate(0.1, 0.0, 20).p() == 0
    assert [Estimate(value, 0.0, 20).p(tails=1) for value in (0.1, -0.1)] == [0, 1]


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "tukey"])
def test_other_tests_are_refused(scores, test):
    with pytest.raises(UsageError) as error:
        assay.compare(scores, "AP", test=test)
    assert str(error.value) == (
        f"differences corrected by people's judgments have their own t-test; leave out test={test}"
    )


def test_what_knows_nothing_of_a_correction_is_refused(scores):
    with pytest.raises(UsageError) as error:
        assay.chance_of_best(scores, "AP")
    assert str(error.value) == (
        "the chance of being the best comes from resampling topics, but people's judgments correct only means; "
        "leave out checked=, or compare the runs pair by pair"
    )
    with pytest.raises(UsageError) as error:
        assay.compare(scores, "AP").needed()
    assert str(error.value) == (
        "the number of topics needed is unknown if people's judgments correct the differences; "
        "leave out checked=, or see the interval to expect with `assay pool`"
    )
    with pytest.raises(UsageError) as error:
        scores.chart("curve", "IPrec")
    assert str(error.value) == (
        "a curve chart cannot show values corrected by people's judgments; draw means or forest, or leave out checked="
    )


@pytest.mark.parametrize("asked", [
    lambda model, people, runs: assay.Evaluator(model, "AP", checked=people),
    lambda model, people, runs: assay.why(model, runs["bm25"], "AP", topic=TOPICS[0], checked=people),
    lambda model, people, runs: assay.audit(model, runs, "AP", checked=people),
])  # fmt: skip
def test_what_takes_no_checked_judgments_says_who_does(collection, asked):
    with pytest.raises(UsageError) as error:
        asked(*collection)
    assert str(error.value) == "checked= does not apply here; pass it to assay.evaluate"


def test_a_chart_of_means_has_the_intervals_of_corrected_values(scores):
    from assay.charts.intervals import mean_of

    drawn, found = mean_of(scores, "bm25", one_measure("AP")), scores.correction("bm25", "AP")
    assert (drawn.value, drawn.low, drawn.high) == (found.value, *found.corrected.interval())


def test_a_chart_of_runs_takes_checked_judgments(collection, scores):
    model, people, runs = collection
    expected = scores.chart("forest", "AP").to_dict()
    assert assay.chart(model, runs, "forest", "AP", checked=people).to_dict() == expected
    # without a word, means and not a curve
    assert assay.chart(model, runs, measures="P@5", checked=people).to_dict()["title"]["text"] == "P@5 over topics"
    with pytest.raises(UsageError) as error:
        assay.chart(model, runs, "curve", "P@5", checked=people)
    assert str(error.value) == (
        "a curve chart cannot show values corrected by people's judgments; draw means or forest, or leave out checked="
    )
    two = {name: runs[name] for name in ("bm25", "dense")}
    (pair,) = assay.compare(model, two, "AP", checked=people, baseline="dense").pairs
    about = assay.chart(model, two, "differences", "AP", checked=people).to_dict()["title"]["subtitle"]
    assert about[1] == f"corrected mean difference {pair.difference:+.4f} (dashed)".replace("-", "−")


def test_corrected_scores_cannot_stand_beside_others(scores, tmp_path):
    scores.save(tmp_path / "saved.json")
    assert assay.read_scores([tmp_path / "saved.json"])["dense", "AP"] == scores["dense", "AP"]
    corrected = "these values are corrected by people's judgments and cannot be combined with others"
    with pytest.raises(InputError) as error:
        assay.read_scores([tmp_path / "saved.json", tmp_path / "saved.json"])
    assert str(error.value) == (
        f"{tmp_path}/saved.json: {corrected}; evaluate all runs together, and pass checked="
    )
    plain = assay.read_scores(
        [{"system": run, "topic": topic, "measure": "ms", "value": 2} for run in scores.systems for topic in TOPICS]
    )
    with pytest.raises(UsageError) as error:
        plain.join(scores)
    assert str(error.value) == f"{corrected}; evaluate all measures together, and pass checked="


def test_a_run_that_lacks_topics_is_corrected_over_its_own(collection):
    model, people, runs = collection
    fewer = {topic: results for topic, results in runs["dense"].items() if topic not in (TOPICS[1], next(iter(people)))}
    found = assay.evaluate(model, {"dense": fewer}, ["AP"], checked=people, topics="common")
    left = ({topic: grades for topic, grades in judged.items() if topic in fewer} for judged in (model, people))
    h, m, u = by_hand((*left, {"dense": fewer}), "dense", "AP")
    assert found["dense", "AP"] == pytest.approx(naive_checked.corrected(h, m, u)[0])
    assert found.correction("dense", "AP").total == 38


def test_a_measure_that_is_better_low_has_a_generous_judge_below(collection):
    model, people, runs = collection
    found = assay.evaluate(model, {"bm25": runs["bm25"]}, ["Unjudged@5"], checked=people)
    assert found.correction("bm25", "Unjudged@5").judge(less_is_better=True) == "no clear bias: +0.00"


# Errors and notes.


def test_judgments_without_a_topic_in_common_are_refused(collection):
    model, _, _ = collection
    with pytest.raises(InputError) as error:
        assay.evaluate(model, {"r": {"x1": {"d00": 1}, "q00": {"d00": 1}}}, "AP", checked={"x1": {"d00": 1}})
    assert str(error.value) == "checked and judgments share no topic: x1 vs q00, q01, …"


def test_the_same_judgments_twice_are_refused(collection):
    model, _, runs = collection
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, "AP", checked={topic: dict(grades) for topic, grades in model.items()})
    assert str(error.value) == (
        "checked: these judgments are the same as judgments; pass checked= with the judgments of people, not of the model"
    )


def test_swapped_judgments_are_refused(collection):
    model, people, runs = collection
    fewer = {topic: dict(list(grades.items())[:5]) for topic, grades in model.items()}
    for first, checked, what in [
        (people, model, "40 topics judged here, but only 15 in judgments"),
        (fewer, model, "480 documents judged here, but only 200 in judgments"),
    ]:
        with pytest.raises(InputError) as error:
            assay.evaluate(first, runs, "P@5", checked=checked)
        assert str(error.value) == (
            f"checked: {what}; are the two swapped? pass the model's judgments first, and those of people as checked="
        )
    # people may judge more documents of their topics than the model did
    assert assay.evaluate(fewer, runs, "P@5", checked=people).correction("bm25", "P@5").checked == 15


def test_fewer_than_ten_checked_topics_are_refused(collection):
    model, people, runs = collection
    few = dict(list(people.items())[:9])
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, "AP", checked=few)
    assert str(error.value) == (
        "checked: people judged 9 topics that the model judged too; a corrected value needs at least 10"
    )


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        ("GMAP", "GMAP is not an arithmetic mean over topics"),
        ("NumRelRet", "NumRelRet is a sum over topics"),
    ],
)
def test_measures_that_are_no_arithmetic_means_are_refused(collection, measure, what):
    model, people, runs = collection
    with pytest.raises(UsageError) as error:
        assay.evaluate(model, runs, measure, checked=people)
    assert str(error.value) == f"{what}; people's judgments correct only arithmetic means such as AP; leave out {measure}"


def test_topics_with_anything_relevant_are_refused_as_they_depend_on_who_judged(collection):
    model, people, runs = collection
    with pytest.raises(UsageError) as error:
        assay.evaluate(model, runs, "AP", checked=people, topics="relevant")
    assert str(error.value) == (
        "people and the model may disagree on which topics have anything relevant; leave out topics=relevant or checked="
    )


def test_judgments_of_another_kind_are_refused(collection):
    model, people, runs = collection
    spans = {topic: [("d00", 0, 10)] for topic in people}
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, "P@5", checked=spans)
    assert str(error.value) == (
        "checked: P@5 counts characters with these judgments but documents with judgments; "
        "expected judgments of the same kind"
    )


def test_unjudged_results_of_peoples_topics_are_noted_with_counts(collection):
    model, people, runs = collection
    fewer = {topic: {document: grade for document, grade in grades.items() if document != "d00"} for topic, grades in people.items()}
    scores = assay.evaluate(model, runs, ["P@5", "RR"], checked=fewer)
    noted = [note for note in scores.notes if "unjudged" in note]
    assert noted == [
        "checked: 45 of 540 results in people's topics are unjudged and count as not relevant "
        "(15 of bm25, 15 of dense, 15 of hybrid); ask people to judge them"
    ]
    within = {
        name: sum("d00" in sorted(run[topic], key=run[topic].get)[-5:] for topic in people) for name, run in runs.items()
    }
    told = ", ".join(f"{count} of {name}" for name, count in within.items() if count)
    (note,) = [note for note in assay.evaluate(model, runs, ["P@5"], checked=fewer).notes if "unjudged" in note]
    assert note == (
        f"checked: {sum(within.values())} of 225 results within rank 5 in people's topics are unjudged and count as not "
        f"relevant ({told}); ask people to judge them"
    )


def test_judgments_that_are_all_the_models_are_noted(collection):
    model, _, runs = collection
    scores = assay.evaluate(model, runs, "AP", checked={topic: model[topic] for topic in in_drawn_order(TOPICS, 0)[:12]})
    assert scores.notes == ["checked: every judgment is also in judgments; are these people's judgments?"]


def test_gold_evidence_lists_only_what_is_relevant_and_so_leaves_nothing_unjudged():
    gold = {topic: [("d", 0, 100 + number)] for number, topic in enumerate(TOPICS)}
    model = {topic: [("d", 0, 90)] for topic in TOPICS}
    run = {topic: [("d", 0, 50), ("other", 0, 50)] for topic in TOPICS}
    people = {topic: gold[topic] for topic in in_drawn_order(TOPICS, 0)[:12]}
    assert not [note for note in assay.evaluate(model, run, "R@2", checked=people).notes if "unjudged" in note]


def test_topics_that_only_people_judged_are_left_out_and_noted(collection):
    model, people, runs = collection
    less = {topic: grades for topic, grades in model.items() if topic != next(iter(people))}
    scores = assay.evaluate(less, runs, ["AP"], checked=people)
    assert f"checked: left out 1 topic that people judged but the model did not: {next(iter(people))}" in scores.notes
    assert scores.correction("bm25", "AP").checked == 14


def test_what_was_noted_of_the_models_judgments_is_not_noted_again(tmp_path):
    texts = {"d": "one two three four five six seven eight nine ten"}
    gold = {topic: [("d", 0, 13)] for topic in TOPICS}
    people = {topic: [("d", 0, 18 if number % 2 else 13)] for number, topic in enumerate(TOPICS[:12])}
    run = {topic: [("d", 0, 23)] for topic in TOPICS}
    scores = assay.evaluate(gold, run, "R(tokens=2)", checked=people, documents=texts, tokenizer="words")
    assert len([note for note in scores.notes if "tokens here are words" in note]) == 1


def of_chosen_topics(chosen, all_easy=TOPICS[:14]):
    """A collection in which people judged some topics, and in which some topics are easy for all runs."""
    easy = {topic: dict.fromkeys(DOCUMENTS, 1) for topic in all_easy}
    hard = {topic: {"d00": 1} | dict.fromkeys(DOCUMENTS[1:], 0) for topic in TOPICS if topic not in easy}
    draw = random.Random(9)
    run = {topic: {document: draw.random() for document in DOCUMENTS} for topic in TOPICS}
    model = easy | hard
    people = {topic: {document: grade for document, grade in model[topic].items() if document != "d11"} for topic in chosen}
    return assay.evaluate(model, {"bm25": run}, ["P@5"], checked=people)


def test_checked_topics_that_differ_from_the_others_are_noted_unless_they_were_drawn():
    noted = [note for note in of_chosen_topics(TOPICS[:12]).notes if "random" in note]
    assert len(noted) == 1
    assert noted[0].startswith(
        "checked: the checked topics may not be a random sample: P@5 of bm25 by the model is 1.0000 on checked topics, 0."
    )
    assert noted[0].endswith(" on the others; `assay pool --check` draws topics at random")
    assert not [note for note in of_chosen_topics(TOPICS[8:20]).notes if "random" in note]


def test_a_draw_is_known_by_its_seed():
    import assay.evaluation.check_by_people as module

    assert all(module.was_drawn(in_drawn_order(TOPICS, seed)[:12], TOPICS) for seed in (0, 7, 2026, 12345))
    assert not module.was_drawn(TOPICS[:12], TOPICS)
    # among so few samples every one is drawn by some seed, so that only the first seed is told from chance
    few = TOPICS[:12]
    assert module.was_drawn(in_drawn_order(few, 0)[:10], few)
    assert not any(module.was_drawn(in_drawn_order(few, seed)[:10], few) for seed in (3, 4, 5))
    drawn = in_drawn_order(TOPICS, 4321)[:12]
    assert not [note for note in of_chosen_topics(drawn, drawn).notes if "random" in note]
    picked = [*drawn[:11], next(topic for topic in TOPICS if topic not in drawn)]
    assert [note for note in of_chosen_topics(picked, picked).notes if "random" in note]


def test_a_longer_draw_begins_with_a_shorter_one():
    assert in_drawn_order(TOPICS[::-1], 3) == in_drawn_order(TOPICS, 3)
    assert in_drawn_order(TOPICS, 3) != in_drawn_order(TOPICS, 4)


def test_the_difference_of_two_means_has_the_p_of_welch():
    draw = np.random.default_rng(0)
    first, second = draw.normal(0, 1, 12), draw.normal(0.4, 2, 30)
    assert welch_p(first, second) == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue)


# Single pairs.

SIZES = {"1": 4, "2": 5}


def every_sample(population, sizes):
    """All samples of three of each stratum."""
    by_stratum = [[pair for pair, stratum in population.items() if stratum == name] for name in sizes]
    return itertools.product(*(itertools.combinations(pairs, 3) for pairs in by_stratum))


@pytest.mark.parametrize("seed", range(sample(2, 20)))
def test_corrected_pairs_have_the_right_mean_and_variance_over_all_samples(seed):
    draw = np.random.default_rng(seed)
    strata = np.array([0] * 4 + [1] * 5)
    human, machine = draw.random(9), draw.random(9)
    model = np.array([machine[:3].sum(), machine[3:].sum()])
    estimates = []
    for chosen in itertools.product(itertools.combinations(range(4), 3), itertools.combinations(range(4, 9), 3)):
        rows = [*chosen[0], *chosen[1]]
        parts = (part[None, None, rows] for part in (human, machine))
        pairs = CheckedPairs(model[None, None], model[None, None], *parts, strata[rows], np.array([4, 5]))
        estimates.append(pairs.correction(0, 0).corrected)
    values = np.array([estimate.value for estimate in estimates])
    assert values.mean() == pytest.approx(human.sum() / 2)
    assert np.mean([estimate.error**2 for estimate in estimates]) == pytest.approx(values.var())


def sampled_file(path, people, population, sampled):
    lines = []
    for (topic, document), stratum in population.items():
        grade = people[topic][document] if (topic, document) in sampled else -1
        lines.append(f"{topic} 0 {document} {stratum} {grade}\n")
    path.write_text("".join(lines))
    return path


@pytest.fixture
def pairs(tmp_path):
    """A model's judgments, two runs, the pairs that people could judge, and a file of those that they judged."""
    model, _, runs = random_collection(11, topics=TOPICS[:8])
    _, truth, _ = random_collection(11, checked=8, topics=TOPICS[:8])
    runs = {name: runs[name] for name in ("bm25", "dense")}
    population = {(topic, document): str(1 + (model[topic][document] > 0)) for topic in model for document in DOCUMENTS}
    draw = random.Random(12)
    sampled = {
        pair
        for name, number in (("1", 14), ("2", 20))
        for pair in draw.sample([pair for pair, stratum in population.items() if stratum == name], number)
    }
    return model, truth, runs, population, sampled, sampled_file(tmp_path / "pairs", truth, population, sampled)


def weights(measure, rank):
    """w of a result, and what a grade gains, as the papers have it."""
    return {
        "P@5": (0.2 if rank <= 5 else 0, lambda grade: grade > 0),
        "DCG@10": (1 / math.log2(rank + 1) if rank <= 10 else 0, lambda grade: grade),
        "RBP": (0.2 * 0.8 ** (rank - 1), lambda grade: grade > 0),
    }[measure]


@pytest.mark.parametrize("measure", ["P@5", "DCG@10", "RBP"])
def test_pairs_that_people_checked_correct_sums_of_gains(pairs, measure):
    model, truth, runs, population, sampled, path = pairs
    found = assay.evaluate(model, runs, [measure], checked=path)
    alone = assay.evaluate(model, runs, [measure])
    human, machine, strata = {name: [] for name in runs}, {name: [] for name in runs}, []
    for topic, document in sorted(sampled):
        strata.append(population[topic, document])
        for name, run in runs.items():
            rank = sorted(run[topic], key=lambda each: -run[topic][each]).index(document) + 1
            w, gain = weights(measure, rank)
            human[name].append(w * gain(truth[topic][document]))
            machine[name].append(w * gain(model[topic][document]))
    sizes = {name: list(population.values()).count(name) for name in ("1", "2")}
    for name in runs:
        values = [alone[name, measure, topic] for topic in alone.topics]
        theta, error = naive_checked.corrected_by_pairs(values, human[name], machine[name], strata, sizes)
        correction = found.correction(name, measure)
        assert (found[name, measure], correction.corrected.error) == pytest.approx((theta, error))
        assert correction.corrected.free == len(sampled) - 2
        for topic in alone.topics:
            here = [number for number, (of, _) in enumerate(sorted(sampled)) if of == topic]
            change = sum(human[name][number] - machine[name][number] for number in here)
            assert found[name, measure, topic] == pytest.approx(alone[name, measure, topic] + change)
    (pair,) = assay.compare(found, measure, baseline="bm25").pairs
    apart = [[a - b for a, b in zip(of["dense"], of["bm25"], strict=True)] for of in (human, machine)]
    values = [alone["dense", measure, topic] - alone["bm25", measure, topic] for topic in alone.topics]
    theta, error = naive_checked.corrected_by_pairs(values, *apart, strata, sizes)
    assert pair.difference == pytest.approx(theta)
    assert pair.p == pytest.approx(2 * stats.t(len(sampled) - 2).sf(abs(theta) / error))


def test_pairs_that_were_all_checked_give_the_values_of_people(pairs, tmp_path):
    model, truth, runs, population, _, _ = pairs
    path = sampled_file(tmp_path / "all", truth, population, set(population))
    found = assay.evaluate(model, runs, ["P@5"], checked=assay.read_judgments(path, format="sampled"))
    assert found["bm25", "P@5"] == pytest.approx(assay.evaluate(truth, runs, ["P@5"])["bm25", "P@5"])
    assert found.correction("bm25", "P@5").corrected.error == pytest.approx(0, abs=1e-9)


def test_an_interval_without_width_is_noted(pairs, tmp_path):
    model, _, runs, population, sampled, _ = pairs
    path = sampled_file(tmp_path / "agreed", model, population, sampled)
    notes = assay.evaluate(model, runs, "P@5", checked=path).notes
    assert notes[-1] == (
        f"{path}: people agreed with the model on all sampled pairs that count, so P@5 of bm25, P@5 of dense have an "
        "interval without width; ask people to check more pairs"
    )
    everything = sampled_file(tmp_path / "all", model, population, set(population))
    assert not [note for note in assay.evaluate(model, runs, "P@5", checked=everything).notes if "agreed with" in note]


def test_saved_pairs_are_read_again(pairs, tmp_path):
    model, _, runs, *_, path = pairs
    scores = assay.evaluate(model, runs, ["P@5", "RBP"], checked=path)
    scores.save(tmp_path / "saved.json")
    read = assay.read_scores(tmp_path / "saved.json")
    for run in runs:
        assert read.correction(run, "RBP") == scores.correction(run, "RBP")
    assert read.only("RBP")["dense", "RBP"] == scores["dense", "RBP"]


@pytest.mark.parametrize(
    ("measure", "needs"),
    [
        ("AP", "depends on the number of relevant documents or on several results at once"),
        ("nDCG@10", "depends on the number of relevant documents or on several results at once"),
        ("P", "has no cut-off at a rank"),
        ("RBP(graded=True)", "divides by the highest grade of the topic"),
    ],
)
def test_single_pairs_cannot_correct_other_measures(pairs, measure, needs):
    model, _, runs, *_, path = pairs
    with pytest.raises(UsageError) as error:
        assay.evaluate(model, runs, [measure], checked=path)
    assert str(error.value) == (
        f"{measure} {needs}, so people must judge whole topics; single checked pairs can correct only P@k, DCG and RBP"
    )


def test_a_retrieved_pair_outside_the_population_is_refused(pairs, tmp_path):
    model, truth, runs, population, sampled, _ = pairs
    topic, document = TOPICS[2], max(runs["bm25"][TOPICS[2]], key=runs["bm25"][TOPICS[2]].get)
    less = {pair: stratum for pair, stratum in population.items() if pair != (topic, document)}
    path = sampled_file(tmp_path / "less", truth, less, sampled)
    with pytest.raises(InputError) as error:
        assay.evaluate(model, {"bm25": runs["bm25"]}, ["P@5"], checked=path)
    assert str(error.value) == (
        f"{path}: no row for document {document} of topic {topic}, which a run has at rank 1; "
        "expected all retrieved pairs, with grade -1 if people did not judge them"
    )


def test_a_topic_without_pairs_in_the_population_is_refused(pairs, tmp_path):
    model, truth, runs, population, sampled, _ = pairs
    less = {pair: stratum for pair, stratum in population.items() if pair[0] != TOPICS[2]}
    path = sampled_file(tmp_path / "less", truth, less, sampled)
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, ["P@5"], checked=path)
    assert str(error.value) == (
        f"{path}: no row for any document of topic {TOPICS[2]}, which bm25 has results for; "
        "expected all retrieved pairs, with grade -1 if people did not judge them"
    )
    without = {name: {topic: results for topic, results in run.items() if topic != TOPICS[2]} for name, run in runs.items()}
    assert assay.evaluate(model, without, ["P@5"], checked=path).correction("bm25", "P@5").checked == len(
        {pair for pair in sampled if pair[0] != TOPICS[2]}
    )


@pytest.mark.parametrize("names", [{"1": "0", "2": "1"}, {"1": "low", "2": "high"}])
@pytest.mark.parametrize("drawn", ["some", "all"])
def test_five_columns_are_always_a_sample_of_pairs(pairs, tmp_path, names, drawn):
    model, truth, runs, population, sampled, _ = pairs
    of = sampled if drawn == "some" else set(population)
    expected = assay.evaluate(
        model, runs, "P@5",
        checked=assay.read_judgments(sampled_file(tmp_path / "a", truth, population, of), format="sampled"),
    )  # fmt: skip
    renamed = {pair: names[stratum] for pair, stratum in population.items()}
    found = assay.evaluate(model, runs, "P@5", checked=sampled_file(tmp_path / "b", truth, renamed, of))
    assert found.correction("dense", "P@5") == expected.correction("dense", "P@5")
    assert not [note for note in found.notes if "nothing relevant" in note]


def test_a_column_of_strata_is_always_a_sample_of_pairs(pairs):
    model, truth, runs, population, sampled, _ = pairs
    rows = [{"topic": t, "document": d, "stratum": stratum, "grade": truth[t][d]} for (t, d), stratum in population.items()]
    assert assay.evaluate(model, runs, "P@5", checked=rows).correction("bm25", "P@5").total == len(population)
    with pytest.raises(InputError, match=r"^checked: no row for (any )?document .*; expected all retrieved pairs"):
        assay.evaluate(model, runs, "P@5", checked=[row for row in rows if (row["topic"], row["document"]) in sampled])


def test_a_stratum_without_two_judged_pairs_is_refused(pairs, tmp_path):
    model, truth, runs, population, sampled, _ = pairs
    kept = {pair for pair in sampled if population[pair] == "2"}
    path = sampled_file(tmp_path / "one", truth, population, kept)
    with pytest.raises(InputError) as error:
        assay.evaluate(model, runs, ["P@5"], checked=path)
    size = list(population.values()).count("1")
    assert str(error.value) == f"{path}: stratum 1 has 0 judged pairs of {size}; a variance needs at least 2"


@pytest.mark.parametrize("option", [{"ties": "expected"}, {"judged_only": True}, {"topics": "common"}])
def test_rules_that_leave_ranks_open_are_refused_with_pairs(pairs, option):
    model, _, runs, *_, path = pairs
    with pytest.raises(UsageError) as error:
        assay.evaluate(model, runs, ["P@5"], checked=path, **option)
    assert str(error.value) == (
        "correction by checked pairs needs the rank of each result; leave out ties=expected, judged_only= and topics="
    )


def test_groups_need_checked_topics(pairs):
    model, _, runs, *_, path = pairs
    with pytest.raises(UsageError) as error:
        assay.evaluate(model, runs, ["P@5"], checked=path, by=dict.fromkeys(TOPICS, "a"))
    assert str(error.value) == (
        "checked pairs sample all topics together; to correct groups of topics, check whole topics"
    )


def test_a_term_is_what_a_result_adds_to_a_measure():
    grades, ranks = np.array([0, 1, 2]), np.array([1, 2, 7])
    assert terms(one_measure("P@5"), ranks, grades).tolist() == [0, 0.2, 0]
    assert terms(one_measure("DCG"), ranks, grades) == pytest.approx([0, 1 / math.log2(3), 2 / 3])
    assert terms(one_measure("RBP"), ranks, grades) == pytest.approx([0, 0.2 * 0.8, 0.2 * 0.8**6])


def test_facts_are_corrected_as_any_mean():
    chance = random.Random(3)
    topics = [f"q{number:02}" for number in range(40)]

    def gold(topic, missing):
        facts = [fact for fact in range(3) if chance.random() >= missing] or [0]
        return [{"query_id": topic, "doc_id": "d", "start": 20 * fact, "end": 20 * fact + 10, "fact": str(fact)} for fact in facts]

    model = [row for topic in topics for row in gold(topic, missing=0.3)]
    people = [row for topic in topics[:15] for row in gold(topic, missing=0.0)]
    found = {topic: [("d", start, start + 10) for start in (0, 20, 40) if chance.random() < 0.6] for topic in topics}
    run = {"a": {topic: spans or [("d", 60, 70)] for topic, spans in found.items()}}
    by_model, by_people = (assay.evaluate(each, run, "FactRecall@5") for each in (model, people))
    h, m = ([float(each["a", "FactRecall@5", topic]) for topic in topics[:15]] for each in (by_people, by_model))
    u = [float(by_model["a", "FactRecall@5", topic]) for topic in topics[15:]]
    together = statistics.variance([*m, *u])
    weight = min(1, max(0, statistics.covariance(h, m) / ((1 + 15 / 25) * together)))
    expected = weight * statistics.fmean(u) + statistics.fmean(a - weight * b for a, b in zip(h, m, strict=True))
    corrected = assay.evaluate(model, run, "FactRecall@5", checked=people)
    assert corrected["a", "FactRecall@5"] == pytest.approx(expected)
