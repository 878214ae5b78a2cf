"""Texts in files as evidence of offsets, and as all that there is; whitespace that does not count."""

from __future__ import annotations

import json

import pytest

import assay
from assay.documents.collection import JsonLines
from assay.errors import InputError, UsageError
from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA

TEXT = "The cat sat on the mat. The dog slept. The cat sat there again."
DOCUMENTS = {"d1": TEXT, "d2": "Nothing of cats or dogs is told here."}
CHROMA = DATA / "spans" / "chroma-chunking-eval"


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def span(topic, start, end, document="d1", text=None, **more):
    has = DOCUMENTS[document][start:end] if text is None else text
    return {"query_id": topic, "doc_id": document, "start": start, "end": end, "text": has, **more}


GOLD = [span("1", 4, 22), span("2", 28, 37)]
RUN = [span("1", 0, 23, rank=1), span("2", 24, 38, rank=1)]


def files(gold=GOLD, run=RUN):
    written(lines(*gold), "gold.jsonl")
    written(lines(*run), "run.jsonl")
    return "gold.jsonl", "run.jsonl"


def without_places(rows, *more):
    return [{name: value for name, value in row.items() if name not in ("start", "end", *more)} for row in rows]


@pytest.fixture(autouse=True)
def _here(folder):
    for name, text in DOCUMENTS.items():
        written(text, f"docs/{name}.txt")


def test_texts_that_stand_where_they_should_change_nothing():
    scores = assay.evaluate(*files(), "R", documents=DOCUMENTS)
    assert (scores.per_topic["R"].to_list(), scores.notes) == ([1.0, 1.0], [])


@pytest.mark.parametrize("more", [[], ["doc_id"]], ids=["in its document", "in all"])
@pytest.mark.parametrize("documents", [DOCUMENTS, "docs"], ids=["in memory", "in a folder"])
def test_texts_without_offsets_are_found(more, documents):
    scores = assay.evaluate(*files(without_places(GOLD, *more), without_places(RUN, *more)), "R", documents=documents)
    where = "docs" if documents == "docs" else "documents"
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.notes == [
        f"gold.jsonl: located 2 texts in {where}: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
        f"run.jsonl: located 2 texts in {where}: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
    ]


def test_texts_of_csv_and_of_frames_are_found():
    import polars as pl

    gold = pl.DataFrame(without_places(GOLD))
    gold.write_csv("gold.csv")
    for given in ("gold.csv", gold.to_dicts(), gold, gold.to_pandas()):
        scores = assay.evaluate(given, files()[1], "R", documents=DOCUMENTS)
        assert scores.per_topic["R"].to_list() == [1.0, 1.0]


def test_a_text_that_is_not_there_is_refused_with_its_line_or_left_out():
    gold = [*without_places(GOLD), {"query_id": "2", "doc_id": "d2", "text": "zebra"}]
    gold += [{"query_id": "2", "doc_id": "d9", "text": "dog"}]
    judgments, run = files(gold)
    with pytest.raises(InputError) as error:
        assay.evaluate(judgments, run, "R", documents=DOCUMENTS)
    assert str(error.value) == (
        "gold.jsonl: could not find 2 of 4 texts in documents (found 2 verbatim, 0 after normalizing whitespace or case, 0 in several places): line 3: 'zebra'; line 4: 'dog' "
        "(there is no document d9); run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found"
    )
    scores = assay.evaluate(judgments, run, "R", documents=DOCUMENTS, texts="drop")
    assert scores.notes == [
        "gold.jsonl: located 2 of 4 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places, and left out 2 not found"
    ]
    result = invoke("evaluate", judgments, run, "-m", "R", "--documents", "docs")
    assert (result.exit_code, result.stderr) == (1, (
        "gold.jsonl: could not find 2 of 4 texts in docs (found 2 verbatim, 0 after normalizing whitespace or case, 0 in several places): line 3: 'zebra'; line 4: 'dog' "
        "(there is no document d9); run `assay locate` to see the nearest passages, or pass --texts drop to leave out texts that are not found\n"
    ))  # fmt: skip


def test_questions_that_lose_all_their_evidence_are_named():
    quotes, run = {"1": ["The cat sat there"], "2": ["zebra"], "3": ["no lion"]}, {"1": [("d1", 39, 63)]}
    assert assay.evaluate(quotes, run, "R", documents=DOCUMENTS, texts="drop").notes == [
        "judgments: located 1 of 3 texts in documents: 1 verbatim, 0 after normalizing whitespace or case, "
        "0 in several places, and left out 2 not found",
        "judgments: 2 questions have no evidence left and are left out of all means: 2, 3",
    ]


def shifted(rows, by):
    return [row | {"start": row["start"] + by, "end": row["end"] + by} for row in rows]


@pytest.mark.parametrize("name", ["grade", "relevance", "rel", "label", "judgment"])
def test_a_text_of_grade_0_is_not_relevant_whatever_the_grade_is_called(name):
    gold = [{"query_id": "1", "quote": "The cat sat", name: 1}, {"query_id": "1", "quote": "The dog slept.", name: 0}]
    run = {"1": [("d1", 0, 11)]}
    assert assay.evaluate(gold, run, "R", documents=DOCUMENTS)["R"] == 1
    written(lines(*gold), "graded.jsonl")
    assert assay.evaluate("graded.jsonl", run, "R", documents=DOCUMENTS)["R"] == 1
    assert assay.evaluate({"1": gold}, run, "R", documents=DOCUMENTS)["R"] == 1


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({}, "grade is missing"),
        ({"relevance": None}, "grade is missing"),
        ({"relevance": 0.8}, "grade '0.8' is not a whole number"),
        ({"relevance": "high"}, "grade 'high' is not a number"),
    ],
)
def test_a_quotation_without_a_whole_grade_is_refused_where_others_have_one(told, fault):
    gold = [{"query_id": "1", "quote": "The cat sat", **told}, {"query_id": "2", "quote": "The dog slept.", "relevance": 1}]
    run = {"1": [("d1", 0, 11)], "2": [("d1", 0, 11)]}
    by_topic = {row["query_id"]: [{name: row[name] for name in row if name != "query_id"}] for row in gold}
    for given, place in ((gold, "record 1"), (by_topic, "topic 1, quote 1")):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(given, run, "R", documents=DOCUMENTS)
        assert str(refused.value) == f"judgments: {place}: {fault}"


