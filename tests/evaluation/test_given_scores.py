"""Values that Assay did not compute: read from tables, lines and frames, and asked about as those of measures are."""

import json
import math

import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import InputError, UsageError
from helpers.commands import invoke
from helpers.files import written

ROWS = [("a", "1", 10.0), ("a", "2", 20.0), ("b", "1", 30.0), ("b", "2", 50.0)]
LONG = [{"system": system, "topic": topic, "measure": "latency", "value": value} for system, topic, value in ROWS]
GOLD = {"1": {"d1": 1}, "2": {"d1": 1}}
RUNS = {"a": {"1": {"d2": 2, "d1": 1}, "2": {"d1": 1}}, "b": {"1": {"d1": 2}, "2": {"d1": 1}}}
# What trec_eval 9.0.8 prints with -q -m map -m P.5 -m num_ret, a tab between fields.
TREC_EVAL = """map                   \t1\t0.5000
P_5                   \t1\t0.2000
num_ret               \t1\t2
map                   \t2\t1.0000
P_5                   \t2\t0.4000
num_ret               \t2\t3
runid                 \tall\tbm25
map                   \tall\t0.7500
P_5                   \tall\t0.3000
num_ret               \tall\t5
"""
EXPECTED = (
    "expected scores: a file of `assay evaluate --save`, a table with the columns system, topic, measure and value (or system, topic and a column for each "
    "measure), or lines with `measure topic value` (trec_eval -q), `topic measure value` or `run topic measure value`"
)


def text(separator: str, *names: str) -> str:
    rows = [names, *((system, topic, "latency", str(value)) for system, topic, value in ROWS)]
    return "".join(separator.join(row) + "\n" for row in rows)


def values(scores: assay.Scores) -> list[tuple[str, str, float]]:
    return [(system, topic, scores[system, "latency", topic]) for system, topic, _ in ROWS]


@pytest.mark.parametrize(
    "content",
    [
        text(",", "system", "topic", "measure", "value"),
        text("\t", "run", "query_id", "metric", "score"),
        text("\t", "name", "qid", "measure", "value"),
        "".join(f"{system} {topic} latency {value}\n" for system, topic, value in ROWS),
        "".join(f"{system}\t{topic}\tlatency\t{value}\r\n" for system, topic, value in ROWS),
        "".join(
            json.dumps({"run_id": system, "topic_id": topic, "measure": "latency", "value": value}) + "\n"
            for system, topic, value in ROWS
        ),
        json.dumps([{"run": system, "measure": "latency", "topic": topic, "value": value} for system, topic, value in ROWS]),
        "run,topic,latency\n" + "".join(f"{system},{topic},{value}\n" for system, topic, value in ROWS),
    ],
    ids=["csv", "tsv", "PyTerrier", "four fields", "four fields with tabs", "jsonl", "json", "a column for each measure"],
)  # fmt: skip
def test_a_table_is_read_whatever_its_form(folder, content):
    assert values(assay.read_scores(written(content, "table"))) == ROWS


def test_frames_records_and_parquet_are_read_too(folder):
    perquery = pd.DataFrame(LONG).rename(columns={"system": "name", "topic": "qid"})
    pl.DataFrame(LONG).write_parquet("table.parquet")
    for given in (LONG, pd.DataFrame(LONG), pl.DataFrame(LONG), perquery, "table.parquet"):
        assert values(assay.read_scores(given)) == ROWS


@pytest.mark.parametrize("layout", ["tsv", "csv", "json"])
def test_what_evaluate_prints_by_topic_is_read_again(folder, layout):
    scores = assay.evaluate(GOLD, RUNS, ["AP", "P@1"])
    read = assay.read_scores(written(scores.show(layout, per_topic=True), "printed"))
    assert (read.systems, read.topics, [str(each) for each in read.measures]) == (["a", "b"], ["1", "2"], ["AP", "P@1"])
    assert (read.values == scores.values).all()


def test_a_topic_that_pandas_holds_as_a_number_is_the_one_of_the_text():
    frame = pd.DataFrame({"qid": [1.0, 2.0], "measure": "x", "value": [0.1, 0.2]})
    assert assay.read_scores(frame).topics == ["1", "2"]


def test_the_output_of_trec_eval_has_the_names_of_assay_and_the_file(folder):
    scores = assay.read_scores(written(TREC_EVAL, "bm25.eval"))
    assert (scores.systems, [str(measure) for measure in scores.measures]) == (["bm25.eval"], ["AP", "P@5", "NumRet"])
    assert (scores["AP"], scores["P@5"], scores["NumRet"]) == (0.75, pytest.approx(0.3), 5)
    assert scores.notes == []


