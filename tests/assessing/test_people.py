"""Invitations, sessions, and who judges what."""

import sqlite3
import time

import pytest

from assay.assessing.people import adjudicate, deal, invite, next_assignment, open_document, redeem, revoke, session_of
from assay.errors import InputError
from assay.studies.strokes import Stroke, StudySettings
from assay.studies.study import StudyTask, StudyTopic, create_study, describe_document, new_id


def study_of(topics, documents, judges=1, mode="highlight"):
    study = create_study("study.db", StudySettings(mode, judges=judges))
    study.add_topics([StudyTopic(f"t{n}", "title") for n in range(topics)])
    study.add_documents([describe_document(f"d{n}", "text") for n in range(documents)])
    study.add_tasks([StudyTask(f"t{t}", f"d{d}", d) for t in range(topics) for d in range(documents)])
    return study


def shares(study):
    counts = {one.name: 0 for one in study.assessors() if not one.revoked}
    for one in study.assignments():
        counts[one.assessor] = counts.get(one.assessor, 0) + 1
    return counts


def refusal(run):
    with pytest.raises(InputError) as error:
        run()
    return str(error.value)


USED = "this link was used already, or is not valid; ask for a new invitation"


def test_a_link_opens_one_session_once(folder):
    with study_of(1, 1) as study:
        token = invite(study, "anna")
        session = redeem(study, token)
        assert session_of(study, session).name == "anna"
        assert refusal(lambda: redeem(study, token)) == USED
        assert refusal(lambda: redeem(study, "guess")) == USED
        assert session_of(study, "guess") is None


def test_links_and_sessions_end(folder, monkeypatch):
    with study_of(1, 1) as study:
        late, session = invite(study, "anna", days=1), redeem(study, invite(study, "bob"))
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 2 * 86_400)
        assert refusal(lambda: redeem(study, late)) == "this link has expired; ask for a new invitation"
        assert session_of(study, session) is not None
        monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
        assert session_of(study, session) is None


def test_access_can_be_revoked_and_given_again(folder):
    with study_of(1, 4) as study:
        session, waiting = redeem(study, invite(study, "anna")), invite(study, "bob")
        revoke(study, "anna")
        revoke(study, "bob")
        assert session_of(study, session) is None
        assert refusal(lambda: redeem(study, waiting)) == USED
        assert session_of(study, redeem(study, invite(study, "bob"))).name == "bob"
        assert refusal(lambda: revoke(study, "eve")) == "study.db: no assessor 'eve' in the study"


def test_no_token_is_in_the_file(folder):
    with study_of(1, 1) as study:
        tokens = [invite(study, "anna"), invite(study, "bob")]
        tokens.append(redeem(study, tokens[0]))
    stored = [row for table in ("assessor", "session") for row in sqlite3.connect("study.db").execute(f"SELECT * FROM {table}")]
    assert not any(token in str(row) for token in tokens for row in stored)
    assert all(len(token) >= 43 for token in tokens)  # 256 bits, 6 bits a letter


def test_everyone_has_about_the_same_number_and_each_document_enough_people(folder):
    with study_of(3, 7, judges=2) as study:
        for name in ("a", "b", "c", "d"):
            invite(study, name)
        counts = shares(study)
        assert sum(counts.values()) == 42
        assert max(counts.values()) - min(counts.values()) <= 2
        per_task = {}
        for one in study.assignments():
            per_task.setdefault(one.task, []).append(one)
        assert {len(ones) for ones in per_task.values()} == {2}
        assert {sum(one.main for one in ones) for ones in per_task.values()} == {1}


def test_what_is_begun_stays_and_the_rest_is_dealt_again(folder):
    with study_of(1, 6) as study:
        invite(study, "anna")
        first = study.assignments("anna")[0]
        study.append(first.id, [Stroke(new_id(), "highlight", 0, 1)])
        invite(study, "bob")
        assert shares(study) == {"anna": 3, "bob": 3}
        assert study.assignment(first.id) is not None
        revoke(study, "anna")
        assert shares(study) == {"anna": 1, "bob": 5}