def test_a_judgment_in_words_is_no_grade():
    gold = [{"query_id": "1", "quote": "The cat sat", "judgment": "supports the claim"}]
    for given in (gold, written(lines(*gold), "words.jsonl")):
        assert assay.evaluate(given, {"1": [("d1", 0, 11)]}, "R", documents=DOCUMENTS)["R"] == 1


def test_texts_that_were_cut_short_are_noted():
    documents = {"d": "The cat sat on the mat... and left. The dog slept."}
    returned = ["The cat sat on the...", "The dog […]", "the mat...", "The cat… The dog"]
    run = {"1": [{"text": text, "source": "d"} for text in returned]}
    notes = assay.evaluate({"1": [("d", 0, 22)]}, run, "R", documents=documents).notes
    cut = "run: 2 of 4 texts end in an ellipsis and count up to there; were they truncated?"
    assert [note for note in notes if "ellipsis" in note] == [cut]
    whole = {"1": [{"text": text, "source": "d"} for text in ("the mat...", "on  the\nmat...", "sat on the mat…")]}
    notes = assay.evaluate({"1": [("d", 0, 22)]}, whole, "R", documents=documents).notes
    assert not any("ellipsis" in note for note in notes)


def test_texts_with_wrong_offsets_count_where_they_are():
    judgments, run = files(run=shifted(RUN, 3))
    corrected = assay.evaluate(judgments, run, "R", documents=DOCUMENTS)
    assert corrected.per_topic["R"].to_list() == [1.0, 1.0]
    assert corrected.notes == [
        "run.jsonl: the offsets of 2 of 2 texts are wrong (0 exact, 2 moved (2 by -3), 0 in several places, 0 not found); Assay located them by their texts instead"
    ]
    located = assay.evaluate(judgments, run, "R", documents=DOCUMENTS, texts="locate")
    assert located.per_topic["R"].to_list() == [1.0, 1.0]
    assert located.notes == ["run.jsonl: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places"]
    ignored = assay.evaluate(judgments, run, "R", documents=DOCUMENTS, texts="ignore")
    assert ignored.notes == []


def test_offsets_stay_if_only_the_form_of_the_text_differs():
    # decomposed letters, two spaces and curly quotes; the chunk ends in a blank that its text lacks
    document = "Cafe\u0301 is  open. “Yes”, he said. More."
    gold = {"1": [("d", 0, 4)]}
    for end, text in ((16, "Caf\u00e9 is open."), (16, "CAFE\u0301 is  open."), (21, 'Café is open. "Yes"'), (15, "café is open.")):
        run = {"1": [{"doc_id": "d", "start": 0, "end": end, "text": text}]}
        scores = assay.evaluate(gold, run, "P", documents={"d": document})
        assert (scores["P"], scores.notes) == (4 / end, [])


def test_offsets_that_only_swap_the_whitespace_around_a_text_are_shifted():
    run = {"1": [{"doc_id": "d1", "start": 24, "end": 39, "text": " The dog slept."}]}
    notes = assay.evaluate({"1": ["dog slept"]}, run, "R", documents=DOCUMENTS).notes
    assert notes[1] == (
        "run: the offsets of 1 of 1 text are wrong (0 exact, 1 moved (1 by -1), 0 in several places, 0 not found); "
        "Assay located them by their texts instead"
    )


def test_texts_that_are_shorter_than_their_offsets_count_alone_and_are_called_so():
    previews = [
        {"doc_id": "d1", "start": 0, "end": 23, "text": "The cat"},
        {"doc_id": "d1", "start": 23, "end": 38, "text": "The dog..."},  # the first "The dog" would begin elsewhere
    ]
    gold = {"1": [("d1", 0, 7), ("d1", 24, 38)]}
    scores = assay.evaluate(gold, {"1": previews}, "R", documents=DOCUMENTS)
    assert scores["R"] == 14 / 21
    assert scores.notes == [
        "run: 2 of 2 texts are shorter than their offsets say (topic 1, result 1: 'The cat' has 7 characters, but 0-23 has "
        "23); Assay counts only the text; if these texts are previews and the offsets are right, pass texts=ignore"
    ]
    ignored = assay.evaluate(gold, {"1": previews}, "R", documents=DOCUMENTS, texts="ignore")
    assert (ignored["R"], ignored.notes) == (1, [])
    gone = {"doc_id": "d1", "start": 3, "end": 12, "text": "dog slept"}
    mixed = assay.evaluate({"1": ["The cat"]}, {"1": [previews[0], gone]}, "R", documents=DOCUMENTS).notes
    assert mixed[1:] == [
        "run: 1 of 2 texts is shorter than its offsets say (topic 1, result 1: 'The cat' has 7 characters, but 0-23 has "
        "23); Assay counts only the text; if these texts are previews and the offsets are right, pass texts=ignore",
        "run: the offsets of 1 of 2 texts are wrong (0 exact, 1 shorter than the offsets, 1 moved (1 by 25), 0 in several "
        "places, 0 not found); Assay located them by their texts instead",
    ]