def test_the_output_of_ir_measures_names_the_topic_first(folder):
    lines = "1\tnDCG@10\t0.5000\n1\tAP\t0.2500\n2\tnDCG@10\t1.0000\n2\tAP\t0.7500\nall\tnDCG@10\t0.75\nall\tAP\t0.5\n"
    scores = assay.read_scores({"dense": written(lines, "out")})
    assert [(system, str(measure)) for system in scores.systems for measure in scores.measures] == [
        ("dense", "nDCG@10"), ("dense", "AP"),
    ]  # fmt: skip
    assert (scores["nDCG@10"], scores["AP"]) == (0.75, 0.5)


def test_saved_scores_stand_beside_other_files(folder):
    assay.evaluate(GOLD, RUNS, "AP").save("ap.json")
    both = assay.read_scores(["ap.json", written(text(",", "system", "topic", "measure", "value"), "latency.csv")])
    assert (both["a", "AP"], both["a", "latency"]) == (0.75, 15)


@pytest.mark.parametrize("layout", ["json", "csv", "tsv", "--save"])
def test_infinite_values_survive_a_file(layout, folder):
    gold = {"1": {"d": [(0, 4)]}, "2": {"d": [(0, 4)]}, "3": {"d": [(0, 4)]}}
    run = {"1": [("d", 0, 4)], "2": [("d", 4, 9)], "3": [("d", 4, 9)]}
    scores = assay.evaluate(gold, {"r": run}, "Budget@0.5")
    if layout == "--save":
        scores.save("s")
    else:
        written(scores.show(layout, per_topic=True), "s")
    again = assay.read_scores("s")
    # two characters reach a recall of a half; the other topics never do
    assert [again["r", "Budget@0.5", topic] for topic in "123"] == [2, math.inf, math.inf]
    assert again["r", "Budget@0.5"] == math.inf


def test_a_value_that_is_missing_is_unscored_and_named(folder):
    lines = "system,topic,measure,value\na,1,x,1\na,2,x,\na,3,x,4\nb,1,x,nan\nb,2,x,3\n"
    scores = assay.read_scores(written(lines, "x.csv"))
    assert (scores["a", "x"], scores["b", "x"]) == (2.5, 3)
    assert math.isnan(scores["a", "x", "2"])
    assert scores.notes == [
        "x: 3 of 6 values are missing (a: 2; b: 1, 3); Assay takes the mean over the topics with a "
        "value"
    ]


