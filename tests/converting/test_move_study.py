"""Judgments of a study whose documents changed: `assay locate study.db --documents NEW -o moved.db`."""

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assay.assessing.launch import study_of_documents
from assay.converting.locate import move_study
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.reading.read import read_judgments
from assay.studies.export import text_elements
from assay.studies.strokes import Passage, Stroke, StudySettings
from assay.studies.study import StudyTopic, new_id, open_study
from helpers.assessing import write_documents
from helpers.commands import invoke
from helpers.samples import sample

OLD = {
    "d1": "The ferry leaves at five. It returns at nine. The fare is two pounds.",
    "d2": "Nothing about ships.",
    "d3": "Twice said. Middle. Twice said.",
    "d4": "A pier of stone. Nobody knows its age.",
    "d5": "The same as before.",
}
NEW = {
    "d1": "News: the ferry has a new owner. The ferry leaves at five. It now returns at ten. The fare is two pounds.",
    "d2": "Still nothing about ships.",
    "d3": "A header. Twice said. Middle. Twice said.",
    "d4": "Once there was this. A pier of stone. Nobody knows its age.",
    "d5": "The same as before.",
}


def highlight(start, end, fact=None):
    return Stroke(new_id(), "highlight", start, end, fact)


def study_with(texts, strokes, settings=None, assessors=("anna",)):
    """A study in which assessors make strokes in documents, each done at its end; its documents in old/."""
    documents = write_documents(Path("old"), texts)
    study_of_documents("study.db", [StudyTopic("1", "ferries")], documents, list(texts), settings or StudySettings())
    with open_study("study.db") as study:
        for name in assessors:
            study.add_assessor(name)
        study.assign([("1", name, assessor) for name in texts for assessor in assessors])
        for one in study.assignments():
            if one.document in strokes:
                own = [replace(each, id=new_id()) for each in strokes[one.document]]
                study.append(one.id, [*own, Stroke(new_id(), "validate")], texts[one.document])
    return "study.db"


@pytest.fixture
def study(folder):
    """Four documents of five change."""
    strokes = {
        "d1": [highlight(0, 25), highlight(26, 45), Stroke(new_id(), "entry", 4), Stroke(new_id(), "time", value="3")],
        "d2": [Stroke(new_id(), "note", value="no ships")],
        "d3": [highlight(20, 31), Stroke(new_id(), "entry", 12)],
        "d4": [highlight(0, 30), Stroke(new_id(), "unhighlight", 8, 17), Stroke(new_id(), "entry", 17)],
        "d5": [highlight(0, 8), Stroke(new_id(), "entry", 0)],
    }
    write_documents(Path("new"), NEW)
    return study_with(OLD, strokes)


def moved_judgments(path="moved.db"):
    with open_study(path) as study:
        return {one.document: one for one in study.judgments()}


LISTED = """topic 1, d1, by anna: not found: 'It returns at nine.'
    nearest: d1 63-81, likeness 0.73: 'ow returns at ten.'
    quote → document: 'It' → 'ow', 'nine.' → 'ten.'
    accept it with --near 0.73
topic 1, d3, by anna: in several places: 'Twice said.'
    Assay took d3 30-41 (found in 2 places; took the first after the previous text)
6 quotes: 4 verbatim, 0 after normalizing whitespace or case, 1 in several places, 1 not found; compared with the offsets in the file: 0 unchanged, 5 moved, 1 altered, 0 gone
moved.db: 4 judged documents changed: d1, d2, d3, d4
1 judgment moved completely
1 judgment kept with nothing highlighted, although nobody judged the new text
2 judgments incomplete, and open again for the assessor: topic 1, d1, by anna; topic 1, d3, by anna
"""


def test_passages_and_entry_points_have_the_offsets_of_the_new_texts(study):
    before = Path("study.db").read_bytes()
    done = invoke("locate", study, "--documents", "new", "-o", "moved.db")
    assert (done.stderr, done.exit_code) == (LISTED, 1)
    assert Path("study.db").read_bytes() == before
    found = moved_judgments()
    texts = {
        name: [NEW[name][start:end] for start, end, _ in one.judgment.passages] for name, one in found.items()
    }
    assert texts == {
        "d1": ["The ferry leaves at five."], "d2": [], "d3": ["Twice said."], "d4": ["A pier o", "Nobody knows "], "d5": ["The same"]
    }  # fmt: skip
    assert NEW["d1"][found["d1"].judgment.entry :].startswith("ferry leaves")
    assert NEW["d3"][found["d3"].judgment.entry :].startswith("Middle.")
    assert NEW["d4"][found["d4"].judgment.entry :].startswith("Nobody knows")
    assert [(name, one.state) for name, one in found.items()] == [
        ("d1", "highlighting"), ("d2", "done"), ("d3", "highlighting"), ("d4", "done"), ("d5", "done")
    ]  # fmt: skip
    assert found["d1"].seconds == 3
    assert found["d2"].judgment.note == "no ships"


def test_assess_and_evaluate_take_the_moved_study(study):
    invoke("locate", study, "--documents", "new", "-o", "moved.db")
    with open_study("moved.db") as moved, open_study(study) as old:
        moved.check_texts(Documents("new", cache=False).texts())
        assert moved.id != old.id
        assert old.assignments("anna", "1")[4] == moved.assignments("anna", "1")[4]
    Path("a.run").write_text("1 Q0 d4 1 2 a 20 16\n1 Q0 d5 2 1 a 0 8\n")
    done = invoke("evaluate", "moved.db", "a.run", "-m", "AP", "--as", "tsv")
    assert done.exit_code == 0, done.stderr
    judged = read_judgments("moved.db")
    assert sorted(zip(judged.document.texts(), judged.grade.tolist(), strict=True)) == [("d2", 0), ("d4", 1), ("d5", 1)]


