"""The study: what it keeps, what it refuses, and that nothing that was acknowledged is lost."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.studies.strokes import Passage, Stroke, StudySettings
from assay.studies.study import (
    RefusedStroke,
    StudyTask,
    StudyTopic,
    Support,
    create_study,
    describe_document,
    is_network_drive,
    is_study,
    new_id,
    open_study,
    refuse_bad_place,
)

TEXT = "The ferry leaves at five. 🙂"


@pytest.fixture
def study(folder):
    with create_study("study.db", StudySettings()) as study:
        study.add_topics([StudyTopic("1", "ferries", "When?", "Only times.")])
        study.add_documents([describe_document("d1", TEXT), describe_document("d2", "other")])
        pool = study.add_pool({"recipe": "depth", "depth": 10}, 7, {"bm25": "abc"})
        study.add_tasks([StudyTask("1", "d2", 2, "1-10", 0.2), StudyTask("1", "d1", 1)], pool)
        study.add_support([Support("1", "d1", "bm25", 3, 4, 9)])
        study.add_assessor("anna")
        study.assign([("1", "d1", "anna"), ("1", "d2", "anna")], main=True)
        yield study


def refusal(run):
    with pytest.raises(InputError) as error:
        run()
    return str(error.value)


def test_a_study_keeps_what_was_added(study):
    study.close()
    assert is_study("study.db")
    with open_study("study.db") as again:
        assert again.settings == StudySettings()
        assert again.topics() == [StudyTopic("1", "ferries", "When?", "Only times.")]
        assert again.tasks() == [StudyTask("1", "d1", 1), StudyTask("1", "d2", 2, "1-10", 0.2)]
        assert again.support("1", "d1") == [Support("1", "d1", "bm25", 3, 4, 9)]
        assert again.pools() == [{"recipe": "depth", "depth": 10, "seed": 7, "runs": {"bm25": "abc"}}]
        assert [(one.document, one.state, one.main, one.length) for one in again.assignments("anna")] == [
            ("d1", "new", True, len(TEXT)),
            ("d2", "new", True, 5),
        ]


def test_what_is_added_twice_is_there_once(study):
    study.add_tasks([StudyTask("1", "d1", 5)])
    study.assign([("1", "d1", "anna")])
    study.add_assessor("anna", "organiser")
    assert len(study.tasks()) == len(study.assignments()) == 2
    assert [(one.name, one.role) for one in study.assessors()] == [("anna", "assessor")]


def test_strokes_are_numbered_and_add_up(study):
    first, _ = study.assignments()
    ids = [new_id() for _ in range(4)]
    kept = study.append(first.id, [Stroke(ids[0], "highlight", 4, 9), Stroke(ids[1], "highlight", 9, 16)])
    kept += study.append(first.id, [Stroke(ids[2], "entry", 4), Stroke(ids[3], "validate")])
    assert [stroke.seq for stroke in kept] == [1, 2, 3, 4]
    assert study.strokes(first.id) == kept
    (judged, other) = study.judgments()
    assert judged.judgment.passages == (Passage(4, 16),)
    assert (judged.state, judged.relevant, other.state, other.relevant) == ("done", True, "new", False)


def test_a_stroke_that_is_sent_twice_is_stored_once(study):
    first, second = study.assignments()
    stroke = Stroke(new_id(), "highlight", 4, 9)
    assert study.append(first.id, [stroke]) == study.append(first.id, [stroke])
    assert len(study.strokes(first.id)) == 1
    why = f"stroke {stroke.id} was stored before with another content"
    assert refusal(lambda: study.append(first.id, [Stroke(stroke.id, "highlight", 4, 10)])) == why
    assert refusal(lambda: study.append(second.id, [stroke])) == why


def test_a_stroke_that_is_not_allowed_takes_those_beside_it_along(study):
    (first, _) = study.assignments()
    with pytest.raises(RefusedStroke, match="nothing to redo"):
        study.append(first.id, [Stroke(new_id(), "highlight", 4, 9), Stroke(new_id(), "redo")])
    assert study.strokes(first.id) == []
    study.append(first.id, [Stroke(new_id(), "highlight", 1, 2)])
    assert study.judgment(first).passages == (Passage(1, 2),)


def test_strokes_of_another_process_count(study):
    (first, _) = study.assignments()
    study.append(first.id, [Stroke(new_id(), "highlight", 0, 2)])
    with open_study("study.db") as other:
        other.append(first.id, [Stroke(new_id(), "highlight", 4, 6)])
    study.append(first.id, [Stroke(new_id(), "undo")])
    assert study.judgment(first).passages == (Passage(0, 2),)


def test_many_threads_write_at_once_and_nothing_is_lost(study):
    (first, second) = study.assignments()

    def draw(assignment):
        for _ in range(20):
            study.append(assignment, [Stroke(new_id(), "note", value=new_id())])

    threads = [threading.Thread(target=draw, args=[one.id]) for one in (first, second) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [stroke.seq for stroke in study.strokes(first.id)] == list(range(1, 101))
    assert [stroke.seq for stroke in study.strokes(second.id)] == list(range(1, 101))


def test_the_judgments_concerned_are_counted_where_a_text_changed(study):
    (first, _) = study.assignments()
    study.append(first.id, [Stroke(new_id(), "highlight", 0, 2)])
    study.check_texts([("d1", TEXT), ("d2", "other"), ("d9", "unknown")])
    what = "study.db: the text of 2 documents changed since the study was made (d1, d2)"
    assert refusal(lambda: study.check_texts([("d1", TEXT + "."), ("d2", "others")])) == (
        f"{what}; 1 judgment would refer to the wrong text; restore the documents, or move the judgments to a new study: "
        "assay locate study.db --documents NEW -o moved.db"
    )
    why = "study.db: has another text of document 'd1'"
    assert refusal(lambda: study.add_documents([describe_document("d1", "new")])) == why


def test_names_that_are_not_there_are_refused(study):
    assert refusal(lambda: study.add_tasks([StudyTask("2", "d1")])) == "study.db: has no topic '2'; add it first"
    assert refusal(lambda: study.add_tasks([StudyTask("1", "d7")])) == "study.db: has no document 'd7'; add it first"
    assert refusal(lambda: study.assign([("1", "d1", "bob")])) == "study.db: has no assessor 'bob'; add it first"
    why = "study.db: unknown role 'boss'; choose from assessor, organiser"
    assert refusal(lambda: study.add_assessor("bob", "boss")) == why


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_texts_that_no_page_can_show_are_refused(text):
    what = {"\0": "a NUL character at 1; remove it", "\ud800": "half a character (a lone surrogate) at 1; remove it"}
    assert refusal(lambda: describe_document("d", text)) == f"document 'd' contains {what[text[1]]}"


def test_files_that_are_no_study_are_refused(folder):
    assert refusal(lambda: open_study("no.db")) == "no.db: no such file; expected a study, as `assay pool` makes it"
    Path("text.db").write_text("hello")
    sqlite3.connect("other.db").execute("CREATE TABLE a (b)")
    for name in ("text.db", "other.db"):
        assert refusal(lambda name=name: open_study(name)) == f"{name}: is not a study of Assay; `assay pool` makes one"
    why = "text.db: exists already; choose another name for the new study, or delete it"
    assert refusal(lambda: create_study("text.db", StudySettings())) == why
    assert Path("text.db").read_text() == "hello"


def test_a_study_of_a_newer_version_is_refused(study):
    study.close()
    connection = sqlite3.connect("study.db")
    connection.execute("PRAGMA user_version=9")
    connection.close()
    why = "study.db: was made by a newer Assay (tables 9, this one reads 2); update Assay"
    assert refusal(lambda: open_study("study.db")) == why


def test_the_tables_of_an_older_version_are_brought_up_to_date(study):
    (first, _) = study.assignments()
    study.append(first.id, [Stroke(new_id(), "highlight", 4, 9), Stroke(new_id(), "entry", 10)])
    study.close()
    connection = sqlite3.connect("study.db")
    connection.execute("ALTER TABLE stroke DROP COLUMN text")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    with open_study("study.db") as again:
        assert again.judgment(first).passages == (Passage(4, 9),)
        assert again.documents_without_texts() == ["d1"]
        again.keep_texts([("d1", "another text"), ("d2", "other")])
        assert again.documents_without_texts() == ["d1"]
        again.keep_texts([("d1", TEXT)])
        assert again.stroke_texts(first.id) == [("highlight", 4, "ferry"), ("entry", 10, TEXT[10:])]
    open_study("study.db").close()


def test_two_servers_on_one_study_are_refused(study):
    study.close()
    with open_study("study.db", serve=True):
        code = "from assay.studies.study import open_study; open_study('study.db', serve=True)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        why = "study.db: another `assay assess` has this study open; use its page, or stop it first"
        assert why in done.stderr
        with open_study("study.db") as other:
            assert other.topics()
    open_study("study.db", serve=True).close()


def test_a_full_disk_is_told_and_what_was_stored_stays(study):
    (first, _) = study.assignments()
    study.append(first.id, [Stroke(new_id(), "highlight", 0, 2)])
    study.write(lambda sql: sql.execute("PRAGMA max_page_count=1") and None)
    with pytest.raises(InputError) as error:
        for _ in range(1000):
            study.append(first.id, [Stroke(new_id(), "note", value=new_id() * 100)])
    assert str(error.value) == (
        "study.db: the disk is full; nothing of the last change is stored: make room, then try again"
    )
    count = len(study.strokes(first.id))
    study.write(lambda sql: sql.execute("PRAGMA max_page_count=100000") and None)
    study.append(first.id, [Stroke(new_id(), "undo")])
    assert [stroke.seq for stroke in study.strokes(first.id)] == list(range(1, count + 2))


def test_places_where_no_study_can_be_are_refused(folder):
    why = "none/study.db: cannot be made: there is no folder none"
    assert refusal(lambda: create_study("none/study.db", StudySettings())) == why
    if os.geteuid():
        Path("closed").mkdir(mode=0o500)
        why = "closed/study.db: cannot be written: the file or its folder is read-only"
        assert refusal(lambda: create_study("closed/study.db", StudySettings())) == why


def test_a_read_only_study_is_refused(study, monkeypatch):
    study.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    why = "study.db: cannot be written: the file or its folder is read-only"
    assert refusal(lambda: open_study("study.db")) == why


def test_a_network_drive_is_refused(folder):
    mounts = "/dev/sda / ext4 rw 0 0\nhost:/x /mnt/my\\040share nfs4 rw 0 0\n/dev/sdb /mnt/my\\040share/disk ext4 rw 0 0\n"
    assert is_network_drive("/mnt/my share/a", mounts)
    assert not is_network_drive("/mnt/my share/disk/a", mounts)
    assert not is_network_drive("/mnt/my share2", mounts)
    why = "study.db: is on a network drive, where SQLite can lose data; move the study to a local disk"
    assert refusal(lambda: refuse_bad_place("study.db", f"h:/x {Path.cwd().resolve()} cifs rw 0 0")) == why


def test_nothing_that_was_acknowledged_is_lost_when_the_process_is_killed(study):
    """Several processes draw strokes and are killed; what they said was stored is there, once, in order."""
    (first, _) = study.assignments()
    code = """
import sys
from assay.studies.study import open_study, new_id
from assay.studies.strokes import Stroke
with open_study("study.db") as study:
    while True:
        stroke = Stroke(new_id(), "note", value=new_id())
        study.append(int(sys.argv[1]), [stroke])
        print(stroke.id, flush=True)
"""
    said = []
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", code, str(first.id)], stdout=subprocess.PIPE, text=True) as process:
            said += [process.stdout.readline().strip() for _ in range(30)]
            process.kill()
            said += process.stdout.read().split("\n")[:-1]
    stored = [stroke.id for stroke in study.strokes(first.id)]
    assert set(said) <= set(stored)
    assert len(stored) == len(set(stored))
    assert [stroke.seq for stroke in study.strokes(first.id)] == list(range(1, len(stored) + 1))