SAVE = "`assay evaluate JUDGMENTS RUN --save scores.json`"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("system,topic,measure,value\na,1,x,fast\n", "t:2: value 'fast' is not a number; expected a number, or an empty value if it is missing"),
        ("system,topic,measure,value\na,1,x,inf\n", "t:2: the value is infinite; expected a finite number, or an empty value if it is missing"),
        ("system,topic,measure,value\na,1,AP,infinite\n", "t:2: the value is infinite; expected a finite number, or an empty value if it is missing"),
        ("system,topic,measure,value\na,1,Budget@0.5,-inf\n", "t:2: the value is infinite; expected a finite number, or an empty value if it is missing"),
        ("system,topic,measure,value\na,1,x,1\na,1,x,2\n", "t:3: x of a for topic 1 is given twice (first on line 2)"),
        ("system,topic,value\na,1,2\n", "t:2: no measure column among system, topic, value; expected one of measure, metric"),
        ("system,run,topic,measure,value\na,b,1,x,2\n", "t:2: system and run could both be the system; rename one of these columns"),
        ("system,topic,measure,value\na,1,x\n", "t:2: expected 4 values (system, topic, measure, value), found 3: 'a,1,x'"),
        ("system,topic,measure,value\na,,x,1\n", "t:2: the topic is empty; expected a name"),
        ("map 1 0.5\nmap 2\n", "t:2: expected 3 fields, as on the first line, found 2: 'map 2'"),
        ("map\n", f"t:1: 1 field on this line: 'map'; {EXPECTED}"),
        ("map all 0.5\n", f"t: only values over all topics; expected a value for each topic, as trec_eval -q prints it; save them with {SAVE}"),
        ("topic,text,latency\n1,x,y\n", "t:2: value 'x' is not a number; expected a number, or an empty value if it is missing"),
        ("query_id,doc_id,start,end\n1,d1,0,4\n", f"t: these are judgments; save the scores of a run first with {SAVE}"),
        ('{"query_id": "1", "doc_id": "d1", "grade": 1}\n', f"t: these are judgments; save the scores of a run first with {SAVE}"),
        ("a 1 x 1\nb 1 y 2\n", "t: no value of y for a; expected a value for at least one topic"),
        ("", f"t: no scores in this file; save some with {SAVE}"),
        ("{}\n", f"t: no scores in this file; save some with {SAVE}"),
        ("1 Q0 d1 1 0.7 bm25\n", f"t: this is a run; save its scores first with {SAVE}"),
        ("query_id,doc_id,start,end,score\n1,d1,0,4,0.7\n", f"t: this is a run; save its scores first with {SAVE}"),
        ('{"query_id": "1", "doc_id": "d1", "score": 0.7}\n', f"t: this is a run; save its scores first with {SAVE}"),
        ('{"topic": 1, "measure": ["x"], "value": 1}\n', "t:1: the measure is \"['x']\"; expected a text or a number"),
        ('[1]', "t:1: expected a JSON object, found '1'"),
        ('{"topic": 1}\n', "t:1: no measure column among topic; expected one of measure, metric"),
        ("system,topic,measure,value\n", f"t: no value for any topic; {EXPECTED}"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(folder, content, message):
    with pytest.raises(InputError) as refused:
        assay.read_scores(written(content, "t"))
    assert str(refused.value) == message


def test_a_measure_that_should_be_lower_must_be_there():
    with pytest.raises(UsageError) as refused:
        assay.read_scores(LONG, lower_is_better="latncy")
    assert str(refused.value) == "unknown measure 'latncy' in lower_is_better; choose from latency"


def test_lower_is_better_where_it_is_said():
    scores = assay.evaluate(GOLD, RUNS, "AP").join(assay.read_scores(LONG, lower_is_better="latency"))
    assert scores.correlate(["AP", "latency"])["AP", "latency"] == -1
    assert assay.evaluate(GOLD, RUNS, "AP").join(assay.read_scores(LONG)).correlate()["AP", "latency"] == 1
    assert scores.compare(measure="latency").best_first == ["a", "b"]


def test_given_scores_are_saved_and_read_again(folder):
    before = assay.read_scores(LONG, lower_is_better="latency")
    before.save("s.json")
    after = assay.read_scores("s.json")
    assert (values(after), after.measures) == (values(before), before.measures)
    assert after.measures[0].less_is_better


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (LONG[:2], "no scores for b, only for a; name a run as NAME=FILE, or rename a system"),
        ([row | {"topic": "x" + row["topic"]} for row in LONG], "the scores share no topic with the evaluation: x1, x2 vs 1, 2"),
    ],
)  # fmt: skip
def test_scores_that_do_not_fit_an_evaluation_are_refused(rows, message):
    with pytest.raises(InputError) as refused:
        assay.evaluate(GOLD, RUNS, "AP").join(assay.read_scores(rows))
    assert str(refused.value) == message


def test_what_an_evaluation_lacks_is_left_out_and_named():
    more = [*LONG, *({**row, "system": "c"} for row in LONG[:2]), {**LONG[0], "topic": "9"}]
    scores = assay.evaluate(GOLD, RUNS, "AP").join(assay.read_scores(more))
    assert (scores.systems, scores.topics) == (["a", "b"], ["1", "2"])
    assert scores.notes[-1] == "latency: left out 1 system (c) and 1 topic (9) that the evaluation does not have"


# The command line.


def said(*words):
    done = invoke(*words)
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def files(folder):
    written("1 0 d1 1\n2 0 d1 1\n", "q")
    for name, run in RUNS.items():
        lines = [f"{topic} Q0 {d} 0 {score} tag-{name}\n" for topic, found in run.items() for d, score in found.items()]
        written("".join(lines), f"{name}.run")
    written(text(",", "system", "topic", "measure", "value"), "latency.csv")
    return folder


TIMED = ["--scores", "latency.csv", "--lower-is-better", "latency"]


def test_given_values_are_a_column_beside_what_is_measured(files):
    for measures in (["-m", "AP", "-m", "latency"], ["-m", "AP"]):
        words = ["evaluate", "q", "a.run", "b.run", *measures, *TIMED, "--as", "csv", "--quiet"]
        assert said(*words)[1] == "run,AP,latency\na,0.75,15.0\nb,1.0,40.0\n"