def test_a_passage_that_was_edited_is_taken_with_near(study):
    done = invoke("locate", study, "--documents", "new", "-o", "moved.db", "--near", "0.7")
    assert done.exit_code == 0
    assert "2 judgments moved completely\n" in done.stderr
    assert [NEW["d1"][a:b] for a, b, _ in moved_judgments()["d1"].judgment.passages] == [
        "The ferry leaves at five.", "ow returns at ten."
    ]  # fmt: skip


def test_a_study_whose_documents_are_the_same_is_copied(study):
    done = invoke("locate", study, "--documents", "old", "-o", "moved.db")
    assert (done.stderr, done.exit_code) == ("moved.db: no judged document changed; the study is a copy\n", 0)
    with open_study("moved.db") as moved, open_study(study) as old:
        assert list(moved.judgments()) == list(old.judgments())


def test_judgments_of_a_document_that_is_missing_are_left_out(study):
    Path("new/d4.txt").unlink()
    done = invoke("locate", study, "--documents", "new", "-o", "moved.db")
    assert "1 judgment left out, because the document is missing: topic 1, d4, by anna\n" in done.stderr
    assert "topic 1, d4, by anna: not found (there is no document d4): 'A pier o'\n" in done.stderr
    assert moved_judgments()["d4"].state == "new"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "the moved study is a new file: pass --output, for example -o moved.db\n"),
        (["-o", "old.db"], "old.db: the file exists; choose another name for the moved study\n"),
    ],
)
def test_a_study_is_never_moved_in_place(study, words, says):
    Path("old.db").write_text("mine")
    done = invoke("locate", study, "--documents", "new", *words)
    assert done.stderr.endswith(says)
    assert done.exit_code in (1, 2)
    assert Path("old.db").read_text() == "mine"


def test_a_study_of_an_older_version_gets_its_texts_from_the_documents_that_were_judged(study):
    connection = sqlite3.connect("study.db")
    connection.execute("ALTER TABLE stroke DROP COLUMN text")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    with pytest.raises(InputError) as error:
        move_study("study.db", "new", "moved.db")
    what = "the study lacks the texts that were highlighted in 3 documents (d1, d3, d4), because an older Assay stored them"
    remedy = "open it once with the documents that were judged: assay assess study.db --documents OLD"
    assert str(error.value) == f"study.db: {what}; {remedy}"
    assert not Path("moved.db").exists()
    with open_study("study.db") as old:
        old.keep_texts(Documents("old", cache=False).texts(old.documents_without_texts()))
        assert old.documents_without_texts() == []
    assert move_study("study.db", "new", "moved.db").complete == ["topic 1, d4, by anna"]


def test_facts_and_assessors_keep_their_own_passages(folder):
    write_documents(Path("new"), {"d": "Zero. " + OLD["d1"]})
    strokes = {"d": [highlight(0, 9, "1"), highlight(4, 25, "2")]}
    path = study_with({"d": OLD["d1"]}, strokes, StudySettings("questions"), ("anna", "bob"))
    move_study(path, "new", "moved.db")
    with open_study("moved.db") as moved:
        assert [(one.assessor, one.judgment.passages) for one in moved.judgments()] == [
            (name, (Passage(6, 15, "1"), Passage(10, 31, "2"))) for name in ("anna", "bob")
        ]


def test_exhaustivity_is_to_be_judged_again(folder):
    documents = write_documents(Path("old"), {"x.xml": "<a><p>One two.</p></a>"})
    study_of_documents("study.db", [StudyTopic("1", "t")], documents, ["x"], StudySettings("exhaustivity"))
    with open_study("study.db") as study:
        study.elements_of = lambda name: text_elements(name, documents)
        study.add_assessor("anna")
        study.assign([("1", "x", "anna")])
        level = Stroke(new_id(), "exhaustivity", value="2 /a[1]/p[1]")
        strokes = [highlight(0, 3), Stroke(new_id(), "entry", 0), level, Stroke(new_id(), "validate")]
        study.append(study.assignments()[0].id, strokes, "One two.")
    write_documents(Path("new"), {"x.xml": "<a><h>New</h><p>One two.</p></a>"})
    assert move_study("study.db", "new", "moved.db").reopened == ["topic 1, x, by anna"]
    assert moved_judgments()["x"].judgment.passages == (Passage(3, 6),)


def test_what_is_not_touched_by_random_edits_is_found_again(folder):
    """Words are put in, left out and exchanged around passages of unique words."""
    rng = random.Random(3)
    for number in range(sample(3, 60)):
        words = [f"w{number}x{n}" for n in range(60)]
        chosen = sorted(rng.sample(range(0, 60, 6), 4))
        marked = {n for start in chosen for n in range(start, start + 3)}
        text = " ".join(words)
        spans = [(text.index(f"{words[n]} "), text.index(f"{words[n + 2]} ") + len(words[n + 2])) for n in chosen]
        entry = rng.choice(spans)[0]
        for old in Path().glob("*.db*"):
            old.unlink()
        path = study_with({"d": text}, {"d": [*(highlight(*span) for span in spans), Stroke(new_id(), "entry", entry)]})
        edited = [
            word
            for n, before in enumerate(words)
            for word in ([before] if n in marked else rng.choice([[], [before], [f"new{n}", before], ["other"]]))
        ]
        new = " ".join(edited)
        write_documents(Path("new"), {"d": new})
        assert not move_study(path, "new", "moved.db").reopened
        found = moved_judgments()["d"].judgment
        assert [new[a:b] for a, b, _ in found.passages] == [text[a:b] for a, b in spans]
        assert new[found.entry :].split()[0] == text[entry:].split()[0]
