"""The formats of gold evidence: recognised by their content, read, checked and written."""

from __future__ import annotations

import json

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.files.source import Source
from assay.reading.recognition import recognise
from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA

TEXT = "The cat sat on the mat. The dog slept. The cat sat there again."
OTHER = "Nothing of cats or dogs is told here."
DOCUMENTS = {"d1": TEXT, "d2": OTHER}
# What all of the files below tell.
SPANS = [("1", "d1", 4, 22), ("2", "d1", 24, 38), ("2", "d2", 0, 7)]


def answer(start, end, text=TEXT):
    return {"text": text[start:end], "answer_start": start}


def squad():
    first = [
        {"id": 1, "question": "who sat?", "answers": [answer(4, 22)]},
        {"id": 2, "question": "who slept?", "answers": [answer(24, 38)]},
        {"id": 3, "question": "who ran?", "answers": [], "is_impossible": True},
    ]
    second = [{"id": 2, "question": "who slept?", "answers": [answer(0, 7, OTHER)]}]
    articles = [(TEXT, "d1", first), (OTHER, "d2", second)]
    return json.dumps({"data": [
        {"title": name, "paragraphs": [{"context": text, "document_id": name, "qas": asked}]} for text, name, asked in articles
    ]})  # fmt: skip


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def squad_lines():
    rows = [
        {"id": topic, "title": name, "context": DOCUMENTS[name], "question": f"question {topic}",
         "answers": {"text": [DOCUMENTS[name][start:end]], "answer_start": [start]}}
        for topic, name, start, end in SPANS
    ]  # fmt: skip
    return lines(*rows)


def chroma():
    def references(*spans):
        excerpts = [{"content": text[start:end], "start_index": start, "end_index": end} for text, start, end in spans]
        return '"' + json.dumps(excerpts).replace('"', '""') + '"'

    rows = [f"1,{references((TEXT, 4, 22))},d1", f"2,{references((TEXT, 24, 38))},d1"]
    return "question,references,corpus_id\n" + "\n".join(rows) + "\n"


def legalbench():
    def snippet(name, start, end):
        return {"file_path": name, "span": [start, end], "answer": DOCUMENTS[name][start:end]}

    tests = [
        {"query": "1", "snippets": [snippet("d1", 4, 22)]},
        {"query": "2", "snippets": [snippet("d1", 24, 38), snippet("d2", 0, 7)]},
        {"query": "3", "snippets": []},
    ]
    return json.dumps({"tests": tests})


def label_studio(**data):
    def region(start, end, text=TEXT):
        return {
            "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": ["evidence"]},
        }

    tasks = [("1", "d1", [region(4, 22)]), ("2", "d1", [region(24, 38)]), ("2", "d2", [region(0, 7, OTHER)])]
    cancelled = {"was_cancelled": True, "result": [region(0, 3)]}
    return json.dumps([
        {"id": number, "data": {"query_id": topic, "doc_id": name, "text": DOCUMENTS[name]},
         "annotations": [{"result": result}, cancelled]}
        for number, (topic, name, result) in enumerate(tasks)
    ])  # fmt: skip


def label_studio_short():
    rows = [
        {"id": 1, "doc_id": "d1", "text": TEXT, "label": [
            {"start": 4, "end": 22, "text": TEXT[4:22], "labels": ["1"]}, {"start": 24, "end": 38, "labels": ["2"]},
        ]},
        {"id": 2, "doc_id": "d2", "text": OTHER, "label": [{"start": 0, "end": 7, "labels": ["2"]}]},
    ]  # fmt: skip
    return json.dumps(rows, indent=1)


def doccano():
    rows = {"d1": [[4, 22, "1"], [24, 38, "2"]], "d2": [[0, 7, "2"]]}
    return lines(*({"id": 7, "text": DOCUMENTS[name], "label": spans, "doc_id": name} for name, spans in rows.items()))


def doccano_entities():
    rows = {"d1": [(4, 22, "1"), (24, 38, "2")], "d2": [(0, 7, "2")]}
    return lines(*(
        {"id": name, "text": DOCUMENTS[name],
         "entities": [{"id": 1, "label": topic, "start_offset": start, "end_offset": end} for start, end, topic in spans]}
        for name, spans in rows.items()
    ))  # fmt: skip


FILES = {
    "squad": squad, "squad (lines)": squad_lines, "chroma": chroma, "legalbench": legalbench, "label_studio": label_studio,
    "label_studio (short)": label_studio_short, "doccano": doccano, "doccano (entities)": doccano_entities,
}  # fmt: skip