def test_a_text_that_is_longer_than_its_offsets_has_a_wrong_end():
    run = {"1": [{"doc_id": "d1", "start": 0, "end": 12, "text": "The cat sat on the mat."}]}
    scores = assay.evaluate({"1": ["The cat sat on the mat."]}, run, "R", documents=DOCUMENTS)
    assert scores["R"] == 1
    assert scores.notes[1:] == [
        "run: the offsets of 1 of 1 text are wrong (0 exact, 1 with a wrong end, 0 moved, 0 in several places, 0 not "
        "found); Assay located them by their texts instead"
    ]


def test_texts_that_are_nowhere_do_not_count_and_are_refused_if_they_are_more_than_a_tenth():
    lost = span("2", 24, 38, rank=11) | {"text": "The fox jumped"}
    judgments, run = files(run=[*[RUN[0] | {"rank": rank} for rank in range(1, 10)], RUN[1] | {"rank": 10}, lost])
    scores = assay.evaluate(judgments, run, "R", documents=DOCUMENTS, overlap="new")
    assert scores.notes[0] == (
        "run.jsonl: the offsets of 1 of 11 texts are wrong (10 exact, 0 moved, 0 in several places, 1 not found); Assay located them by their texts instead, and left out 1 not found"
    )
    judgments, run = files(run=[*[RUN[0] | {"rank": rank} for rank in range(1, 9)], RUN[1] | {"rank": 10}, lost, lost])
    with pytest.raises(InputError) as error:
        assay.evaluate(judgments, run, "R", documents=DOCUMENTS, overlap="new")
    assert str(error.value) == (
        "run.jsonl: the offsets of 2 of 11 texts are wrong (9 exact, 0 moved, 0 in several places, 2 not found); line 10: document d1 does "
        "not have 'The fox jumped' at 24-38, nor anywhere else; line 11: document d1 does not have 'The fox jumped' "
        "at 24-38, nor anywhere else; run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found, or texts=ignore to trust the offsets"
    )
    result = invoke("evaluate", judgments, run, "-m", "R", "--documents", "docs", "--overlap", "new")
    assert result.stderr.endswith(
        "; run `assay locate` to see the nearest passages, or pass --texts drop to leave out texts that are not found, or --texts ignore to trust the offsets\n"
    )


def test_the_quotation_of_a_judgment_counts_where_it_is_only_if_it_is_there_once():
    run = {"1": [("d1", 0, 23)]}
    stale = [{"query_id": "1", "doc_id": "d1", "start": 7, "end": 14, "text": "cat sat"}]
    twice = {"d1": TEXT + " A cat sat here."}
    scores = assay.evaluate(files(stale)[0], run, "R", documents={"d1": "The cat sat on the mat. The dog slept."})
    assert scores["R"] == 1
    assert scores.notes[0].endswith("1 moved (1 by -3), 0 in several places, 0 not found); Assay located them by their texts instead")
    for documents in (twice, {"d1": "The dog slept."}):
        with pytest.raises(InputError, match="line 1: document d1 does not have 'cat sat' at 7-14"):
            assay.evaluate(files(stale)[0], run, "R", documents=documents)


def test_wrong_offsets_are_found_in_memory_too():
    import polars as pl

    for given in (shifted(RUN, 7), pl.DataFrame(shifted(RUN, 7))):
        corrected = assay.evaluate(GOLD, given, "R", documents=DOCUMENTS)
        assert corrected["R"] == 1
        assert corrected.notes[0] == (
            "run: the offsets of 2 of 2 texts are wrong (0 exact, 2 moved (2 by -7), 0 in several places, 0 not found); Assay located them by their texts instead"
        )
        assert assay.evaluate(GOLD, given, "R")["R"] < 1


def test_without_documents_a_text_in_a_file_must_be_as_long_as_its_place():
    gold, run = files(run=[span("1", 0, 23, rank=1), {**span("2", 24, 38, rank=1), "end": 37}])
    with pytest.raises(InputError) as error:
        assay.evaluate(gold, run, "R")
    assert str(error.value) == (
        "run.jsonl: the offsets of 1 of 2 texts do not match their lengths (line 2: 'The dog slept.' has 14 characters, but "
        "24-37 has 13); pass documents= to count each text where the documents have it, or texts=ignore to trust the offsets"
    )
    with pytest.raises(InputError) as again:
        assay.evaluate(gold, run, "R", texts="locate")
    assert str(again.value) == str(error.value)
    assert assay.evaluate(gold, run, "R", texts="ignore")["R"] == 1


def test_without_documents_one_place_cannot_have_two_texts():
    # as of a splitter that cuts chunks of chunks, and counts from the start of each
    nested = [{**span("1", 0, 8, rank=1)}, {**span("2", 24, 32, rank=1), "start": 0, "end": 8}]
    gold, run = files(run=nested)
    place = "'The dog ' begins at 0 in document d1, and so does 'The cat ' (line 1)"
    asked = "do these offsets count from a parent chunk, not from the start of the document?"
    with pytest.raises(InputError) as error:
        assay.evaluate(gold, run, "R")
    assert str(error.value) == (
        f"run.jsonl: 1 of 2 texts differ from another text with the same start (line 2: {place}); {asked} pass documents= to locate the texts, or texts=ignore to trust the offsets"
    )
    checked = invoke("check", run).stdout.splitlines()
    assert checked[:2] == [
        f"run.jsonl: 1 of 2 texts differ from another text with the same start; {asked}",
        f"run.jsonl:2: {place}",
    ]
    # a longer chunk begins as a shorter one does
    gold, run = files(run=[span("1", 0, 8, rank=1), span("1", 0, 23, rank=2), span("2", 24, 38, rank=1)])
    assert assay.evaluate(gold, run, "R")["R"] == 1


def test_a_few_wrong_offsets_are_noted():
    judgments, run = files(run=[*[RUN[0] | {"rank": rank} for rank in range(1, 11)], *shifted(RUN[1:], -1)])
    scores = assay.evaluate(judgments, run, "R", documents=DOCUMENTS, overlap="new")
    assert scores.notes[0] == (
        "run.jsonl: the offsets of 1 of 11 texts are wrong (10 exact, 1 moved (1 by 1), 0 in several places, 0 not found); Assay located them by their texts instead"
    )
    assert scores["R"] == 1


