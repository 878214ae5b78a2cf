"""What was decided on the user's behalf, and how it is said: what holds for several runs in one line."""

import json

import polars as pl
import pytest

import assay
from assay.documents.collection import JsonLines
from helpers.commands import invoke
from helpers.files import written

JUDGMENTS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}, "3": {"e": 1}}
TIED = {"a": 1.0, "b": 1.0}


def runs(number, run):
    return {f"s{at}": run for at in range(number)}


def test_the_same_note_about_fifteen_runs_is_one_line(tmp_path, monkeypatch):
    scores = assay.evaluate(JUDGMENTS, runs(15, {"1": {"a": 1}, "2": {"c": 1}}), "AP")
    note = (
        "15 runs (s0, s1, s2, s3, s4, …): 1 of 3 judged topics is missing from the run and scores as if nothing was retrieved: 3"
    )
    assert scores.notes == [note]
    monkeypatch.chdir(tmp_path)
    written("1 0 a 1\n2 0 c 1\n3 0 e 1\n", "q")
    names = [written("1 Q0 a 1 1 t\n2 Q0 c 1 1 t\n", f"s{at}") for at in range(15)]
    assert invoke("evaluate", "q", *names, "-m", "AP").stderr == f"note: {note}\n"


def test_what_differs_by_a_number_alone_is_one_line_too():
    few, more = {"1": TIED, "2": {"c": 1}, "3": {"e": 1}}, {"1": TIED, "2": {"c": 1, "d": 1}, "3": {"e": 1}}
    scores = assay.evaluate(JUDGMENTS, {"few": few, "more": more}, "AP")
    assert scores.notes == [
        "2 runs (few, more): tied scores could change values in 1 to 2 topics; Assay breaks ties by document id"
    ]  # fmt: skip
    assert assay.evaluate(JUDGMENTS, {"x": more, "y": more}, "AP").notes == [
        "2 runs (x, y): tied scores could change values in 2 topics; Assay breaks ties by document id"
    ]


def test_notes_that_name_other_topics_stay_apart():
    scores = assay.evaluate(JUDGMENTS, {"x": {"1": {"a": 1}, "2": {"c": 1}}, "y": {"1": {"a": 1}, "3": {"e": 1}}}, "AP")
    assert scores.notes == [
        "x: 1 of 3 judged topics is missing from the run and scores as if nothing was retrieved: 3",
        "y: 1 of 3 judged topics is missing from the run and scores as if nothing was retrieved: 2",
    ]


def test_a_run_of_which_nothing_is_judged_is_said_before_all_else_also_of_several():
    scores = assay.evaluate(JUDGMENTS, {"good": {"1": TIED}, **runs(2, {"1": {"x9": 1}})}, "AP")
    assert scores.notes == [
        "2 runs (s0, s1): none of 1 result in 1 topic is judged in judgments; "
        "do the ids match? run: 'x9', judgments: 'a'",
        "3 runs (good, s0, s1): 2 of 3 judged topics are missing from the run and score as if nothing was retrieved: 2, 3",
        "good: tied scores could change values in 1 topic; Assay breaks ties by document id",
    ]


@pytest.mark.parametrize("nothing", [[], {}, ()])
def test_an_empty_list_is_a_topic_with_no_results(nothing):
    run = {"1": {"a": 1}, "2": {"c": 1}, "3": nothing} if nothing == {} else {"1": ["a"], "2": ["c"], "3": nothing}
    scores = assay.evaluate(JUDGMENTS, {"r": run}, "AP")
    assert scores.notes == ["r: 1 of 3 judged topics has no results in the run and scores as if nothing was retrieved: 3"]
    assert scores.values[0, 0].tolist() == [1, 1, 0]
    # the run has the topic, so that it counts wherever those of the run do
    assert assay.evaluate(JUDGMENTS, {"r": run}, "AP", topics="common").values[0, 0].tolist() == [1, 1, 0]
    assert assay.evaluate(JUDGMENTS, {"r": run}, "AP", topics="error")["AP"] == 2 / 3


@pytest.mark.parametrize("result", [("a", 0, 10), {"doc_id": "a", "start": 0, "end": 10}])
def test_an_empty_list_is_a_topic_with_no_results_of_text_too(result):
    scores = assay.evaluate({"1": [("a", 0, 10)], "2": [("b", 0, 10)]}, {"r": {"1": [result], "2": []}}, "R")
    assert scores.notes == ["r: 1 of 2 judged topics has no results in the run and scores as if nothing was retrieved: 2"]


