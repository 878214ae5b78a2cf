"""Where a value comes from: for every measure the rows, the formula with the numbers put in, and the value of evaluate."""

import csv
import functools
import io
import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import UsageError
from assay.evaluation.why import NAME
from assay.measures.base import Count
from assay.measures.notation import parse
from helpers import focused_tables, graded_tables
from helpers import naive_focused as naive
from helpers.commands import invoke
from helpers.files import written
from helpers.measures import OURS

# scores of a document, which are measured as AgP(score=BEP)
SCORES = {"BEP", "Window", "T2I"}
OTHERS = ["AgP(score=BEP)", "AgP(score=Window(n=8))", "gP(score=T2I(irr=3))@2", "AP(unit=document)", "nDCG(unit=document)@2"]
OTHERS += ["P(chars=9)", "R(chars=9)@2", "AP(chars=9)", "F(beta=2)@3", "P@2", "nDCG(dcg=jk)@3", "nDCG(dcg=exp)", "RBP(graded=True)"]
OTHERS += ["nxCG@2", "nxCG(overlap=off)@2", "CG(bound=False, alpha=0.5)", "Aep(level=article)", "iAep(level=element)", "Q(overlap=off)"]
OTHERS += ["Rmeasure(as_printed=True)", "nxCG(rv=size)@3", "MAnxCG@2", "gr@2", "nDCG(gains=1:3;2:9)@2", "AP@2", "RR@1", "ERR@2"]
OTHERS += [f"{name}(unit=element:ideal)" for name in ("AP", "P", "R", "nDCG", "ERR", "bpref", "Q")] + ["AP(unit=element:sog)@2"]
NAMES = [cls.__name__ for cls in OURS]
EVERY = [parse(f"{name}(collection=1000)" if name == "Accuracy" else name) for name in NAMES]
EVERY = [measure for measure in EVERY if type(measure).__name__ not in SCORES] + [parse(name) for name in OTHERS]


def taken(judgments, run, **options):
    """The measures that these judgments have a value of."""
    found = []
    for measure in EVERY:
        try:
            assay.evaluate(judgments, run, measure, **options)
        except UsageError:
            continue
        found.append(measure)
    return found


DOCUMENTS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}}, {"1": {"a": 3.0, "b": 2.0, "x": 1.0}}
BY_SUBTOPIC = [{"topic": "1", "document": d, "subtopic": s, "grade": 1} for d, s in ("as", "bs", "bt")]
BY_STRATUM = [{"topic": "1", "document": d, "stratum": s, "grade": g} for d, s, g in (("a", "u", 1), ("b", "u", 0), ("c", "v", -1))]
TEXTS = {"d": "A fine bridge over the river, and a boat below.", "e": "Nothing of it here, nor there."}
TEXT = (
    focused_tables.judgments_of({"1": {"d": {"spans": [(2, 13), (34, 40)], "length": 47, "bep": 2}}}),
    focused_tables.run_of({"1": [("d", 0, 20), ("e", 0, 8), ("d", 10, 40)]}),
)
TREE = {"/a[1]": (3, 1, 500), "/a[1]/b[1]": (3, 3, 100), "/a[1]/c[1]": (2, 2, 100)}
ELEMENTS = (
    graded_tables.judgments_of({"1": {"d": TREE}}, "2003"),
    graded_tables.run_of({"1": [("d", "/a[1]/b[1]"), ("d", "/a[1]"), ("d", "/a[1]/c[1]")]}),
)
RANKED = {"1": {"a": 1.0, "b": 0.5}}
INPUTS = {
    "documents": (*DOCUMENTS, {}),
    "subtopics": (BY_SUBTOPIC, RANKED, {}),
    "samples": (BY_STRATUM, RANKED, {}),
    "text": (*TEXT, {}),
    "text and documents": (*TEXT, {"documents": TEXTS}),
    "elements": (*ELEMENTS, {}),
}


@functools.cache
def measures_for(kind):
    """The measures that have a value for an input; only the process that tests them evaluates."""
    judgments, run, options = INPUTS[kind]
    return taken(judgments, run, **options)


def test_every_measure_of_the_vocabulary_is_tested_here():
    found = {type(measure) for kind in INPUTS for measure in measures_for(kind)}
    # of TREC Genomics: aspects of passages
    assert {cls.__name__ for cls in OURS} - {cls.__name__ for cls in found} == SCORES | {"ASPECT"}


