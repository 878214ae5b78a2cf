"""A gate where a model judged and people checked: corrected values are required, and corrected differences tested."""

import json
import random

import pytest
from scipy import stats

import assay
from assay.errors import InputError, UsageError
from assay.evaluation.check_by_people import in_drawn_order
from helpers import naive_checked

TOPICS = [f"q{number:02d}" for number in range(40)]
DOCUMENTS = [f"d{number:02d}" for number in range(10)]


@pytest.fixture(scope="module")
def collection():
    """A model's judgments, people's, the run of before and a worse one."""
    draw = random.Random(21)
    truth = {topic: {document: int(draw.random() < 0.4) for document in DOCUMENTS} for topic in TOPICS}
    model = {
        topic: {document: grade if draw.random() < 0.85 else 1 - grade for document, grade in grades.items()}
        for topic, grades in truth.items()
    }
    before, after = (
        {topic: {document: draw.random() + skill * grade for document, grade in truth[topic].items()} for topic in TOPICS}
        for skill in (0.8, 0.5)
    )
    people = {topic: truth[topic] for topic in in_drawn_order(TOPICS, 0)[:16]}
    return model, people, before, after


@pytest.fixture(scope="module")
def baseline(collection, tmp_path_factory):
    model, people, before, _ = collection
    path = tmp_path_factory.mktemp("gate") / "baseline.json"
    assay.evaluate(model, {"before": before}, ["P@5"], checked=people).save(path)
    return path


def difference(collection):
    """θ and se of after − before, of plain sums."""
    model, people, before, after = collection
    by_model, by_people = (assay.evaluate(judged, {"a": after, "b": before}, ["P@5"]) for judged in (model, people))

    def apart(scores, topic):
        return scores["a", "P@5", topic] - scores["b", "P@5", topic]

    h, m = ([apart(scores, topic) for topic in by_people.topics] for scores in (by_people, by_model))
    theta, error, _ = naive_checked.corrected(h, m, [apart(by_model, topic) for topic in TOPICS if topic not in people])
    return theta, error


def test_what_is_required_is_the_corrected_value(collection):
    model, people, _, after = collection
    value = assay.evaluate(model, after, ["P@5"], checked=people)["P@5"]
    for bound, passes in ((value - 1e-6, True), (value + 1e-6, False)):
        assert assay.gate(model, after, require=f"P@5 >= {bound}", checked=people).passed == passes


@pytest.mark.parametrize("margin", [None, 0.0, 0.2, 0.5])
def test_a_loss_is_tested_by_the_corrected_difference(collection, baseline, margin):
    model, people, _, after = collection
    (check,) = assay.gate(model, after, not_worse_than=baseline, margin=margin, checked=people).checks
    theta, error = difference(collection)
    t = stats.t(15)
    p = t.cdf(theta / error) if margin is None else t.sf((theta + margin) / error)
    assert (check.difference, check.p) == pytest.approx((theta, p))
    assert check.passed == (p > 0.05 if margin is None else p <= 0.05)
    assert (check.low, check.high) == pytest.approx((theta - t.ppf(0.95) * error, theta + t.ppf(0.95) * error))
    assert check.about.endswith(
        "; t-test of the corrected difference, which has its own λ, one-tailed at 0.05, 16 of 40 topics checked by people"
    )


def test_topics_of_a_baseline_may_be_in_another_order(collection, baseline, tmp_path):
    model, people, _, after = collection
    turned = {topic: model[topic] for topic in reversed(TOPICS)}
    now = assay.gate(turned, after, not_worse_than=baseline, checked=people).checks[0]
    assert now.p == pytest.approx(assay.gate(model, after, not_worse_than=baseline, checked=people).checks[0].p)


def test_a_mean_alone_is_the_corrected_one(collection, baseline):
    model, people, _, after = collection
    (check,) = assay.gate(model, after, not_worse_than=baseline, means_only=True, checked=people).checks
    was = assay.read_scores(baseline)["before", "P@5"]
    assert check.baseline == was
    assert check.passed == (check.value >= was)


def test_checked_pairs_are_compared_with_those_of_the_baseline(collection, tmp_path):
    model, _, before, after = collection
    rows = [(topic, document) for topic in TOPICS for document in DOCUMENTS]
    sampled = set(random.Random(3).sample(rows, 150))
    truth = random.Random(4)
    lines = [f"{t} 0 {d} 1 {truth.randint(0, 1) if (t, d) in sampled else -1}\n" for t, d in rows]
    (tmp_path / "pairs").write_text("".join(lines))
    (tmp_path / "turned").write_text("".join(reversed(lines)))
    both = assay.evaluate(model, {"a": after, "b": before}, ["P@5"], checked=tmp_path / "pairs")
    assay.evaluate(model, {"b": before}, ["P@5"], checked=tmp_path / "pairs").save(tmp_path / "pairs.json")
    asked = {"not_worse_than": tmp_path / "pairs.json", "checked": tmp_path / "turned"}
    (check,) = assay.gate(model, {"a": after}, **asked).checks
    (pair,) = assay.compare(both, "P@5", baseline="b", tails=1).pairs
    assert (check.difference, 1 - check.p) == pytest.approx((pair.difference, pair.p))


def test_what_was_not_corrected_alike_is_an_error(collection, baseline, tmp_path):
    model, people, before, after = collection
    with pytest.raises(InputError) as error:
        assay.gate(model, after, not_worse_than=baseline)
    assert str(error.value) == f"{baseline}: people's judgments corrected this baseline; pass checked="
    assay.evaluate(model, {"before": before}, ["P@5"]).save(tmp_path / "plain.json")
    with pytest.raises(InputError) as error:
        assay.gate(model, after, not_worse_than=tmp_path / "plain.json", checked=people)
    assert str(error.value) == (
        f"{tmp_path}/plain.json: people's judgments correct the run, but not this baseline; "
        "leave out checked=, or save a new baseline"
    )
    fewer = dict(list(people.items())[:-1])
    prints = [json.loads(baseline.read_text())["rules"]["checked"]]
    prints.append(assay.evaluate(model, after, ["P@5"], checked=fewer).made_of().rules["checked"])
    with pytest.raises(InputError) as error:
        assay.gate(model, after, not_worse_than=baseline, checked=fewer)
    assert str(error.value) == (
        f"{baseline}: this baseline and the run were corrected by different judgments of people "
        f"({prints[0][:8]} and {prints[1][:8]}); use the same judgments, or save a new baseline"
    )


def test_another_test_is_refused(collection, baseline):
    model, people, _, after = collection
    with pytest.raises(UsageError) as error:
        assay.gate(model, after, not_worse_than=baseline, checked=people, test="bootstrap")
    assert str(error.value) == (
        "differences corrected by people's judgments have their own t-test; leave out test=bootstrap"
    )


def test_it_tells_how_small_a_loss_would_be_noticed(collection, baseline):
    model, people, _, after = collection
    (check,) = assay.gate(model, after, not_worse_than=baseline, checked=people).checks
    _, error = difference(collection)
    least = float(check.about.split("a loss of ")[1].split(" with ")[0])
    critical = stats.t(15).ppf(0.95)
    # the power of a t-test whose true loss is the least that is noticed
    assert stats.nct(15, least / error).sf(critical) == pytest.approx(0.8, abs=0.005)