@pytest.mark.parametrize(("rows", "cause"), [
    ([span("1", 60, 78, text="cat sat on the mat"), span("2", 99, 108, text="dog slept")], "2 rows end after the end of the document"),
    ([span("1", 4, 21, text="cat sat on the mat"), span("2", 28, 36, text="dog slept")],
     "each end is the offset of the last character; it must be one more"),
])  # fmt: skip
def test_the_cause_is_named(rows, cause):
    scores = assay.evaluate(*files(rows), "R", documents=DOCUMENTS)
    assert f" not found); {cause}; Assay located them by their texts instead" in scores.notes[0]
    assert scores["R"] == 1


def test_a_document_that_is_not_there_is_named():
    rows = [span("1", 4, 5, text="x" * 99), span("2", 28, 37) | {"doc_id": "d7"}]
    with pytest.raises(InputError) as error:
        assay.evaluate(*files(rows), "R", documents=DOCUMENTS)
    assert " not found); 1 document is missing; line 1: " in str(error.value)


def test_offsets_in_bytes_are_named():
    text = "Ein schöner Tag für Häuser und Bäume, und mehr."
    rows = [{"query_id": "1", "doc_id": "d", "text": word} for word in ("Tag", "Häuser", "Bäume")]
    for row in rows:
        row["start"] = len(text[: text.index(row["text"])].encode())
        row["end"] = row["start"] + len(row["text"].encode())
    notes = assay.evaluate(files(rows)[0], {"1": [("d", 0, 5)]}, "R", documents={"d": text}).notes
    assert "; these offsets count bytes, not characters; Assay located them by their texts instead" in "".join(notes)


def test_offsets_in_units_of_utf_16_are_named():
    text = "Ein schöner Tag \U0001f600 für Häuser \U0001f3e0 und Bäume, und mehr."
    rows = [{"query_id": "1", "doc_id": "d", "text": word} for word in ("für", "Häuser \U0001f3e0", "Bäume")]
    for row in rows:
        row["start"] = len(text[: text.index(row["text"])].encode("utf-16-le")) // 2
        row["end"] = row["start"] + len(row["text"].encode("utf-16-le")) // 2
    notes = assay.evaluate(files(rows)[0], {"1": [("d", 0, 5)]}, "R", documents={"d": text}).notes
    assert "; these offsets count UTF-16 units, as JavaScript and Java do, not characters; Assay located " in "".join(notes)


def test_offsets_that_start_again_and_again_count_from_a_parent():
    document = " ".join(f"word{number}" for number in range(100))
    rows = []
    for parent in range(0, 100, 10):
        base = document.index(f"word{parent}")
        for number in range(parent, parent + 10):
            word = f"word{number}"
            start = document.index(word) - base
            rows.append({"query_id": "1", "doc_id": "d", "start": start, "end": start + len(word), "text": word})
    notes = assay.evaluate(files(rows)[0], {"1": [("d", 0, 5)]}, "R", documents={"d": document}, texts="check").notes
    assert "; these offsets count from a parent chunk, not from the start of the document; Assay located " in "".join(notes)


def test_offsets_without_texts_are_noted_where_documents_have_line_ends_of_windows():
    lines_of_windows = {"d1": TEXT.replace(". ", ".\r\n")}
    quotes, run = {"2": ["The dog slept."]}, {"2": [("d1", 25, 39)]}
    found = "judgments: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places"
    scores = assay.evaluate(quotes, run, "R", documents=lines_of_windows)
    assert scores.notes == [
        found,
        "run: document d1 has Windows line ends (\\r\\n), which count as two characters; if your offsets count one, as "
        "Python's text files do, convert the documents to Unix line ends (\\n)",
    ]
    assert assay.evaluate(quotes, {"2": ["The dog slept."]}, "R", documents=lines_of_windows).notes[0] == found
    assert assay.evaluate(quotes, run, "R", documents={"d1": TEXT.replace(". ", ".\n")}).notes == [found]


def test_offsets_of_judgments_are_noted_where_documents_have_line_ends_of_windows():
    lines_of_windows = {"d1": TEXT.replace(". ", ".\r\n")}
    offsets, texts = {"2": [("d1", 24, 38)]}, {"2": ["The dog slept."]}
    note = (
        "judgments: document d1 has Windows line ends (\\r\\n), which count as two characters; if your offsets count one, as "
        "Python's text files do, convert the documents to Unix line ends (\\n)"
    )
    found = "located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places"
    scores = assay.evaluate(offsets, {"x": texts, "y": texts}, "R", documents=lines_of_windows)
    assert sorted(scores.notes) == [note, f"x: {found}", f"y: {found}"]
    assert assay.evaluate(offsets, texts, "R", documents={"d1": TEXT.replace(". ", ".\n")}).notes == [f"run: {found}"]


def plain_spans(rows):
    return [{name: value for name, value in row.items() if name != "text"} for row in rows]


def test_offsets_without_texts_are_noted_if_texts_show_that_those_of_the_other_input_are_wrong():
    with_header = {"d1": f"A header. {TEXT}"}
    unchecked = "Assay cannot check these offsets because they have no texts"
    same = "if both count the same text, pass documents= with that text"
    notes = assay.evaluate(*files(GOLD, plain_spans(RUN)), "R", documents=with_header).notes
    assert notes[1:] == [f"run: {unchecked}; 2 of 2 offsets of gold.jsonl were wrong; {same}"]
    notes = assay.evaluate(*files(plain_spans(GOLD), RUN), "R", documents=with_header).notes
    assert notes[1:] == [f"gold.jsonl: {unchecked}; 2 of 2 offsets of run.jsonl were wrong; {same}"]
    # texts that are located anyway, and runs in memory
    notes = assay.evaluate(GOLD, {"1": [("d1", 0, 23)]}, "R", documents=with_header, texts="locate").notes
    assert notes[1] == f"run: {unchecked}; 2 of 2 offsets of judgments were wrong; {same}"