def check(judgments, run, measures, **options):
    """Every topic of a run: the value is that of evaluate, bit for bit, and the formula with the numbers gives it."""
    scores = assay.evaluate(judgments, run, measures, **options)
    for place, topic in enumerate(scores.topics):
        told = assay.why(judgments, run, measures, topic=topic, **options)
        assert [part.measure for part in told.parts] == scores.measures
        for number, part in enumerate(told.parts):
            value = scores.values[0, number, place]
            assert part.value == value or math.isnan(value), str(part.measure)
            # a closed form for ties may be another formula
            check_formula(part, needed=options.get("ties") != "expected")
            if options.get("ties") != "expected":
                check_names(part)
        check_layouts(told)


def check_formula(part, needed):
    """The formula has a value for all that it names, and gives the value; what rows add is the value."""
    if part.measure.worked and getattr(part.measure, "level", "") == "":
        assert part.formula or not needed, str(part.measure)
    if part.formula:
        known = {**vars(part.measure), **part.quantities}
        text = NAME.sub(lambda name: f"({known[name[1]]!r})", part.formula)
        for sign, meant in {"·": "*", "−": "-", "²": "**2", "ln(": "log("}.items():
            text = text.replace(sign, meant)
        try:
            value = eval(text, {"log": math.log, "min": min})
        except ZeroDivisionError:
            value = 0
        if type(part.measure).__name__ == "nxCG" and part.measure.bound:
            value = min(value, 1)
        assert value == pytest.approx(part.value, rel=1e-9, abs=1e-12), f"{part.measure}: {text}"
    if "adds" in part.columns:
        assert sum(row["adds"] or 0 for row in part.rows) == pytest.approx(part.value, rel=1e-9, abs=1e-12), part.measure
        assert not part.rows or part.rows[-1]["so far"] == pytest.approx(part.value, rel=1e-9, abs=1e-12)


def check_names(part):
    """The formula names its terms, so that the value can be followed; a plain count needs none."""
    if getattr(part.measure, "level", "") == "":
        assert not [name for name in [*part.columns, *part.quantities] if "term " in name], str(part.measure)
    assert isinstance(part.measure, Count) or set(part.columns) - {"rank", "document", "grade", "tie"} or part.quantities, str(part.measure)


def check_layouts(told):
    for layout in ("text", "md", "html", "latex"):
        assert told.show(layout)
    last = [row["value"] for row in json.loads(told.show("json"))["measures"]]
    assert last == [part.value if math.isfinite(part.value) else None for part in told.parts]


grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)
results = st.dictionaries(st.sampled_from("abcdefghxyz"), st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=1)


@given(st.dictionaries(st.sampled_from("12"), grades, min_size=1), results, st.sampled_from([{}, {"depth": 3}, {"judged_only": True}, {"ties": "input"}]))
def test_a_value_of_documents_is_that_of_evaluate(judged, result, options):
    check(judged, {"1": result}, measures_for("documents"), **options) if "1" in judged and judged["1"].keys() & result.keys() else None


@given(grades, results, st.sampled_from([{}, {"depth": 1}, {"depth": 3}, {"judged_only": True}]))
def test_a_mean_over_tied_orders_is_that_of_evaluate(judged, result, options):
    closed = [measure for measure in measures_for("documents") if type(measure).expected is not assay.Measure.expected]
    if judged.keys() & result.keys():
        check({"1": judged}, {"1": result}, closed, ties="expected", **options)


@given(naive.cases(), st.sampled_from(["paid", "new", "drop"]))
def test_a_value_of_text_is_that_of_evaluate(case, overlap):
    judged, run = case
    if any(document in judged.get(topic, {}) for topic, found in run.items() for document, *_ in found):
        check(focused_tables.judgments_of(judged), focused_tables.run_of(run), measures_for("text"), overlap=overlap)


def test_a_value_of_compared_texts_is_that_of_evaluate():
    check(*TEXT, measures_for("text and documents"), documents=TEXTS)


@given(st.permutations([*TREE, "/a[1]/d[1]"]), st.integers(1, 4))
def test_a_value_of_elements_is_that_of_evaluate(paths, length):
    measures = [measure for measure in measures_for("elements") if getattr(measure, "rv", "") != "size" and type(measure).__name__ != "inex2003"]
    check(ELEMENTS[0], graded_tables.run_of({"1": [("d", path) for path in paths[:length]]}), measures)


