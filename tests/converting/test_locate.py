"""assay.locate and `assay locate`: texts in every form, rows out, what is refused."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import assay
from assay.documents import search
from assay.documents.location import between_ellipses
from assay.errors import InputError, UsageError
from helpers.commands import invoke
from helpers.files import written
from helpers.fuzzing import in_time
from helpers.look_alikes import ChonkieChunk, LangChainDocument

DOCUMENTS = {"d1": "The cat sat on the mat. The cat slept.", "d2": "A dog – no cat – sat here."}
ROWS = [
    {"query_id": "q1", "doc_id": "d1", "text": "sat on the mat"},
    {"query_id": "q1", "doc_id": "d1", "text": "the cat"},
    {"query_id": "q2", "doc_id": None, "text": "A dog - no cat"},
    {"query_id": "q3", "doc_id": "d2", "text": "zebra"},
    {"query_id": "q4", "doc_id": "d9", "text": "sat"},
]
LOCATED = [
    ("d1", 8, 22, "exact", ""),
    ("d1", 24, 31, "ambiguous", "tolerated: case; found in 2 places; took the first after the previous text"),
    ("d2", 0, 14, "normalized", "tolerated: quotes and dashes"),
    ("d2", None, None, "missing", ""),
    ("d9", None, None, "missing", "there is no document d9; nearest: d1 8-11, likeness 1.00"),
]
COLUMNS = ("doc_id", "start", "end", "how", "note")


def located(rows: list[dict]) -> list[tuple]:
    return [tuple(row[name] for name in COLUMNS) for row in rows]


def as_csv(rows: list[dict]) -> str:
    return pl.DataFrame(rows).write_csv()


@pytest.fixture
def places(folder):
    """The documents in a folder and in a JSONL file."""
    for name, text in DOCUMENTS.items():
        written(text, f"docs/{name}.txt")
    written("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()), "docs.jsonl")


@pytest.mark.parametrize("documents", [DOCUMENTS, "docs", "docs.jsonl"])
def test_texts_are_located_wherever_the_documents_are(places, documents):
    answer = assay.locate(ROWS, documents)
    assert located(answer.rows) == LOCATED
    assert [row["query_id"] for row in answer.rows] == ["q1", "q1", "q2", "q3", "q4"]
    assert answer.counts == {"exact": 1, "normalized": 1, "ambiguous": 1, "missing": 2}


@pytest.mark.parametrize("form", [pl.DataFrame, pd.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow(), iter])
def test_texts_may_be_frames_and_records(form):
    assert located(assay.locate(form(ROWS), DOCUMENTS).rows) == LOCATED


@pytest.mark.parametrize(("name", "content"), [
    ("texts.jsonl", "".join(json.dumps(row) + "\n\n" for row in ROWS)),
    ("texts.csv", as_csv(ROWS)),
    ("texts.tsv", as_csv(ROWS).replace(",", "\t")),
])  # fmt: skip
def test_texts_may_be_files(folder, name, content):
    written(content, name)
    assert located(assay.locate(name, DOCUMENTS).rows) == LOCATED
    pl.DataFrame(ROWS).write_parquet("texts.parquet")
    assert located(assay.locate("texts.parquet", DOCUMENTS).rows) == LOCATED


def test_texts_may_be_strings():
    answer = assay.locate(["cat slept", "Cat … here", "zebra"], DOCUMENTS)
    assert located(answer.rows) == [
        ("d1", 28, 37, "exact", ""),
        ("d2", 11, 14, "normalized", "tolerated: case"),
        ("d2", 21, 25, "exact", ""),
        (None, None, None, "missing", ""),
    ]
    assert repr(answer).startswith(
        "row 3: not found: 'zebra'\n    no similar passage\n"
        "3 quotes in 4 parts: 2 verbatim, 1 after normalizing whitespace or case, 0 in several places, 1 not found\nshape: (4, 7)"
    )
    assert answer.frame().columns == ["text", "doc_id", "start", "end", "how", "note", "quotation"]


@pytest.mark.parametrize("space", ["\t", "\u00a0", "\u202f", " \t ", "\n\u00a0"])
def test_tabs_and_no_break_spaces_within_a_line_are_whitespace(space):
    found = [("d", 4, 10 + len(space), "normalized", "tolerated: whitespace")]
    assert located(assay.locate(["one two"], {"d": f"The one{space}two."}).rows) == found
    (row,) = assay.locate([f"one{space}two"], {"d": "The one two."}).rows
    assert (row["start"], row["end"], row["how"]) == (4, 11, "normalized")


@pytest.mark.parametrize("name", ["text", "content", "page_content", "quote", "Chunk", "excerpt"])
@pytest.mark.parametrize("document", ["doc_id", "source", "file_path", "document", "corpus_id"])
def test_the_columns_have_their_usual_names(name, document):
    given = {name: "sat", document: "d2", "chunk_id": "c7"}
    (row,) = assay.locate([given], DOCUMENTS).rows
    assert row == given | {"doc_id": "d2", "start": 17, "end": 20, "how": "exact", "note": ""}


def test_where_a_row_starts_is_believed_of_several_places():
    (row,) = assay.locate([{"text": "The cat", "doc_id": "d1", "start": "24"}], DOCUMENTS).rows
    assert located([row]) == [("d1", 24, 31, "exact", "found in 2 places; took the one at the given start")]


def test_a_document_may_be_called_in_several_ways(places):
    rows = [{"text": "sat on", "source": "d1.txt"}, {"text": "slept", "source": "d1"}, {"text": "dog", "source": None}]
    assert [row["doc_id"] for row in assay.locate(rows, "docs").rows] == ["d1.txt", "d1", "d2"]


@pytest.mark.parametrize(("texts", "error"), [
    ([], "texts: the input is empty; expected texts"),
    ([{"words": "sat"}], "texts: no text column; expected one of page_content, text, content, quote, excerpt, snippet, chunk_text, passage_text; "
     "the columns are words; pass columns=, for example text=words"),
    ([{"text": "sat"}, {"text": None}], "texts: row 2: text is missing (null); add the text, or remove the row"),
    ([7], "a text has type int; expected a string, or a dict with a text"),
    (7, "the texts have type int; expected a file, a frame, strings, or records with a text"),
    ({"text": "sat"}, "the texts have type dict; expected a file, a frame, strings, or records with a text"),
])  # fmt: skip
def test_what_is_no_text_is_refused(texts, error):
    with pytest.raises((InputError, UsageError)) as caught:
        assay.locate(texts, DOCUMENTS)
    assert str(caught.value) == error


def test_columns_of_any_names_are_told(folder):
    rows = [{"Nr.": "1", "Source File": "d1", "Supporting Quote": "slept"}]
    columns = {"text": "supporting quote", "document": "Source File"}
    (row,) = assay.locate(rows, DOCUMENTS, columns=columns).rows
    assert (row["Nr."], row["doc_id"], row["start"]) == ("1", "d1", DOCUMENTS["d1"].index("slept"))
    with pytest.raises(InputError) as caught:
        assay.locate(rows, DOCUMENTS, columns={"text": "Quote"})
    assert str(caught.value) == "texts: no column 'Quote'; the columns are Nr., Source File, Supporting Quote"
    written("Nr.,Source File,Supporting Quote\n1,d1,slept\n", "sheet.csv")
    written(DOCUMENTS["d1"], "docs/d1.txt")
    told = ["--column", "text=Supporting Quote", "--column", "document=Source File"]
    done = invoke("locate", "sheet.csv", *told, "--documents", "docs")
    assert (done.exit_code, json.loads(done.stdout)["start"]) == (0, row["start"])


@pytest.mark.parametrize(("content", "error"), [
    ("", "texts: the input is empty; expected texts"),
    ('{"text": "a"}\n\n{"quote": "b", "text": null}\n', "texts:3: text is missing (null); add the text, or remove the line"),
    ('{"text": "a"}\n\n{"text": 7}\n', "texts:3: text is '7'; expected a text"),
    ('{"text": "a"}\n{"text"\n', "texts:2: not valid JSON (Expecting ':' delimiter at column 8): '{\"text\"'"),
    ('text,doc_id\n"a\nb",d1\nc\n', "texts:4: expected 2 values (text, doc_id), found 1"),
    ('text,doc_id\n"a\n', "texts:2: a quote is not closed"),
    ("words\nsat\n", "texts: no text column; expected one of page_content, text, content, quote, excerpt, snippet, chunk_text, passage_text; "
     "the columns are words; pass columns=, for example text=words"),
])  # fmt: skip
def test_what_is_no_file_of_texts_is_refused(folder, content, error):
    written(content, "texts")
    with pytest.raises(InputError) as caught:
        assay.locate("texts", DOCUMENTS)
    assert str(caught.value) == error


def test_the_command_writes_rows_and_says_how_many_were_found(places):
    written("".join(json.dumps(row) + "\n" for row in ROWS), "texts.jsonl")
    result = invoke("locate", "texts.jsonl", "--documents", "docs", "-o", "spans.jsonl")
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr == """\
line 4 (q3): not found: 'zebra'
    no similar passage
