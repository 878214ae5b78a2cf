"""A baseline holds as long as judgments and evidence are the same text, whatever else changes in the documents."""

import json
from dataclasses import replace

import pytest

import assay
from assay.errors import InputError
from assay.evaluation import provenance

TEXTS = {
    "ferry": "# Ferry\nThe ferry leaves at 7:15 from pier 4. Bicycles travel free of charge.",
    "oven": "Preheat the oven to 230 degrees. Steam makes a crisp crust.",
    "notes": "Nothing of interest.",
}
QUOTES = {
    "q1": ("ferry", "leaves at 7:15 from pier 4"),
    "q2": ("ferry", "Bicycles travel free"),
    "q3": ("oven", "the oven to 230 degrees"),
    "q4": ("oven", "Steam makes a crisp crust"),
    "q5": ("oven", "Preheat the oven"),
    "q6": ("ferry", "The ferry leaves"),
}


def spans(texts, extra=0):
    """The quotes by offsets."""
    found = {topic: (name, texts[name].index(quote), len(quote)) for topic, (name, quote) in QUOTES.items()}
    return [
        {"topic": topic, "document": name, "start": start, "end": start + length + extra}
        for topic, (name, start, length) in found.items()
    ]


GOLD = spans(TEXTS)
RUN = {"now": [row | {"score": 1} for row in spans(TEXTS, extra=3)]}
WRITTEN = [{"topic": topic, "document": name, "text": quote} for topic, (name, quote) in QUOTES.items()]


@pytest.fixture
def saved(tmp_path):
    """A baseline by offsets, and one by quotes."""
    assay.evaluate(GOLD, RUN, "R@5", documents=TEXTS).save(tmp_path / "offsets.json")
    assay.evaluate(WRITTEN, RUN, "R@5", documents=TEXTS).save(tmp_path / "quotes.json")
    return tmp_path


def gate(saved, gold, texts, **more):
    name = "quotes" if gold is WRITTEN else "offsets"
    done = assay.gate(gold, RUN, not_worse_than=saved / f"{name}.json", documents=texts, **more)
    return [note.partition(".json: ")[2] for note in done.notes if ".json: " in note]


def refused(saved, gold, texts):
    with pytest.raises(InputError) as error:
        gate(saved, gold, texts)
    return str(error.value).partition(".json: ")[2]


MEND = "; carry the judgments over to the new documents with `assay locate`, or pass allow_changed_documents="


def test_the_same_documents_have_no_note(saved):
    assert gate(saved, GOLD, TEXTS) == []


def test_documents_without_evidence_may_change(saved):
    changed = {name: text for name, text in TEXTS.items() if name != "notes"} | {"notes": "Something.", "more": "New."}
    assert gate(saved, GOLD, changed) == [
        "1 document without evidence changed since the baseline was saved: notes",
        "1 document added since the baseline was saved: more",
    ]
    del changed["notes"]
    assert gate(saved, GOLD, changed)[1] == "1 document without evidence removed since the baseline was saved: notes"


def test_an_edit_after_the_evidence_changes_nothing(saved):
    note = "1 document changed since the baseline was saved, but not the evidence: ferry"
    assert gate(saved, GOLD, TEXTS | {"ferry": TEXTS["ferry"] + " Dogs pay."}) == [note]


def test_evidence_that_moved_is_refused_by_offsets_and_found_by_quotes(saved):
    moved = TEXTS | {"ferry": "Timetable\n" + TEXTS["ferry"]}
    told = "the evidence changed since this baseline was saved: ferry (3 quotes moved)"
    assert refused(saved, GOLD, moved) == told + MEND
    note = "1 document changed since the baseline was saved, but not the evidence: ferry"
    assert gate(saved, WRITTEN, moved) == [note]
    # judgments carried over to the new offsets are the same judgments
    assert gate(saved, spans(moved), moved) == [note]


def test_edited_and_gone_evidence_is_named(saved):
    edited = TEXTS | {"oven": TEXTS["oven"].replace("crisp crust", "crispy crust"), "ferry": "# Ferry\nIt does not run."}
    told = "the evidence changed since this baseline was saved: ferry (3 quotes gone), oven (1 quote edited)"
    assert refused(saved, GOLD, edited) == told + MEND


def test_quotes_that_are_no_longer_in_the_documents_are_named_as_evidence_that_changed(saved):
    edited = TEXTS | {"oven": "Now: " + TEXTS["oven"].replace("crisp crust", "crispy crust"), "ferry": "# Ferry\nIt does not run."}
    told = "the evidence changed since this baseline was saved: ferry (3 quotes gone), oven (2 quotes moved, 1 quote edited)"
    assert refused(saved, WRITTEN, edited) == told + MEND.partition(", or")[0]
    # what is wrong for another reason is said as it is
    with pytest.raises(InputError) as error:
        gate(saved, [*WRITTEN, {"topic": "q1", "document": "oven", "text": "a zebra"}], TEXTS)
    assert str(error.value).startswith("judgments: could not find 1 of 7 texts in documents")


