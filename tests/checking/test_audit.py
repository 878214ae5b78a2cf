"""Is a test set any good? Each check on judgments and runs for which the answer is counted by hand."""

import json
from itertools import combinations
from statistics import fmean, stdev

import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from helpers.commands import invoke
from helpers.samples import sample

# Topic 1: both runs solve it; 2: both miss it; 3: a is better; 4: b is better by more.
JUDGMENTS = {
    "1": {"x": 1, "y": 0},
    "2": {"x": 1, "y": 0},
    "3": {"x": 1, "y": 0},
    "4": {"x": 1, "y": 0, "z": 0, "w": 0},
}
RUNS = {
    "a": {"1": {"x": 9}, "2": {"y": 9, "u": 8}, "3": {"x": 9}, "4": {"y": 9, "z": 8, "w": 7, "x": 6}},
    "b": {"1": {"x": 9}, "2": {"u": 9, "y": 8}, "3": {"y": 9, "x": 8}, "4": {"x": 9, "v": 8}},
}


def found(audit, check):
    finding = audit[check]
    return finding.verdict, finding.found, finding.examples


def test_topics_are_told_that_all_solve_miss_or_that_decide_nothing():
    audit = assay.audit(JUDGMENTS, RUNS, "AP")
    assert found(audit, "topics that every run solves") == ("look", 1, ["1"])
    assert found(audit, "topics that every run misses") == ("look", 1, ["2"])
    assert found(audit, "topics that decide nothing") == ("look", 2, ["1", "2"])
    assert audit["topics that decide nothing"].sentence == (
        "2 of 4 topics (50%): 1, 2; all runs score the same there"
    )


def test_a_topic_without_which_the_best_run_is_another_is_named():
    # AP of a: 1, 0, 1, 1/4; of b: 1, 0, 1/2, 1; b leads by 2.5 to 2.25, and not without topic 4
    finding = assay.audit(JUDGMENTS, RUNS, "AP")["order depends on single topics"]
    assert finding.sentence == (
        "1 of 4 topics (25%): 4; without it two runs swap places; without 4 the best run is no longer b"
    )


def test_unjudged_documents_near_the_top_are_proposed_by_what_they_are_worth():
    audit = assay.audit(JUDGMENTS, RUNS, "AP")
    assert [tuple(each) for each in audit.proposed] == [
        ("2", "u", 2, 1, pytest.approx(1 + 0.8)),
        ("4", "v", 1, 2, pytest.approx(0.8)),
    ]
    assert audit["unjudged documents near the top"].sentence == (
        "3 of 15 documents (20%) in the first 10 results of a topic, 12.5 to 28.6% per run; 1 document in most runs"
    )
    # the first result alone: u of topic 2 in b
    assert [each.document for each in assay.audit(JUDGMENTS, RUNS, "AP", top=1).proposed] == ["u"]


