"""Every measure of graded elements against one that follows its definition with sets and fractions, on random trees and
runs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate
from assay.measures.precall import inex2002, inex2003
from assay.ranking.element_trees import Base
from helpers import naive_graded as naive
from helpers.graded_tables import judgments_of, run_of
from helpers.measures import parsed

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
    """Every way to value elements that makes a difference; by unseen size only where the sizes of all results are
    known."""
    found, others = [], ["independent", "discounted"] + ["size"] * known_sizes
    for quant, rule in product(QUANTISATIONS[scale], ("2005", "2004")):
        found += [naive.View(scale, quant, "on", Fraction(alpha), "recursive", rule) for alpha in ("0", "0.5", "1")]
        found += [naive.View(scale, quant, "on", Fraction(1), rv, rule) for rv in others]
    pairs = product(QUANTISATIONS[scale], ("recursive", "discounted"))
    return found + [naive.View(scale, quant, "off", Fraction(1), rv) for quant, rv in pairs]


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


def in_floats(assessed):
    return {
        topic: {d: {path: (e, float(s), size) for path, (e, s, size) in tree.items()} for d, tree in documents.items()}
        for topic, documents in assessed.items()
    }


def measured(assessed, run, scale, measures):
    """{topic: [value, …]} by Assay, in the order of the measures."""
    scores = evaluate(judgments_of(in_floats(assessed), scale), run_of(run), list(map(parsed, measures)))
    return {topic: scores.values[0, :, at].tolist() for at, topic in enumerate(scores.topics)}


def assert_equal(values, exact):
    """Floats and fractions are the same, but for rounding."""
    pairs = [(name, value, float(exact[name])) for name, value in zip(exact, values, strict=True)]
    assert [pair for pair in pairs if pair[1] != pytest.approx(pair[2], rel=1e-12)] == []


# Random cases


@st.composite
def trees(draw, scale, path="/a[1]", depth=1):
    """{path: (e, s, size)} of an element and all within it: no deeper than 4, e never grows downwards, sizes add up."""
    found, inside, least, most = {}, 0, 0, 3 if scale == "2003" else 2
    for step in (
        draw(st.lists(st.sampled_from(["b[1]", "b[2]", "b[11]", "c[1]"]), max_size=3, unique=True)) if depth < 4 else []
    ):
        found |= draw(trees(scale, f"{path}/{step}", depth + 1))
        e, _, size = found[f"{path}/{step}"]
        inside, least = inside + size, max(least, e)
    e = draw(st.sampled_from([least, least, *range(least, most + 1)]))
    size = inside + draw(st.integers(0 if inside else 1, 4))
    if scale == "2003":
        return {path: (e, draw(st.integers(1, 3)) if e else 0, size), **found}
    e = e or draw(st.sampled_from([0, -1]))
    whole = draw(st.sampled_from([1, 20, size]))
    return {path: (e, Fraction(draw(st.integers(int(e != 0), whole)), whole), size), **found}


@st.composite
def cases(draw, scale, all_assessed=False):
    """({topic: {document: {path: (e, s, size)}}}, {topic: [(document, path), …]}).

    Some elements of the trees are not assessed; results may be such elements, ones that nobody knows, or from documents
    that were not judged, unless all have to be assessed. Topics may have nothing relevant, and the second may be
    missing in the run.
    """
    assessed, run = {}, {}
    for topic in ("1", "2")[: draw(st.integers(1, 2))]:
        whole = {f"d{n}": draw(trees(scale)) for n in range(draw(st.integers(1, 3)))}
        elements = [(document, path) for document, tree in whole.items() for path in tree]
        left_out = [] if all_assessed else draw(st.lists(st.sampled_from(elements), max_size=3))
        assessed[topic] = {
            d: {path: tree[path] for path in tree if (d, path) not in left_out} for d, tree in whole.items()
        }
        if not all_assessed:
            elements += [(d, f"{path}/x[1]") for d, path in draw(st.lists(st.sampled_from(elements), max_size=3))]
            elements.append(("unjudged", "/a[1]"))
        if topic == "1" or draw(st.booleans()):
            run[topic] = draw(st.lists(st.sampled_from(elements), min_size=1, max_size=12, unique=True))
    return assessed, run


# Agreement


@SCALES
@pytest.mark.parametrize("all_assessed", [False, True])
@given(data=st.data())
def test_every_measure_agrees(scale, all_assessed, data):
    assessed, run = data.draw(cases(scale, all_assessed))
    chosen = data.draw(st.lists(st.sampled_from(views(scale, all_assessed)), min_size=3, max_size=3, unique=True))
    exact = {topic: {} for topic in assessed}
    for topic, view in product(assessed, chosen):
        exact[topic] |= expected(assessed[topic], run.get(topic, []), view)
    for topic, values in measured(assessed, run, scale, list(exact["1"])).items():
        assert_equal(values, exact[topic])


@SCALES
@given(data=st.data())
def test_inex2002_agrees(scale, data):
    assessed, run = data.draw(cases(scale))
    # results with one score are one level; by the scale of 2005 only strict stays below 1, and so has a share that is not relevant
    run = {topic: [(*result, data.draw(st.integers(1, 4))) for result in results] for topic, results in run.items()}
    quant = data.draw(st.sampled_from(QUANTISATIONS[scale] if scale == "2003" else ["strict"]))
    collection = data.draw(st.sampled_from([0, 150, 500]))
    measures = [inex2002(quant=quant, collection=collection)]
    measures += [inex2002(quant=quant, collection=collection, recall=float(x)) for x in LEVELS]
    for topic, values in measured(assessed, run, scale, measures).items():
        given_to = assessed[topic], run.get(topic, []), scale, quant
        exact = [naive.mean_of_levels(naive.inex2002, *given_to, collection=collection)]
        exact += [naive.inex2002(*given_to, Fraction(x), collection=collection) for x in LEVELS]
        assert_equal(values, dict(zip(map(str, measures), exact, strict=True)))


@SCALES
@given(data=st.data())
def test_inex2003_agrees(scale, data):
    assessed, run = data.draw(cases(scale, all_assessed=True))
    quant = data.draw(st.sampled_from(["strict", "gen"]))
    measures = [inex2003(quant=quant)] + [inex2003(quant=quant, recall=float(x)) for x in LEVELS]
    for topic, values in measured(assessed, run, scale, measures).items():
        points = naive.recall_and_precision(assessed[topic], run.get(topic, []), scale, quant)
        exact = [naive.mean_of_levels(naive.inex2003, points)] + [naive.inex2003(points, Fraction(x)) for x in LEVELS]
        assert_equal(values, dict(zip(map(str, measures), exact, strict=True)))


@SCALES
@given(data=st.data())
def test_results_of_several_documents_with_one_score_stand_by_document_id_from_the_last(scale, data):
    assessed, run = data.draw(cases(scale))
    tied, ordered = {}, {}
    for topic, results in run.items():
        # the first results of all documents have one score, and so have the second ones
        scores = [-sum(document == other for other, _ in results[:at]) for at, (document, _) in enumerate(results)]
        tied[topic] = [(*result, score) for result, score in zip(results, scores, strict=True)]
        by_id = sorted(tied[topic], key=lambda row: row[0], reverse=True)
        ordered[topic] = [(document, path) for document, path, _ in sorted(by_id, key=lambda row: -row[2])]
    view = data.draw(st.sampled_from(views(scale, False)))
    exact = {topic: expected(assessed[topic], ordered.get(topic, []), view) for topic in assessed}
    for topic, values in measured(assessed, tied, scale, list(exact["1"])).items():
        assert_equal(values, exact[topic])


# What must hold


def best_run(assessed, view):
    """The recall-base behind the ideal vector of each topic, the highest score first."""
    run = {}
    for topic, documents in assessed.items():
        base = []
        for document, tree in documents.items():
            quant = naive.quantisation(view)
            chosen = naive.quantised(tree, quant) if view.overlap == "off" else naive.ideal_base(tree, quant, view.rule)
            base += [(score, (document, path)) for path, score in chosen.items()]
        run[topic] = [result for _, result in sorted(base, key=lambda one: -one[0])]
    return {topic: results for topic, results in run.items() if results}


@SCALES
@given(data=st.data())
def test_the_ideal_run_scores_1(scale, data):
    assessed, _ = data.draw(cases(scale))
    view = data.draw(st.sampled_from(views(scale, True)))
    run = best_run(assessed, view)
    names = [f"nxCG({named(view)})@{i}" for i in RANKS] + [
        f"{name}({named(view)})" for name in ("Aep", "iAep", "Q", "Rmeasure")
    ]
    for topic, values in measured(assessed, run or {"1": [("unjudged", "/a[1]")]}, scale, names).items():
        assert values == pytest.approx([float(topic in run)] * len(names), rel=1e-12)


@SCALES
@given(data=st.data())
def test_nxcg_is_never_above_1_at_alpha_1(scale, data):
    assessed, run = data.draw(cases(scale))
    names = [f"{name}(quant={quant}, rule={rule})@{i}" for name, quant, rule, i in
             product(("nxCG", "MAnxCG"), QUANTISATIONS[scale], ("2005", "2004"), RANKS)]
    assert all(max(values) <= 1 + 1e-12 for values in measured(assessed, run, scale, names).values())


@SCALES
@given(data=st.data())
def test_nothing_gains_more_than_there_is(scale, data):
    assessed, run = data.draw(cases(scale))
    chosen = views(scale, False)
    names = [f"gr({named(view)})@{i}" for view in chosen for i in RANKS]
    names += [f"nxCG({named(view)})@{i}" for view in chosen if view.overlap == "off" for i in RANKS]
    # further down than the ideal run goes
    names += [f"nxCG({named(view)})@1000" for view in chosen]
    assert all(max(values) <= 1 + 1e-12 for values in measured(assessed, run, scale, names).values())


def test_early_in_a_run_gain_may_be_above_the_ideal_and_nxcg_is_1():
    # By the rule of 2004 the two paragraphs are ideal, .5 each, and the article above both gives .75 of the 1 they have together.
    article, first, second = "/a[1]", "/a[1]/b[1]", "/a[1]/b[2]"
    assessed = {"1": {"d": {article: (3, 2, 10), first: (1, 3, 5), second: (1, 3, 5)}}}
    names = ["CG(rule=2004)@1", "nxCG(rule=2004)@1", "nxCG(rule=2004)@2", "nxCG@1", "nxCG(rule=2004, alpha=0.5)@1"]
    assert measured(assessed, {"1": [("d", article)]}, "2003", names) == {"1": [0.75, 1, 0.75, 1, 1.5]}


@SCALES
@given(data=st.data())
def test_to_someone_who_does_not_mind_overlap_elements_are_worth_their_scores(scale, data):
    assessed, run = data.draw(cases(scale))
    for quant, rule in product(QUANTISATIONS[scale], ("2005", "2004")):
        ways = product(("alpha=0", "rv=independent", "overlap=off"), RANKS)
        names = [f"CG(quant={quant}, rule={rule}, {way})@{i}" for way, i in ways]
        for values in measured(assessed, run, scale, names).values():
            lenient, independent, off = np.array(values).reshape(3, -1)
            assert lenient.tolist() == independent.tolist()
            # without the normalisation they would be the quantised scores themselves
            assert np.all(lenient <= off * (1 + 1e-12))


@SCALES
@given(data=st.data())
def test_what_comes_later_changes_nothing_before(scale, data):
    assessed, run = data.draw(cases(scale))
    view = data.draw(st.sampled_from(views(scale, False)))
    length = min(map(len, run.values()))
    names = [f"{name}({named(view)})@{i}" for name in ("nxCG", "MAnxCG", "gr") for i in range(1, length + 1)]
    longer = {
        topic: [*results, ("unjudged", "/a[1]/late[1]"), ("d0", "/a[1]/late[1]")] for topic, results in run.items()
    }
    assert measured(assessed, run, scale, names) == measured(assessed, longer, scale, names)


@SCALES
@given(data=st.data())
def test_ideal_elements_do_not_overlap_and_are_those_of_the_definition(scale, data):
    documents = data.draw(cases(scale))[0]["1"]
    elements = judgments_of(in_floats({"1": documents}), scale).elements
    base = Base("assessments", elements, np.zeros(len(documents), np.int64), 1)
    for quant, rule in product(QUANTISATIONS[scale], ("2005", "2004")):
        found = {document: set() for document in documents}
        for at in np.flatnonzero(base.ideal(quant, rule)):
            found[list(documents)[elements.row[at]]].add(elements.path[at])
        pairs = [pair for paths in found.values() for pair in product(paths, paths)]
        assert all(one == other or not naive.related(one, other) for one, other in pairs)
        value = naive.QUANTISATIONS[scale][quant]
        assert found == {document: set(naive.ideal_base(tree, value, rule)) for document, tree in documents.items()}


# What rounding and empty elements may not spoil, and the papers' numbers by the second implementation


@pytest.mark.parametrize(
    ("quant", "parent", "children"),
    [
        # .8 - .1 - .7 leaves nothing for the third
        ("gen", (1, Fraction("0.8"), 9), [(1, Fraction("0.1"), 3), (1, Fraction("0.7"), 3), (1, Fraction("0.7"), 3)]),
        # 2 · .15 is 3 · .1, and of equals the ancestor is ideal
        ("genLifted", (1, Fraction("0.15"), 20), [(2, Fraction("0.1"), 10)]),
    ],
)
def test_rounding_makes_no_gains_and_no_ideal_elements(quant, parent, children):
    tree = {f"/a[1]/b[{number}]": child for number, child in enumerate(children, 1)}
    results = [("d", path) for path in tree]
    exact = expected({"d": {"/a[1]": parent, **tree}}, results, naive.View("2005", quant))
    assert_equal(measured({"1": {"d": {"/a[1]": parent, **tree}}}, {"1": results}, "2005", list(exact))["1"], exact)


def test_rounding_does_not_hide_that_all_was_found():
    # sog: .1, .1 and .25, whose sum depends on their order
    tree = {"/a[1]": (2, 1, 9), "/a[1]/b[1]": (1, 1, 3), "/a[1]/b[2]": (1, 2, 3)}
    run = [("d", path, score) for score, path in enumerate(tree)]
    exact = naive.inex2002({"d": tree}, run, "2003", "sog", Fraction(1))
    (value,) = measured({"1": {"d": tree}}, {"1": run}, "2003", [inex2002(quant="sog", recall=1.0)])["1"]
    assert value == pytest.approx(float(exact), rel=1e-12) and value > 0


def test_rounding_does_not_make_a_collection_smaller_than_it_is():
    # sog: .1, .1, .25 and .75 are retrieved, and the fifth element of the collection is worth 1
    grades = [(1, 1), (2, 1), (1, 2), (1, 3), (3, 3)]
    tree = {f"/a[1]/b[{number}]": (e, s, 1) for number, (e, s) in enumerate(grades, 1)}
    run = [("d", path, -rank) for rank, path in enumerate(tree)][:4]
    exact = naive.inex2002({"d": tree}, run, "2003", "sog", Fraction(1), collection=5)
    (value,) = measured({"1": {"d": tree}}, {"1": run}, "2003", [inex2002(quant="sog", recall=1.0, collection=5)])["1"]
    assert value == pytest.approx(float(exact), rel=1e-12)


def test_an_article_that_gives_nothing_itself_does_not_make_others_better():
    # strict: both have a relevant element, d1 also as a whole; the ideal run of articles has all after one
    assessed = {"1": {"d1": {"/a[1]": (3, 3, 5)}, "d2": {"/a[1]": (3, 2, 5), "/a[1]/b[1]": (3, 3, 2)}}}
    names = ["Aep(quant=strict, level=article)", "iAep(quant=strict, level=article)"]
    assert measured(assessed, {"1": [("d1", "/a[1]"), ("d2", "/a[1]")]}, "2003", names) == {"1": [1, 1]}
    assert measured(assessed, {"1": [("d1", "/a[1]")]}, "2003", names) == {"1": [0.5, 1]}


def test_an_empty_element_whose_part_was_seen_was_seen():
    assessed = {"1": {"d": {"/a[1]": (3, 3, 0), "/a[1]/b[1]": (3, 2, 0)}}}
    assert measured(assessed, {"1": [("d", "/a[1]/b[1]"), ("d", "/a[1]")]}, "2003", ["CG@1", "CG@2"]) == {
        "1": [0.75, 0.75]
    }


A, B, C, OTHER = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/x[1]"


def test_the_second_implementation_has_the_numbers_of_sigir_2004():
    view = naive.View("2003", "sog", rule="2004")
    systems = [[B], [B, A], [B, OTHER, A], [A, B], [A, OTHER, B], [A], [OTHER]]
    two, third = {A: (3, 1, 500), B: (3, 3, 100)}, {C: (3, 3, 100)}
    expected_of_two = [["1"], ["1", "0"], ["1", "0", "0"], ["0.25", "0"], ["0.25", "0", "0"], ["0.25"], ["0"]]
    expected_of_three = [["1"], ["1", "0.2"], ["1", "0", "0.2"], *expected_of_two[3:]]
    for tree, gains in ((two, expected_of_two), (two | third, expected_of_three)):
        found = [naive.gains({"d": tree}, [("d", path) for path in system], view) for system in systems]
        assert found == [[Fraction(gain) for gain in row] for row in gains]
    full = naive.quantised(two, naive.quantisation(view))
    for alpha, worth in (("0.9", "0.025"), ("1", "0")):  # section 5.1
        assert naive.relevance_value(two, full, A, {B}, view._replace(alpha=Fraction(alpha))) == Fraction(worth)