line 5 (q4): not found (there is no document d9): 'sat'
    nearest: d1 8-11, likeness 1.00: 'sat'
    the text is the same
    accept it with --near 1.00
line 2 (q1): in several places: 'the cat'
    Assay took d1 24-31 (tolerated: case; found in 2 places; took the first after the previous text)
to choose another of several places, quote more of the text or add its start
5 quotes: 1 verbatim, 1 after normalizing whitespace or case, 1 in several places, 2 not found
to accept this passage: assay locate texts.jsonl --documents docs --near 1.00 -o spans.jsonl
"""
    assert located([json.loads(line) for line in Path("spans.jsonl").read_text().splitlines()]) == LOCATED
    result = invoke("locate", "texts.jsonl", "--documents", "docs", "--allow-missing")
    assert (result.stdout, result.exit_code) == (Path("spans.jsonl").read_text(), 0)


def test_the_command_needs_documents(folder):
    written('{"text": "a"}\n', "texts.jsonl")
    result = invoke("locate", "texts.jsonl")
    assert result.stderr == "there are no documents to search; pass --documents, a folder, an archive or a JSONL file\n"
    assert result.exit_code == 2


def test_what_was_located_can_be_evaluated(places):
    written("".join(json.dumps(row) + "\n" for row in ROWS[:3]), "texts.jsonl")
    invoke("locate", "texts.jsonl", "--documents", "docs", "-o", "gold.jsonl")
    run = [{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 22, "rank": 1}]
    # 14 of the 21 characters of its gold, and nothing for the other topic
    assert assay.evaluate("gold.jsonl", pl.DataFrame(run), ["R"]).values.ravel().tolist() == [14 / 21, 0]


@pytest.mark.parametrize("order", [["q1", "q2"], ["q1", "q1", "q2"], ["q2", "q1", "q2", "q1"]])
def test_texts_come_in_order_within_a_topic_and_begin_anew_with_the_next(order):
    quote = "Please contact support."
    documents = {"a": f"Intro. {quote} Middle part. {quote} End."}
    rows = assay.locate([{"query_id": topic, "doc_id": "a", "quote": quote} for topic in order], documents).rows
    assert [row["start"] for row in rows] == [44 if topic in order[:at] else 7 for at, topic in enumerate(order)]
    gold = [{"query_id": topic, "doc_id": "a", "quote": quote} for topic in dict.fromkeys(order)]
    run = {topic: [("a", 7, 30)] for topic in order}
    located = assay.evaluate(assay.locate(gold, documents).rows, run, "R@5", documents=documents)
    assert located.per_topic.equals(assay.evaluate(gold, run, "R@5", documents=documents).per_topic)


@pytest.mark.parametrize("further", [{}, {"query_id": None}])
def test_rows_without_a_topic_are_one_sequence(further):
    rows = [{"text": text} | further for text in ("slept", "The cat", "mat", "The cat")]
    located = assay.locate(rows, {"d": "The cat. The mat slept. The cat slept."}).rows
    assert [row["start"] for row in located] == [17, 24, 13, 24]


def test_the_column_of_topics_may_be_told():
    rows = [{"Frage": name, "text": "The cat"} for name in ("a", "b")]
    located = assay.locate(rows, DOCUMENTS, columns={"topic": "Frage"}).rows
    assert [row["start"] for row in located] == [0, 0]


def test_chunks_of_frameworks_are_located():
    chunks = [LangChainDocument("sat on the mat", start_index=-1, source="d1"), ChonkieChunk("A dog", 0, 5)]
    assert located(assay.locate(chunks, DOCUMENTS).rows) == [("d1", 8, 22, "exact", ""), ("d2", 0, 5, "exact", "")]


def test_starts_that_run_backwards_are_counted_where_the_rows_are_in_order():
    text = " ".join(f"word{number}" for number in range(100, 120))
    rows = [
        {"doc_id": "d", "text": f"word{number}", "start": text.index(f"word{number}")} for number in range(100, 120)
    ]
    rows[10]["start"] = 0
    assert assay.locate(rows, {"d": text}).summary() == (
        "20 quotes: 20 verbatim, 0 after normalizing whitespace or case, 0 in several places, 0 not found; the given starts decrease in 1 row; "
        "compared with the offsets in the file: 19 unchanged, 1 moved, 0 altered, 0 gone"
    )
    rows.reverse()
    assert assay.locate(rows, {"d": text}).summary() == (
        "20 quotes: 20 verbatim, 0 after normalizing whitespace or case, 0 in several places, 0 not found; compared with the offsets in the file: 19 unchanged, 1 moved, "
        "0 altered, 0 gone"
    )
    for topic, row in enumerate(rows):
        row["query_id"] = topic
    assert "backwards" not in assay.locate(rows, {"d": text}).summary()


def test_files_of_one_name_in_several_folders_are_told_apart_by_their_paths(tmp_path):
    for folder, text in (("a", "The dog barks."), ("b", "Now the dog barks.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.md").write_text(text, encoding="utf-8")
    rows = [{"source": f"/home/me/corpus/{folder}/index.md", "quote": "dog barks"} for folder in "ba"]
    found = assay.locate(rows, tmp_path).frame()
    assert found["start"].to_list() == [8, 4]
    gold = [row | {"query_id": "1", "start": start, "end": start + 9} for row, start in zip(rows, [8, 4], strict=True)]
    run = {"1": [{"source": "corpus/b/index.md", "start": 0, "end": 12}]}
    # of 18 characters the first four of "dog barks" in b
    assert assay.evaluate(gold, run, "R", documents=tmp_path)["R"] == pytest.approx(4 / 18)


@pytest.mark.parametrize("name", ["topic", "question"])
def test_chunks_of_a_corpus_come_in_order_whatever_they_are_about(name):
    documents = {"d": "It lies on the Seine. Many live there. It lies on the Seine."}
    texts = ["It lies on the Seine.", "Many live there.", "It lies on the Seine."]
    rows = [{name: f"about {number}", "doc_id": "d", "text": text} for number, text in enumerate(texts)]
    assert [row["start"] for row in assay.locate(rows, documents).rows] == [0, 22, 39]


def test_a_topic_that_is_missing_is_none():
    for missing in (None, float("nan"), pd.NA, pd.NaT, ""):
        rows = [{"text": "The cat", "query_id": missing}, {"text": "sat", "query_id": missing}]
        assert assay.locate(rows, DOCUMENTS).counts["missing"] == 0
    with pytest.raises(assay.InputError, match="there are no columns at all"):
        assay.locate([{}], DOCUMENTS)


# What is hostile, or only unlucky


def test_texts_that_stand_everywhere_take_little_memory():
    texts = ["a" * (32 + number) for number in range(40)]
    tracemalloc.start()
    try:
        found = assay.locate([{"text": text, "doc_id": "d"} for text in texts], {"d": "a" * 1_000_000})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # it was 80 MB for each
    assert peak < 400e6
    assert [(row["start"], row["end"]) for row in found.rows] == [(0, 32 + n) for n in range(40)]
    assert {row["note"] for row in found.rows[1:]} == {"found in 1,000 places; took the first after the previous text"}


def test_what_stands_everywhere_is_found_as_where_all_places_are_held(monkeypatch):
    texts = ["ab" * number for number in (1, 2, 3, 16, 17)] + ["ba", "abba"]
    documents = {"d": "ab" * 5000, "e": "abba" * 3000, "f": "ba"}
    rows = [{"text": text} for text in texts]
    whole = assay.locate(rows, documents).rows
    monkeypatch.setattr(search, "MOST_PAIRS", 100)
    assert assay.locate(rows, documents).rows == whole


@pytest.mark.parametrize("document", ["a b " * 1000, "a b " * 1000 + "c"])
def test_a_quotation_of_2000_ellipses_is_looked_for_in_time(document):
    with in_time():
        found = assay.locate([{"text": "…".join(["a", *["b a"] * 2000, "c"])}], {"d": document})
    assert found.counts["missing"] == 1


def test_blanks_beside_an_ellipsis_take_no_time():
    with in_time():
        assert between_ellipses("x" + " " * 100_000 + "y " + " " * 50_000 + "… z") == ["x" + " " * 100_000 + "y", "z"]


def test_parts_are_found_behind_the_first_place_that_leaves_room_for_all(folder):
    documents = {"d": "one two. one three two. one", "e": "two one three"}
    rows = [{"text": "one … two … one"}, {"text": "one … three"}, {"text": "two … three"}]
    found = assay.locate(rows, documents).rows
    assert [(row["doc_id"], row["start"], row["end"]) for row in found] == [
        ("d", 0, 3), ("d", 4, 7), ("d", 9, 12), ("d", 9, 12), ("d", 13, 18), ("d", 4, 7), ("d", 13, 18)
    ]  # fmt: skip


BAKERY = {
    "bakery": "We open at six. The leaven was brought by the second of the bakers in a jam jar, from her kitchen in Lublin. "
    "Since that day the leaven is fed each evening, and nobody may skip it.",
    "ferry": "The ferry leaves at noon, and on Sundays at ten.",
}
ALTERED = [
    {"query_id": "q1", "doc_id": "bakery", "quote": "the leaven was brought by the third of the bakers in a jam jar"},
    {"query_id": "q2", "question": "When?", "quote": "The ferry leaves at noon ... on Sunday at ten"},
    {"query_id": "q3", "doc_id": "ferry", "quote": "Nobody knows why."},
]


def test_each_missing_text_is_listed_with_the_nearest_passage_and_how_to_accept_it(folder):
    written("".join(json.dumps(row) + "\n" for row in ALTERED), "quotes.jsonl")
    for name, text in BAKERY.items():
        written(text, f"docs/{name}.txt")
    result = invoke("locate", "quotes.jsonl", "--documents", "docs", "-o", "gold.jsonl")
    assert (result.exit_code, result.stderr) == (1, """\
