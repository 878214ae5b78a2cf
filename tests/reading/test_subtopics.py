"""Judgments by subtopic: how they are told from others, and what is said of them."""

import polars as pl
import pytest

import assay
from assay.files import source
from helpers.commands import invoke

DIVERSITY = "1 1 a 1\n1 2 a 1\n1 2 b 1\n1 3 c 2\n1 1 d 0\n2 1 a 1\n2 2 b 0\n"
RUN = {"1": ["a", "b", "e", "c"], "2": ["b"]}
ROWS = [
    {"topic": "1", "document": "a", "subtopic": "x", "grade": 1},
    {"topic": "1", "document": "a", "subtopic": "y", "grade": 2},
    {"topic": "1", "document": "b", "subtopic": "y", "grade": 1},
]


def file(tmp_path, text, name="div.qrels"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_qrels_with_a_document_in_several_subtopics_are_recognised_and_that_is_said(tmp_path):
    path = file(tmp_path, DIVERSITY)
    scores = assay.evaluate(path, RUN)
    assert [str(measure) for measure in scores.measures] == [*assay.SUBTOPICS.default_measures]
    note = f"{path}: Assay reads the second field as the subtopic, because 1 document has several of them in a topic"
    assert scores.notes == [note]
    assert scores["StRecall@20", "1"] == 1 and scores["StRecall@20", "2"] == 0


@pytest.mark.parametrize("block", [None, 7, 16, 40])
def test_blanks_tabs_comments_and_blocks_change_nothing(tmp_path, monkeypatch, block):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    odd = " 1\t1  a 1 more\r\n\r\n# 1 9 z 1\r\n1   2\ta  1\n1 2 b 1\n1 3 c\t\t2\n1 1 d 0\n2 1 a 1\n2 2 b 0"
    assert assay.convert(file(tmp_path, odd), "trec", kind="judgments") == DIVERSITY.encode()


def test_a_measure_that_needs_subtopics_makes_them_of_the_second_field(tmp_path):
    path = file(tmp_path, "1 1 a 1\n1 2 b 1\n1 2 c 0\n")
    run = {"1": RUN["1"]}
    left_out = "the second field has several values, which Assay ignores; if it is the subtopic, choose a diversity measure such as alpha_nDCG"
    assert assay.evaluate(path, run, ["R@1"]).notes == [f"{path}: {left_out}"]
    assert f"  {left_out}\n" in invoke("check", path).stdout
    scores = assay.evaluate(path, run, ["StRecall@1", "R@1"])
    assert scores["StRecall@1"] == 0.5
    assert scores.notes == [
        f"{path}: R@1 uses the highest grade of a document over its subtopics",
        f"{path}: Assay reads the second field as the subtopic",
    ]


@pytest.mark.parametrize("iteration", ["0", "Q0", "1"])
def test_where_the_second_field_is_always_the_same_there_are_no_subtopics(tmp_path, iteration):
    path = file(tmp_path, f"1 {iteration} a 1\n1 {iteration} b 1\n")
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(path, RUN, ["alpha_nDCG@5"])
    where = "subtopics come from the second field of TREC qrels, or from a column subtopic"
    assert str(refused.value) == f"alpha_nDCG@5 needs subtopics of whole documents, but {path} has none; {where}"
    assert assay.evaluate(path, {"1": RUN["1"]}, ["AP"]).notes == []


def test_plain_qrels_with_different_iterations_are_read_as_before(tmp_path):
    plain, other = file(tmp_path, "1 0 a 1\n1 0 b 0\n"), file(tmp_path, "1 1 a 1\n1 2 b 0\n", "other.qrels")
    assert assay.evaluate(plain, RUN).values.tolist() == assay.evaluate(other, RUN).values.tolist()


def test_measures_of_documents_take_the_highest_grade_for_any_subtopic(tmp_path):
    path = file(tmp_path, DIVERSITY)
    by_document = {"1": {"a": 1, "b": 1, "c": 2, "d": 0}, "2": {"a": 1, "b": 0}}
    measures = ["AP", "nDCG@10", "P@2", "Judged@4", "NumRel"]
    assert (assay.evaluate(path, RUN, measures).values == assay.evaluate(by_document, RUN, measures).values).all()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 1 a 1\n1 2 a 1\n\n1 1 a 0\n", ":4: document a is judged twice for subtopic 1 of topic 1 (first on line 1)"),
        ("1 0 a 1\n1 0 a 0\n", ":2: document a is judged twice for topic 1 (first on line 1)"),
    ],
)
def test_a_document_that_is_judged_twice_for_a_subtopic_is_refused(tmp_path, text, what):
    path = file(tmp_path, text)
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(path, RUN)
    assert str(refused.value) == f"{path}{what}"
    assert invoke("check", path).stdout.startswith(f"{path}{what}\n")