def spans_of(judgments):
    highlights = judgments.highlights
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    places = zip(highlights.row.tolist(), highlights.start.tolist(), highlights.end.tolist(), strict=True)
    return sorted((topics[row], documents[row], start, end) for row, start, end in places)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_and_read(name, folder):
    path = written(FILES[name](), "gold")
    assert recognise(Source(path)).name == name.split()[0]
    expected = [span for span in SPANS if name != "chroma" or span[1] == "d1"]
    assert spans_of(assay.read_judgments(path)) == expected
    run = {"1": [("d1", 0, 23)], "2": [("d1", 24, 38), ("d2", 0, 7)]}
    assert assay.evaluate(path, run, "R").per_topic["R"].to_list() == [1, 1]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_checked_and_converted(name, folder):
    path = written(FILES[name](), "gold")
    result = invoke("check", path)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, f"gold: judgments ({name.split()[0]})")
    rows = [json.loads(line) for line in assay.convert(path, "jsonl").splitlines()]
    expected = [span for span in SPANS if name != "chroma" or span[1] == "d1"]
    assert sorted((row["topic"], row["document"], row["start"], row["end"]) for row in rows) == expected


@pytest.mark.parametrize("to", ["squad", "label_studio", "jsonl"])
def test_gold_is_written_and_read_again(to, folder):
    gold = [{"query_id": topic, "doc_id": name, "start": start, "end": end} for topic, name, start, end in SPANS]
    content = assay.convert(gold, to, documents=DOCUMENTS, kind="judgments")
    path = written(content, "written")
    assert recognise(Source(path)).name == to
    assert spans_of(assay.read_judgments(path)) == SPANS
    if to != "jsonl":
        with pytest.raises(
            InputError, match=r"^judgments: .* needs the texts of the documents; pass doc"
        ):
            assay.convert(gold, to, kind="judgments")


def test_brat_files_are_read_one_by_one_or_in_a_folder(folder):
    written(
        "T1\tEvidence 4 22\tcat sat on the mat\n#1\tAnnotatorNotes T1\t1\nT2\t2 24 27;32 37\tThe slept\n", "ann/d1.ann"
    )
    written(TEXT, "ann/d1.txt")
    written("T1\t2 0 7\tNothing\n", "ann/sub/d2.ann")
    assert spans_of(assay.read_judgments("ann/d1.ann")) == [
        ("1", "d1", 4, 22),
        ("2", "d1", 24, 27),
        ("2", "d1", 32, 37),
    ]
    assert spans_of(assay.read_judgments("ann"))[-1] == ("2", "sub/d2", 0, 7)
    assert assay.evaluate("ann", {"1": [("d1", 0, 22)], "2": [("sub/d2", 0, 7)]}, "R").per_topic["R"].to_list()[0] == 1
    written("T1\tEvidence 4 22\tcat sat on the hat\n", "ann/d1.ann")
    with pytest.raises(InputError) as error:
        assay.evaluate("ann/d1.ann", {"Evidence": [("d1", 0, 22)]}, "R")
    assert "document d1 does not have 'cat sat on the hat' at 4-22, nor anywhere else" in str(error.value)


LOG = [
    {"user_input": "who sat?", "retrieved_contexts": ["The dog slept.", "The cat sat on the mat."],
     "reference_contexts": ["cat sat on the mat"], "response": "the cat"},
    {"user_input": "who slept?", "retrieved_contexts": ["The dog slept."], "reference_contexts": ["dog slept"]},
]  # fmt: skip
DEEPEVAL = [
    {"input": row["user_input"], "retrieval_context": row["retrieved_contexts"], "context": row["reference_contexts"]}
    for row in LOG
]


@pytest.mark.parametrize("log", [LOG, DEEPEVAL], ids=["ragas", "DeepEval"])
@pytest.mark.parametrize("written_as", [lambda rows: lines(*rows), json.dumps], ids=["lines", "a list"])
def test_a_log_is_a_run_and_judgments_at_once(log, written_as, folder):
    path = written(written_as(log), "log")
    assert recognise(Source(path)).name == "ragas"
    scores = assay.evaluate(path, path, ["R@1", "R"], documents=DOCUMENTS)
    assert scores.per_topic["R@1"].to_list() == [0, 1]
    assert scores.per_topic["R"].to_list() == [1, 1]
    assert scores.notes == [
        "log: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
        "log: located 3 texts in documents: 3 verbatim, 0 after normalizing whitespace or case, 0 in several places",
    ]
    with pytest.raises(InputError) as error:
        assay.evaluate(path, path, "R")
    assert str(error.value) == (
        "log: no usable offsets for 2 of 2 spans (2 without a start), first in topic who sat?, quote 1: 'cat sat "
        "on the mat'; pass documents= to locate their texts"
    )


def test_a_log_of_an_older_ragas_is_a_run(folder):
    older = [{"question": row["user_input"], "contexts": row["retrieved_contexts"], "ground_truth": "?"} for row in LOG]
    run = written(lines(*older), "older")
    assert recognise(Source(run)).name == "ragas"
    scores = assay.evaluate(written(lines(*LOG), "log"), run, ["R@1", "R"], documents=DOCUMENTS)
    assert (scores.per_topic["R@1"].to_list(), scores.per_topic["R"].to_list()) == ([0, 1], [1, 1])


def changed(rows, number, **values):
    return [*rows[:number], {**rows[number], **values}, *rows[number + 1 :]]