def test_offsets_without_texts_are_not_noted_if_those_of_the_other_input_are_right():
    with_header = {"d1": f"A header. {TEXT}"}
    assert assay.evaluate(*files(GOLD, plain_spans(RUN)), "R", documents=DOCUMENTS).notes == []
    assert assay.evaluate(*files(plain_spans(GOLD), RUN), "R", documents=DOCUMENTS).notes == []
    # both have texts, whole documents have no offsets, and a parent chunk is no document
    assert len(assay.evaluate(*files(), "R", documents=with_header).notes) == 1 + 1
    assert len(assay.evaluate(GOLD, {"1": ["d1"], "2": ["d1"]}, "R", documents=with_header).notes) == 1
    leaves = {"1": [span("1", 0, 18, text=TEXT[4:22]) | {"metadata": {"__parent_id": "p", "__level": 2}}]}
    notes = assay.evaluate(plain_spans(GOLD), leaves, "R", documents=DOCUMENTS).notes
    assert "; these offsets count from a parent chunk" in notes[0] and not any("cannot check" in note for note in notes)


def test_an_end_that_cuts_whitespace_off_a_text_is_wrong():
    text = "alpha beta gamma. delta epsilon"
    gold, chunk = {"1": [("d", 0, 18)]}, {"doc_id": "d", "start": 0, "end": 17, "text": text[:18]}
    assert assay.evaluate(gold, {"1": [chunk]}, "R", documents={"d": text})["R"] == 1.0
    # a chunk whose text was stripped keeps the offsets that it had before
    chunk = {"doc_id": "d", "start": 0, "end": 18, "text": text[:17]}
    scores = assay.evaluate(gold, {"1": [chunk]}, "R", documents={"d": text})
    assert scores["R"] == 1.0 and scores.notes == []


def test_windows_line_ends_are_named_beside_the_note_on_unchecked_offsets():
    of_windows = {"d1": TEXT.replace(". ", ".\r\n")}
    moved = [span("2", 24, 38, text="The dog slept.")]
    notes = assay.evaluate(moved, {"2": [("d1", 24, 38)]}, "R", documents=of_windows).notes
    assert [note[:24] for note in notes] == ["judgments: the offsets o", "run: Assay cannot check ", "run: document d1 has Win"]
    # also if the offsets of the texts are wrong for another reason
    of_bytes = {"d1": "é" * 10 + "\r\nalpha beta gamma. \r\ndelta epsilon"}
    chunk = {"doc_id": "d1", "start": 22, "end": 39, "text": of_bytes["d1"][12:29]}
    notes = assay.evaluate({"1": [("d1", 22, 39)]}, {"1": [chunk]}, "R", documents=of_bytes).notes
    assert "these offsets count bytes, not characters" in notes[0]
    assert [note[:30] for note in notes[1:]] == ["judgments: Assay cannot check ", "judgments: document d1 has Win"]


def test_offsets_of_a_text_without_line_breaks_are_named():
    document = "\n\n".join(f"Paragraph {number} has word{number} in it." for number in range(10))
    joined = " ".join(document.split())
    rows = [{"query_id": "1", "doc_id": "d", "text": f"word{number}", "start": joined.index(f"word{number}")}
            for number in [*range(9, 0, -1), 5, 5, 5]]  # fmt: skip
    rows = [row | {"end": row["start"] + len(row["text"])} for row in rows]
    notes = assay.evaluate(files(rows)[0], {"1": [("d", 0, 5)]}, "R", documents={"d": document}).notes
    cause = "these offsets seem to count a changed copy of the document, for example without line breaks or double spaces"
    assert f" not found); {cause}; Assay located them by their texts instead" in "".join(notes)


def test_a_log_of_chunks_with_metadata_has_the_places_that_stand_there():
    log = [
        {"query_id": row["query_id"], "rank": 1, "page_content": row["text"],
         "metadata": {"source": "corpus/d1.txt", "start_index": row["start"]}}
        for row in RUN
    ]  # fmt: skip
    gold, run = files(run=log)
    for topic, text in DOCUMENTS.items():
        written(text, f"corpus/{topic}.txt")
    scores = assay.evaluate(gold, run, ["R", "P"], documents="corpus")
    # the quotations of 18 and 9 characters stand whole in chunks of 23 and 14
    assert scores.values[0].mean(axis=1).tolist() == pytest.approx([1, (18 / 23 + 9 / 14) / 2])
    printed = invoke("check", run, "--documents", "corpus").stdout.splitlines()
    assert printed[-1] == "  no faults"
    assert "  texts: 2 texts compared with the documents: 2 exact, 0 moved, 0 in several places, 0 not found" in printed


def test_what_differs_in_blanks_or_quotes_alone_stands_where_it_should():
    text = "He said:\n“no”  and left."
    row = {"query_id": "1", "doc_id": "d", "start": 0, "end": 24, "text": 'He said: "no" and left.'}
    assert assay.evaluate(files([row])[0], {"1": [("d", 0, 5)]}, "R", documents={"d": text}).notes == []


@pytest.mark.parametrize("documents", [DOCUMENTS, "docs"], ids=["a dict", "a folder"])
def test_a_place_in_a_document_that_is_not_there_is_noted_however_it_is_given(documents):
    row = {"doc_id": "d1-v2", "start": 0, "end": 5}
    gold = {"1": [{"doc_id": "d1", "start": 0, "end": 5}]}
    notes = [
        assay.evaluate(gold, run, "R", documents=documents).notes
        for run in ({"1": [row]}, [{"query_id": "1", **row, "score": 1}])
    ]
    assert notes[0] == notes[1]
    assert notes[0][0].startswith("run: none of 1 result in 1 topic is judged in judgments; do the ids match? run:")