line 1 (q1): not found: 'the leaven was brought by the third of the bakers in a jam jar'
    nearest: bakery 16-79, likeness 0.92: 'The leaven was brought by the second of the bakers in a jam jar'
    quote → document: 'third' → 'second'
    accept it with --near 0.92
line 2 (q2: When?): not found: 'The ferry leaves at noon ... on Sunday at ten'
    nearest to 'on Sunday at ten': ferry 30-47, likeness 0.94: 'on Sundays at ten'
    quote → document: 'Sunday' → 'Sundays'
    accept it with --near 0.94
line 3 (q3): not found: 'Nobody knows why.'
    no similar passage
3 quotes: 0 verbatim, 0 after normalizing whitespace or case, 0 in several places, 3 not found
to accept these 2 passages: assay locate quotes.jsonl --documents docs --near 0.92 -o gold.jsonl
""")
    result = invoke("locate", "quotes.jsonl", "--documents", "docs", "--near", "0.90", "-o", "gold.jsonl")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == (
        "3 quotes in 4 parts: 0 verbatim, 0 after normalizing whitespace or case, 0 in several places, 3 near (likeness 0.92 to 1.00), 1 not found"
    )


def test_passages_that_are_near_enough_are_taken_and_marked_as_such():
    answer = assay.locate(ALTERED, BAKERY, near=0.9)
    assert located(answer.rows) == [
        ("bakery", 16, 79, "near 0.92", "quote → document: 'third' → 'second'"),
        ("ferry", 0, 24, "near 1.00", "the text is the same"),
        ("ferry", 30, 47, "near 0.94", "quote → document: 'Sunday' → 'Sundays'"),
        ("ferry", None, None, "missing", ""),
    ]
    first = answer.rows[0]
    assert first["quote"] == BAKERY["bakery"][16:79]
    assert first["quoted"] == ALTERED[0]["quote"]
    assert answer.counts == {"exact": 0, "normalized": 0, "ambiguous": 0, "near": 3, "missing": 1}
    # what was accepted is gold that fits its documents
    run = {"q1": [("bakery", 0, 79)], "q2": [("ferry", 0, 24)]}
    assert assay.evaluate(answer.rows[:3], run, "R", documents=BAKERY).values.ravel().tolist() == [1, 24 / 41]


@pytest.mark.parametrize("near", [0.5, 1.1, -1])
def test_a_likeness_that_is_none_is_refused(near):
    with pytest.raises(UsageError) as caught:
        assay.locate(ALTERED, BAKERY, near=near)
    assert str(caught.value) == f"near is {near}; expected a likeness from 0.6 to 1"


def test_gold_is_carried_over_to_changed_documents_by_its_texts():
    quotes = ["The leaven was brought by the second of the bakers", "Since that day ... nobody may skip it", "The ferry leaves at noon",
              "on Sundays at ten", "We open at six."]  # fmt: skip
    old = assay.locate([{"query_id": f"q{row}", "quote": quote} for row, quote in enumerate(quotes)], BAKERY).rows
    assert "change" not in old[0]
    bakery = BAKERY["bakery"].replace("We open at six. ", "").replace("each evening", "every single evening")
    new = {"bakery": bakery, "ferry": "The ferry leaves at noon, and on Sunday at ten."}
    answer = assay.locate(old, new)
    assert [(row["quote"], row["start"], row["change"]) for row in answer.rows] == [
        (quotes[0], 0, "moved"),
        (quotes[1], bakery.index("Since"), "moved"),
        (quotes[1], bakery.index("nobody"), "moved"),
        (quotes[2], 0, "unchanged"),
        (quotes[3], None, "altered"),
        (quotes[4], None, "gone"),
    ]
    assert answer.summary() == (
        "6 quotes: 4 verbatim, 0 after normalizing whitespace or case, 0 in several places, 2 not found; compared with the offsets in the file: 1 unchanged, 3 moved, "
        "1 altered, 1 gone"
    )
    accepted = assay.locate(old, new, near=0.9).rows[-2]
    assert (accepted["start"], accepted["end"], accepted["how"], accepted["change"]) == (30, 46, "near 0.94", "altered")
    assert accepted["quote"] == "on Sunday at ten"


def test_offsets_without_texts_cannot_be_carried_over():
    with pytest.raises(InputError) as caught:
        assay.locate([{"query_id": "q", "doc_id": "ferry", "start": 3, "end": 7}], BAKERY)
    assert str(caught.value) == (
        "texts: the rows have offsets but no texts; Assay finds spans in changed documents by their texts: add a column text with the text of each span in the old documents"
    )


def test_markup_that_only_the_documents_have_is_said():
    answer = assay.locate(["The ferry leaves at noon"], {"d": "<p>The <b>ferry</b> leaves at noon</p>"})
    assert list(answer.listing()) == [
        "row 1: not found: 'The ferry leaves at noon'",
        "    nearest: d 3-34, likeness 0.77: 'The <b>ferry</b> leaves at noon'",
        "    the document has HTML markup here, the quote has none; nothing else differs",
        "    accept it with near=0.77",
        "1 quote differs from the documents only by their HTML markup; remove the markup from the documents, or add it to the quotes",
    ]


def test_what_differs_beside_markup_is_said_too():
    documents = {"d": "The **melting point** of [gallium](https://a.example/wiki/Gallium) is `29.76` degrees, says Smith."}
    answer = assay.locate(["The melting point of gallium is 29.86 degrees, says Smith."], documents)
    assert list(answer.listing())[2:] == [
        "    the document has Markdown markup here, the quote has none; quote → document: '29.86' → '29.76'",
    ]


def test_a_copy_in_another_document_than_the_named_one_is_said_to_be_the_same():
    answer = assay.locate([{"doc_id": "b", "text": "The ferry leaves at noon"}], {"a": "The ferry leaves at noon"})
    assert list(answer.listing()) == [
        "row 1: not found (there is no document b): 'The ferry leaves at noon'",
        "    nearest: a 0-24, likeness 1.00: 'The ferry leaves at noon'",
        "    the text is the same",
        "    accept it with near=1.00",
    ]


SHEET = "Question ID,Quote,Answer\nQ1,sat on the mat,x\nQ2,A dog,y\n"
NO_TOPICS = (
    "no topic column, so the output has no topics; the columns are Question ID, Quote, Answer; "
    "pass columns=, for example topic='Question ID'"
)


def test_a_column_that_the_user_names_as_the_topic_gives_gold_that_can_be_evaluated(folder):
    sheet = written(SHEET, "sheet.csv")
    answer = assay.locate(sheet, DOCUMENTS, columns={"topic": "question id"})
    assert answer.notes == []
    assert answer.rows[0] == {
        "Question ID": "Q1", "Quote": "sat on the mat", "Answer": "x", "query_id": "Q1",
        "doc_id": "d1", "start": 8, "end": 22, "how": "exact", "note": "",
    }  # fmt: skip
    written(b"".join(answer.lines()).decode(), "gold.jsonl")
    run = {"Q1": [{"doc_id": "d1", "start": 8, "end": 22}], "Q2": []}
    assert assay.evaluate("gold.jsonl", run, "R").means["R"].to_list() == [0.5]


def test_rows_with_an_empty_list_of_quotes_are_noted(folder):
    rows = [{"query_id": "q1", "quotes": ["The cat"]}, {"query_id": "q2", "quotes": []}, {"quotes": []}]
    path = written("".join(f"{json.dumps(row)}\n" for row in rows), "gold.jsonl")
    note = "left out 2 rows with an empty list under quotes: 'q2', {} 3"
    for given, noun in ((rows, "row"), (pl.DataFrame(rows), "row"), (path, "line")):
        located = assay.locate(given, DOCUMENTS)
        assert (len(located.rows), located.notes) == (1, [note.format(noun)])


def test_quotes_without_a_topic_column_are_noted(folder):
    written(SHEET, "sheet.csv")
    assert assay.locate("sheet.csv", DOCUMENTS).notes == [NO_TOPICS]
    assert NO_TOPICS in repr(assay.locate("sheet.csv", DOCUMENTS))
    (folder / "d1.txt").write_text(DOCUMENTS["d1"] + DOCUMENTS["d2"])
    done = invoke("locate", "sheet.csv", "--documents", folder, "-o", folder / "out.jsonl")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (0, f"note: {NO_TOPICS.replace('columns=', '--column')}")
    named_otherwise = assay.locate([{"nr": 1, "quote": "The cat"}], DOCUMENTS).notes
    assert named_otherwise == [
        "no topic column, so the output has no topics; the columns are nr, quote; pass columns=, for example topic=NAME"
    ]


@pytest.mark.parametrize("rows", [["The cat"], [{"doc_id": "d1", "text": "The cat"}], [{"question": 1, "quote": "The cat"}]])
def test_chunks_need_no_topic(rows):
    assert assay.locate(rows, DOCUMENTS).notes == []


@pytest.mark.parametrize("given", [
    [{"query_id": "1", "quote": "A dog"}, {"query_id": "2", "no_answer": True}, {"query_id": "3", "quote": "sat here"}],
    pd.DataFrame({"query_id": ["1", "2", "3"], "quote": ["A dog", None, "sat here"], "no_answer": [None, True, None]}),
    "query_id,quote,answerable\n1,A dog,\n2,,false\n3,sat here,yes\n",
    '{"query_id": "1", "quote": "A dog"}\n{"query_id": "2", "quote": [], "is_impossible": true}\n{"query_id": "3", "quote": "sat here"}\n',
])  # fmt: skip
def test_questions_without_an_answer_pass_through_unchanged(given, folder):
    answer = assay.locate(written(given, "gold") if isinstance(given, str) else given, DOCUMENTS)
    assert [row["query_id"] for row in answer.rows] == ["1", "2", "3"]
    assert [row.get("start") for row in answer.rows] == [0, None, 17]
    assert "how" not in answer.rows[1]
    assert answer.summary() == "2 quotes: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places, 0 not found"
    assert answer.frame()["query_id"].to_list() == ["1", "2", "3"]
    gold = written(b"".join(answer.lines()), "located.jsonl")
    scores = assay.evaluate(gold, {"1": [("d2", 0, 5)], "3": [("d2", 17, 25)]}, ["R"], documents=DOCUMENTS)
    assert scores.values.tolist() == [[[1.0, 1.0]]]
    assert "run: 1 question has no answer and is left out of all means; the run returned nothing for it" in scores.notes


def test_a_question_without_an_answer_gets_its_topic_from_the_column_that_the_user_names():
    records = [{"Nr": "1", "quote": "A dog"}, {"Nr": "2", "quote": None, "no_answer": True}]
    answer = assay.locate(records, DOCUMENTS, columns={"topic": "Nr"})
    assert answer.rows[1] == {"Nr": "2", "quote": None, "no_answer": True, "query_id": "2"}


def test_located_gold_counts_without_the_documents(folder):
    documents = {"a": "Opens at nine,\r\nand closes at five.\r\nIt has \u201cthree\u201d rooms. It is open."}
    quotes = ["Opens at nine, and closes at five.", 'opens at nine,\nand', 'it has "three"  ROOMS.', "It is open."]
    answer = assay.locate([{"query_id": "1", "doc_id": "a", "quote": each} for each in quotes], documents)
    expected = ["Opens at nine,\r\nand closes at five.", "Opens at nine,\r\nand", "It has \u201cthree\u201d rooms.", "It is open."]
    assert [row["quote"] for row in answer.rows] == expected
    assert [documents["a"][row["start"]:row["end"]] for row in answer.rows] == expected
    assert [row.get("quoted") for row in answer.rows] == [*quotes[:3], None]
    gold = written(b"".join(answer.lines()), "gold.jsonl")
    for options in ({}, {"documents": documents}):
        scores = assay.evaluate(gold, {"1": [("a", 0, 35)]}, ["R"], **options)
        assert scores.values.tolist() == [[[pytest.approx(35 / (35 + 21 + 11))]]]
        assert assay.check(gold, **options).faults == []
    assert assay.locate(gold, documents).counts == {"exact": 4, "normalized": 0, "ambiguous": 0, "missing": 0}


def test_a_text_with_an_ellipsis_stays_as_it_was_given():
    answer = assay.locate([{"doc_id": "d1", "text": "the CAT sat ... cat slept"}], DOCUMENTS)
    assert [(row["text"], row["how"]) for row in answer.rows] == [
        ("the CAT sat ... cat slept", "normalized"), ("the CAT sat ... cat slept", "exact")
    ]  # fmt: skip


@pytest.mark.parametrize(("place", "change"), [
    ({"start": 8, "end": 14}, "unchanged"), ({"start": 8, "end": 16}, "moved"), ({"start": 7, "end": 14}, "moved"),
    ({"start": 8}, "unchanged"), ({"start": 8, "end": None}, "unchanged"), ({"start": 8, "end": -1}, "unchanged"),
    ({"start": 8, "length": 6}, "unchanged"), ({"start": 8, "length": 5}, "moved"), ({"start": -1, "end": 14}, "moved"),
])  # fmt: skip
def test_a_row_whose_start_or_end_was_wrong_is_moved(place, change):
    rows = [{"doc_id": "d1", "text": "The cat slept.", "start": 24, "end": 38}, {"doc_id": "d1", "text": "sat on", **place}]
    answer = assay.locate(rows, DOCUMENTS)
    assert [(row["start"], row["end"], row["change"]) for row in answer.rows] == [(24, 38, "unchanged"), (8, 14, change)]
    counts = answer.changes
    assert (counts["unchanged"], counts["moved"]) == ((2, 0) if change == "unchanged" else (1, 1))


def test_quotes_in_an_array_are_located():
    import numpy as np

    frame = pd.DataFrame({"query_id": ["1"], "evidence": [np.array(["quick", "brown fox"])]})
    rows = assay.locate(frame, {"d1": "The quick brown fox"}).rows
    assert [(row["evidence"], row["start"], row["end"]) for row in rows] == [("quick", 4, 9), ("brown fox", 10, 19)]