def test_what_was_decided_in_reading_stands_behind_ids_that_do_not_meet():
    run = {"r": {"1": [{"doc_id": "b", "text": "two"}]}}
    scores = assay.evaluate({"1": [("a", 0, 3)]}, run, "R", documents={"a": "one", "b": "two"}, texts="locate")
    assert scores.notes == [
        "r: none of 1 result in 1 topic is judged in judgments; "
        "do the ids match? run: 'b', judgments: 'a'",
        "r: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places",
    ]


def test_a_run_of_empty_lists_is_empty():
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(JUDGMENTS, {"r": {"1": [], "2": []}}, "AP")
    assert str(caught.value) == "r: the input is empty; expected a run"


def test_within_a_document_the_position_breaks_ties():
    judgments = {"1": [("a", 0, 10)]}
    run = [("1", "a", 0, 5, 1.0), ("1", "a", 5, 20, 1.0)]
    frame = {"topic": [], "document": [], "start": [], "end": [], "score": []}
    for row in run:
        for name, value in zip(frame, row, strict=True):
            frame[name].append(value)
    import polars as pl

    scores = assay.evaluate(judgments, {"r": pl.DataFrame(frame)}, "P@1")
    said = "tied scores could change values in 1 topic; Assay breaks ties by document id, then by position in the document"
    assert (scores["P@1"], scores.notes) == (1, [f"r: {said}"])


def test_results_beyond_the_end_are_those_that_a_check_counts(tmp_path, monkeypatch):
    """The length of b is known from another topic than that for which it was returned."""
    monkeypatch.chdir(tmp_path)
    written("1 Q0 a 10 100 0 0:10\n2 Q0 b 10 50 0 0:10\n", "q")
    written("1 Q0 a 1 9 t 0 10\n1 Q0 b 2 8 t 40 30\n1 Q0 c 3 7 t 0 900\n2 Q0 b 1 9 t 0 60\n2 Q0 a 2 8 t 60 40\n", "r")
    note = (
        "r: 2 results extend past the end of the document; Assay counts the length anyway; "
        "do the offsets count characters from 0, in the same text?"
    )
    assert assay.evaluate("q", "r", "P").notes == [note]
    assert "  beyond the end of their document: 2 results" in invoke("check", "q", "r").stdout.splitlines()


def test_documents_are_counted_once_where_topics_share_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written("1 Q0 a 10 100 0 0:10\n2 Q0 a 20 100 0 0:20\n2 Q0 b 0 50\n", "q")
    written("1 Q0 a 1 9 t 0 10\n2 Q0 a 1 9 t 0 10\n2 Q0 b 2 8 t 0 10\n", "r")
    lines = invoke("check", "q", "r").stdout.splitlines()
    assert "  highlighted: 1 document (2 by topic), 2 spans, 30 characters (median 15 per document)" in lines
    assert "  parts of 2 documents (3 by topic), 30 characters (median 10 per result)" in lines


def ranking_of(topics, score):
    """Lines of a run with six results in each of some topics; `score` makes that of a result of its number."""
    rows = [{"query_id": str(topic), "doc_id": f"d{number}", "start": 0, "end": 9, "score": score(topic, number)}
            for topic in topics for number in range(6)]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("is_text", [False, True], ids=["documents", "text"])
def test_scores_that_rise_everywhere_may_be_distances(is_text, folder):
    judgments = {str(topic): [("d0", 0, 9)] for topic in range(3)}
    if not is_text:
        judgments = {topic: {"d0"} for topic in judgments}
    written(ranking_of(range(3), lambda _, number: number / 10), "run.jsonl")
    scores = assay.evaluate(judgments, "run.jsonl", "P@1")
    assert scores["P@1"] == 0
    assert scores.notes == [
        "run: scores rise down the list in all 3 topics with 5 or more results; Assay ranks the highest score first; "
        "if these are distances, negate them"
    ]
    written(ranking_of(range(3), lambda topic, number: number * (1 if topic else -1)), "run.jsonl")
    assert assay.evaluate(judgments, "run.jsonl", "P@1").notes == []


def test_few_results_may_stand_in_any_order():
    assert assay.evaluate({"1": {"d1"}}, {"1": {"d0": 1, "d1": 2, "d2": 3, "d3": 4}}, "P").notes == []


def test_chunks_against_judged_documents_are_said_to_become_documents(folder):
    written("".join(json.dumps({"query_id": "1", "doc_id": document, "start": start, "end": start + 9, "score": -start}) + "\n"
                    for document, start in [("a", 0), ("a", 5), ("a", 20), ("b", 30)]), "run.jsonl")  # fmt: skip
    scores = assay.evaluate({"1": {"b": 1}}, "run.jsonl", "RR")
    assert scores["RR"] == 0.5
    assert scores.notes == [
        "run: 2 results repeat a document of the same topic; Assay counts each document at its first result"
    ]