def test_unknown_policies_are_refused():
    with pytest.raises(
        UsageError, match=r"^unknown value 'guess' of texts=; choose from check, locate, drop, ignore$"
    ):
        assay.evaluate(*files(), "R", texts="guess")
    with pytest.raises(UsageError, match=r"^unknown value 'no' of whitespace; choose from count and ignore$"):
        assay.evaluate(*files(), "R", whitespace="no")


def test_a_run_of_documents_keeps_its_texts_to_itself():
    written("1 0 d1 1\n1 0 d2 0\n", "qrels")
    run = [{"query_id": "1", "doc_id": "d1", "score": 2, "text": "anything"}]
    assert assay.evaluate("qrels", files(run=run)[1], "AP", documents=DOCUMENTS)["AP"] == 1


# Whitespace


def test_whitespace_that_is_ignored_costs_no_recall():
    document = {"d": "One two.\n\n  Three  four.\n"}
    gold, run = {"1": [("d", 0, 24)]}, {"1": [("d", 0, 8), ("d", 12, 24)]}
    assert assay.evaluate(gold, run, "R", documents=document)["R"] == pytest.approx(20 / 24)
    scores = assay.evaluate(gold, run, ["R", "P", "R(chars=7)", "NumRet"], documents=document, whitespace="ignore")
    assert [scores[measure] for measure in ("R", "P", "R(chars=7)")] == [1, 1, pytest.approx(7 / 17)]
    assert scores.notes == ["judgments: whitespace is not counted: the highlighted spans have 17 characters instead of 24"]


def test_whitespace_that_is_ignored_is_neither_evidence_nor_an_empty_result():
    documents = {"a": "abc    def", "b": "   x"}
    gold = {"q1": [("a", 0, 3)], "q2": [("b", 0, 3)]}
    run = {"q1": [("a", 0, 3), ("a", 3, 7)], "q2": [("b", 0, 4)]}
    given = {"documents": documents, "whitespace": "ignore"}
    scores = assay.evaluate(gold, run, ["R", "Success(unit=document)@5"], topics="judged", **given)
    assert scores.per_topic["Success(unit=document)@5"].to_list() == [1, 0]
    assert scores.notes == [
        "judgments: whitespace is not counted: the highlighted spans have 3 characters instead of 6",
        "judgments: 1 of 2 topics has nothing relevant and scores 0: q2",
        "run: 1 result is only whitespace, which is not counted, for example in document a",
    ]
    assert assay.evaluate(gold, run, "R", topics="relevant", **given)["R"] == 1
    alone = assay.evaluate({"q1": gold["q1"]}, {"q1": run["q1"][:1]}, "R", **given)
    assert alone.notes == ["judgments: whitespace is not counted; the highlighted spans contain none"]


def test_whole_documents_have_their_lengths_without_whitespace():
    documents = {"d": "One  two. ", "e": "\u2003 x y"}
    scores = assay.evaluate(
        {"1": [("d", 0, 3)]}, {"1": {"d": 2, "e": 1}}, ["P", "R"], documents=documents, whitespace="ignore"
    )
    assert [scores["P"], scores["R"]] == [pytest.approx(3 / 9), 1]


@pytest.mark.parametrize(("judgments", "documents", "message"), [
    ({"1": [("d", 0, 3)]}, None, "whitespace can be ignored only if the texts are known; pass documents="),
    ({"1": {"d": 1}}, {"d": "x"}, "judgments: no highlighted text; leave out whitespace=ignore"),
    ({"1": [("d", 0, 3)]}, {"e": "x"}, "documents: there is no document d"),
])  # fmt: skip
def test_whitespace_is_ignored_only_if_it_is_known(judgments, documents, message):
    with pytest.raises(assay.AssayError) as error:
        assay.evaluate(judgments, {"1": {"d": 1}}, documents=documents, whitespace="ignore")
    assert str(error.value) == message


def test_a_report_has_its_whitespace():
    result = invoke("report", *files(), "--documents", "docs", "--whitespace", "ignore", "-o", "report.html")
    assert (result.exit_code, result.stderr) == (
        2, "a report shows text with its whitespace; leave out --whitespace ignore\n"
    )  # fmt: skip


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_on_real_data_excerpts_and_stripped_chunks_are_found():
    gold = [json.loads(line) for line in (CHROMA / "gold.jsonl").read_text().splitlines()]
    quotes = written(lines(*without_places(gold)), "quotes.jsonl")
    run = CHROMA / "runs" / "bm25-rec400-0.tsv"
    by_offsets = assay.evaluate(CHROMA / "gold.jsonl", run, ["R@5"], documents=CHROMA / "corpora")
    by_quotes = assay.evaluate(quotes, run, ["R@5"], documents=CHROMA / "corpora")
    assert by_offsets.notes[:1] != by_quotes.notes[:1]
    assert by_quotes.notes[0].startswith(f"quotes.jsonl: located 790 texts in {CHROMA / 'corpora'}: ")
    assert by_quotes["R@5"] == pytest.approx(by_offsets["R@5"], abs=0.02)
    without = assay.evaluate(CHROMA / "gold.jsonl", run, ["R@5"], documents=CHROMA / "corpora", whitespace="ignore")
    assert without["R@5"] > by_offsets["R@5"]


