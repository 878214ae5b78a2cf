"""Runs that return ids of chunks, and the table that tells where each chunk is."""

import json
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.options import refuse_on_spark
from helpers.commands import invoke

DOCUMENTS = {
    "ferry": "The ferry leaves the old pier at seven, and in winter at eight.",
    "oven": "An oven of clay holds its heat for nine hours. Bread goes in first.",
}
GOLD = {"q1": {"ferry": [(0, 40)]}, "q2": {"oven": [(10, 30)]}}
PLACES = {"c1": ("ferry", 20, 60), "c2": ("oven", 0, 10), "c3": ("oven", 15, 45)}
RECORDS = [
    {"chunk_id": name, "doc_id": document, "start": start, "end": end}
    for name, (document, start, end) in PLACES.items()
]
TEXTS = {name: DOCUMENTS[document][start:end] for name, (document, start, end) in PLACES.items()}
RUN = {"q1": ["c1", "c2"], "q2": ["c3"]}
# 20 of 40 characters of q1 are in its first chunk, 15 of 20 of q2 in its only one
RECALL = [0.5, 0.75]


def recall(run, chunks, **options):
    return assay.evaluate(GOLD, run, "R@1", chunks=chunks, **options).values[0, 0].tolist()


def refusal(run, chunks, **options):
    with pytest.raises(assay.AssayError) as refused:
        recall(run, chunks, **options)
    return str(refused.value)


@dataclass
class Node:
    id_: object
    ref_doc_id: str
    start_char_idx: int
    end_char_idx: int


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


