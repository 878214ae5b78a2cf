"""What a page tells of topics, of the baseline, of graded runs and of files."""

import json
import re
from pathlib import Path

import pytest

import assay
from assay.reporting.report import command_without_folders, named_without_folders, report
from helpers.places import EXAMPLES

BREAD = EXAMPLES / "judgments.qrels", [EXAMPLES / f"{name}.run" for name in ("bm25", "dense", "hybrid")]
GRADED = EXAMPLES / "graded" / "assessments", sorted((EXAMPLES / "graded" / "runs").glob("*.xml"))


@pytest.fixture
def blocks(tmp_path):
    """Make a report, and give its data and the pages of its topics by the names of their blocks."""

    def make(*given, **options):
        page = Path(report(*given[:2], tmp_path / "report.html", *given[2:], **options)).read_text("utf-8")
        found = re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', page, re.DOTALL)
        return {name: json.loads(text) for name, text in found}

    return make


# Topics

TREC = """<top>
<num> Number: 1
<title> bread
<desc> Description:
How is bread &amp; butter
made?
<narr> Narrative:
Only bread.
</top>
<top>
<num> Number: 2
<title> cake
</top>
"""
XML = """<topics><topic id="1"><title>bread</title><description>How is bread &amp; butter
made?</description><narrative>Only bread.</narrative></topic><topic id="2"><title>cake</title></topic></topics>"""
JSONL = (
    '{"id": "1", "title": "bread", "description": "How is bread & butter made?", "narrative": "Only bread."}\n'
    '{"id": "2", "title": "cake", "description": "cake"}\n'
)


@pytest.mark.parametrize("content", [TREC, XML, JSONL], ids=["trec", "xml", "jsonl"])
def test_the_description_and_the_narrative_of_a_topic_are_in_the_page(content, blocks, tmp_path):
    (tmp_path / "topics").write_text(content)
    judgments, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    data = blocks(judgments, {"some": run}, topics_file=tmp_path / "topics")["data"]
    assert data["titles"] == ["bread", "cake"]
    assert data["details"] == {
        "description": ["How is bread & butter made?", None], "narrative": ["Only bread.", None],
    }  # fmt: skip


def test_a_description_that_is_the_title_is_not_told_twice(blocks, tmp_path):
    (tmp_path / "topics.jsonl").write_text('{"id": "1", "description": "How is bread made?"}\n')
    data = blocks({"1": {"a": 1}}, {"some": {"1": {"a": 1.0}}}, topics_file=tmp_path / "topics.jsonl")["data"]
    assert (data["titles"], data["details"]) == (["How is bread made?"], {})


def test_relevant_documents_stand_by_the_best_rank_at_which_a_run_has_them(blocks):
    judgments = {"1": {"big": 3, "low": 1, "top": 1, "second": 2, "missed": 3, "none": 0}}
    runs = {
        "a": {"1": {"x": 9.0, "low": 8.0, "big": 7.0}},
        "b": {"1": {"top": 9.0, "y": 8.0, "second": 7.0, "z": 6.0, "big": 5.0}},
    }
    topic = blocks(judgments, runs)["topic-0"]
    # best ranks: top 1, low 2, big and second 3 (the higher grade first); missed by both
    assert topic["documents"][:5] == ["top", "low", "big", "second", "missed"]
    assert topic["ranks"] == [[0, 2, 3, 0, 0], [1, 0, 5, 3, 0]]


# The baseline


def test_the_baseline_is_named(blocks):
    assert blocks(*BREAD, baseline="dense")["data"]["significance"]["baseline"] == 1
    assert "baseline" not in blocks(*BREAD)["data"]["significance"]


# Curves of graded measures


def test_a_page_of_graded_runs_has_the_curves_of_nxcg_and_ep(blocks):
    curves = blocks(*GRADED, task="CO.Thorough")["data"]["curves"]
    assert [(curve["name"], curve["over"]) for curve in curves] == [
        ("normalised cumulated gain", "rank"), ("effort-precision", "gain-recall"),
    ]  # fmt: skip
    # the longest list has four results
    assert curves[0]["at"] == [1, 2, 3, 4]
    measures = [f"nxCG(overlap=off)@{rank}" for rank in curves[0]["at"]]
    scores = assay.evaluate(*GRADED, measures)
    for system, values in zip(scores.systems, curves[0]["values"], strict=True):
        assert values == pytest.approx([scores[system, measure] for measure in measures], rel=5e-6)
    assert [len(values) for values in curves[1]["values"]] == [100] * 4


def test_measures_of_2002_have_their_own_curve(blocks):
    (curve,) = blocks(*GRADED, ["inex2002(quant=strict)"])["data"]["curves"]
    assert (curve["name"], curve["over"], len(curve["at"])) == ("precision", "recall", 100)


def test_where_ties_are_left_open_there_is_no_curve(blocks):
    assert blocks(*BREAD, ["AP"], ties="expected")["data"]["curves"] == []


# Files without folders


def test_runs_of_one_name_are_told_apart_by_their_last_folders(blocks, tmp_path):
    files = []
    for folder in ("first", "second"):
        (tmp_path / "deep" / folder / "runs").mkdir(parents=True)
        files.append(tmp_path / "deep" / folder / "runs" / "bm25.run")
        files[-1].write_bytes(BREAD[1][0].read_bytes())
    found = blocks(BREAD[0], files, baseline=str(files[0]))
    assert found["data"]["systems"] == ["first/runs/bm25.run", "second/runs/bm25.run"]
    assert str(tmp_path) not in json.dumps(found)


def test_names_that_were_given_stay_as_they_are(blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a").write_bytes(b"")
    assert blocks(BREAD[0], {"runs/a": BREAD[1][0]})["data"]["systems"] == ["runs/a"]
    assert named_without_folders(["bm25", "nowhere/else"]) == {}


def test_a_command_names_files_without_folders(tmp_path):
    (tmp_path / "my measures.py").write_text("")
    words = ["assay", "report", str(tmp_path), "-o", str(tmp_path / "new.html"), f"--define={tmp_path / 'my measures.py'}"]
    options = ["-m", "P@5", "--columns", "document=a/b", "--title", "recall/precision"]
    assert command_without_folders(words + options) == (
        f"assay report {tmp_path.name} -o new.html '--define=my measures.py' -m P@5 --columns document=a/b --title "
        "recall/precision"
    )


def test_what_was_not_asked_for_is_no_rule(blocks):
    rules = dict(map(tuple, blocks(*BREAD, quant=(), pools=None)["data"]["rules"]))
    assert not {"Quantisation", "Pools", "Task"} & rules.keys()


def test_titles_of_other_topics_are_refused(blocks, tmp_path):
    titles = tmp_path / "topics.tsv"
    titles.write_text("Q1\tbread\nQ2\tcake\n")
    with pytest.raises(assay.InputError) as refused:
        blocks({"1": {"a": 1}, "2": {"a": 1}}, {"some": {"1": {"a": 1.0}}}, topics_file=titles)
    assert str(refused.value) == (
        f"{titles} and judgments share no topic: Q1, Q2 vs 1, 2; "
        "the ids differ only in the prefix 'Q'"
    )
