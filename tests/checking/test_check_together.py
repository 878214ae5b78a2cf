"""Files that are checked together: whether their topics and documents meet, and whether the documents are there."""

import re

import pytest

from helpers.commands import invoke
from helpers.files import written


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What a check of some files says after the last report, and its exit status."""
    monkeypatch.chdir(tmp_path)

    def check(*words, **files):
        for name, content in files.items():
            written(content, name)
        done = invoke("check", *words)
        assert done.stderr == ""
        if done.stdout.endswith(" fault\n"):
            return "\n", done.exit_code
        return re.split(r" faults(?:, but .*)?\n", done.stdout)[-1], done.exit_code

    return check


QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n"


def test_files_that_meet_are_not_spoken_of(told):
    run = "1 Q0 d1 1 9 t\n2 Q0 d7 1 9 t\n"
    assert told("q", "r", "s", q=QRELS, r=run, s=run) == ("", 0)
    # two runs, or two files of judgments, have nothing to meet
    assert told("r", "s") == ("", 0)
    assert told("q", "p", p=QRELS) == ("", 0)


def test_topics_that_do_not_meet_are_told(told):
    run = "2 Q0 d1 1 9 t\n3 Q0 d1 1 9 t\n"
    assert told("q", "r", q=QRELS, r=run) == (
        "q and r: 1 of 2 judged topics is missing from the run: 1\nq and r: 1 topic of the run has no judgments: 3\n", 0
    )  # fmt: skip
    assert told("r", "q", "s", s=run) == (
        "q and 2 runs (r, s): 1 of 2 judged topics is missing from the run: 1\nq and 2 runs (r, s): 1 topic of the run has no judgments: 3\n", 0
    )  # fmt: skip
    assert told("q", "r", r="q1 Q0 d1 1 9 t\n") == (
        "r and q share no topic: q1 vs 1, 2; the ids differ only in the prefix 'q'\n", 1
    )  # fmt: skip


def test_documents_that_do_not_meet_are_told_as_an_evaluation_does(told):
    assert told("q", "r", q=QRELS, r="1 Q0 texts/d1.txt 1 9 t\n2 Q0 texts/d1.txt 1 9 t\n") == (
        "no document of r is judged in q: the ids differ only in folder and ending ('texts/d1.txt' vs 'd1'); rename the ids in the run or in the judgments\n", 1
    )  # fmt: skip
    assert told("q", "r", r="1 Q0 x9 1 9 t\n2 Q0 x9 1 9 t\n") == (
        "q and r: none of 2 results in 2 topics is judged in q; "
        "do the ids match? run: 'x9', judgments: 'd1'\n", 0
    )  # fmt: skip


@pytest.mark.parametrize("result", ["0 10", "/article[1]/sec[1]"])
def test_parts_of_documents_are_compared_too(told, result):
    qrels = "1 Q0 a 10 100 0 50:10\n"
    # elements are compared as documents there
    files = "pass --documents with the files, or " if result == "0 10" else ""
    assert told("q", "r", q=qrels, r=f"1 Q0 texts/a 1 9 t {result}\n") == (
        f"no document of r is judged in q: the ids differ only in folder ('texts/a' vs 'a'); {files}rename the ids in "
        "the run or in the judgments\n", 1
    )  # fmt: skip


def test_results_that_never_touch_the_highlighted_text_are_told(told):
    assert told("q", "r", q="1 Q0 a 10 100 0 50:10\n", r="1 Q0 a 1 9 t 0 10\n") == (
        "q and r: 1 result comes from the right documents but misses the evidence; if that is unexpected, check its offsets\n", 0
    )  # fmt: skip


def test_files_with_faults_are_not_compared(told):
    twice = "1 Q0 x 1 9 t\n1 Q0 x 2 8 t\n"
    assert told("q", "r", q=QRELS, r=twice) == ("\n", 1)
    assert told("r", "q", q="1 0 d1\n" + QRELS, r="1 Q0 x 1 9 t\n") == ("\n", 1)


@pytest.mark.parametrize("content", ["1 Q0 d1 1 9 t\n1 Q0 d8 2 8 t\n2 Q0 d9 1 9 t\n", "1 0 d1 1\n1 0 d8 0\n2 0 d9 1\n",
                                     "1 Q0 d1 1 9 t 0 2\n1 Q0 d8 2 8 t 0 2\n1 Q0 d9 3 7 t 0 2\n"])  # fmt: skip
def test_documents_that_are_not_in_the_collection_are_named(told, tmp_path, content):
    written("one", "docs/d1.txt")
    written("two", "docs/d2.txt")
    written(content, "f")
    lines = invoke("check", "f", "--documents", "docs").stdout.splitlines()
    assert lines[-2:] == ["  not in docs: 2 of 3 documents (d8, d9)", "  no faults, but documents are missing from docs"]
    written("eight", "docs/d8.txt")
    written("nine", "docs/d9.txt")
    assert "not in docs" not in invoke("check", "f", "--documents", "docs").stdout


NOWHERE = "f: no document of this file is in docs: d8, d9; its ids are like 'd1'; add these documents, or rename the ids"


@pytest.mark.parametrize(
    ("content", "printed", "status"),
    [
        ("1 Q0 d8 1 9 t\n1 Q0 d9 2 8 t\n", (NOWHERE, "  1 fault"), 1),
        ("1 Q0 d8 1 9 t 0 2\n1 Q0 d9 2 8 t 0 2\n", (NOWHERE, "  1 fault"), 1),
        ("1 Q0 d8 10 100 0 50:10\n1 Q0 d9 10 100 0 50:10\n", (NOWHERE, "  1 fault"), 1),
        # grades of whole documents need no documents
        ("1 0 d8 1\n1 0 d9 1\n", ("f: judgments (trec)", "  no faults, but documents are missing from docs"), 0),
        # an evaluation finds documents by the end of their names
        ("1 Q0 x/d1.txt 1 9 t\n", ("f: a run (trec)", "  no faults, but documents are missing from docs"), 0),
    ],
)
def test_a_file_whose_documents_are_all_missing_has_a_fault_if_they_are_needed(tmp_path, monkeypatch, content, printed, status):
    monkeypatch.chdir(tmp_path)
    written("one", "docs/d1.txt")
    written(content, "f")
    done = invoke("check", "f", "--documents", "docs")
    lines = done.stdout.splitlines()
    assert ((lines[0], lines[-1]), done.exit_code) == (printed, status)


def test_a_whole_document_that_is_not_in_the_collection_is_a_fault_where_text_is_judged(told):
    written("Rye flour is sour", "docs/rye.txt")
    run, gold = "2 Q0 barley 2 6 t\n2 Q0 rye 1 7 t\n", '{"query_id": "2", "doc_id": "rye", "start": 0, "end": 3}\n'
    assert told("g", "r", "--documents", "docs", g=gold, r=run) == ("docs: there is no document barley\n", 1)
    # an evaluation of documents needs no lengths
    assert told("q", "r", "--documents", "docs", q="2 0 rye 1\n") == ("", 0)
