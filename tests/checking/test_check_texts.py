"""`assay check`: texts of rows as evidence of their offsets."""

from __future__ import annotations

import json

import pytest

import assay
from helpers.files import written
from helpers.places import DATA

TEXT = "The cat sat on the mat. The dog slept. The cat sat there again."
COVID = DATA / "spans" / "covid-qa"


def row(topic, start, end, text=None, **more):
    text = TEXT[start:end] if text is None else text
    return {"query_id": topic, "doc_id": "d1", "start": start, "end": end, "text": text, **more}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def _documents(folder):
    written(TEXT, "docs/d1.txt")


def test_wrong_offsets_are_faults_with_counts_and_the_first_lines(check):
    gold = [
        row("1", 4, 22),
        row("1", 5, 8, "cat"),
        row("2", 23, 26, "The"),
        row("2", 28, 33, "zebra"),
        row("3", 60, 70, "again."),
    ]
    printed, status = check(["gold.jsonl", "--documents", "docs"], **{"gold.jsonl": lines(*gold)})
    assert (printed, status) == ("""\
gold.jsonl: the offsets of 4 of 5 texts are wrong; 1 row ends after the end of the document
gold.jsonl:2: document d1 does not have 'cat' at 5-8, but in 2 other places
gold.jsonl:3: document d1 does not have 'The' at 23-26, but in 3 other places
gold.jsonl:4: document d1 does not have 'zebra' at 28-33, nor anywhere else
gold.jsonl:5: span 60-70 of document d1 in topic 3 goes beyond its end; the document has 63 characters
gold.jsonl:5: document d1 does not have 'again.' at 60-70 (it has 63 characters), but at 57-63
gold.jsonl: judgments (jsonl)
  3 topics, 3 judged documents, 1 per topic (median 1)
  highlighted: 1 document (3 by topic), 5 spans, 36 characters (median 10 per document)
  overlap: 1 span with text that another span of the document has too
  best entry points: unknown
  lengths: known for all judged documents
  duplicates: none
  texts: 5 texts compared with the documents: 1 exact, 1 moved (1 by -3), 2 in several places, 1 not found
  5 faults
""", 1)  # fmt: skip


def test_a_quotation_with_an_ellipsis_stands_at_its_parts(check):
    quotes = lines({"query_id": "1", "doc_id": "d1", "quote": "The cat sat on ... the dog slept."})
    written(quotes, "quotes.jsonl")
    written(b"".join(assay.locate("quotes.jsonl", "docs").lines()), "gold.jsonl")
    printed, status = check(["gold.jsonl", "--documents", "docs"])
    assert status == 0
    assert "  texts: 2 texts compared with the documents: 2 exact, 0 moved, 0 in several places, 0 not found\n" in printed


def test_only_the_first_few_are_told(check):
    gold = [row(str(number), 4, 9, f"x{number}") for number in range(9)]
    printed, status = check(["gold.jsonl", "--documents", "docs"], **{"gold.jsonl": lines(*gold)})
    told = printed.splitlines()
    assert told[0] == "gold.jsonl: the offsets of 9 of 9 texts are wrong"
    assert told[5] == "gold.jsonl:5: document d1 does not have 'x4' at 4-9, nor anywhere else"
    assert told[6] == "gold.jsonl: judgments (jsonl)"
    assert (told[-1], status) == ("  9 faults", 1)


def test_texts_that_stand_where_they_should_are_counted(check):
    run = [row("1", 0, 23, rank=1), row("1", 24, 38, rank=2)]
    printed, status = check(["run.jsonl", "--documents", "docs"], **{"run.jsonl": lines(*run)})
    assert printed.splitlines()[-2:] == [
        "  texts: 2 texts compared with the documents: 2 exact, 0 moved, 0 in several places, 0 not found", "  no faults"
    ]  # fmt: skip
    assert status == 0


def test_offsets_are_right_if_only_the_form_of_the_text_differs(check):
    written("Cafe\u0301 is  open. “Yes”, he said.", "docs/d2.txt")
    run = [
        row("1", 0, 24, "The cat sat on the mat.", rank=1),
        {"query_id": "1", "doc_id": "d2", "start": 0, "end": 16, "text": "caf\u00e9 is open.", "rank": 2},
        {"query_id": "1", "doc_id": "d2", "start": 16, "end": 21, "text": '"Yes"', "rank": 3},
    ]
    printed, status = check(["run.jsonl", "--documents", "docs"], **{"run.jsonl": lines(*run)})
    assert printed.splitlines()[-2:] == [
        "  texts: 3 texts compared with the documents: 3 exact, 0 moved, 0 in several places, 0 not found", "  no faults"
    ]  # fmt: skip
    assert status == 0