TABLES = {
    "records": RECORDS,
    "polars": pl.DataFrame(RECORDS),
    "pandas": pd.DataFrame(RECORDS),
    "by id": {name: {"doc_id": place[0], "start": place[1], "end": place[2]} for name, place in PLACES.items()},
    "spans by id": PLACES,
    "objects": [Node(name, *place) for name, place in PLACES.items()],
    "a generator": (record for record in RECORDS),
    "by document": {
        document: [record for record in RECORDS if record["doc_id"] == document] for document in ("ferry", "oven")
    },
    "an id that comes again": [*RECORDS, RECORDS[0]],
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_chunks_may_be_given_as_anything(table):
    assert recall(RUN, TABLES[table]) == RECALL


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet", "json"])
def test_a_table_of_chunks_may_be_a_file(tmp_path, ending):
    path = tmp_path / f"chunks.{ending}"
    if ending == "parquet":
        pl.DataFrame(RECORDS).write_parquet(path)
    elif ending in ("csv", "tsv"):
        pl.DataFrame(RECORDS).write_csv(path, separator="," if ending == "csv" else "\t")
    elif ending == "json":
        path.write_text(json.dumps(TABLES["by id"]))
    else:
        written(path, RECORDS)
    assert recall(RUN, str(path)) == RECALL


def test_the_texts_of_chunks_are_found_in_the_documents():
    scores = assay.evaluate(GOLD, RUN, "R@1", chunks=TEXTS, documents=DOCUMENTS)
    assert scores.values[0, 0].tolist() == RECALL
    assert scores.notes == ["chunks: located 3 texts in documents: 3 verbatim, 0 after normalizing whitespace or case, 0 in several places"]


def test_a_text_in_two_parts_is_read_in_both():
    chunks = {"c1": "The ferry ... old pier"}
    gold = {"q1": {"ferry": [(0, 9), (21, 29)]}}
    found = assay.evaluate(gold, {"q1": ["c1"]}, "R", chunks=chunks, documents=DOCUMENTS)
    assert found.values[0, 0].tolist() == [1.0]


def test_a_run_of_trec_has_ids_of_chunks_in_its_document_column(tmp_path):
    run = tmp_path / "run.trec"
    run.write_text("q1 Q0 c1 1 2 x\nq1 Q0 c2 2 1 x\nq2 Q0 c3 1 1 x\n")
    chunks, gold = written(tmp_path / "chunks.jsonl", RECORDS), tmp_path / "gold.jsonl"
    gold.write_text('{"query_id": "q1", "doc_id": "ferry", "start": 0, "end": 40}\n'
                    '{"query_id": "q2", "doc_id": "oven", "start": 10, "end": 30}\n')  # fmt: skip
    shown = invoke("evaluate", str(gold), str(run), "--chunks", chunks, "-m", "R@1")
    assert shown.stdout.splitlines()[-1] == "run.trec\t0.625"
    shown = invoke("ceiling", str(gold), chunks, str(run), "-m", "R@1", "--as", "tsv")
    assert shown.stdout.splitlines()[1].split("\t")[:5] == ["run.trec", "R@1", "exact", "0.625", "0.625"]


def test_runs_may_have_tables_of_their_own():
    other = {"c1": ("ferry", 0, 40), "c2": ("oven", 0, 10), "c3": ("oven", 10, 30)}
    scores = assay.evaluate(GOLD, {"a": RUN, "b": RUN}, "R@1", chunks={"a": PLACES, "b": other})
    assert scores.values[:, 0].tolist() == [RECALL, [1.0, 1.0]]


def test_chunks_are_taken_wherever_runs_are_evaluated(tmp_path):
    assert assay.compare(GOLD, {"a": RUN, "b": {"q1": ["c2"]}}, "R@1", chunks=PLACES).notes is not None
    assert assay.Evaluator(GOLD, "R@1", chunks=PLACES)(RUN).values[0, 0].tolist() == RECALL
    assert assay.gate(GOLD, RUN, require="R@1 >= 0.6", chunks=PLACES).passed
    assert "0.5000" in str(assay.why(GOLD, RUN, "R@1", topic="q1", chunks=PLACES))
    page = tmp_path / "page.html"
    assay.report(GOLD, {"a": RUN, "b": RUN}, page, ["R@1"], chunks=PLACES, documents=DOCUMENTS)
    assert page.stat().st_size > 1000
    assert assay.ceiling(GOLD, PLACES, RUN, "R@1")["R@1"] == 0.625


def test_arrays_of_faiss_have_ids_of_chunks_and_minus_1_for_none():
    places = {0: PLACES["c1"], 1: PLACES["c2"], 2: PLACES["c3"]}
    distances, ids = np.array([[0.1, 0.2, 9e9], [0.1, 9e9, 9e9]], np.float32), np.array([[0, 1, -1], [2, -1, -1]])
    assert recall(dict(zip(["q1", "q2"], ids, strict=True)), places) == RECALL
    assert recall(dict(zip(["q1", "q2"], ids.tolist(), strict=True)), places) == RECALL
    searched = {"q1": (distances[:1], ids[:1]), "q2": (distances[1:], ids[1:])}
    assert recall(searched, places) == RECALL
    told = "FAISS's search() returns arrays without topics; pass the ids by topic, for example dict(zip(topics, ids))"
    assert refusal(ids, places) == refusal((distances, ids), places) == told


def test_uuids_are_ids():
    names = [UUID(int=number) for number in range(3)]
    nodes = [Node(name, *place) for name, place in zip(names, PLACES.values(), strict=True)]
    assert recall({"q1": [str(names[0])], "q2": [str(names[2])]}, nodes) == RECALL


REFUSED = {
    "an unknown id": (
        {"q1": ["c1", "c8", "c9"], "q2": ["c3"]},
        PLACES,
        "run: 2 of 4 chunk ids missing from chunks: 'c8', 'c9'; expected a table of all chunks",
    ),
    "no known id": (
        {"q1": ["d1", "d2"], "q2": ["d3"]},
        PLACES,
        "none of the chunk ids in run is in chunks: 'd1', 'd2' vs 'c1', 'c2'; are these results of another set of chunks, or document ids?",
    ),
    "no ids in the table": (
        RUN,
        list(PLACES.values()),
        "chunks: the chunks have no ids, but run returns ids; expected a column chunk_id or id; if another column has the ids, pass columns=, for example chunk=key",
    ),
    "numbers of chunks without ids": (
        {"q1": [0, 1], "q2": [2, -1]},
        list(PLACES.values()),
        "chunks: the chunks have no ids, but run returns ids; expected a column chunk_id or id; if another column has the ids, pass columns=, for example chunk=key; "
        "if an id is the number of a chunk in this list, as with FAISS, pass chunks=dict(enumerate(chunks))",
    ),
    "an id of two places": (
        RUN,
        [*RECORDS, {**RECORDS[0], "start": 0}],
        "chunks: chunk 4: chunk 'c1' is ferry 0-60, but ferry 20-60 at chunk 1; expected a different id for each chunk; if another "
        "column has the ids, pass columns=, for example chunk=key",
    ),
    "a chunk without an id": (
        RUN,
        [*RECORDS, {"doc_id": "oven", "start": 1, "end": 2}],
        "chunks: chunk 4: this chunk has no id, but others do; expected a column chunk_id or id; if another column has the ids, pass columns=, for example chunk=key",
    ),
    "texts without documents": (
        RUN,
        TEXTS,
        "chunks: no usable offsets for 3 of 3 chunks (3 without a start), first in chunk 1: ' old pier at "
        "seven, and in winter at eig'; pass documents= to locate their texts",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_looked_up_is_refused(case):
    run, chunks, told = REFUSED[case]
    assert refusal(run, chunks) == told


def test_a_run_with_spans_says_that_chunks_are_not_used():
    spans = {"q1": [("ferry", 20, 60)], "q2": [("oven", 15, 45)]}
    scores = assay.evaluate(GOLD, {"ids": RUN, "spans": spans}, "R@1", chunks=PLACES)
    assert scores.values[:, 0].tolist() == [RECALL, RECALL]
    assert scores.notes == ["spans: the results have their own offsets or texts; Assay does not use the table of chunks for this run"]


def test_whole_documents_are_those_of_the_chunks_and_judged_ids_stay_ids():
    for judged in ({"q1": {"ferry": 1}, "q2": {"oven": 1}}, {"q1": {"c1": 1}, "q2": {"c3": 1}}):
        assert assay.evaluate(judged, RUN, "P@1", chunks=PLACES).values[0, 0].tolist() == [1.0, 1.0]


def test_spark_refuses_chunks():
    told = (
        "a cluster cannot look up chunk ids; leave out chunks=, and write the document, start and end of each "
        "chunk into the run"
    )
    with pytest.raises(assay.AssayError) as refused:
        refuse_on_spark({"chunks": PLACES})
    assert str(refused.value) == told


def test_a_run_of_chunk_ids_without_scores_is_refused_for_its_columns():
    chunks = [{"chunk_id": "c1", "doc_id": "d1", "start": 0, "end": 20}]
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"d1": [(0, 10)]}}, [{"query_id": "1", "chunk_id": "c1"}], "R@5", chunks=chunks)
    what = "no score or rank column; the columns are query_id, chunk_id; if the rows are sorted best first, add a column rank"
    assert str(refused.value) == f"run: {what}"