def test_given_values_are_compared_without_judgments(files):
    (pair,) = json.loads(said("compare", *TIMED, "--as", "json", "--test", "t", "--quiet")[1])["pairs"]
    # the faster system is the better one, and comes first
    assert (pair["first"], pair["second"], pair["difference"]) == ("a", "b", -25)
    from scipy.stats import ttest_rel

    assert pair["p"] == pytest.approx(ttest_rel([30, 50], [10, 20]).pvalue)


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "--show", "letters"],
        ["compare", "--show", "best"],
        ["compare", "--baseline", "a"],
        ["evaluate", "--per-topic"],
        ["chart", "means", "-o", "chart.svg"],
        ["chart", "forest", "-o", "chart.svg"],
        ["chart", "distribution", "-o", "chart.svg"],
        ["chart", "topic-heatmap", "-o", "chart.svg"],
        ["chart", "differences", "-o", "chart.svg"],
    ],
)
def test_every_command_that_asks_something_of_scores_takes_them(files, words):
    assert said(*words, *TIMED)[0] == 0


def test_a_report_has_given_values_in_its_summary(files):
    assert said("report", "q", "a.run", "b.run", "-m", "AP", "-m", "latency", *TIMED, "-o", "r.html")[0] == 0
    page = (files / "r.html").read_text("utf-8")
    assert '"name":"latency"' in page
    assert "<td>40.0000</td>" in page or ">40.0000<" in page


def test_a_gate_takes_given_values(files):
    new = written("system,topic,measure,value\na,1,latency,20\na,2,latency,30\n", "new.csv")
    one = ["gate", "--scores", new, "--lower-is-better", "latency"]
    assert said(*one, "--require", "latency <= 25")[0] == 0
    assert said(*one, "--require", "latency < 25")[0] == 1
    old = written("system,topic,measure,value\na,1,latency,19\na,2,latency,29\n", "old.csv")
    assert said(*one, "--not-worse-than", old, "--means-only")[0] == 1
    assay.read_scores(old, lower_is_better="latency").save("old.json")
    assert said(*one, "--not-worse-than", "old.json", "--means-only")[0] == 1
    assert said(*one, "--not-worse-than", "old.json", "--means-only", "--margin", "1")[0] == 0


def test_a_gate_needs_a_value_for_each_topic(files):
    new = written("system,topic,measure,value\na,1,latency,20\na,2,latency,\n", "new.csv")
    status, _, error = said("gate", "--scores", new, "--require", "latency <= 25")
    assert (status, error) == (2, "a: no value of latency for 1 topic: 2; a gate needs one for every topic\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate"], "Missing argument 'JUDGMENTS'."),
        (["evaluate", "q"], "Missing argument 'RUN...'."),
        (["evaluate", "q", "a.run", "--lower-is-better", "AP"], "--lower-is-better requires --scores"),
        (["report", *TIMED, "-o", "r.html"], "a report needs JUDGMENTS and RUNs beside --scores"),
        (["evaluate", *TIMED, "-m", "AP"], "AP is not in the scores; choose from latency, or pass judgments and runs to measure it"),
        (["evaluate", "q", "a.run", *TIMED, "-m", "latency"], "the scores have all these measures already; leave out the judgments and runs"),
    ],
)  # fmt: skip
def test_what_is_lacking_on_the_command_line_is_said(files, words, message):
    result = invoke(*words)
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_joined_scores_are_reported_saved_and_not_measured(files):
    scores = assay.evaluate("q", ["a.run", "b.run"], "AP").join(assay.read_scores("latency.csv", lower_is_better="latency"))
    assert '"name":"latency"' in (files / scores.report("r.html")).read_text("utf-8")
    scores.save("both.json")
    assert assay.read_scores("both.json")["b", "latency"] == 40
    with pytest.raises(UsageError) as refused:
        assay.evaluate("q", "a.run", scores.measures)
    assert str(refused.value) == "latency has only given values, so Assay cannot compute it"


def test_scores_may_come_from_standard_input(tmp_path):
    table = text(",", "system", "topic", "measure", "value")
    assert invoke("evaluate", "--scores", "-", "--as", "tsv", stdin=table).stdout == "run\tlatency\na\t15.0\nb\t40.0\n"
    path = str(tmp_path / "scores.json")
    assay.evaluate(GOLD, RUNS, "AP").save(path)
    with open(path) as file:
        saved = invoke("evaluate", "--scores", "-", "--as", "tsv", stdin=file.read())
    assert (saved.stdout, saved.exit_code) == ("run\tAP\na\t0.75\nb\t1.0\n", 0)