def test_check_tells_how_many_subtopics_there_are(tmp_path):
    printed = invoke("check", file(tmp_path, DIVERSITY)).stdout
    assert "  subtopics: 5 in 2 topics, 2 to 3 per topic\n  no faults\n" in printed


@pytest.mark.parametrize("target", ["trec", "csv", "jsonl", "parquet"])
def test_subtopics_are_written_and_read_again(tmp_path, target):
    path = file(tmp_path, DIVERSITY)
    again = tmp_path / f"again.{target}"
    again.write_bytes(assay.convert(path, target))
    assert assay.convert(again, "trec", kind="judgments") == DIVERSITY.encode()
    assert (assay.evaluate(again, RUN).values == assay.evaluate(path, RUN).values).all()


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).rename({"subtopic": "iteration"}),
        [{("iteration" if key == "subtopic" else key): row[key] for key in row} for row in ROWS],
        [{("subtopic_id" if key == "subtopic" else key): row[key] for key in row} for row in ROWS],
        {"1": {"a": {"x": 1, "y": 2}, "b": {"y": 1}}},
    ],
    ids=["records", "frame", "frame with iterations", "records with iterations", "subtopic_id", "dicts"],
)
def test_subtopics_are_read_from_memory(given):
    scores = assay.evaluate(given, {"1": ["b"]}, ["StRecall@1", "P_IA(rel=2)@1", "R@1"])
    assert scores.values.tolist() == [[[0.5], [0.0], [0.5]]]


def test_a_column_can_be_told_to_hold_subtopics():
    rows = [{"topic": "1", "document": d, "facet": f, "grade": 1} for d, f in ("ax", "ay", "bx")]
    assert assay.evaluate(rows, RUN, ["StRecall@1"], columns={"subtopic": "facet"})["StRecall@1"] == 1


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (
            [*ROWS, {"topic": "1", "document": "c", "grade": 1}],
            "judgments: document c is relevant to topic 1 but has no subtopic; "
            "expected a subtopic for all relevant documents, or for none",
        ),
        (
            [row | {"annotator": "ann"} for row in ROWS],
            "judgments: these judgments have both subtopics and annotators or sets of evidence; expected only one of these",
        ),
        ({"1": {"a": {"x": 1}, "b": 1}}, "judgments: document b is relevant to topic 1 but has no subtopic; expected a subtopic for all relevant documents, or for none"),
        ({"1": {"a": {"x": 1}}, "2": [1]}, "judgments: document 1 is relevant to topic 2 but has no subtopic; expected a subtopic for all relevant documents, or for none"),
        ({"1": {"a": {"x": "y"}}}, "judgments: topic 1, document a: grade 'y' is not a number"),
    ],
)
def test_subtopics_that_are_not_clear_are_refused(given, what):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(given, RUN, ["StRecall@1"])
    assert str(refused.value) == what


def test_a_document_without_a_subtopic_is_of_use_for_none():
    rows = [*ROWS, {"topic": "1", "document": "c", "grade": 0}]
    assert assay.evaluate(rows, {"1": ["c", "a"]}, ["StRecall@2", "Judged@2"]).values.tolist() == [[[1.0], [1.0]]]
    assert assay.convert(rows, "trec", kind="judgments").endswith(b"1 0 c 0\n")


def test_aspects_of_passages_are_their_subtopics(tmp_path):
    gold = "7\td1\t0\t10\tA B|C\n7\td1\t20\t10\tC\n7\td2\t0\t5\tD\n"
    path = file(tmp_path, gold, "gold.tsv")
    # nothing relevant is touched, then A B and C are new, then nothing is, then D
    run = {"7": [("d9", 0, 5), ("d1", 5, 12), ("d1", 22, 25), ("d2", 0, 2)]}
    assert assay.evaluate(path, run, ["ASPECT"])["ASPECT"] == pytest.approx((2 * 1 / 2 + 2 / 3) / 3)
    assert assay.convert(path, "genomics") == gold.encode()
    table = file(tmp_path, assay.convert(path, "csv").decode(), "gold.csv")
    assert assay.evaluate(table, run, ["ASPECT"])["ASPECT"] == pytest.approx((2 * 1 / 2 + 2 / 3) / 3)
    without = file(tmp_path, "7\td1\t0\t10\tNONE\n", "without.tsv")
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(without, run, ["ASPECT"])
    assert str(refused.value) == f"ASPECT needs passages with aspects, but {without} has none"