def test_a_value_of_subtopics_or_of_a_sample_is_that_of_evaluate():
    check(BY_SUBTOPIC, {"1": {"b": 1.0, "a": 0.5, "x": 0.2}}, measures_for("subtopics"))
    check(BY_STRATUM, {"1": {"a": 1.0, "c": 0.5, "b": 0.2}}, measures_for("samples"))


def test_a_topic_that_the_run_lacks_has_its_value_too():
    told = assay.why({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}, ["AP", "RBPresidual"], topic=2)
    assert told.values == {"AP": 0.0, "RBPresidual": 1.0}
    assert [(part.rows, part.columns) for part in told.parts] == [([], [])] * 2


def test_each_annotator_is_shown_and_the_value_of_all_is_last():
    rows = [("1", "a", 1, "ann"), ("1", "b", 0, "ann"), ("1", "a", 0, "bob"), ("1", "b", 1, "bob")]
    judged = [dict(zip(("topic", "document", "grade", "annotator"), row, strict=True)) for row in rows]
    told = assay.why(judged, {"1": {"a": 2.0, "b": 1.0}}, "AP")
    assert [(part.against, part.value) for part in told.parts] == [
        ("annotator ann", 1.0),
        ("annotator bob", 0.5),
        ("all gold standards", 0.75),
    ]
    assert told.values == {"AP": 0.75}


# What is printed

QRELS = "7 0 d1 2\n7 0 d2 0\n7 0 d3 1\n7 0 d4 1\n71 0 d1 1\n8 0 d1 1\n"
RUN = "7 Q0 d1 1 9 t\n7 Q0 x 2 8 t\n7 Q0 d2 3 7 t\n7 Q0 d3 4 6 t\n"


@pytest.fixture
def files(folder):
    folder.joinpath("qrels.txt").write_text(QRELS)
    folder.joinpath("a.run").write_text(RUN)


def test_the_table_of_average_precision(files):
    # by hand: precision 1 at rank 1 and 2/4 at rank 4, over three relevant documents
    done = invoke("why", "qrels.txt", "a.run", "-m", "AP", "--topic", "7", "--as", "text", "--quiet")
    assert done.stdout == (
        "AP of topic 7 in a\n"
        "\n"
        "rank   document   grade   relevant      P@i   relevant · P@i     adds   so far\n"
        "──────────────────────────────────────────────────────────────────────────────\n"
        "1      d1             2          1   1.0000           1.0000   0.3333   0.3333\n"
        "2      x                                                                0.3333\n"
        "3      d2             0          0   0.3333           0.0000   0.0000   0.3333\n"
        "4      d3             1          1   0.5000           0.5000   0.1667   0.5000\n"
        "\n"
        "Σ relevant = 2\n"
        "|relevant| = 3\n"
        "R = 0.6667\n"
        "Σ relevant · P@i = 1.5000\n"
        "AP = Σ relevant · P@i / |relevant| = 1.5000 / 3 = 0.5000\n"
    )


def test_a_file_of_rows_ends_with_the_value_in_full(files):
    done = invoke("why", "qrels.txt", "a.run", "-m", "nDCG@3", "--topic", "7", "--as", "csv", "--quiet")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    gained, best = 2 / math.log2(2), 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert float(rows[-1]["value"]) == gained / best and rows[-1]["quantity"] == "nDCG@3"
    assert [row["document"] for row in rows[:3]] == ["d1", "x", "d2"]
    assert [float(row["ideal gain"]) for row in rows[:3]] == [2, 1, 1]


@pytest.mark.parametrize(
    ("measure", "rank", "value"), [("RR(rel=1)", 1, 1.0), ("RR(rel=3)", None, 0.0), ("iP@0.5", 4, 0.5), ("IPrec@0.5", 4, 0.5)]
)
def test_a_maximum_is_told_with_its_rank(files, measure, rank, value):
    # two of three relevant documents are retrieved, at ranks 1 and 4
    (part,) = assay.why("qrels.txt", "a.run", measure, topic=7).parts
    assert (part.quantities.get("at rank"), part.value) == (rank, value)
    assert [row["rank"] for row in part.rows if row["adds"]] == ([] if rank is None else [rank])


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "qrels.txt has 3 topics; pass --topic, one of 7, 8, 71\n"),
        (["--topic", "70"], 1, "qrels.txt: no topic '70'; expected a topic such as 7, 71, 8\n"),
    ],
)
def test_a_topic_must_be_named_and_be_there(files, words, status, message):
    done = invoke("why", "qrels.txt", "a.run", "-m", "AP", *words)
    assert (done.exit_code, done.stderr) == (status, message)