def test_texts_that_are_shorter_than_their_offsets_are_called_so(check):
    gold = lines(row("1", 0, 23, "The cat"), row("2", 24, 38))
    printed, status = check(["gold.jsonl", "--documents", "docs"], **{"gold.jsonl": gold})
    told = printed.splitlines()
    assert told[:2] == [
        "gold.jsonl: 1 of 2 texts is shorter than its offsets say; Assay counts only the text; if these texts are previews "
        "and the offsets are right, pass --texts ignore",
        "gold.jsonl:1: 'The cat' has 7 characters, but 0-23 has 23",
    ]
    assert told[-2:] == [
        "  texts: 2 texts compared with the documents: 1 exact, 1 shorter than the offsets, 0 moved, 0 in several places, "
        "0 not found",
        "  1 fault",
    ]
    assert status == 1


def test_without_documents_the_lengths_are_compared(check):
    printed, status = check(["gold.jsonl"], **{"gold.jsonl": lines(row("1", 4, 22), row("2", 28, 30, "dog"))})
    assert printed.splitlines()[0] == "gold.jsonl:2: 'dog' has 3 characters, but 28-30 has 2"
    assert status == 1


def test_texts_without_offsets_are_found_or_are_faults(check):
    gold = [{"query_id": "1", "text": "cat sat on"}, {"query_id": "2", "text": "zebra"}]
    printed, status = check(
        ["gold.jsonl", "--documents", "docs", "--kind", "judgments"], **{"gold.jsonl": lines(*gold)}
    )
    assert (printed, status) == ("""\
gold.jsonl:2: 'zebra' was not found in docs
gold.jsonl: judgments (jsonl)
  1 topic, 1 judged document, 1 per topic (median 1)
  highlighted: 1 document, 1 span, 10 characters (median 10 per document)
  best entry points: unknown
  lengths: known for all judged documents
  duplicates: none
  texts: located 1 of 2 texts in docs: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places, and left out 1 not found
  1 fault
""", 1)  # fmt: skip


