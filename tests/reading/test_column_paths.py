"""Columns that users name by a path into objects: what is searched is not always what is returned."""

import json
from dataclasses import dataclass

import pandas as pd
import polars as pl
import pytest

import assay
from helpers.commands import invoke

DOCUMENTS = {
    "ferry": "The ferry leaves the old pier at seven, and in winter at eight.",
    "oven": "An oven of clay holds its heat for nine hours. Bread goes in first.",
}
GOLD = {"q1": {"ferry": [(0, 40)]}, "q2": {"oven": [(10, 30)]}}
WINDOWS = {"q1": DOCUMENTS["ferry"][20:60], "q2": DOCUMENTS["oven"][15:45]}
RECALL = [0.5, 0.75]
SENTENCE = "Bread goes in first."


@dataclass
class Document:
    page_content: str
    metadata: object


@dataclass
class NodeWithScore:
    node: Document
    score: float


@dataclass
class Window:
    text: str


LISTS = {
    "LangChain": (lambda window: Document(SENTENCE, {"window": window}), "metadata.window"),
    "LlamaIndex": (lambda window: NodeWithScore(Document(SENTENCE, {"window": window}), 0.5), "metadata.window"),
    "a pair with a score": (lambda window: (Document(SENTENCE, {"window": window}), 0.5), "metadata.window"),
    "an object in an object": (lambda window: Document(SENTENCE, Window(window)), "metadata.text"),
    "dicts in dicts": (lambda window: {"text": SENTENCE, "a": {"b": {"c": window}}}, "a.b.c"),
    "an attribute that nobody knows": (lambda window: type("Own", (), {"window": window, "text": SENTENCE})(), "window"),
}


@pytest.mark.parametrize("case", LISTS)
def test_a_path_leads_into_objects(case):
    made, path = LISTS[case]
    run = {topic: [made(window)] for topic, window in WINDOWS.items()}
    scores = assay.evaluate(GOLD, run, "R@1", documents=DOCUMENTS, columns={"text": path})
    assert scores.values[0, 0].tolist() == RECALL
    assert assay.evaluate(GOLD, run, "R@1", documents=DOCUMENTS).values[0, 0].tolist() != RECALL


def records(**changed):
    return [
        {"query_id": topic, "score": 1, "text": SENTENCE, "metadata": {"window": window} | changed.get(topic, {})}
        for topic, window in WINDOWS.items()
    ]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_path_leads_into_the_columns_of_tables(tmp_path):
    path = written(tmp_path / "run.jsonl", records())
    for run in (records(), pl.DataFrame(records()), pd.DataFrame(records()), path):
        scores = assay.evaluate(GOLD, run, "R@1", documents=DOCUMENTS, columns={"text": "metadata.window"})
        assert scores.values[0, 0].tolist() == RECALL


def test_offsets_may_be_anywhere(tmp_path):
    rows = [
        {"query_id": "q1", "doc_id": "ferry", "score": 1, "at": {"first": 20, "behind": 60}},
        {"query_id": "q2", "doc_id": "oven", "score": 1, "at": {"first": 15, "behind": 45}},
    ]
    for run in (rows, pl.DataFrame(rows), written(tmp_path / "run.jsonl", rows)):
        scores = assay.evaluate(GOLD, run, "R@1", columns={"start": "at.first", "end": "at.behind"})
        assert scores.values[0, 0].tolist() == RECALL


def test_the_command_line_takes_paths(tmp_path):
    run = written(tmp_path / "run.jsonl", records())
    rows = [{"query_id": t, "doc_id": d, "start": s, "end": e} for t, g in GOLD.items() for d, [(s, e)] in g.items()]
    gold = written(tmp_path / "gold.jsonl", rows)
    documents = written(tmp_path / "documents.jsonl", [{"id": name, "text": text} for name, text in DOCUMENTS.items()])
    shown = invoke(
        "evaluate", gold, run, "-m", "R@1", "--documents", documents, "--column", "text=metadata.window", "--no-cache"
    )
    assert shown.stdout.splitlines()[-1] == "run\t0.625"


def refusal(run, path="metadata.window"):
    with pytest.raises(assay.AssayError) as refused:
        assay.evaluate(GOLD, run, "R@1", documents=DOCUMENTS, columns={"text": path})
    return str(refused.value)


def test_a_path_that_is_missing_is_refused_with_its_place(tmp_path):
    rows = records(q2={"window": None, "page": 3})
    told = "no value at 'metadata.window', which you named for the text; the keys are query_id, score, text, metadata."
    path = written(tmp_path / "run.jsonl", rows)
    assert refusal(rows) == f"run: record 2: {told}window, metadata.page"
    assert refusal(path) == f"{path}:2: {told}window, metadata.page"
    lists = {topic: [Document(SENTENCE, {"window": window})] for topic, window in WINDOWS.items()}
    lists["q2"] = [Document(SENTENCE, {"page": 3})]
    assert refusal(lists) == (
        "run: topic q2, result 1: no value at 'metadata.window', which you named for the text; the keys are "
        "page_content, metadata.page"
    )


def test_a_path_that_nothing_has_is_refused():
    assert refusal(records(), "metadata.paragraph") == "no input has the column 'metadata.paragraph' that you named for the text"


def test_a_path_may_lead_into_chunks():
    chunks = [{"key": {"id": topic}, "window": {"of": window}} for topic, window in WINDOWS.items()]
    table = assay.evaluate(
        GOLD, {"q1": ["q1"], "q2": ["q2"]}, "R@1", chunks=chunks, documents=DOCUMENTS,
        columns={"chunk": "key.id", "text": "window.of"},
    )  # fmt: skip
    assert table.values[0, 0].tolist() == RECALL


def test_locate_takes_paths():
    rows = [{"query_id": topic, "metadata": {"window": window}} for topic, window in WINDOWS.items()]
    found = assay.locate(rows, DOCUMENTS, columns={"text": "metadata.window"})
    assert [(row["doc_id"], row["start"], row["end"]) for row in found.rows] == [("ferry", 20, 60), ("oven", 15, 45)]


def test_offsets_of_another_text_are_not_those_of_a_path():
    run = {"q1": [{"text": SENTENCE, "start": 3, "end": 5, "doc_id": "ferry", "metadata": {"window": WINDOWS["q1"]}}]}
    columns = {"text": "metadata.window"}
    scores = assay.evaluate({"q1": GOLD["q1"]}, run, "R@1", documents=DOCUMENTS, columns=columns)
    assert scores["R@1"] == RECALL[0]
    assert scores.notes == ["run: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places"]
    assert refusal_without_documents(run) == (
        "run: no usable offsets for 1 of 1 result (1 without a start), first in topic q1, result 1: "
        "' old pier at seven, and in winter at eig'; pass documents= to locate their texts"
    )


def refusal_without_documents(run):
    with pytest.raises(assay.AssayError) as refused:
        assay.evaluate({"q1": GOLD["q1"]}, run, "R@1", columns={"text": "metadata.window"})
    return str(refused.value)