def test_a_topic_that_is_marked_as_having_no_answer_has_no_value(folder):
    written('{"query_id": "1", "doc_id": "a", "start": 0, "end": 5}\n{"query_id": "2", "no_answer": true}\n', "gold.jsonl")
    written('{"query_id": "2", "doc_id": "a", "start": 0, "end": 5, "score": 1}\n', "run.jsonl")
    done = invoke("why", "gold.jsonl", "run.jsonl", "-m", "R@1", "--topic", "2")
    what = "topic '2' is marked as having no answer, so it has no value; choose another topic"
    assert (done.exit_code, done.stderr) == (1, f"gold.jsonl: {what}\n")


def test_open_ties_are_shown_at_results_of_their_grade():
    # a and b are tied at ranks 1 and 2, c and d at 3 and 4: each relevant one stands at either rank by half
    judged, run = {"1": {"a": 0, "b": 1, "c": 1, "d": 0}}, {"1": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    (part,) = assay.why(judged, run, "AP", ties="expected").parts
    rows = [(row["grade"], row["tie"], row["relevant"], row["relevant · P@i"]) for row in part.rows]
    good, bad = [row for row in rows if row[0]], [row for row in rows if not row[0]]
    assert good == [(1, "1 to 2", 1, (1 + 1 / 2) / 2), (1, "3 to 4", 1, pytest.approx((2 / 3 + 2 / 4) / 2))]
    assert bad == [(0, "1 to 2", 0, 0), (0, "3 to 4", 0, 0)]


def test_whitespace_may_be_ignored():
    told = assay.why(*TEXT, "R@1", documents=TEXTS, whitespace="ignore")
    assert told.values == {"R@1": assay.evaluate(*TEXT, "R@1", documents=TEXTS, whitespace="ignore")["R@1"]}


def test_one_run_is_shown_at_a_time():
    with pytest.raises(UsageError, match=r"^why shows one run at a time; found 2: x, y$"):
        assay.why({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 1.0}}}, "AP")


# SIGIR 2004, section 5.1: a section (3, 1) of ten paragraphs after the only relevant one of them, (3, 3)

SECTION = graded_tables.judgments_of({"t": {"d": {"/s[1]": (3, 1, 1000), "/s[1]/p[1]": (3, 3, 100)}}}, "2003")
P1_S1 = graded_tables.run_of({"t": [("d", "/s[1]/p[1]"), ("d", "/s[1]")]})


@pytest.mark.parametrize(
    ("view", "expected"),
    [("alpha=0.9", 0.025), ("alpha=0", 0.25), ("alpha=1", 0.0), ("rv=size", 0.225)],
)
def test_relevance_values_of_a_section_after_its_paragraph_are_those_of_section_5_1(view, expected):
    (part,) = assay.why(SECTION, P1_S1, f"CG(quant=sog, {view})@2").parts
    assert [row["rv"] for row in part.rows] == [1, pytest.approx(expected, abs=1e-15)]
    # of the ideal paragraph nothing is left (section 5.3)
    assert [row["bound"] for row in part.rows] == [1, 0] and [row["gain"] for row in part.rows] == [1, 0]
    assert [row["seen"] for row in part.rows] == [0, float(Fraction(1, 10))]
    scores = assay.evaluate(SECTION, P1_S1, [f"CG(quant=sog, {view}, bound=False)@2", f"nxCG(quant=sog, {view}, bound=False)@2"])
    assert scores.values[0, :, 0].tolist() == [pytest.approx(1 + expected), pytest.approx(1 + expected)]


def test_rows_end_at_the_cut_off_and_the_mean_of_a_curve_names_its_sum():
    # by hand: gains 1, 0 and 0 of an ideal 1, so nxCG is 1 at each of the ranks
    told = assay.why(SECTION, P1_S1, ["nxCG(quant=sog)@1", "MAnxCG(quant=sog)@3", "iAep(quant=sog)", "inex2002(quant=sog)@0.5"])
    first, mean, interpolated, precall = told.parts
    assert [row["rank"] for row in first.rows] == [1]
    assert (mean.quantities, mean.value) == ({"i": 3, "sum of nxCG@j": 3.0}, 1.0)
    assert [row.get("ep") for row in interpolated.rows] == [1.0, None]
    assert interpolated.quantities == {"sum of ep@x": 100.0}
    # n = 1.25, of which the first result has more than half
    assert precall.quantities == {"n": 1.25, "x n": 0.625, "esl": 0.0, "sum of P(x)": 1.0, "levels": 1}