def test_results_of_the_same_place_are_counted():
    judgments, spans = {"1": [("a", 0, 10)]}, [("a", 0, 5), ("b", 0, 5), ("a", 3, 8)]
    assert assay.evaluate(judgments, {"1": spans}, "R", overlap="new").notes == [
        "run: 1 result repeats text of earlier results; text counts only the first time it appears"
    ]
    twice = assay.evaluate(judgments, {"1": spans + spans}, "R", overlap="new")
    assert twice["R"] == len(set(range(5)) | set(range(3, 8))) / 10
    assert (
        "run: 3 results have the same offsets as an earlier result; does the run contain several runs? "
        "pass duplicates=first to leave out repeats"
    ) in twice.notes


def test_repeated_places_are_left_out_if_asked():
    judgments = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 10}]
    places = [(0, 5, 1.0), (0, 5, 3.0), (20, 30, 2.0), (0, 5, 0.5), (20, 25, 0.4)]
    run = [{"query_id": "1", "doc_id": "a", "start": start, "end": end, "score": score} for start, end, score in places]
    # first keeps the score 1.0, and best keeps 3.0
    for duplicates, first, keeps in (("first", 0, "first"), ("best", 1, "one with the best score")):
        scores = assay.evaluate(judgments, run, ["P", "P@1"], duplicates=duplicates)
        assert [scores[name] for name in ("P", "P@1")] == [5 / 20, first]
        assert scores.notes[-1] == f"run: 2 results have the same offsets as another result; Assay keeps the {keeps}"
    # the same document, other offsets: parts of it are no repeats
    assert assay.evaluate(judgments, run[2:], "P", duplicates="first")["P"] == 5 / 20
    # of documents, all repeats are counted as before
    for duplicates in ("refuse", "first"):
        scores = assay.evaluate({"1": {"a": 1}}, run, "P@1", duplicates=duplicates)
        assert scores.notes == [
            "run: 4 results repeat a document of the same topic; Assay counts each document at its first result"
        ]


ABSENT = "run: {} from documents that are neither judged nor in the collection; are the ids right?"
TEXTS = {"a": "Hello there", "b/c.txt": "World here", "e": "None of it"}


@pytest.fixture(params=["a dict", "a folder"])
def given_documents(request, folder):
    """The documents in memory, or in a folder."""
    for name, text in TEXTS.items():
        written(text, f"docs/{name}" if "." in name else f"docs/{name}.md")
    return TEXTS if request.param == "a dict" else "docs"


@pytest.mark.parametrize(("documents", "number"), [
    (["b-v2"], "1 result comes"),
    (["x/b-v2.txt", "x/b-v2.txt", "d"], "3 results come"),
    (["e", "/home/me/docs/b/c.txt", "C:\\docs\\e"], ""),
], ids=str)  # fmt: skip
def test_results_of_documents_that_are_not_given_are_counted(given_documents, documents, number):
    gold = {"1": [("a", 0, 5)], "2": [("a", 6, 11), ("missing", 0, 5)]}
    spans = [("a", 0, 5), *((name, 6 * place, 6 * place + 5) for place, name in enumerate(documents))]
    run = {"1": spans, "2": [("a", 0, 5)], "unjudged": [("unknown", 0, 5)]}
    scores = assay.evaluate(gold, run, "R@9", documents=given_documents)
    assert [note for note in scores.notes if "neither" in note] == ([ABSENT.format(number)] if number else [])
    assert scores["R@9"] == 0.5


def test_a_document_that_is_judged_for_any_topic_is_not_counted_as_absent():
    gold, run = {"1": [("a", 0, 5)], "2": [("b", 0, 5)]}, {"1": [("a", 0, 5), ("b", 0, 5)], "2": [("b", 0, 5)]}
    assert assay.evaluate(gold, run, "R", documents={"a": "Hello"}).notes == [
        "judgments: 1 of 2 documents with highlighted text is not in documents: b"
    ]


def test_a_name_that_several_documents_have_is_not_absent(folder):
    for name, text in {"a": "Hello", "x/b": "World", "y/b": "Another"}.items():
        written(text, f"docs/{name}.md")
    assert assay.evaluate({"1": [("a", 0, 5)]}, {"1": [("a", 0, 5), ("b", 0, 5)]}, "R", documents="docs").notes == []


def test_absent_documents_of_several_blocks_add_up(monkeypatch):
    monkeypatch.setattr("assay.reading.frames.ROWS", 64)
    gold = {str(topic): [("a", 0, 5)] for topic in range(300)}
    rows = [(topic, document, 0, 5) for topic in gold for document in ("a", "missing", f"missing{topic}")]
    run = pl.DataFrame(rows, ["query_id", "doc_id", "start", "end"], orient="row").with_row_index("rank", 1)
    assert assay.evaluate(gold, {"run": run}, "R", documents=TEXTS).notes == [ABSENT.format("600 results come")]