def test_ties_that_change_the_order_are_told():
    judgments = {"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}}
    tied = [("x", 1.0), ("y", 1.0)]
    rows = [{"topic": topic, "document": name, "score": score} for topic in "12" for name, score in tied]
    sure = {"1": {"x": 2.0, "y": 1.0}, "2": {"y": 2.0, "x": 1.0}}
    # by document id y comes first: AP 1/2 beside 3/4; as the file has it x does: AP 1
    finding = assay.audit(judgments, {"tied": rows, "sure": sure}, "AP")["order depends on ties"]
    assert finding.verdict == "look"
    assert finding.sentence == (
        "values change by up to 0.5000 if ties are broken by document id or in input order or in all orders, averaged; "
        "the order of runs changes if they are broken in input order"
    )


def test_without_ties_no_value_depends_on_them():
    finding = assay.audit(JUDGMENTS, RUNS, "AP")["order depends on ties"]
    assert finding.sentence == "there are no ties that could change a value"


def test_judged_documents_that_are_not_there_and_copies_are_found():
    documents = {"x": "one  text", "y": "another", "z": "one text\n", "w": "another", "q": "one text", "o": ""}
    judgments = {"1": {"x": 1, "y": 0, "gone": 2}, "2": {"x": 1, "z": 0, "o": 0}}
    audit = assay.audit(judgments, documents=documents)
    absent = audit["judged documents not in the collection"]
    assert (absent.found, absent.of, absent.examples) == (1, 6, ["gone"])
    copies = audit["copies of judged documents"]
    # in topic 1 neither z nor q is judged; in topic 2 z is, and otherwise; o is blank
    assert copies.examples == ["x", "y", "z"]
    assert copies.sentence == (
        "3 of 3 documents (100%): x, y, z; 2 relevant documents with an unjudged copy in the same topic, "
        "1 with a copy that has another grade"
    )


def test_what_cannot_be_checked_says_why():
    alone = assay.audit({"1": {"x": 1}})
    assert {each.check: each.sentence for each in alone.findings if each.verdict == "not checked"} == {
        "judged documents not in the collection": "pass documents= to check this",
        "copies of judged documents": "pass documents= to check this",
        "topics that every run solves": "pass runs to check this",
        "topics that every run misses": "pass runs to check this",
        "topics that decide nothing": "pass runs to check this",
        "unjudged documents near the top": "pass runs to check this",
        "order depends on single topics": "pass runs to check this",
        "order depends on ties": "pass runs to check this",
        "smallest detectable difference": "pass runs to check this",
    }
    assert alone["judged as not relevant"].sentence == (
        "none of 1 judgment; documents judged not relevant cannot be distinguished from unjudged documents"
    )
    one = assay.audit(JUDGMENTS, {"a": RUNS["a"]}, "AP")
    assert one["order depends on ties"].sentence == "needs at least two runs"
    assert one["topics that every run misses"].examples == ["2"]
    assert assay.audit({"1": {"x": 3}}, {"1": {"x": 1}}, "DCG")["topics that every run solves"].sentence == (
        "DCG has no value that says a topic is solved"
    )


def test_topics_with_nothing_relevant_are_named():
    audit = assay.audit({"1": {"x": 0}, "2": {"x": 1}})
    assert audit["topics with nothing relevant"].sentence == ("1 of 2 topics (50%): 1; no run can find anything there")
    by_grade = assay.audit({"1": {"x": 0}, "2": {"x": 1}, "3": {"x": 2}}, measure="AP(rel=2)")
    assert by_grade["topics with nothing relevant"].examples == ["1", "2"]


@settings(max_examples=sample(8, 200))
@given(columns=st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=3, max_size=8))
def test_leaving_topics_out_and_power_are_those_of_plain_code(columns):
    """A run has the relevant document at a rank, so that RR is 1/rank."""
    judgments = {str(topic): {"x": 1} for topic in range(len(columns))}
    names = "abc"
    runs = {
        name: {
            str(topic): {f"d{rank}" if rank != ranks[at] else "x": 10 - rank for rank in range(1, 5)}
            for topic, ranks in enumerate(columns)
        }
        for at, name in enumerate(names)
    }
    audit = assay.audit(judgments, runs, "RR")
    values = {name: [1 / ranks[at] for ranks in columns] for at, name in enumerate(names)}
    swapping = []
    for topic in range(len(columns)):
        rest = {name: fmean([*of[:topic], *of[topic + 1 :]]) for name, of in values.items()}
        swapped = [
            (fmean(values[a]) - fmean(values[b])) * (rest[a] - rest[b]) < -1e-15 for a, b in combinations(names, 2)
        ]
        swapping += [str(topic)] if any(swapped) else []
    assert sorted(audit["order depends on single topics"].examples) == swapping
    topics = len(columns)
    sds = [stdev(x - y for x, y in zip(values[a], values[b], strict=True)) for a, b in combinations(names, 2)]
    if all(sd > 0 for sd in sds):
        middle = audit["smallest detectable difference"].found
        shift = middle / sorted(sds)[1] * topics**0.5
        critical = scipy.stats.t.ppf(0.975, topics - 1)
        power = scipy.stats.nct.sf(critical, topics - 1, shift) + scipy.stats.nct.cdf(-critical, topics - 1, shift)
        assert power == pytest.approx(0.8, abs=1e-3)


def test_the_page_is_text_markdown_json_and_rows(tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{topic} 0 {d} {g}\n" for topic, of in JUDGMENTS.items() for d, g in of.items()))
    files = []
    for name, run in RUNS.items():
        files.append(tmp_path / name)
        lines = [f"{topic} Q0 {d} 1 {score} {name}\n" for topic, of in run.items() for d, score in of.items()]
        files[-1].write_text("".join(lines))
    shown = invoke("audit", qrels, *files, "-m", "AP", "--as", "text", "--quiet").stdout
    assert shown.splitlines()[0] == f"{qrels}: 4 topics, 10 judgments of 4 documents; 2 runs, by AP"
    assert "not checked  copies of judged documents              pass --documents to check this" in shown
    assert max(map(len, shown.splitlines()[1:])) <= 120
    assert shown.endswith("judge these next; worth: sum of 0.8^(rank − 1) over the runs that have the document near the top\n")
    markdown = invoke("audit", qrels, *files, "-m", "AP", "--as", "md", "--quiet").stdout
    assert "| topics that every run misses | look | 1 of 4 topics (25%): 2 |" in markdown
    record = json.loads(invoke("audit", qrels, *files, "-m", "AP", "--as", "json", "--quiet").stdout)
    assert (record["measure"], len(record["checks"]), len(record["judge_next"])) == ("AP", 11, 2)
    rows = invoke("audit", qrels, *files, "-m", "AP", "--quiet").stdout.splitlines()
    assert rows[0] == "check\tverdict\tfound\tof\tsentence\texamples"
    pool = invoke("audit", qrels, *files, "-m", "AP", "--judge-next", "1", "--quiet").stdout
    assert pool == "topic\tdocument\truns\tbest rank\tworth\n2\tu\t2\t1\t1.8\n"


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"measure": ["AP", "P@5"]}, "an audit takes one measure at a time, found AP, P@5"),
        ({"measure": "GMAP"}, "an audit compares means over topics; GMAP is not one, so choose another measure"),
        ({"measure": "AP", "top": 0}, "top is 0; expected 1 or more"),
    ],
)
def test_what_cannot_be_audited_is_refused(how, what):
    with pytest.raises(assay.UsageError) as refused:
        assay.audit(JUDGMENTS, RUNS, **how)
    assert str(refused.value) == what
