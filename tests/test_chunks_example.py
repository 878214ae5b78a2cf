"""The example of chunks: its files are those that its script and `assay locate` write, and show what documents hide."""

import json
from itertools import pairwise

import pytest

import assay
from helpers.commands import invoke, python
from helpers.places import DATA, ROOT

EXAMPLE = ROOT / "examples/chunks"
DOCUMENTS, GOLD = EXAMPLE / "documents", EXAMPLE / "gold.jsonl"
NAMES = ("200", "400", "400-200")


def rows(name):
    return [json.loads(line) for line in (EXAMPLE / name).read_text("utf-8").splitlines()]


def texts():
    return {path.stem: path.read_bytes().decode("utf-8") for path in DOCUMENTS.glob("*.txt")}


def test_the_script_writes_the_files_that_are_there(tmp_path):
    given = (DOCUMENTS, EXAMPLE / "questions.jsonl", GOLD, tmp_path)
    done = python(str(EXAMPLE / "run.py"), *map(str, given), *NAMES)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == (
        "bm25-400-200: 24 of 25 excerpts are in one chunk, and the best ranking has R(chars=1000) = 1.0000"
    )
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == sorted(f"{what}-{name}.jsonl" for what in ("bm25", "chunks") for name in NAMES)
    for name in written:
        assert (tmp_path / name).read_text("utf-8") == (EXAMPLE / name).read_text("utf-8"), name


def test_gold_is_what_is_located(tmp_path):
    output = tmp_path / "gold.jsonl"
    done = invoke("locate", EXAMPLE / "quotes.jsonl", "--documents", DOCUMENTS, "-o", output)
    assert done.stderr == "24 quotes in 25 parts: 24 verbatim, 1 after normalizing whitespace or case, 0 in several places, 0 not found\n"
    assert output.read_text("utf-8") == GOLD.read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_chunks_are_as_long_as_they_should_be_and_leave_no_word_out(name):
    size, _, overlap = name.partition("-")
    by_document = {}
    for row in rows(f"chunks-{name}.jsonl"):
        by_document.setdefault(row["doc_id"], []).append((row["start"], row["end"]))
    assert set(by_document) == set(texts())
    for document, text in texts().items():
        spans = by_document[document]
        assert all(0 < end - start <= int(size) for start, end in spans)
        inside = {at for start, end in spans for at in range(start, end)}
        assert all(text[at].isspace() for at in range(len(text)) if at not in inside)
        for (_, before), (start, _) in pairwise(spans):
            assert before - start <= int(overlap or 0)
            assert overlap or start >= before


def test_a_document_is_always_found_and_the_evidence_is_not():
    """By sets of characters: of the first five chunks, and of the first 1,000 characters of all of them in a row."""
    gold = {}
    for row in rows("gold.jsonl"):
        gold.setdefault(row["query_id"], set()).update((row["doc_id"], at) for at in range(row["start"], row["end"]))
    measures = ["Success(unit=document)@5", "R@5", "R(chars=1000)"]
    scores = assay.evaluate(GOLD, [EXAMPLE / f"bm25-{name}.jsonl" for name in NAMES], measures)
    for name in NAMES:
        ranking = {}
        for row in rows(f"bm25-{name}.jsonl"):
            ranking.setdefault(row["query_id"], []).append(row)
        hit, first, read = [], [], []
        for topic, relevant in gold.items():
            met = [[(row["doc_id"], at) for at in range(row["start"], row["end"])] for row in ranking[topic]]
            documents = {document for document, _ in relevant}
            hit.append(bool(documents & {row["doc_id"] for row in ranking[topic][:5]}))
            first.append(len(relevant & {at for chunk in met[:5] for at in chunk}) / len(relevant))
            read.append(len(relevant & set([at for chunk in met for at in chunk][:1000])) / len(relevant))
        assert all(hit) and scores[f"bm25-{name}", measures[0]] == 1
        expected = sum(first) / len(first), sum(read) / len(read)
        assert [scores[f"bm25-{name}", measure] for measure in measures[1:]] == pytest.approx(expected)
        assert expected < (0.65, 0.5)


DOCTORS = DATA / "spans/evidence-inference-v2"


@pytest.mark.shared("spans/evidence-inference-v2")
def test_it_is_so_on_the_evidence_that_doctors_marked():
    """As other programs measured it: hit@5 1.000, and .31 and .41 of the characters."""
    runs = [DOCTORS / f"runs/bm25-{name}.tsv" for name in ("rec400-0", "rec800-400")]
    scores = assay.evaluate(DOCTORS / "gold.jsonl", runs, ["Success(unit=document)@5", "R@5"])
    assert [scores[run.stem, "Success(unit=document)@5"] for run in runs] == [1, 1]
    assert [round(scores[run.stem, "R@5"], 2) for run in runs] == [0.31, 0.41]
