"""What is said of runs of parts of documents that are not what they seem, and what is refused."""

import pytest

import assay
from helpers.commands import invoke
from helpers.places import EXAMPLES

QRELS = "1 Q0 a 50 200 10 0:50\n"
NOT_WHOLE = "expected 6 fields for whole documents, 7 with a path, or 8 with offset and length; found"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(run, judgments=QRELS):
        (tmp_path / "q").write_text(judgments)
        (tmp_path / "r").write_text(run)
        return "q", "r"

    return write


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("1 Q0 a 1 9 t 12", 7),
        ("1 Q0 a 1 9 t article[1]/bdy", 7),
        ("1 Q0 a 1 9 t 0.5 50", 8),
        ("1 Q0 a 1 9 my tag 0 10", 9),
        ("1 Q0 a 1 9 t 999999999999999999 5", 8),
    ],
)
def test_fields_behind_the_tag_are_not_passed_over_where_text_is_measured(files, line, fields):
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(*files(line + "\n"), "P")
    assert str(caught.value) == f"r:1: {NOT_WHOLE} {fields}: '{line}'"
    # of whole documents what follows the tag is left out, as ever
    assert assay.evaluate({"1": {"a": 1}}, "r", "P")["P"] == 1


def test_a_result_beyond_the_end_of_its_document_is_noted(files):
    scores = assay.evaluate(*files("1 Q0 a 1 9 t 0 500\n"), ["NumRet", "R"])
    assert scores.values[0, :, 0].tolist() == [500, 1]
    assert scores.notes == [
        "r: 1 result extends past the end of the document; Assay counts the length anyway; "
        "do the offsets count characters from 0, in the same text?"
    ]


def test_scores_that_do_not_descend_with_the_ranks_are_noted(files):
    scores = assay.evaluate(*files("1 Q0 b 1 1 t 0 50\n1 Q0 a 2 9 t 0 50\n"), ["P@1", "P@2"])
    assert scores.values[0, :, 0].tolist() == [0, 0.5]
    assert scores.notes == ["r: scores and ranks disagree in 1 topic; Assay used the ranks"]


def test_genomics_files_are_known_whatever_the_documents_are_called(files):
    judgments, run = "200\tPMC1\t10\t20\tASPECT\n", "200 PMC1 1 .5 10 10 tag\n"
    scores = assay.evaluate(*files(run, judgments), ["AP(unit=document)", "R", "PASSAGE"])
    assert scores.values[0, :, 0].tolist() == [1, 0.5, 1]


def test_lengths_that_are_not_those_of_the_documents_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.xml").write_text("<a><b>four</b></a>")
    (tmp_path / "q").write_text("1 Q0 a 3 400 0 390:3\n")
    done = invoke("relevance", "q", "docs")
    message = "q: document a has 400 characters in the judgments but 4 in docs; were the texts extracted in another way?\n"
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", message)


def test_a_task_of_elements_and_measures_exclude_each_other(files):
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(*files("1 Q0 a 1 9 t /a[1]\n"), "nxCG@5", task="CO.Thorough")
    message = (
        "task CO.Thorough has its own measures; leave out the task, or write a measure with its parameters, for example nxCG(quant=strict, overlap=off)@10"
    )
    assert str(caught.value) == message


def test_measures_of_documents_say_that_they_count_articles_where_elements_are_assessed():
    """All articles with a relevant element are returned: R is 1. The R-measure is 7/16 and 3/5: see docs/graded.md."""
    judgments, run = EXAMPLES / "graded" / "assessments", EXAMPLES / "graded" / "runs" / "paragraphs.xml"
    scores = assay.evaluate(judgments, run, ["R", "AP", "Rmeasure", "P(unit=document)@5"])
    assert (scores["R"], scores["Rmeasure"]) == (1, pytest.approx((7 / 16 + 3 / 5) / 2))
    instead = (
        "an article is relevant if any of its elements is; to count elements, use unit=element or "
        "gr (recall), ep (precision), Aep (its average), nxCG or Rmeasure (the R of INEX 2005)"
    )
    assert scores.notes[0] == f"{judgments}: R, AP count whole articles; {instead}"
    assert assay.evaluate(judgments, run, "R").notes[0] == f"{judgments}: R counts whole articles; {instead}"
    assert not any("whole articles" in note for note in assay.evaluate(judgments, run, ["Rmeasure", "R(unit=document)"]).notes)


TWICE = "1 Q0 a 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b 3 7 t\n"


def test_a_whole_document_that_is_retrieved_twice_is_refused_where_text_is_measured(files):
    """Perhaps these are chunks without offsets, each of which would count as the whole document."""
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(*files(TWICE), "P@1", documents={"a": "x" * 200, "b": "y" * 300})
    assert str(caught.value) == (
        "r:2: document a is retrieved twice for topic 1 (first on line 1); without start and end each result counts as the whole "
        "document; add the offsets or texts of the chunks, pass chunks=, or pass duplicates=first to count each document once"
    )


def test_a_whole_document_that_is_retrieved_twice_counts_once_if_asked_where_text_is_measured(files):
    scores = assay.evaluate(
        *files(TWICE), ["P@2", "NumRet"], documents={"a": "x" * 200, "b": "y" * 300}, duplicates="first"
    )
    # 50 of the 200 + 300 characters of the two documents
    assert scores.values[0, :, 0].tolist() == [50 / 500, 500]
    assert scores.notes == ["r: 1 result repeats a document of the same topic; Assay keeps the first"]