def test_absent_documents_are_counted_where_judgments_tell_all_lengths():
    gold = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 5, "document_length": 11}]
    run = {"1": [("a", 0, 5), ("b", 0, 5)]}
    assert assay.evaluate(gold, run, "R", documents=TEXTS).notes == [ABSENT.format("1 result comes")]


def test_no_file_of_documents_is_read_to_know_which_are_absent(folder, monkeypatch):
    written("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in TEXTS.items()), "docs.jsonl")
    documents = assay.Documents("docs.jsonl", cache=False)
    gold, run = {"1": [("a", 0, 5)]}, {"1": [("a", 0, 5), ("e", 0, 5), ("b-v2", 0, 5)]}
    assert documents.lengths(["a"]).tolist() == [11]
    monkeypatch.setattr(JsonLines, "contents", lambda *_: pytest.fail("the file is read again"))
    assert assay.evaluate(gold, run, "R", documents=documents).notes == []


SHORT = "retrieve more or use a smaller budget before you compare runs"


def test_lists_that_end_before_a_budget_are_counted_wherever_values_are_used(folder):
    documents = {"a": "0123456789" * 10}
    gold = {topic: [("a", 0, 40)] for topic in "123"}
    short = {"1": [("a", 0, 10)], "2": [("a", 0, 10), ("a", 40, 55)], "3": [("a", 40, 100)]}
    long = {topic: [("a", 40, 100), ("a", 0, 40)] for topic in "123"}
    asked = ["R(chars=50)", "R(chars=11)", "R(chars=50)@2"]
    scores = assay.evaluate(gold, {"short": short, "long": long}, asked)
    notes = [
        f"short: 2 of 3 result lists end before 50 characters (shortest 10, longest 25); {SHORT}",
        f"short: 1 of 3 result lists ends before 11 characters (shortest 10, longest 10); {SHORT}",
        # the second list has two results, and no more are asked for
        f"short: 1 of 3 result lists ends before 50 characters and 2 results (shortest 10, longest 10); {SHORT}",
    ]
    assert scores.notes == notes
    assert scores.compare(measure="R(chars=50)").notes == notes
    assert repr(scores.compare(measure="R(chars=50)")).splitlines()[-3:] == notes
    before = assay.evaluate(gold, {"long": long}, asked)
    assert assay.gate(gold, {"short": short}, asked, not_worse_than=before, means_only=True).notes == notes
    chunks = [("a", 0, 10), ("a", 40, 55), ("a", 40, 100)]
    assert [note for note in assay.ceiling(gold, chunks, {"short": short}, asked).notes if "end" in note][:3] == notes
    assay.report(gold, {"short": short, "long": long}, "report.html", asked)
    assert notes[0].split(";")[0] in (folder / "report.html").read_text("utf-8")
    # a digit is a token
    each = assay.evaluate(gold, {"short": short}, "R(tokens=50)", documents=documents, tokenizer=digits)
    assert each.notes == [f"short: 2 of 3 result lists end before 50 tokens (shortest 10, longest 25); {SHORT}"]


def digits(text):
    return [(at, at + 1) for at in range(len(text))]


def test_text_that_is_not_read_again_does_not_make_a_list_longer():
    gold, run = {"1": [("a", 0, 40)]}, {"1": [("a", 0, 30), ("a", 10, 40)]}
    paid, new = (assay.evaluate(gold, run, "R(chars=50)", overlap=overlap) for overlap in ("paid", "new"))
    assert not any("lists" in note for note in paid.notes)
    assert new.notes[-1] == f"run: 1 of 1 result list ends before 50 characters (shortest 40, longest 40); {SHORT}"


def test_judgments_and_a_run_that_are_swapped_are_noted():
    judgments, run = {"1": {"a": 1, "b": 0, "c": 2}}, {"1": {"a": 5.73, "b": 3.25, "c": 9.0}}
    assert assay.evaluate(judgments, run, "AP").notes == []
    assert assay.evaluate(run, judgments, "AP").notes == [
        "run: all scores are small whole numbers, and the judgments have fractions above 1 as grades; are the two "
        "swapped? pass judgments first, then the runs"
    ]
    # grades may be fractions, and the scores of a list are not its own
    assert assay.evaluate({"1": {"a": 1.5, "b": 2}}, {"1": ["a", "b"]}, "AP").notes == []
    assert assay.evaluate({"1": {"a": 1.5, "b": 2}}, {"1": {"a": 0.5, "b": 1}}, "AP").notes == []