@pytest.mark.parametrize(("content", "message"), [
    (lines(*LOG, LOG[0]), "gold:3: question 'who sat?' appears twice (first on line 1)"),
    (lines(*changed(LOG, 0, reference_contexts=["  "])), "gold: topic who sat?, quote 1: the text is only whitespace, which cannot be located; leave it out"),
    (lines(*changed(LOG, 1, reference_contexts=None)),
     "gold:2: nothing was expected here; expected a list under one of reference_contexts, ground_truth_contexts, expected_context, "
     "context, reference_context_ids, expected_ids"),
    (lines(*changed(LOG, 0, user_input=[7])), "gold:1: no question; expected one of user_input, question, input, query"),
    (chroma() + '1,"[]",d1\n', "gold:4: question '1' appears twice (first on line 2)"),
    (chroma() + "3,nothing,d1\n", "gold:4: references are 'nothing'; expected a JSON list of excerpts"),
    (legalbench().replace("[4, 22]", "[4]"), "gold: test 1, snippet 1: span is [4]; expected a start and an end"),
    (squad().replace('"answer_start": 24', '"answer_start": "24"'),
     "gold: article 1, paragraph 1, question 2: answer_start is '\"24\"'; expected a whole number"),
    (squad().replace('"who slept?"', '"who?"', 1), "gold: question 2 is 'who slept?' here, but 'who?' before; expected one text per id"),
    (squad()[:-9], "gold:1: not valid JSON (Expecting ',' delimiter at column 622)"),
    (doccano().replace("[24, 38,", "[38, 24,"), "gold:1: a label is '[38, 24, \"2\"]'; expected [start, end, name]"),
    (doccano().replace("[24, 38,", '["24\\u001c", 38,'),
     "gold:1: a label is '[\"24\\\\u001c\", 38, \"2\"]'; expected [start, end, name]"),
    (label_studio_short().replace('"2"', ""), "gold: task 1: a region has no label and its task has no question; expected one of them as the topic"),
    ("T1\tEvidence 4 22\tcat\nT2\tEvidence 7\tdog\n",
     "gold:2: cannot read 'T2\\tEvidence 7\\tdog'; expected a span, for example 'T1<tab>Evidence 0 5<tab>words'"),
])  # fmt: skip
def test_what_is_wrong_is_told(content, message, folder):
    with pytest.raises(InputError) as error:
        assay.evaluate(written(content, "gold"), {"1": [("d1", 0, 5)]}, "R", documents=DOCUMENTS)
    assert str(error.value) == message


def test_questions_without_gold_are_counted(folder):
    for content, topic in ((squad(), "3"), (legalbench(), "3")):
        scores = assay.evaluate(written(content, "gold"), {"1": [("d1", 0, 5)], "2": [("d1", 0, 5)]}, "R")
        assert scores.notes[0] == f"gold: left out 1 question without gold: '{topic}'"


def test_two_files_of_gold_are_refused(folder):
    with pytest.raises(AssayError) as error:
        assay.evaluate([written(squad(), "a"), written(squad(), "b")], {"1": [("d1", 0, 5)]}, "R")
    assert str(error.value) == "judgments= has 2 files; expected one, because a topic may be in several of them"


def test_gold_is_no_run(folder):
    with pytest.raises(InputError) as error:
        assay.evaluate({"1": [("d1", 0, 5)]}, written(squad(), "gold"), "R")
    assert str(error.value) == "gold: these are judgments (SQuAD); expected a run"


def test_a_span_beyond_its_document_is_told(folder):
    wrong = squad().replace('"answer_start": 24', '"answer_start": 55')
    result = invoke("check", written(wrong, "gold"))
    assert result.exit_code == 1
    assert (
        result.stdout.splitlines()[0] == "gold: the offsets of 1 of 3 texts are wrong; 1 row ends after the end of the document"
    )


@pytest.mark.shared("spans")
def test_real_files_are_read():
    spans = DATA / "spans"
    chroma = assay.read_judgments(spans / "chroma-chunking-eval" / "questions_df.csv")
    published = assay.read_judgments(spans / "chroma-chunking-eval" / "gold.jsonl")
    assert sorted(chroma.highlights.start.tolist()) == sorted(published.highlights.start.tolist())
    clapnq = assay.read_judgments(spans / "clapnq" / "clapnq_dev_answerable.jsonl")
    assert spans_of(clapnq) == spans_of(assay.read_judgments(spans / "clapnq" / "gold.jsonl"))
    covid = spans / "covid-qa" / "200423_covidQA.json"
    with pytest.raises(
        InputError, match=r"the offsets of 234 of 1,380 texts are wrong \(1,146 exact, 227 moved \(189 by -1\), 7 "
    ):
        assay.evaluate(covid, {"262": [("630", 0, 5)]}, "R")
    report = assay.check(covid)
    assert str(report.faults[0]) == f"{covid}: the offsets of 234 of 1,380 texts are wrong"


def test_gold_that_is_checked_as_a_run_is_refused(folder):
    squad = {"version": "2.0", "data": [{"title": "rye", "paragraphs": [{"context": "Rye flour.", "qas": []}]}]}
    path = written(json.dumps(squad), "gold.json")
    with pytest.raises(assay.InputError) as refused:
        assay.check(path, "run")
    assert str(refused.value) == "gold.json: these are judgments (SQuAD); expected a run"