def test_the_command_that_mends_changed_evidence_is_shown_in_full(saved, monkeypatch):
    monkeypatch.chdir(saved)
    (saved / "docs").mkdir()
    for name, text in TEXTS.items():
        (saved / "docs" / f"{name}.txt").write_text(text, "utf-8")
    for name, gold in {"quotes.jsonl": WRITTEN, "spans.jsonl": GOLD}.items():
        (saved / name).write_text("".join(json.dumps(row) + "\n" for row in gold), "utf-8")
        assay.evaluate(name, RUN, "R@5", documents="docs").save(f"{name}.json")
    (saved / "docs" / "oven.txt").write_text(TEXTS["oven"].replace("230", "240"), "utf-8")
    for name in ("quotes.jsonl", "spans.jsonl"):
        with pytest.raises(InputError) as error:
            assay.gate(name, RUN, not_worse_than=f"{name}.json", documents="docs")
        told = f"{name}.json: the evidence changed since this baseline was saved: oven (1 quote edited)"
        mend = f"; carry the judgments over to the new documents with `assay locate {name} --documents docs`"
        assert str(error.value) == told + mend + (", or pass allow_changed_documents=" if name == "spans.jsonl" else "")


def test_who_knows_may_compare_all_the_same(saved):
    moved = TEXTS | {"ferry": "Timetable\n" + TEXTS["ferry"]}
    assert gate(saved, GOLD, moved, allow_changed_documents=True) == [
        "the evidence changed since the baseline was saved: ferry (3 quotes moved)"
    ]


def test_other_judgments_are_refused_whatever_happened_to_documents(saved):
    changed = TEXTS | {"ferry": TEXTS["ferry"] + " Dogs pay.", "notes": "Something."}
    gold = [row | {"end": row["end"] - 1} for row in GOLD]
    assert "the judgments changed since this baseline was saved (" in refused(saved, gold, changed)
    assert "the judgments changed since this baseline was saved (" in refused(saved, gold, TEXTS)


def test_relevant_documents_without_spans_may_not_change():
    gold = {f"q{number}": {"ferry": 1, "oven": 0} for number in range(6)}
    run = {"now": {topic: {"ferry": 2.0, "oven": 1.0} for topic in gold}}
    before = assay.evaluate(gold, run, "AP", documents=TEXTS)
    other = TEXTS | {"oven": "Something else."}
    note = "the baseline: 1 document without evidence changed since the baseline was saved: oven"
    assert note in assay.gate(gold, run, not_worse_than=before, documents=other).notes
    with pytest.raises(InputError) as error:
        assay.gate(gold, run, not_worse_than=before, documents=TEXTS | {"ferry": "Gone."})
    told = "the baseline: the evidence changed since this baseline was saved: ferry (changed)"
    assert str(error.value) == told + MEND


def test_a_baseline_of_an_older_version_is_compared_as_before_and_asks_to_be_saved_again(saved):
    path = saved / "offsets.json"
    record = json.loads(path.read_text("utf-8"))
    assert record.pop("evidence")
    path.write_text(json.dumps(record), "utf-8")
    older = "an older version of Assay saved this baseline, so it is unknown which documents changed; save the baseline again"
    assert gate(saved, GOLD, TEXTS) == [older]
    changed = TEXTS | {"notes": "Something."}
    was = record["documents"][:8]
    now = assay.evaluate(GOLD, RUN, "R@5", documents=changed).made_of().documents[:8]
    assert refused(saved, GOLD, changed) == (
        f"the documents changed since this baseline was saved ({was} then, {now} now); if that is intended, save the baseline again, "
        "or pass allow_changed_documents="
    )
    assert gate(saved, GOLD, changed, allow_changed_documents=True) == [older]


def test_large_collections_keep_one_fingerprint_for_documents_without_evidence(monkeypatch):
    monkeypatch.setattr(provenance, "MOST_OTHERS", 0)
    monkeypatch.setattr(provenance, "MOST_CHARACTERS", 10)
    before = assay.evaluate(GOLD, RUN, "R@5", documents=TEXTS)
    made_of = before.made_of()
    assert (made_of.evidence.others, made_of.evidence.quotes) == (None, None)
    run = {"now": [row | {"score": 1} for row in GOLD]}
    done = assay.gate(GOLD, run, not_worse_than=before, documents=TEXTS | {"notes": "Something."})
    assert done.notes == ["the baseline: documents without evidence changed since the baseline was saved"]
    with pytest.raises(InputError, match=r"baseline was saved: ferry \(changed\); carry"):
        assay.gate(GOLD, RUN, not_worse_than=before, documents=TEXTS | {"ferry": "x" + TEXTS["ferry"]})


@pytest.mark.parametrize("evidence", [3, {"gold": 1}, {"gold": "", "documents": {}, "others": {}, "quotes": [["a", 1]]}])
def test_evidence_that_was_edited_by_hand_is_refused(saved, evidence):
    path = saved / "offsets.json"
    record = json.loads(path.read_text("utf-8")) | {"evidence": evidence}
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(InputError, match=r"expected scores that scores\.save"):
        assay.read_scores(path)


def test_provenance_survives_a_file(saved):
    before = assay.evaluate(GOLD, RUN, "R@5", documents=TEXTS).made_of()
    assert assay.read_scores(saved / "offsets.json").made_of() == replace(before)