def test_documents_in_a_file_are_not_read_again_for_a_run_without_texts(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    written(lines(*({"id": name, "text": text} for name, text in DOCUMENTS.items())), "docs.jsonl")
    given = files(*([{name: row[name] for name in row if name != "text"} for row in rows] for rows in (GOLD, RUN)))
    first = assay.evaluate(*given, "R", documents="docs.jsonl")
    monkeypatch.setattr(JsonLines, "files", lambda collection: pytest.fail("the file is read again"))
    again = assay.evaluate(*given, "R", documents="docs.jsonl")
    assert first["R"] == again["R"] == 1.0


@pytest.mark.parametrize("length", [{}, {"document_length": 100}], ids=["of unknown length", "of known length"])
def test_a_fault_in_the_documents_is_told_whether_or_not_they_are_needed(length):
    written('{"id": "d1", "text": "cat"}\n{"id": \n', "docs.jsonl")
    gold, run = ([{name: row[name] for name in row if name != "text"} | length for row in rows] for rows in (GOLD, RUN))
    with pytest.raises(InputError) as refused:
        assay.evaluate(*files(gold, run), "R", documents="docs.jsonl")
    assert str(refused.value) == "docs.jsonl:2: not valid JSON (Expecting value at column 8): '{\"id\": '"


def test_a_single_word_that_is_no_document_but_in_one_is_not_taken_for_an_id():
    with pytest.raises(InputError) as error:
        assay.evaluate({"1": ["slept"]}, {"1": [("d1", 0, 38)]}, "R", documents=DOCUMENTS)
    assert str(error.value) == (
        "judgments: 'slept' is not a document in documents, but occurs in the text of d1; write quotes as {\"quote\": \"slept\"}"
    )
    quoted = {"1": [{"quote": "slept"}]}
    assert assay.evaluate(quoted, {"1": [("d1", 0, 38)]}, "R", documents=DOCUMENTS)["R"] == 1
    # what is an id, or is in no text, stays one
    assert assay.evaluate({"1": ["d1"]}, {"1": ["d1"]}, "R", documents=DOCUMENTS)["R"] == 1


@pytest.mark.parametrize("texts", ["check", "locate"])
@pytest.mark.parametrize("end", [64, 300])
def test_a_text_counts_with_its_own_length_if_its_end_is_beyond_the_document(end, texts):
    run = [span("1", 24, end, text=TEXT[24:], rank=1)]
    scores = assay.evaluate([span("1", 28, 37)], run, ["P@1"], documents=DOCUMENTS, texts=texts)
    assert scores["P@1"] == len(range(28, 37)) / len(range(24, len(TEXT)))
    assert not any("extends past the end" in note or "last character" in note for note in scores.notes)


@pytest.mark.parametrize("texts", ["check", "locate", "drop", "ignore"])
def test_a_chunk_of_whitespace_counts_where_it_stands(texts):
    documents = {"d1": "The cat sat.\n\nThe dog slept."}
    run = [
        {"query_id": "1", "doc_id": "d1", "start": start, "end": end, "text": documents["d1"][start:end], "rank": rank}
        for rank, (start, end) in enumerate([(12, 14), (0, 12)], 1)
    ]
    gold = {"1": {"d1": [(4, 7)]}}
    for given in ({"documents": documents, "texts": texts}, {}):
        scores = assay.evaluate(gold, run, ["R@2", "P@2"], **given)
        assert (scores["R@2"], scores["P@2"]) == (1, 3 / 14)
    if texts == "check":
        with pytest.raises(InputError, match=r"document d1 does not have '\\n\\n' at 3-5, nor anywhere else"):
            assay.evaluate(gold, [{**run[0], "start": 3, "end": 5}, run[1]], ["R@2"], documents=documents)


@pytest.mark.parametrize("name", ["d2.txt", "d2", "docs/d2.txt"])
def test_a_document_that_nobody_judged_is_one_document_under_all_its_names(name, folder):
    for document, text in DOCUMENTS.items():
        written(text, f"corpus/{document}.txt")
    named = [("d2.txt", "d2"), (name, "d2"), ("d1.txt", "d1")]
    run = [{"query_id": "1", "doc_id": each, "text": DOCUMENTS[key], "rank": rank} for rank, (each, key) in enumerate(named, 1)]
    gold = {"1": {"d1": [(4, 7)]}}
    scores = assay.evaluate(gold, run, ["RR(unit=document)", "Redundancy"], documents="corpus", overlap="new")
    assert scores["RR(unit=document)"] == 1 / 2
    assert scores["Redundancy"] == len(DOCUMENTS["d2"]) / (2 * len(DOCUMENTS["d2"]) + len(DOCUMENTS["d1"]))


@pytest.mark.parametrize("names", [("d2.txt", "d2"), ("d2", "./d2.txt"), ("docs/d2.txt", "d2.txt"), ("d2", "d2")])
def test_an_unjudged_document_with_offsets_alone_is_one_document_under_all_its_names(names, folder):
    for document, text in DOCUMENTS.items():
        written(text, f"corpus/{document}.txt")
    spans = [(names[0], 0, 6), (names[1], 3, 9), ("d1.txt", 4, 7)]
    run = [{"query_id": "1", "doc_id": each, "start": start, "end": end, "rank": rank} for rank, (each, start, end) in enumerate(spans, 1)]
    for documents in ("corpus", DOCUMENTS):
        scores = assay.evaluate({"1": {"d1": [(4, 7)]}}, run, ["RR(unit=document)", "Redundancy"], documents=documents)
        assert scores["RR(unit=document)"] == 1 / 2
        assert scores["Redundancy"] == 3 / 15


@pytest.mark.parametrize("name", ["./d2.txt", "docs/d2", "d2.txt"])
def test_an_unjudged_whole_document_may_have_folders_that_the_documents_do_not_have(name, folder):
    for document, text in DOCUMENTS.items():
        written(text, f"corpus/{document}.txt")
    gold, sizes = {"1": {"d1": [(4, 7)]}}, [len(DOCUMENTS[each]) for each in ("d1", "d2")]
    for documents in ("corpus", DOCUMENTS):
        scores = assay.evaluate(gold, {"1": {name: 2, "d1": 1}}, ["P@2"], documents=documents)
        assert scores["P@2"] == 3 / sum(sizes)
        note = "run: some document names have folders that the given documents do not have; Assay ignored these folders"
        assert (note in scores.notes) == ("/" in name)


def test_an_ambiguous_name_in_a_run_with_offsets_is_reported_with_its_row(folder):
    for name in ("d1", "x/d2", "y/d2"):
        written(DOCUMENTS[name[-2:]], f"corpus/{name}.txt")
    rows = [("1", "d1", 0, 5, 2), ("1", "d2", 0, 5, 1)]
    run = written("topic,document,start,end,score\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows), "run.csv")
    several = "document d2 could be 2 files of corpus: x/d2.txt, y/d2.txt; write the whole name, for example x/d2.txt"
    with pytest.raises(assay.InputError) as error:
        assay.evaluate({"1": {"d1": [(4, 7)], "x/d2": [(0, 3)]}}, run, documents="corpus")
    assert str(error.value) == f"run.csv:3: {several}"
    # the length of a whole document is needed, and the text of a span to find its whitespace
    whole = [{"topic": "1", "document": each, "score": 1} for each in ("d1", "d2")]
    spans = [{**row, "start": 0, "end": 5} for row in whole]
    for rows, options in ((whole, {}), (spans, {"whitespace": "ignore"})):
        with pytest.raises(assay.InputError) as error:
            assay.evaluate({"1": {"d1": [(4, 7)]}}, rows, documents="corpus", **options)
        assert str(error.value) == f"run: record 2: {several}"


def test_parts_of_a_quote_with_an_ellipsis_do_not_contradict_a_quote_that_begins_there(folder):
    documents = {"d1": "one two three four five six seven eight nine ten eleven twelve"}
    quotes = ["one two three ... nine ten eleven", "one two three four five"]
    located = assay.locate([{"query_id": str(n), "doc_id": "d1", "quote": each} for n, each in enumerate(quotes)], documents).rows
    run = {"0": [("d1", 0, 40)], "1": [("d1", 0, 40)]}
    with_documents, alone = (assay.evaluate(located, run, ["R"], **given)["R"] for given in ({"documents": documents}, {}))
    assert with_documents == alone == (13 / (13 + 15) + 1) / 2


@pytest.mark.parametrize("name", ["faq/d1", "faq/d1.md", "docs/faq/d1.md", "docs\\faq\\d1"])
def test_documents_in_memory_are_found_as_those_in_a_file_are(name, folder):
    path = written(json.dumps({"id": "faq/d1", "text": TEXT}), "documents.jsonl")
    gold = [{"query_id": "1", "doc_id": "faq/d1", "start": 4, "end": 7}]
    for documents in (path, {"faq/d1": TEXT}, [{"id": "faq/d1", "text": TEXT}]):
        for text in ({}, {"text": TEXT[:12]}):
            run = [{"query_id": "1", "doc_id": name, "start": 0, "end": 12, "rank": 1} | text]
            assert assay.evaluate(gold, run, ["P@1"], documents=documents)["P@1"] == 3 / 12


def test_names_of_one_document_in_judgments_are_one_document_or_refused(folder):
    documents = written(json.dumps({"id": "d1.txt", "text": TEXT}), "documents.jsonl")
    named = [{"query_id": "1", "doc_id": "d1.txt", "quote": "The cat sat on"}, {"query_id": "1", "quote": "The dog slept"}]
    for gold in (named, named[::-1], [*named, {"query_id": "1", "doc_id": "d1", "quote": "there again"}]):
        for document in ("d1", "d1.txt"):
            run = {"1": [(document, 0, len(TEXT))]}
            assert assay.evaluate(gold, run, ["R@1"], documents=documents)["R@1"] == 1
    assert [row["doc_id"] for row in assay.locate(named, documents).rows] == ["d1.txt", "d1.txt"]
    assert [row["doc_id"] for row in assay.locate([named[0] | {"doc_id": "d1"}, named[1]], documents).rows] == ["d1", "d1"]
    split = [{"query_id": "1", "doc_id": name, "start": start, "end": start + 5} for name, start in (("d1", 0), ("d1.txt", 9))]
    message = "'d1' and 'd1.txt' both mean document d1.txt of documents.jsonl; use one name for it"
    with pytest.raises(InputError) as refused:
        assay.evaluate(split, {"1": [("d1", 0, 9)]}, ["R@1"], documents=documents)
    assert str(refused.value) == f"judgments: {message}"
    shown = invoke("check", written(lines(*split), "gold.jsonl"), "--documents", documents)
    assert (shown.exit_code, shown.stdout.splitlines()[0]) == (1, f"gold.jsonl: {message}")


def test_evidence_in_several_places_is_named_with_its_topic():
    scores = assay.evaluate({"1": ["The cat sat"]}, {"1": [("d1", 39, 63)]}, "R", documents=DOCUMENTS)
    assert (
        "judgments: located 1 text in documents: 0 verbatim, 0 after normalizing whitespace or case, 1 in several places; evidence in several places counts only at the first (topic 1): pass copies= to count it at each"
    ) in scores.notes
    assert scores["R"] == 0
    assert assay.evaluate({"1": ["The cat sat"]}, {"1": [("d1", 39, 63)]}, "R", documents=DOCUMENTS, copies=True)["R"] == 1


def test_documents_of_readers_may_be_a_path_or_a_dict(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sat on the mat.", "utf-8")
    for documents in (tmp_path, str(tmp_path), {"a": "The cat sat on the mat."}):
        run = assay.read_run({"q": ["cat sat"]}, documents=documents)
        gold = assay.read_judgments({"q": ["the mat"]}, documents=documents)
        assert (run.start.tolist(), run.end.tolist()) == ([4], [11])
        assert gold.highlights.start.tolist() == [15]
