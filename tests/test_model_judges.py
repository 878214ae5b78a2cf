"""docs/model-judges.md: every number is derived by hand from the example's files; and how well the intervals hold."""

import importlib.util
import math
import re

import pytest

import assay
from helpers.pages import blocks
from helpers.places import ROOT
from helpers.samples import sample

PAGE = (ROOT / "docs/model-judges.md").read_text("utf-8")
FOLDER = ROOT / "examples" / "checked"
BY_HAND = PAGE[PAGE.index("## By hand") : PAGE.index("## Single judgments")]
STEP = re.compile(r"^([^Σ\n]+?) = ([^Σ\n]+) = (−?[\d.]+)$", re.MULTILINE)
STEPS = STEP.findall("\n".join(blocks("text", BY_HAND)))


def in_python(expression):
    """What an expression is, as it is printed."""
    text = expression.replace("·", "*").replace("−", "-").replace("√", "math.sqrt").replace("²", "**2")
    return eval(text, {"math": math})


@pytest.mark.parametrize(("name", "expression", "number"), STEPS, ids=[f"{name} = {number}" for name, _, number in STEPS])
def test_each_step_of_the_derivation_gives_the_number_beside_it(name, expression, number):
    digits = len(number.partition(".")[2])
    # what is put in has six digits behind the point itself
    assert in_python(expression) == pytest.approx(in_python(number), abs=0.5 * 10**-digits + 2e-6)


def fifths(judgments, run):
    """How many of the five results of each topic are relevant."""
    grades, found = {}, {}
    for line in (FOLDER / judgments).read_text().splitlines():
        topic, _, document, grade = line.split()
        grades[topic, document] = int(grade)
    for line in (FOLDER / run).read_text().splitlines():
        topic, _, document, *_ = line.split()
        found[topic] = found.get(topic, 0) + grades.get((topic, document), 0)
    judged = {topic for topic, _ in grades}
    return {topic: number for topic, number in found.items() if topic in judged}


def listed(letter, part):
    """A row of numbers of the page."""
    row = re.search(rf"^{letter}   ((?:−?\d+ )+)", part, re.MULTILINE)[1]
    return [int(number.replace("−", "-")) for number in row.split()]


def test_the_numbers_it_begins_with_are_those_of_the_files():
    by_people, by_model = fifths("people.qrels", "dense.run"), fifths("model.qrels", "dense.run")
    others = {name: fifths(name, "bm25.run") for name in ("people.qrels", "model.qrels")}
    assert ", ".join(list(by_people)[:-1]) + " and q29" in BY_HAND.replace("\n", " ")
    alone, apart = BY_HAND.split("The difference bm25 − dense")
    for part, sign in ((alone, 0), (apart, 1)):
        h = [sign * others["people.qrels"][topic] + (1 - 2 * sign) * by_people[topic] for topic in by_people]
        m = [sign * others["model.qrels"][topic] + (1 - 2 * sign) * by_model[topic] for topic in by_people]
        rest = [topic for topic in by_model if topic not in by_people]
        u = [sign * others["model.qrels"][topic] + (1 - 2 * sign) * by_model[topic] for topic in rest]
        assert [listed(letter, part) for letter in "hmu"] == [h, m, u]
        for letter, values in (("h", h), ("m", m), ("u", u)):
            assert f"Σ {letter} = {sum(values)} ".replace("-", "−") in part
            assert f"Σ {letter}² = {sum(value**2 for value in values)}" in part
        assert f"Σ h·m = {sum(a * b for a, b in zip(h, m, strict=True))}".replace("-", "−") in part


def test_it_ends_with_what_assay_prints():
    scores = assay.evaluate(FOLDER / "model.qrels", [FOLDER / "bm25.run", FOLDER / "dense.run"], ["P@5"],
                            checked=FOLDER / "people.qrels")  # fmt: skip
    found = scores.correction("dense", "P@5")
    derived = {name: float(number) for name, _, number in STEPS}
    low, high = found.corrected.interval()
    people_low, people_high = found.people.interval()
    bias_low, bias_high = found.bias.interval()
    expected = {
        "value": found.value, "low": low, "high": high, "model": found.model, "people": found.people.value,
        "people low": people_low, "people high": people_high, "worth": found.worth, "bias": found.bias.value,
        "bias low": bias_low, "bias high": bias_high,
        "difference": scores.checked.correction(0, 0, minus=1).value,
    }  # fmt: skip
    for name, value in expected.items():
        assert f"{value:.4f}" == f"{derived[name]:.4f}", name


# How well it works: the benchmark in short.


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_checked", ROOT / "benchmarks" / "checked.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("judge", ["good", "noisy", "generous", "biased", "useless"])
def test_the_interval_holds_the_mean_of_the_population(benchmark, judge):
    collections = sample(600, 10_000)
    held, width, widest = benchmark.coverage(judge, 40, collections)
    # four standard errors of a share, beyond the 93 to 97% that are asked for
    assert held == pytest.approx(0.95, abs=0.02 + 4 * math.sqrt(0.05 * 0.95 / collections))
    assert widest <= 1.05
    assert width <= (0.8 if judge == "good" else 1.01)


def test_a_judge_that_swaps_two_systems_is_caught_as_often_as_theory_says(benchmark):
    collections = sample(600, 10_000)
    swapped, found, power = benchmark.caught(40, collections)
    assert swapped > 0.99
    assert found == pytest.approx(power, abs=0.02 + 4 * math.sqrt(power * (1 - power) / collections))