@pytest.mark.shared("spans/covid-qa")
def test_the_wrong_offsets_of_covid_qa_are_found():
    """Published with 1,380 answers, of which 234 do not stand where they are said to."""
    wrong = []
    published = json.loads((COVID / "200423_covidQA.json").read_text())
    for article in published["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                for answer in question["answers"]:
                    start = answer["answer_start"]
                    wrong.append({
                        "query_id": question["id"], "doc_id": f"d{paragraph['document_id']}", "start": start,
                        "end": start + len(answer["text"]), "text": answer["text"],
                    })  # fmt: skip
    report = assay.check(written(lines(*wrong), "gold.jsonl"), documents=COVID / "docs.jsonl")
    told = [str(fault) for fault in report.faults]
    assert "gold.jsonl: the offsets of 234 of 1,380 texts are wrong" in told
    assert report.notes[-1] == (
        "texts: 1,380 texts compared with the documents: 1,146 exact, 227 moved (189 by -1), 7 in several places, 0 not found"
    )


def test_a_quotation_with_an_ellipsis_may_have_any_length(check):
    gold = lines({"query_id": "1", "doc_id": "d1", "quote": "The cat ... the mat.", "start": 0, "end": 7})
    printed, status = check(["gold.jsonl"], **{"gold.jsonl": gold})
    assert (printed.splitlines()[-1], status) == ("  no faults", 0)


def test_columns_that_are_not_used_are_named(check):
    gold = lines(row("1", 4, 22, answer="yes", relevnce=2))
    printed, status = check(["gold.jsonl", "--documents", "docs"], **{"gold.jsonl": gold})
    assert printed.splitlines()[-2:] == ["  columns not used: answer, relevnce", "  no faults"]
    assert status == 0
    run = "query_id,doc_id,score,model\n1,d1,0.5,large\n"
    printed, status = check(["run.csv"], **{"run.csv": run})
    assert printed.splitlines()[-2:] == ["  columns not used: model", "  no faults"]


def test_chunks_are_compared_with_their_documents(check):
    chunks = [
        {"chunk_id": "c1", "doc_id": "d1", "start": 0, "end": 23, "text": TEXT[:23]},
        {"chunk_id": "c2", "doc_id": "d1", "start": 25, "end": 39, "text": "The dog slept."},
        {"chunk_id": "c3", "doc_id": "d9", "start": 0, "end": 3, "text": "The"},
    ]
    assert check(["chunks.jsonl", "--documents", "docs"], **{"chunks.jsonl": lines(*chunks)}) == ("""\
chunks.jsonl: the offsets of 2 of 3 texts are wrong; 1 document is missing
chunks.jsonl:2: document d1 does not have 'The dog slept.' at 25-39, but at 24-38
chunks.jsonl:3: 'The': there is no document d9
chunks.jsonl: chunks (jsonl)
  3 chunks of 1 document
  texts: 3 texts compared with the documents: 1 exact, 1 moved (1 by -1), 0 in several places, 1 not found
  2 faults
""", 1)  # fmt: skip


def test_chunks_without_texts_must_be_within_their_documents(check):
    chunks = "chunk_id,doc_id,start,end\nc1,d1,0,63\nc2,d1,60,64\nc3,d9,0,3\n"
    assert check(["chunks.csv", "--documents", "docs"], **{"chunks.csv": chunks}) == ("""\
chunks.csv:3: chunk 60-64 goes beyond the end of document d1, which has 63 characters
chunks.csv:4: there is no document d9
chunks.csv: chunks (csv)
  3 chunks of 1 document
  2 faults
""", 1)  # fmt: skip


@pytest.mark.parametrize("name", ["chunk_id", "id"])
def test_chunks_with_only_an_id_and_a_text_are_located(check, name):
    chunks = lines({name: "c1", "text": TEXT[:23]}, {name: "c2", "text": "The cow slept."})
    assert check(["chunks.jsonl", "--documents", "docs"], **{"chunks.jsonl": chunks}) == ("""\
chunks.jsonl:2: 'The cow slept.' was not found in docs
chunks.jsonl: chunks (jsonl)
  2 chunks
  texts: located 1 of 2 texts in docs: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places, and left out 1 not found
  1 fault
""", 1)  # fmt: skip
    # without documents, only the id of a chunk says that these are chunks
    kind = "chunks" if name == "chunk_id" else "documents"
    assert check(["chunks.jsonl"]) == (f"chunks.jsonl: {kind} (jsonl)\n  2 {kind}\n", 0)


def test_a_table_with_scores_and_without_topics_is_not_taken_for_chunks(check):
    run = lines({"doc_id": "d1", "start": 0, "end": 23, "score": 1})
    printed, status = check(["run.jsonl", "--documents", "docs"], **{"run.jsonl": run})
    assert printed.splitlines()[0] == (
        "run.jsonl: no topic column; the columns are doc_id, start, end, score; expected a column such as query_id, or pass "
        "--column, for example topic=NAME"
    )
    assert status == 1


LINES = "First line.\r\nThe answer is here.\r\nThe last line.\r\n"


def test_offsets_that_count_line_ends_of_windows_as_one_character_are_named(check):
    written(LINES.encode(), "windows/d1.txt")
    # as open("d1.txt").read() has it
    read = LINES.replace("\r\n", "\n")
    spans = [(text, read.index(text)) for text in ("The answer", "here.\nThe last", "last line.")]
    gold = [row("1", start, start + len(text), text) for text, start in spans]
    printed, status = check(["gold.jsonl", "--documents", "windows"], **{"gold.jsonl": lines(*gold)})
    assert printed.splitlines()[0] == (
        "gold.jsonl: the offsets of 3 of 3 texts are wrong; these offsets count a Windows line end (\\r\\n) as one character; "
        "the documents have two, so convert them to Unix line ends (\\n)"
    )
    assert status == 1
    written(read, "unix/d1.txt")
    assert check(["gold.jsonl", "--documents", "unix"], **{"gold.jsonl": lines(*gold)})[1] == 0


def test_line_ends_of_windows_are_told_where_no_text_tells_whether_offsets_know_them(check):
    written(LINES.encode(), "windows/d1.txt")
    bare = {"query_id": "1", "doc_id": "d1", "start": 12, "end": 22}
    printed, status = check(["gold.jsonl", "--documents", "windows"], **{"gold.jsonl": lines(bare)})
    assert printed.splitlines()[-2:] == [
        "  line ends: Windows (two characters each) in 1 of 1 document; Python's text mode counts each as one, "
        "so offsets made there need documents with line feeds only",
        "  no faults",
    ]
    assert status == 0
    exact = lines(row("1", 13, 23, LINES[13:23]))
    printed, _ = check(["gold.jsonl", "--documents", "windows"], **{"gold.jsonl": exact})
    assert "line ends" not in printed