def test_a_number_is_kept_by_the_same_person_and_never_used_again(folder):
    with study_of(1, 4) as study:
        invite(study, "anna")
        before = {one.id: (one.document, one.assessor) for one in study.assignments()}
        invite(study, "boss", "organiser")
        assert {one.id: (one.document, one.assessor) for one in study.assignments()} == before
        invite(study, "bob")
        after = {one.id: (one.document, one.assessor) for one in study.assignments()}
        assert len(after) == 4
        assert len(before.keys() & after.keys()) == 2
        assert all(before[number] == after[number] for number in before.keys() & after.keys())
        assert all(number > max(before) for number in after.keys() - before.keys())


def test_topics_are_kept_together(folder):
    with study_of(4, 5) as study:
        invite(study, "anna")
        invite(study, "bob")
        topics = {name: {one.topic for one in study.assignments(name)} for name in ("anna", "bob")}
        assert topics["anna"] & topics["bob"] == set()


def test_organisers_judge_only_alone_and_programs_never(folder):
    with study_of(1, 4) as study:
        invite(study, "me", "organiser")
        study.add_assessor("suggestions", "program")
        deal(study)
        assert shares(study) == {"me": 4, "suggestions": 0}
        invite(study, "anna")
        assert shares(study) == {"me": 0, "suggestions": 0, "anna": 4}


def test_a_program_is_not_invited_as_a_person(folder):
    with study_of(1, 1) as study:
        study.add_assessor("program x", "program")
        with pytest.raises(InputError) as error:
            invite(study, "program x")
        assert str(error.value) == f"{study.path}: 'program x' is a program that suggests; choose another name"


def test_the_next_document_is_one_that_is_begun_then_the_first(folder):
    with study_of(1, 3) as study:
        invite(study, "anna")
        first, second, _ = study.assignments()
        assert next_assignment(study, "anna", "t0").id == first.id
        study.append(second.id, [Stroke(new_id(), "highlight", 0, 1)])
        assert next_assignment(study, "anna", "t0").id == second.id
        # one that is left for later gives way to those behind it, then to those before it
        assert next_assignment(study, "anna", "t0", after=second.id).document == "d2"
        assert next_assignment(study, "anna", "t0", after=study.assignments()[2].id).id == first.id
        study.append(second.id, [Stroke(new_id(), "undo"), Stroke(new_id(), "validate")])
        study.append(first.id, [Stroke(new_id(), "validate")])
        assert next_assignment(study, "anna", "t0").document == "d2"
        assert next_assignment(study, "bob", "t0") is None


def test_a_document_outside_the_pool_is_marked_as_such(folder):
    with study_of(1, 1) as study:
        study.add_documents([describe_document("extra", "text")])
        invite(study, "anna")
        opened = open_document(study, "anna", "t0", "extra")
        assert (opened.in_pool, opened.main) == (False, True)
        assert open_document(study, "anna", "t0", "extra") == opened
        why = "study.db: the study has no document 'none', no topic 't0' or no assessor 'anna'"
        assert refusal(lambda: open_document(study, "anna", "t0", "none")) == why


def test_who_adjudicates_has_the_main_judgment(folder):
    with study_of(1, 1, judges=2) as study:
        for name in ("anna", "bob"):
            invite(study, name)
        invite(study, "me", "organiser")
        adjudicate(study, "me", "t0", "d0")
        assert {one.assessor: one.main for one in study.assignments()} == {"anna": False, "bob": False, "me": True}
        deal(study)


def test_an_adjudication_survives_a_new_deal(folder):
    with study_of(1, 1, judges=2) as study:
        for name in ("anna", "bob"):
            invite(study, name)
        invite(study, "me", "organiser")
        opened = adjudicate(study, "me", "t0", "d0")
        study.append(opened.id, [Stroke(new_id(), "highlight", 0, 1)])
        deal(study)
        assert [one.assessor for one in study.assignments() if one.main] == ["me"]
