"""Every measure of graded elements against one that follows its definition with sets and fractions, on random trees and runs."""

from fractions import Fraction
from itertools import product

import naive_graded as naive
import numpy as np
import pytest
from graded_tables import judgments_of, run_of
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import evaluate
from assay.elements import Base
from assay.measures.inex import inex2002, inex2003

QUANTISATIONS = {"2003": ("strict", "gen", "sog"), "2005": ("strict", "gen", "genLifted")}
SCALES = pytest.mark.parametrize("scale", list(QUANTISATIONS))
RANKS = (1, 2, 5, 20)
LEVELS = ("0.01", "0.1", "0.25", "0.5", "1")


def of_curve(name, *arguments, **options):
    return lambda curve: getattr(naive, name)(curve, *arguments, **options)


# {} stands for the view
MEASURES = {
    **{f"CG({{}})@{i}": of_curve("cumulated", i) for i in RANKS},
    **{f"nxCG({{}})@{i}": of_curve("nxcg", i) for i in RANKS},
    **{f"MAnxCG({{}})@{i}": of_curve("manxcg", i) for i in RANKS},
    **{f"gr({{}})@{i}": of_curve("gr", i) for i in RANKS},
    **{f"ep({{}})@{x}": of_curve("ep", Fraction(x)) for x in ("0", *LEVELS)},
    "Aep({})": naive.aep,
    "iAep({})": naive.iaep,
    "Q({})": naive.q,
    "Q({}, as_printed=True)": of_curve("q", as_printed=True),
    "Rmeasure({})": naive.r_measure,
    "Rmeasure({}, as_printed=True)": of_curve("r_measure", as_printed=True),
}
FETCH_AND_BROWSE = {"Aep": naive.aep, "iAep": naive.iaep}


def views(scale, known_sizes):
    """Every way to value elements that makes a difference; by unseen size only where the sizes of all results are known."""
    found, others = [], ["independent", "discounted"] + ["size"] * known_sizes
    for quant, rule in product(QUANTISATIONS[scale], ("2005", "2004")):
        found += [naive.View(scale, quant, "on", Fraction(alpha), "recursive", rule) for alpha in ("0", "0.5", "1")]
        found += [naive.View(scale, quant, "on", Fraction(1), rv, rule) for rv in others]
    return found + [naive.View(scale, quant, "off", Fraction(1), rv) for quant in QUANTISATIONS[scale] for rv in ("recursive", "discounted")]


def named(view):
    return f"quant={view.quant}, overlap={view.overlap}, alpha={float(view.alpha):g}, rv={view.rv}, rule={view.rule}"


def expected(assessed, results, view):
    """The exact value of every measure of a topic."""
    curve, articles = naive.curve(assessed, results, view), naive.article_curve(assessed, results, view)
    found = {name.format(named(view)): measure(curve) for name, measure in MEASURES.items()}
    for name, measure in FETCH_AND_BROWSE.items():
        found[f"{name}({named(view)}, level=article)"] = measure(articles)
        found[f"{name}({named(view)}, level=element)"] = naive.by_article(measure, assessed, results, view)
    return found


def measured(assessed, run, scale, measures):
    """{topic: [value, …]} by Assay, in the order of the measures."""
    floats = {
        topic: {d: {path: (e, float(s), size) for path, (e, s, size) in tree.items()} for d, tree in documents.items()}
        for topic, documents in assessed.items()
    }
    scores = evaluate(judgments_of(floats, scale), run_of(run), measures)
    return {topic: scores.values[0, :, at].tolist() for at, topic in enumerate(scores.topics)}


def assert_equal(values, exact):
    """Floats and fractions are the same, but for rounding."""
    wrong = {name: (value, float(exact[name])) for name, value in zip(exact, values, strict=True) if value != pytest.approx(float(exact[name]), rel=1e-12)}
    assert not wrong


# Random cases


@st.composite
def trees(draw, scale, path="/a[1]", depth=1):
    """{path: (e, s, size)} of an element and all within it: no deeper than 4, e never grows downwards, sizes add up."""
    found, inside, least, most = {}, 0, 0, 3 if scale == "2003" else 2
    for step in draw(st.lists(st.sampled_from(["b[1]", "b[2]", "b[11]", "c[1]"]), max_size=3, unique=True)) if depth < 4 else []:
        found |= draw(trees(scale, f"{path}/{step}", depth + 1))
        e, _, size = found[f"{path}/{step}"]
        inside, least = inside + size, max(least, e)
    e = draw(st.sampled_from([least, least, *range(least, most + 1)]))
    size = inside + draw(st.integers(0 if inside else 1, 4))
    if scale == "2003":
        return {path: (e, draw(st.integers(1, 3)) if e else 0, size), **found}
    e = e or draw(st.sampled_from([0, -1]))
    share = st.just(Fraction(1)) | st.integers(1, size).map(lambda part: Fraction(part, size)) | st.integers(1, 20).map(lambda n: Fraction(n, 20))
    return {path: (e, draw(share) if e else Fraction(0), size), **found}


@st.composite
def cases(draw, scale, all_assessed=False):
    """({topic: {document: {path: (e, s, size)}}}, {topic: [(document, path), …]}).

    Some elements of the trees are not assessed; results may be such elements, ones that nobody knows, or from documents that were
    not judged, unless all have to be assessed. Topics may have nothing relevant, and the second may be missing in the run.
    """
    assessed, run = {}, {}
    for topic in ("1", "2")[: draw(st.integers(1, 2))]:
        whole = {f"d{n}": draw(trees(scale)) for n in range(draw(st.integers(1, 3)))}
        elements = [(document, path) for document, tree in whole.items() for path in tree]
        left_out = [] if all_assessed else draw(st.lists(st.sampled_from(elements), max_size=3))
        assessed[topic] = {d: {path: tree[path] for path in tree if (d, path) not in left_out} for d, tree in whole.items()}
        if not all_assessed:
            elements += [(d, f"{path}/x[1]") for d, path in draw(st.lists(st.sampled_from(elements), max_size=3))] + [("unjudged", "/a[1]")]
        if topic == "1" or draw(st.booleans()):
            run[topic] = draw(st.lists(st.sampled_from(elements), min_size=1, max_size=12, unique=True))
    return assessed, run


# Agreement


@SCALES
@pytest.mark.parametrize("all_assessed", [False, True])
@given(data=st.data())
@settings(max_examples=60)
def test_every_measure_agrees(scale, all_assessed, data):
    assessed, run = data.draw(cases(scale, all_assessed))
    chosen = data.draw(st.lists(st.sampled_from(views(scale, all_assessed)), min_size=3, max_size=3, unique=True))
    exact = {topic: {} for topic in assessed}
    for topic, view in product(assessed, chosen):
        exact[topic] |= expected(assessed[topic], run.get(topic, []), view)
    for topic, values in measured(assessed, run, scale, list(exact["1"])).items():
        assert_equal(values, exact[topic])
