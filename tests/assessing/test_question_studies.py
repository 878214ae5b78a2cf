"""A study of questions is judgments like its gold: the same values, notes, checks and conversions."""

import json
from pathlib import Path

import pytest

import assay
from assay.assessing.launch import study_of_questions
from assay.assessing.people import deal, open_document
from assay.assessing.progress import GoldFile
from assay.studies.strokes import Stroke
from assay.studies.study import describe_document, new_id, open_study
from helpers.assessing import write_documents
from helpers.commands import invoke

TEXTS = {
    "ferry": "The ferry leaves at five. It returns at nine. The fare is two pounds.",
    "pier": "Five is when the ferry leaves. The pier is of stone.",
}
QUESTIONS = {"q1": "When does the ferry leave and return?", "q2": "Of what is the pier?", "q3": "Who owns it?"}
# fact 1 of q1 has an alternative in the other document
EVIDENCE = {
    ("q1", "ferry"): [(0, 25, "1"), (26, 45, "2")],
    ("q1", "pier"): [(0, 30, "1")],
    ("q2", "pier"): [(31, 52, "1")],
}
RUN = [("q1", "pier", 0, 30), ("q1", "ferry", 30, 69), ("q2", "ferry", 0, 25), ("q2", "pier", 20, 45), ("q3", "pier", 0, 9)]


@pytest.fixture
def gold(folder):
    """A study with evidence by two people, of whom one says that q3 has no answer; and its gold."""
    documents = write_documents(Path("documents"), TEXTS)
    Path("questions.jsonl").write_text("".join(json.dumps({"query_id": q, "text": t}) + "\n" for q, t in QUESTIONS.items()))
    path = study_of_questions("questions.jsonl", "gold.jsonl")
    with open_study(path) as study:
        study.add_assessor("anna")
        deal(study)
        study.add_documents([describe_document(name, text) for name, text in documents.texts()])
        for (topic, name), passages in EVIDENCE.items():
            opened = open_document(study, "anna", topic, name)
            strokes = [Stroke(new_id(), "highlight", start, end, fact) for start, end, fact in passages]
            study.append(opened.id, strokes, TEXTS[name])
        for one in study.assignments():
            if one.document is None and one.topic in ("q2", "q3"):
                # of q2 there is evidence, which counts more
                study.append(one.id, [Stroke(new_id(), "answer", value="none")])
        GoldFile(study, documents, "gold.jsonl").write()
    rows = [{"query_id": q, "doc_id": d, "start": a, "end": b, "score": 9 - n} for n, (q, d, a, b) in enumerate(RUN)]
    Path("run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_gold_says_which_questions_have_no_answer(gold):
    rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    assert rows[-1] == {"query_id": "q3", "no_answer": True, "annotator": "anna"}
    assert [(row["query_id"], row["doc_id"], row["fact"], row["text"]) for row in rows[:-1]] == [
        (topic, name, fact, TEXTS[name][a:b]) for (topic, name), spans in EVIDENCE.items() for a, b, fact in spans
    ]


@pytest.mark.parametrize("documents", [None, "documents"])
def test_a_study_has_the_values_and_notes_of_its_gold(gold, documents):
    measures = ["FactRecall@1", "FactRecall@2", "R@2", "P@1", "R(chars=60)", "AiP"]
    scores = [assay.evaluate(each, "run.jsonl", measures, documents=documents) for each in (gold, "gold.jsonl")]
    notes = [note.replace(gold, "gold.jsonl") for note in scores[0].notes]
    assert notes == scores[1].notes
    says = "run: 1 question has no answer and is left out of all means; the run returned 1 result for it, mean top score 5"
    assert [note for note in notes if "no answer" in note] == [says]
    assert scores[0].show("json") == scores[1].show("json").replace("gold.jsonl", gold)
    by_hand = assay.evaluate(gold, "run.jsonl", ["FactRecall@1"], documents=documents)
    # of the two facts of q1 the first result has one; that of q2 has none
    assert float(by_hand["FactRecall@1"]) == pytest.approx((1 / 2 + 0) / 2)


def test_a_study_is_checked_and_converted_as_its_gold(gold):
    for words in ([], ["--documents", "documents"]):
        study, file = (invoke("check", each, *words) for each in (gold, "gold.jsonl"))
        assert (study.exit_code, file.exit_code) == (0, 0)
        lines = [line for line in file.stdout.splitlines() if "columns not used" not in line]
        assert study.stdout.splitlines()[1:] == lines[1:]
    for target in ("jsonl", "csv", "fol"):
        done = [invoke("convert", each, "--to", target, "--documents", "documents") for each in (gold, "gold.jsonl")]
        assert done[0].exit_code == 0, done[0].stderr
        assert done[0].stdout == done[1].stdout
    assert '"fact": "2"' in invoke("convert", gold, "--to", "jsonl", "--documents", "documents").stdout


def test_a_study_without_evidence_is_refused(folder):
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "Who?"}\n')
    path = study_of_questions("questions.jsonl", "gold.jsonl")
    done = invoke("convert", path, "--to", "jsonl")
    assert (done.stderr, done.exit_code) == (f"{path}: no evidence yet; find some with `assay assess`\n", 1)


def test_assessors_of_questions_are_annotators(gold):
    with open_study(gold) as study:
        study.add_assessor("bob")
        opened = open_document(study, "bob", "q1", "ferry")
        study.append(opened.id, [Stroke(new_id(), "highlight", 0, 9, "1")], TEXTS["ferry"])
    alike = assay.agreement(gold, documents="documents")
    assert alike.pairs.first == ["anna"]
    assert alike["F1"] == pytest.approx(2 * 9 / (44 + 9))
    main = invoke("convert", gold, "--to", "jsonl", "--annotators", "main", "--documents", "documents").stdout
    assert len(main.splitlines()) == 5 and main.endswith('{"topic": "q3", "no_answer": true}\n')
    done = invoke("convert", gold, "--to", "jsonl", "--annotators", "majority")
    assert done.stderr.endswith("annotators=majority does not apply to questions; choose from main, union and a name\n")
