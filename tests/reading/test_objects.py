"""Chunks as frameworks hand them over, told by their shape."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import PurePath
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.reading.records import record_of
from helpers.files import written
from helpers.look_alikes import ChonkieChunk, HaystackDocument, LangChainDocument, LlamaNode, Passage, Piece, with_score

TEXT = "The cat sat on the mat. The dog slept. The cat sat there again."
DOCUMENTS = {"d1": TEXT, "d2": "Nothing of cats or dogs is told here."}
GOLD = {"who sat?": [("d1", 4, 22)], "who slept?": [("d1", 28, 37)]}
CAT, DOG = "The cat sat on the mat.", "The dog slept."


def of_langchain(text, start, document="d1"):
    return LangChainDocument(text, start_index=start, source=document)


def of_llama_index(text, start, document="d1"):
    return LlamaNode(text, start, start + len(text), document)


def of_haystack(text, start, document="d1"):
    return HaystackDocument(text, {"source_id": document, "split_idx_start": start})


SHAPES = {
    "LangChain": of_langchain,
    "LangChain with a score": lambda *chunk: (of_langchain(*chunk), 0.25),
    "LlamaIndex": of_llama_index,
    "LlamaIndex with a score": lambda *chunk: with_score(of_llama_index(*chunk), 0.5),
    "Haystack": of_haystack,
    "a dict": lambda text, start, document="d1": {"text": text, "start": start, "doc_id": document},
    "a dict with metadata": lambda text, start, document="d1": {
        "id": "7", "content": text, "metadata": {"start_index": start, "source": document}
    },
    "a dict of a document with metadata, and a score": lambda text, start, document="d1": {
        "document": {"page_content": text, "metadata": {"start_index": start, "source": document}}, "score": 0.5
    },
    "a hit of Qdrant": lambda text, start, document="d1": {
        "id": 7, "score": 0.5, "payload": {"text": text, "start": start, "source": document}
    },
    "a hit of Qdrant that LangChain wrote": lambda text, start, document="d1": {
        "id": 7, "score": 0.5, "payload": {"page_content": text, "metadata": {"start_index": start, "source": document}}
    },
    "a hit of Elasticsearch": lambda text, start, document="d1": {
        "_id": "d1#7", "_score": 2.5, "_source": {"text": text, "char_start": start, "char_end": start + len(text), "doc_id": document}
    },
    "an object of Weaviate": lambda text, start, document="d1": SimpleNamespace(
        uuid="7", metadata=SimpleNamespace(distance=0.5), properties={"text": text, "start": start, "doc_id": document}
    ),
    "a named tuple": lambda text, start, document="d1": Passage(document, start, start + len(text)),
    "a dataclass": lambda text, start, document="d1": Piece(text, document, start),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chunk_of_any_shape_is_read(shape):
    chunk = record_of(SHAPES[shape](DOG, 24))
    assert (chunk["document"], chunk["start"], chunk["end"], "in_parent" in chunk) == ("d1", 24, 38, False)
    assert chunk.get("text") in (DOG, None)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_is_a_dict_of_lists_of_chunks_best_first(shape):
    made = SHAPES[shape]
    run = {"who sat?": [made(DOG, 24), made(CAT, 0)], "who slept?": [made(DOG, 24)]}
    read = assay.read_run(run)
    assert read.topic.texts() == ["who sat?", "who sat?", "who slept?"]
    assert list(zip(read.start.tolist(), read.end.tolist(), strict=True)) == [(24, 38), (0, 23), (24, 38)]
    scores = assay.evaluate(GOLD, run, ["R@1", "R@2"])
    assert scores.per_topic["R@1"].to_list() == [0.0, 1.0]
    assert scores.per_topic["R@2"].to_list() == [1.0, 1.0]
    named = assay.evaluate(GOLD, {"mine": run}, "R@2")
    assert named.systems == ["mine"]


@pytest.mark.parametrize("given", ["text", 1, None, ("d1", 0, 3), [1], {"topic": "1"}, object(), b"text", ("a", 0.5)])
def test_what_is_no_chunk_is_none(given):
    assert record_of(given) in ({}, {"topic": "1"})


def test_chonkie_does_not_know_its_document():
    chunk = ChonkieChunk(DOG, 24, 38)
    assert record_of(chunk) == {"text": DOG, "start": 24, "end": 38}
    with pytest.raises(InputError) as error:
        assay.read_run({"who slept?": [chunk]})
    assert str(error.value) == (
        "run: no usable offsets for 1 of 1 result (1 with no document), first in topic who slept?, result 1: "
        "'The dog slept.'; pass documents= to locate their texts"
    )
    run = assay.read_run({"who slept?": [chunk]}, documents=assay.reading.read.opened_documents(DOCUMENTS))
    assert (run.document.texts(), run.start.tolist(), run.end.tolist()) == (["d1"], [24], [38])


def test_of_a_text_that_stands_in_two_places_that_is_taken_where_it_is_said_to_start():
    scores = assay.evaluate({"q": [("d1", 39, 46)]}, {"q": [ChonkieChunk("The cat", 39, 46)]}, "R", documents=DOCUMENTS)
    assert scores["R"] == 1
    assert scores.notes == ["run: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places"]


@pytest.mark.parametrize("start", [-1, None])
def test_chunks_without_a_start_are_found_in_the_documents(start):
    run = {"who sat?": [of_langchain(CAT, start), of_langchain(DOG, 24)], "who slept?": [of_langchain(DOG, start)]}
    scores = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS)
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.notes == ["run: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places"]
    with pytest.raises(InputError) as error:
        assay.evaluate(GOLD, run, "R")
    assert str(error.value) == (
        "run: no usable offsets for 2 of 3 results (2 without a start), first in topic who sat?, result 1: "
        "'The cat sat on the mat.'; pass documents= to locate their texts"
    )


def test_a_text_that_is_returned_twice_takes_both_its_places():
    run = {"q": [of_langchain("The cat sat", -1), of_langchain("The cat sat", -1)]}
    read = assay.read_run(run, documents=assay.reading.read.opened_documents(DOCUMENTS))
    assert read.start.tolist() == [0, 39]


def test_a_document_may_be_called_by_its_path():
    run = {
        "who sat?": [of_langchain(CAT, 0, "/home/me/corpus/d1")],
        "who slept?": [of_langchain(DOG, 24, "C:\\corpus\\d1")],
    }
    scores = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS)
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.notes == [
        "run: 2 documents matched by the end of the name, for example '/home/me/corpus/d1' with 'd1'"
    ]


def test_an_id_that_a_framework_made_up_is_no_obstacle():
    run = {"who sat?": [of_llama_index(CAT, 0, "5e1c-11")], "who slept?": [of_llama_index(DOG, 24, "5e1c-11")]}
    scores = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS)
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.notes == ["run: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places"]


def nested(framework):
    """The second of two sentences of a second chunk, whose offsets count from that chunk: 4 instead of 28."""
    if framework == "LlamaIndex":
        return LlamaNode("dog slept.", 4, 14, "d1", parent="24-62")
    meta = {"source_id": "ab12", "__parent_id": "ab12", "__level": 2, "split_idx_start": 4, "file_path": "d1"}
    return HaystackDocument("dog slept.", meta)


@pytest.mark.parametrize("path", ["{}/index.md", "corpus/{}/index.md", "/home/me/corpus/{}/index.md", "C:\\corpus\\{}\\index.md"])
@pytest.mark.parametrize("made", [
    lambda path, text: {"page_content": text, "metadata": {"source": path}},
    lambda path, text: {"source": path, "start": 0, "end": len(text)},
    lambda path, text: (path, 0, len(text)),
], ids=["text", "place", "tuple"])  # fmt: skip
def test_files_of_one_name_in_several_folders_are_told_apart_by_their_paths(tmp_path, path, made):
    for folder, text in (("a", "The dog barks."), ("b", "The cat sleeps.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.md").write_text(text, encoding="utf-8")
    gold = {"1": ["The dog"], "2": ["The cat"]}
    run = {"1": [made(path.format("a"), "The dog barks")], "2": [made(path.format("b"), "The cat")]}
    assert assay.evaluate(gold, run, "R", documents=tmp_path)["R"] == 1


@pytest.mark.parametrize("framework", ["LlamaIndex", "Haystack"])
def test_offsets_that_count_from_a_parent_are_refused_and_named(framework):
    run = {"who slept?": [nested(framework)]}
    with pytest.raises(InputError) as error:
        assay.evaluate(GOLD, run, "R")
    assert str(error.value) == (
        "run: no usable offsets for 1 of 1 result (1 with offsets that count from a parent chunk, not from the start of the "
        "document), first in topic who slept?, result 1: 'dog slept.'; pass documents= to locate their texts"
    )


@pytest.mark.parametrize("framework", ["LlamaIndex", "Haystack"])
def test_with_documents_offsets_that_count_from_a_parent_are_found_out(framework):
    run = {"who slept?": [nested(framework)]}
    corrected = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS)
    assert corrected["run", "R", "who slept?"] == 1
    assert corrected.notes[0] == (
        "run: the offsets of 1 of 1 text are wrong (0 exact, 1 moved (1 by 24), 0 in several places, 0 not found); these "
        "offsets count from a parent chunk, not from the start of the document; Assay located them by their texts instead"
    )
    scores = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS, texts="locate")
    assert scores["run", "R", "who slept?"] == 1
    assert scores.notes[0] == "run: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places"
    assert assay.evaluate(GOLD, run, "R", documents=DOCUMENTS, texts="ignore")["run", "R", "who slept?"] == 0


def test_a_haystack_document_of_the_first_level_counts_from_the_document():
    meta = {"source_id": "d1", "__parent_id": "d1", "__level": 1, "split_idx_start": 24}
    assert record_of(HaystackDocument(DOG, meta)) == {
        "text": DOG, "document": "d1", "start": 24, "end": 38, "end_of_text": True, "own": ("0c2d",), "made_up": True
    }  # fmt: skip


def test_a_length_that_is_not_that_of_the_text_is_caught_without_documents():
    run = {"who slept?": [LlamaNode(DOG, 24, 60, "d1")]}
    with pytest.raises(InputError) as error:
        assay.evaluate(GOLD, run, "R")
    assert str(error.value) == (
        "run: the offsets of 1 of 1 text do not match their lengths (topic who slept?, result 1: 'The dog slept.' has 14 characters, "
        "but 24-60 has 36); pass documents= to count each text where the documents have it, or texts=ignore to trust the offsets"
    )
    many = {"who slept?": [*[of_llama_index(DOG, 24)] * 10, LlamaNode(DOG, 24, 60, "d1")]}
    assert assay.evaluate(GOLD, many, "R").notes[0] == (
        "run: the offsets of 1 of 11 texts do not match their lengths (topic who slept?, result 11: 'The dog slept.' has 14 "
        "characters, but 24-60 has 36); Assay used the offsets"
    )


@pytest.mark.parametrize("gold", [
    {"who sat?": ["cat sat on the mat"], "who slept?": ["dog slept"]},
    {"who sat?": "cat sat on the mat", "who slept?": ["dog slept"]},
    {"who sat?": "cat sat on the mat", "who slept?": "dog slept"},
    {"who sat?": {"d1": ["cat sat on the mat"]}, "who slept?": {"d1": ["dog slept"]}},
    {"who sat?": {"d1": "cat sat on the mat"}, "who slept?": {"d1": "dog slept"}},
    {"who sat?": [{"text": "cat sat on the mat", "doc_id": "d1"}], "who slept?": [of_langchain("dog slept", -1)]},
    [{"question": "who sat?", "quote": "cat sat on the mat"}, {"question": "who slept?", "quote": "dog slept"}],
    [
        {"query_id": "who sat?", "text": "cat sat on the mat", "grade": 1},
        {"query_id": "who slept?", "text": "dog slept", "grade": 2},
    ],
])  # fmt: skip
def test_quotations_are_gold(gold):
    run = {"who sat?": [CAT], "who slept?": [DOG]}
    scores = assay.evaluate(gold, run, ["R", "P"], documents=DOCUMENTS)
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.per_topic["P"].to_list() == [18 / 23, 9 / 14]
    assert scores.notes == [
        "judgments: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
        "run: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
    ]


@pytest.mark.parametrize("quotes", [["Cats"], ["Cats", "cat sat"], ["7"]])
def test_quotations_by_document_may_have_one_word(quotes, folder):
    texts = {"d1": "Cats are 7. A cat sat."}
    expected = {"R": 1, "P": sum(map(len, quotes)) / len(texts["d1"])}
    gold, run = {"1": {"d1": quotes}}, {"1": [{"text": texts["d1"], "source": "d1"}]}
    for given in (gold, written(json.dumps(gold), "gold.json")):
        scores = assay.evaluate(given, run, ["R", "P"], documents=texts)
        assert {"R": scores["R"], "P": scores["P"]} == expected


def test_evidence_by_document_is_looked_for_there():
    twice = {"d1": "A cat sat there.", "d2": "There a cat sat, a cat sat there."}
    scores = assay.evaluate({"1": {"d2": ["cat sat there"]}}, {"1": [("d2", 19, 32)]}, "R", documents=twice)
    assert scores["R"] == 1


def test_spans_in_a_set_are_gold():
    assert assay.evaluate({"1": {("d1", 0, 10), ("d1", 20, 30)}}, {"1": [("d1", 5, 25)]}, "R")["R"] == 0.5


def test_topics_that_pandas_made_floats_of_are_numbers():
    gold = pd.DataFrame({"query_id": [1.0, 2.0], "quote": ["cat sat on the mat", "dog slept"]})
    run = {1: [("d1", 0, 23)], 2: [("d1", 24, 38)]}
    assert assay.evaluate(gold, run, "R", documents=DOCUMENTS)["R"] == 1


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without documents", "with documents"])
def test_lines_that_hold_a_chunk_have_its_place(documents, folder):
    rows = [
        {"query_id": topic, "score": 1, "document": {"page_content": text, "metadata": {"source": "d1", "start_index": start}}}
        for topic, text, start in [("who sat?", CAT, 0), ("who slept?", DOG, 24)]
    ]
    run = written("".join(json.dumps(row) + "\n" for row in rows), "run.jsonl")
    scores = assay.evaluate(GOLD, run, ["R", "P"], documents=documents)
    assert (scores["R"], scores["P"]) == (1, (18 / 23 + 9 / 14) / 2)


def test_metadata_without_a_text_is_no_chunk(folder):
    rows = [{"query_id": topic, "doc_id": "d1", "score": 1, "metadata": {"source": "d1"}} for topic in GOLD]
    run = written("".join(json.dumps(row) + "\n" for row in rows), "run.jsonl")
    assert assay.evaluate(GOLD, run, "P", documents=DOCUMENTS)["P"] == (18 + 9) / 2 / len(TEXT)


def test_a_quotation_that_is_not_there_is_an_error_unless_it_may_be_left_out():
    gold = {"who sat?": ["cat sat on the mat", "zebra", "quagga"], "who slept?": ["dog slept"]}
    run = {"who sat?": [CAT], "who slept?": [DOG]}
    with pytest.raises(InputError) as error:
        assay.evaluate(gold, run, "R", documents=DOCUMENTS)
    assert str(error.value) == (
        "judgments: could not find 2 of 4 texts in documents (found 2 verbatim, 0 after normalizing whitespace or case, 0 in several places): topic who sat?, quote 2: 'zebra'; "
        "topic who sat?, quote 3: 'quagga'; run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found"
    )
    scores = assay.evaluate(gold, run, "R", documents=DOCUMENTS, texts="drop")
    assert scores.per_topic["R"].to_list() == [1.0, 1.0]
    assert scores.notes[0] == (
        "judgments: located 2 of 4 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places, and left out 2 not found"
    )


def test_strings_without_blanks_are_ids_of_documents():
    scores = assay.evaluate({"q": {"d1": 1, "d2": 0}}, {"q": ["d2", "d1"]}, "AP", documents=DOCUMENTS)
    assert scores["AP"] == 0.5


def test_no_note_names_a_column_for_documents_that_are_looked_up_under_several_names():
    documents = {"a.txt": "Warranty: two years.", "b.txt": "Warranty: two years."}
    made_up = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    for path, right in (("/x/b.txt", 1), ("/x/a.txt", 0)):
        node = SimpleNamespace(text=documents["a.txt"], start_char_idx=0, end_char_idx=20, metadata={"file_path": path}, ref_doc_id=made_up)
        scores = assay.evaluate({"q": {"b.txt": [(0, 20)]}}, {"q": [SimpleNamespace(node=node, score=0.5)]}, ["R@1"], documents=documents)
        assert scores["R@1"] == right
        assert not any("reads the documents" in note for note in scores.notes)


def test_where_documents_are_judged_chunks_are_documents():
    run = {"q": [of_langchain(DOG, -1, "d2"), of_langchain(CAT, 0), of_langchain(DOG, 24)]}
    scores = assay.evaluate({"q": {"d1": 1, "d2": 0}}, run, "AP")
    assert scores["AP"] == 0.5
    assert scores.notes == ["run: 3 chunks became 2 documents, ranked by their first result"]


@pytest.mark.parametrize(("run", "message"), [
    ({"q": [of_langchain(CAT, 0), 7]}, "run: topic q, result 2: start is missing"),
    ({"q": [of_langchain(CAT, 0)], "r": 7}, "run: topic r has 7; expected a dict of document: score"),
    ({"q": [LlamaNode("cat", 7, 4, "d1")]}, "run: topic q, result 1: start 7 is after end 4"),
    ({"q": [Passage("", 0, 3)]}, "run: topic q, result 1: document is missing"),
])  # fmt: skip
def test_what_is_wrong_with_a_chunk_is_told(run, message):
    with pytest.raises(InputError) as error:
        assay.evaluate({"q": [("d1", 0, 3)]}, run, "R")
    assert str(error.value) == message


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without documents", "with documents"])
@pytest.mark.parametrize("place", [{"span": [0, 23]}, {"start_idx": 0, "end_idx": 23}])
def test_keys_that_tell_no_place_are_named(place, documents):
    with pytest.raises(InputError) as error:
        assay.evaluate({"q": [{"doc_id": "d1", **place}]}, {"q": [("d1", 0, 3)]}, "R", documents=documents)
    assert str(error.value) == (
        f"judgments: topic q, quote 1: no usable offsets and no text; the keys are doc_id, {', '.join(place)}; expected a document, start and end, or a text"
    )


def test_offsets_may_be_called_so(folder):
    span = {"doc_id": "d1", "start_offset": 0, "end_offset": 23}
    row, run = {"query_id": "q", **span}, {"q": [("d1", 13, 33)]}
    assert assay.evaluate({"q": [span]}, run, "P", documents=DOCUMENTS)["P"] == 0.5
    # in tables they may be seconds, and so have to be told
    told = {"start": "start_offset", "end": "end_offset"}
    for gold in ([row], pl.DataFrame([row]), written(json.dumps(row) + "\n", "gold.jsonl")):
        assert assay.evaluate(gold, run, "P", documents=DOCUMENTS, columns=told)["P"] == 0.5


def test_no_framework_is_imported():
    code = (
        "import sys; from assay.reading import records, texts, locate; "
        "print([name for name in sys.modules if name.startswith(('langchain', 'llama', 'haystack', 'chonkie'))])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_rows_that_tell_their_question_again_are_still_chunks_of_it():
    gold = [{"query_id": topic, "doc_id": "a", "start": 0, "end": 10} for topic in ("q1", "q2")]
    run = {topic: [{"query_id": topic, "doc_id": "a", "start": 0, "end": end}] for topic, end in (("q1", 5), ("q2", 10))}
    scores = assay.evaluate(gold, run, ["R"])
    assert (scores.systems, scores["R", "q1"], scores["R", "q2"]) == (["run"], 0.5, 1.0)
    # under another name they are the records of a system, whose order is told by scores
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(gold, {"mine": [row for rows in run.values() for row in rows]}, ["R"])
    assert str(refused.value) == (
        "mine: no score or rank column; the columns are query_id, doc_id, start, end"
        "; if the rows are sorted best first, add a column rank; if these are judgments, pass judgments first, then the runs"
    )


def test_lists_that_json_made_of_spans_are_spans():
    gold, run = {"q": [["a", 0, 5]]}, {"q": [["a", 0, 3], ["b", 0, 9]]}
    scores = assay.evaluate(gold, run, ["R@5"])
    assert (scores.systems, scores["R@5"]) == (["run"], 0.6)


def test_long_texts_without_documents_are_not_taken_for_ids():
    text = "the ferry that crosses the bay each morning at nine has no cabin and no name"
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q": [text]}, {"q": [text]}, ["R@5"])
    assert str(refused.value) == (
        "judgments: no usable offsets for 1 of 1 span (1 without a start), first in topic q, quote 1: "
        "'the ferry that crosses the bay each mor…'; pass documents= to locate their texts"
    )


def test_documents_of_another_type_are_refused():
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate({"q": ["a"]}, {"q": ["a"]}, ["R@5"], documents=["a text"])
    expected = "expected a path, assay.Documents, a dict from ids to texts, or objects with an id and a text"
    assert str(refused.value) == f"documents= has type list; {expected}"


ROWS = [{"doc_id": name, "text": text} for name, text in DOCUMENTS.items()]


@pytest.mark.parametrize("documents", [
    ROWS,
    [{"_id": name, "title": "", "text": text} for name, text in DOCUMENTS.items()],
    [LangChainDocument(text, source=name) for name, text in DOCUMENTS.items()],
    [{"page_content": text, "metadata": {"source": name}} for name, text in DOCUMENTS.items()],
    pl.DataFrame(ROWS),
    pd.DataFrame(ROWS),
], ids=["dicts", "as of BEIR", "LangChain", "LangChain as dicts", "polars", "pandas"])  # fmt: skip
def test_documents_may_be_objects_with_an_id_and_a_text(documents):
    gold, run = {"who sat?": ["cat sat on the mat"]}, {"who sat?": [("d1", 0, 23)]}
    assert assay.evaluate(gold, run, "P", documents=documents)["P"] == 18 / 23
    assert assay.locate(["dog slept"], documents).rows[0]["start"] == TEXT.index("dog slept")


@pytest.mark.parametrize(("documents", "said"), [
    ([*ROWS, ROWS[0]], "documents: document d1 appears twice; expected one record per document, not one per chunk"),
    ([ROWS[0], {"text": "alone"}], "documents: record 2 is {'text': 'alone'}; expected a document with an id and a text"),
    ([7], "documents: record 1 is 7; expected a document with an id and a text"),
])  # fmt: skip
def test_objects_that_are_no_documents_are_refused(documents, said):
    with pytest.raises(InputError) as refused:
        assay.evaluate({"who sat?": ["cat sat on the mat"]}, {"who sat?": [("d1", 0, 23)]}, "P", documents=documents)
    assert str(refused.value) == said


PAIRS = {
    "texts": [("It has nine arches.", 0.5), ("Soup of the day.", 0.7)],
    "lists, as JSON makes them": [["It has nine arches.", 0.5], ["Soup of the day.", 0.7]],
    "chunks": [({"doc_id": "a", "start": 0, "end": 19}, 0.5), ({"doc_id": "b", "start": 0, "end": 16}, 0.7)],
}


@pytest.mark.parametrize("what", PAIRS)
def test_a_score_may_stand_beside_a_chunk_and_the_list_tells_the_order(what):
    documents = {"a": "It has nine arches.", "b": "Soup of the day."}
    scores = assay.evaluate({"1": [("a", 0, 19)]}, {"1": PAIRS[what]}, ["R@1"], documents=documents)
    assert scores["R@1"] == 1


@pytest.mark.parametrize("given", [np.array("a"), object])
def test_what_has_no_names_is_no_record(given):
    for judgments, run, label, value in (([given], {"1": ["a"]}, "judgments", "grade"), ({"1": ["a"]}, [given], "run", "score")):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(judgments, run, "R")
        assert str(refused.value) == f"{label}: record 1: expected topic, document and {value}, found {given!r}"


JUDGED_TEXT = {"query_id": "1", "doc_id": "a", "text": "It has", "grade": 1}
LACKING = {
    "judged documents": ({"topic": "1", "document": "a", "grade": 1}, ("topic", "document", "grade")),
    "judged texts": (JUDGED_TEXT, ("query_id", "doc_id", "grade")),
    "texts": ({"query_id": "1", "doc_id": "a", "text": "It has", "score": 1}, ("query_id", "score")),
    "results": ({"query_id": "1", "doc_id": "a", "score": 1}, ("query_id", "doc_id", "score")),
}


@pytest.mark.parametrize(("row", "name"), [(row, name) for row, names in LACKING.values() for name in names])
@pytest.mark.parametrize("before", [0, 1])
def test_a_column_without_a_value_is_not_said_to_be_lacking(row, name, before):
    rows = [row] * before + [{**row, name: None}]
    what = {"doc_id": "document", "query_id": "topic"}.get(name, name)
    for given, place in ((rows, "record"), (pl.DataFrame(rows), "row")):
        kind = "judgments" if "grade" in row else "run"
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(*((given, {"1": ["a"]}) if kind == "judgments" else ({"1": ["a"]}, given)), "R")
        assert str(refused.value) == f"{kind}: {place} {before + 1}: {what} is missing"


@pytest.mark.parametrize("pair", [("a", 0), ("a", 7), ("a", 0.5), ("It has", 1), (7, 1)])
def test_a_number_beside_a_judged_document_is_refused(pair, tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps({"1": [pair]}))
    for gold, label, words in (({"1": [pair]}, "judgments", pair), (path, path, list(pair))):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(gold, {"1": ["a"]}, "R")
        assert str(refused.value) == f"{label}: topic 1 has {words}; expected a list of (document, start, end)"


def test_a_judged_string_alone_is_a_quotation_and_no_document():
    documents = {"a": "It has nine arches."}
    assert assay.evaluate({"1": "It has"}, {"1": [("a", 0, 3)]}, "R", documents=documents)["R"] == 0.5
    for words, options in (("a", {"documents": documents}), ("a", {}), ("It has", {})):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate({"1": words}, {"1": ["a"]}, "R", **options)
        assert str(refused.value) == f"judgments: topic 1 has '{words}'; expected a dict of document: grade"


def test_a_number_beside_a_quotation_is_the_score_with_which_it_was_found():
    documents = {"a": "It has nine arches."}
    assert assay.evaluate({"1": [("It has", 0.5)]}, {"1": [("a", 0, 3)]}, "R", documents=documents)["R"] == 0.5


def test_a_score_beside_a_document_tells_the_order():
    assert assay.evaluate({"1": {"a": 1}}, {"1": [("a", 0.5), ("b", 0.7)]}, ["AP"])["AP"] == 0.5
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"a": 1}}, {"1": [("a", 0.5), ("a", 0.7)]}, ["AP"])
    assert str(refused.value) == (
        "run: result 2: document a is retrieved twice for topic 1 (first in result 1); pass duplicates=first or duplicates=best to keep one"
    )


def queried(*chunks, **changed):
    """What Chroma's query() returns for one question; a chunk is an id, a text and its metadata."""
    ids, texts, metadata = ([list(each)] for each in zip(*chunks, strict=True))
    distances = [[0.1 * place for place in range(len(chunks))]]
    included = ["metadatas", "documents", "distances"]
    result = {"ids": ids, "embeddings": None, "documents": texts, "uris": None, "included": included, "data": None}
    return {**result, "metadatas": metadata, "distances": distances, **changed}


DOG_FIRST = [("c2", DOG, {"source": "d1", "start_index": 24}), ("c1", CAT, {"source": "d1", "start_index": 0})]


def test_results_of_chroma_are_lists_of_chunks():
    run = {"who sat?": queried(*DOG_FIRST), "who slept?": queried(*DOG_FIRST)}
    for given in (run, {"chroma": run}):
        scores = assay.evaluate(GOLD, given, ["R@1", "R@2"])
        assert [scores["R@1", topic] for topic in GOLD] == [0, 1]
        assert [scores["R@2", topic] for topic in GOLD] == [1, 1]
    without_places = queried(*DOG_FIRST, metadatas=None)
    found = assay.evaluate(GOLD, dict.fromkeys(GOLD, without_places), ["R@1"], documents=DOCUMENTS)
    assert [found["R@1", topic] for topic in GOLD] == [0, 1]


@pytest.mark.parametrize("results", [{"a": 0.5}, ["a"], [("a", 0.5)]])
def test_none_is_an_empty_list_of_results(results, folder):
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    note = "run: 1 of 2 judged topics has no results in the run and scores as if nothing was retrieved: 2"
    for run in ({"1": results, "2": None}, {"2": None, "1": results}):
        for given in (run, {"run": run}, written(json.dumps(run), "run.json")):
            scores = assay.evaluate(judged, given, ["RR"])
            assert (scores["RR"], scores.notes) == (0.5, [note])
    log = [{"query_id": 1, "results": ["a"]}, {"query_id": 2, "results": None}]
    assert assay.evaluate(judged, log, ["RR"]).notes == [note]
    gold = assay.evaluate({"1": {"a": 1}, "2": None}, {"1": ["a"]}, ["RR"])
    assert (gold["RR"], gold.notes) == (1, ["judgments: left out 1 question without gold: '2'"])


def test_a_topic_of_a_log_may_be_a_whole_number_with_a_point():
    assert assay.evaluate({"1": {"a": 1}}, [{"query_id": 1.0, "results": ["a"]}], ["RR"])["RR"] == 1
    with pytest.raises(InputError) as refused:
        assay.evaluate({"1": {"a": 1}}, [{"query_id": 1.5, "results": ["a"]}], ["RR"])
    assert str(refused.value) == "run: record 1: topic 1.5 is neither text nor a whole number"


def test_a_frame_of_a_question_may_be_gold():
    rows = [{"doc_id": "d1", "start": 24, "end": 38}]
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pd.DataFrame([{**rows[0], "qid": 1}])):
        assert assay.evaluate({"1": frame}, {"1": [("d1", 24, 31)]}, ["R"])["R"] == 0.5
    with pytest.raises(InputError) as refused:
        assay.evaluate({"1": pd.DataFrame([{**rows[0], "qid": "2"}])}, {"1": [("d1", 24, 31)]}, ["R"])
    assert str(refused.value) == (
        "judgments: topic 1 has a frame of its own, with topics in its column qid; pass that frame alone, or leave out "
        "the column"
    )


def test_nan_is_refused_as_a_score_in_the_frame_of_a_question():
    results = [{"doc_id": "b", "score": 0.5}, {"doc_id": "a", "score": float("nan")}]
    for given in (results, pd.DataFrame(results), pl.DataFrame(results)):
        with pytest.raises(InputError) as refused:
            assay.evaluate({"1": {"a": 1}}, {"1": given}, ["RR"])
        assert str(refused.value) == "run: topic 1, result 2: score 'nan' is not a finite number"


def test_some_keys_of_a_result_of_chroma_suffice(folder):
    for kept in (("ids", "documents"), ("ids", "documents", "distances"), ("ids", "metadatas", "documents")):
        run = {topic: {name: queried(*DOG_FIRST)[name] for name in kept} for topic in GOLD}
        for given in (run, {"chroma": run}, written(json.dumps(run), "run.json")):
            scores = assay.evaluate(GOLD, given, ["R@1"], documents=DOCUMENTS)
            assert [scores["R@1", topic] for topic in GOLD] == [0, 1]
    ids = {name: queried(*DOG_FIRST)[name] for name in ("ids", "distances")}
    assert assay.evaluate({"1": {"c1": 1}}, {"1": ids}, ["RR"])["RR"] == 0.5
    # documents may have these names too
    assert assay.evaluate({"1": {"ids": 1}}, {"1": {"data": 2.0, "ids": 1.0}}, ["RR"])["RR"] == 0.5


def test_ids_alone_of_chroma_are_documents():
    alone = queried(*DOG_FIRST, documents=None, metadatas=None, distances=None, included=[])
    assert assay.evaluate({"1": {"c1": 1}}, {"1": alone}, ["RR"])["RR"] == 0.5


def test_a_result_of_chroma_without_a_topic_is_refused():
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(GOLD, queried(*DOG_FIRST), ["R"])
    told = "Chroma's query() returns results without topics"
    assert str(refused.value) == f"{told}; pass one result per topic, for example {{topic: collection.query(query_texts=[text])}}"
    both = queried(*DOG_FIRST)
    both["ids"] = both["ids"] * 2
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(GOLD, {"who sat?": both}, ["R"])
    told = "topic who sat? has 2 lists of Chroma's query(); expected one"
    assert str(refused.value) == f'{told}, for example dict(zip(topics, result["documents"]))'


def test_a_result_of_chroma_may_be_taken_out_of_its_lists():
    def flat(result):
        lists = ("ids", "documents", "metadatas", "distances")
        return {name: value[0] if name in lists else value for name, value in result.items()}

    run = {"who sat?": flat(queried(DOG_FIRST[1])), "who slept?": flat(queried(*DOG_FIRST))}
    scores = assay.evaluate(GOLD, run, ["R@1"])
    assert [scores["R@1", topic] for topic in GOLD] == [1, 1]


def test_results_of_chroma_are_known_behind_a_topic_without_results_and_without_texts():
    cat, dog = ("c1", CAT, {"source": "d1", "start": 0, "end": 23}), ("c2", None, {"source": "d1", "start": 24, "end": 38})
    run = {"who sat?": [], "who slept?": queried(dog, cat)}
    scores = assay.evaluate(GOLD, run, ["R@1"])
    assert [scores["R@1", topic] for topic in GOLD] == [0, 1]


CAT_CHUNK = {"text": CAT, "source": "d1"}


class ObjectApiResponse:
    """A stand-in for the response of Elasticsearch's client, which is no Mapping."""

    __module__ = "elastic_transport"

    def __init__(self, body):
        self._body, self.meta = body, SimpleNamespace(status=200)

    @property
    def body(self):
        return self._body

    def __getitem__(self, item):
        return self._body[item]

    def __iter__(self):
        return iter(self._body)

    def __getattr__(self, name):
        return getattr(self._body, name)


class SyncPage:
    """A stand-in for the page of OpenAI's client."""

    def __init__(self, data):
        self.data, self.object, self.has_more, self.next_page = data, "vector_store.search_results.page", False, None

    def __iter__(self):
        return iter(self.data)


def of_openai(chunk):
    parts = [SimpleNamespace(type="text", text=chunk["text"])]
    return SimpleNamespace(file_id="file-1", filename=chunk["source"], score=0.9, attributes={}, content=parts)


HOLDERS = {
    "Pinecone": lambda chunk: {"matches": [{"id": "c1", "score": 0.9, "metadata": chunk}], "namespace": ""},
    "an object of Pinecone": lambda chunk: SimpleNamespace(matches=[{"id": "c1", "metadata": chunk}], namespace=""),
    "Elasticsearch": lambda chunk: {"took": 3, "hits": {"total": 1, "hits": [{"_id": "7", "_source": chunk}]}},
    "Qdrant": lambda chunk: SimpleNamespace(points=[SimpleNamespace(id=7, score=0.9, payload=chunk)]),
    "Weaviate": lambda chunk: SimpleNamespace(objects=[SimpleNamespace(uuid="u", properties=chunk)]),
    "a response of Elasticsearch": lambda chunk: ObjectApiResponse({"hits": {"hits": [{"_id": "7", "_source": chunk}]}}),
    "Milvus": lambda chunk: [[{"id": 7, "distance": 0.2, "entity": chunk}]],
    "a list of Milvus": lambda chunk: [{"id": 7, "distance": 0.2, "entity": chunk}],
    "a chain of LangChain": lambda chunk: {"answer": "42", "context": [of_langchain(chunk["text"], 0)]},
    "Haystack": lambda chunk: {"documents": [HaystackDocument(chunk["text"], {"file_path": chunk["source"]})]},
    "LlamaIndex": lambda chunk: SimpleNamespace(response="42", source_nodes=[of_llama_index(chunk["text"], 0)]),
    "OpenAI": lambda chunk: SyncPage([of_openai(chunk)]),
    "a dict of OpenAI": lambda chunk: {"object": "vector_store.search_results.page", "data": [vars(of_openai(chunk))]},
    "a list of OpenAI": lambda chunk: [of_openai(chunk)],
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_results_that_hold_a_list_are_taken_for_it(holder):
    run = {"who sat?": HOLDERS[holder](CAT_CHUNK), "who slept?": []}
    scores = assay.evaluate(GOLD, run, ["R@1"], documents=DOCUMENTS)
    assert [scores["R@1", topic] for topic in GOLD] == [1, 0]
    assert scores.systems == ["run"]


def test_the_order_of_milvus_is_the_ranking_whatever_the_distance():
    hits = [{"id": 1, "distance": 0.1, "entity": CAT_CHUNK}, {"id": 2, "distance": 0.7, "entity": {"text": DOG, "source": "d1"}}]
    for run in ({"who sat?": [hits], "who slept?": [[]]}, {"who sat?": hits, "who slept?": []}):
        scores = assay.evaluate(GOLD, run, ["R@1"], documents=DOCUMENTS)
        assert [scores["R@1", topic] for topic in GOLD] == [1, 0]


IDS_ALONE = {
    "dicts": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.8}],
    "chunk ids": [{"chunk_id": "a", "score": 0.9}, {"chunk_id": "b", "score": 0.8}],
    "objects": [SimpleNamespace(id="a", score=0.9), SimpleNamespace(id="b", score=0.8)],
    "an array": np.array(["a", "b"]),
    "matches": {"matches": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.8}]},
}


@pytest.mark.parametrize("what", IDS_ALONE)
def test_hits_with_nothing_but_an_id_are_documents(what):
    assert assay.evaluate({"1": {"b": 1}}, {"1": IDS_ALONE[what]}, ["RR"])["RR"] == 0.5


def test_chunks_go_by_their_own_ids_where_these_are_judged():
    run = {"1": queried(*DOG_FIRST), "2": queried(*DOG_FIRST)}
    by_ids = assay.evaluate({"1": ["c1"], "2": ["c2"]}, run, ["RR"])
    assert [by_ids["RR", topic] for topic in ("1", "2")] == [0.5, 1]
    assert by_ids.notes == ["run: the judgments name the ids in column id, not those in metadata.source; Assay compares column id"]
    by_documents = assay.evaluate({"1": ["d1"], "2": ["d2"]}, run, ["RR"])
    assert [by_documents["RR", topic] for topic in ("1", "2")] == [1, 0]
    without = {"1": queried(("c2", DOG, None), ("c1", CAT, None))}
    assert assay.evaluate({"1": ["c1"]}, without, ["RR"])["RR"] == 0.5


@pytest.mark.parametrize("given", [SimpleNamespace(what=1), {"what": 1}])
def test_a_result_without_a_known_name_is_refused(given):
    with pytest.raises(InputError) as refused:
        assay.evaluate(GOLD, {"who sat?": [given]}, ["R"], documents=DOCUMENTS)
    assert str(refused.value) == "run: topic who sat?, result 1: document is missing; the keys are what"


def test_texts_that_are_compared_as_ids_are_noted():
    gold = {topic: [f"Fact {topic} is that item {topic} costs seven crowns."] for topic in ("1", "2")}
    scores = assay.evaluate(gold, {"1": gold["1"], "2": [f"{gold['2'][0]} So."]}, ["R@1"])
    assert scores["R@1"] == 0.5
    told = "the judged ids look like texts, for example 'Fact 1 is that item 1 costs seven crowns.'"
    assert scores.notes == [f"judgments: {told}; Assay compares them as ids; pass documents= to locate them in the documents"]


def test_json_of_results_is_read_as_in_python(folder):
    run = written(json.dumps({"who sat?": queried(*DOG_FIRST), "who slept?": queried(*DOG_FIRST)}), "chroma.json")
    scores = assay.evaluate(GOLD, run, ["R@1"])
    assert [scores["R@1", topic] for topic in GOLD] == [0, 1]


@pytest.mark.parametrize("name", ["docs", "documents", "context", "hits"])
def test_documents_of_judgments_may_be_called_as_lists_of_results_are(name, folder):
    gold = {"1": {name: [(0, 10)]}}
    run = {"1": [(name, 0, 5)]}
    assert assay.evaluate(gold, run, ["R"])["R"] == 0.5
    quoted = {"1": {name: ["nine arches"]}}
    found = assay.evaluate(quoted, {"1": [(name, 7, 12)]}, ["R"], documents={name: "It has nine arches."})
    assert found["R"] == pytest.approx(5 / 11)
    gold = written(json.dumps(quoted), "gold.json")
    assert assay.evaluate(gold, run, ["P"], documents={name: "It has nine arches."})["P"] == 0


def test_chunks_that_are_taken_by_their_own_ids_are_noted_once():
    rows = [{"topic": "1", "doc_id": "a", "chunk_id": f"a#{at}", "score": 2 - at} for at in range(2)]
    chunks = [{"doc_id": row["doc_id"], "chunk_id": row["chunk_id"]} for row in rows]
    for run in (rows, pl.DataFrame(rows), {"1": chunks}):
        scores = assay.evaluate({"1": ["a#1"]}, run, "RR")
        assert scores["RR"] == 0.5
        assert scores.notes == ["run: the judgments name the ids in column chunk_id, not those in doc_id; Assay compares column chunk_id"]


def test_chunks_of_some_topics_may_have_a_question():
    run = {"q1": [{"doc_id": "a", "question": "what is it"}], "q2": [{"doc_id": "b"}]}
    assert assay.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, run, "AP")["AP"] == 1
    # runs whose names are topics
    rows = [{"query_id": topic, "doc_id": "a", "score": 1} for topic in ("q1", "q2")]
    assert assay.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": rows, "x": rows}, "AP").systems == ["q1", "x"]
    both = {topic: [{"doc_id": "a", "query": "boat"}] for topic in ("q1", "q2")}
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, both, "AP")
    assert str(refused.value) == (
        "run: topic q1 has only records of topic boat; expected records of topic q1, or a list of chunks, ids, (id, score), "
        "(id, start, end) or (id, start, end, score); the id comes first in a tuple"
    )


def test_a_run_that_is_not_named_is_not_one_of_several():
    rows = [{"query_id": "1", "doc_id": name, "score": 1, "run": run} for name, run in (("a", "A"), ("b", None))]
    for given in (rows, pl.DataFrame(rows), {"1": rows}):
        assert not any("several runs" in note for note in assay.evaluate({"1": {"a": 1}}, given, "R").notes)


@pytest.mark.parametrize("source", [PurePath("notes/a.md"), "notes/a.md", {"url": "a.md"}, ["a.md"], None])
def test_a_text_is_found_whatever_object_names_its_document(source):
    documents = {"a.md": "It has nine arches.", "b.md": "Soup of the day."}
    chunk = {"text": "It has nine", "metadata": {"source": source, "start_index": 0}}
    run = {"1": [SimpleNamespace(page_content=chunk["text"], metadata=chunk["metadata"])]}
    for given in (run, {"1": [chunk]}, [{"query_id": "1", "score": 1, **chunk}]):
        assert assay.evaluate({"1": [("a.md", 0, 6)]}, given, "R", documents=documents)["R"] == 1


def test_a_path_or_a_uuid_is_the_name_of_a_document():
    name = UUID(int=7)
    for given in (name, PurePath(str(name))):
        run = {"1": [{"doc_id": given, "start": 0, "end": 6}]}
        assert assay.evaluate({"1": [(str(name), 0, 6)]}, run, "R")["R"] == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("judgments", [{"1": {"a": 1}}, {"1": [("a", 0, 3)]}])
def test_a_frame_that_is_not_read_yet_is_taken_without_a_warning(judgments):
    run = pl.LazyFrame({"topic": ["1"], "document": ["a"], "start": [0], "end": [3], "score": [1.0]})
    assert assay.evaluate(judgments, run, "R")["R"] == 1


@pytest.mark.parametrize("given", [3, 2.5, None, True, np.array(3)])
def test_what_is_no_table_is_refused_as_such_beside_columns(given):
    found = repr(given.item() if isinstance(given, np.ndarray) else given)
    message = f"run: expected a file, a dict of dicts, a frame or records (topic, document, score), found {found}"
    with pytest.raises(InputError) as refused:
        assay.evaluate({"1": {"d": 1}}, given, "AP", columns={"document": "id"})
    assert str(refused.value) == message


def test_a_number_of_numpy_is_no_list_of_chunks():
    gold = {"1": [{"doc_id": "d", "start": 0, "end": 5}]}
    for chunks, message in (
        ({"d": np.array(3)}, "chunks: the chunks of document d are array(3); expected a list of chunks"),
        (np.array(3), "chunks: expected a file, a frame, a list of chunks, or a dict from documents to lists of chunks; found array(3)"),
    ):
        with pytest.raises(InputError) as refused:
            assay.ceiling(gold, chunks, None, "R@1")
        assert str(refused.value) == message


def test_keys_that_are_no_texts_are_passed_over():
    gold, key = {"1": {"d": 1}}, {True: 1, None: 2}
    record = {"topic": "1", "document": "d", "score": 1, **key, "metadata": key}
    assert assay.evaluate(gold, [record], "AP")["AP"] == assay.evaluate(gold, {"1": [record]}, "AP")["AP"] == 1
    found = assay.locate([{"text": "two words", "metadata": key, **key}], {"d": "in two words"})
    assert found.frame()["start"].to_list() == [3]
    assert "True" in repr(found)


class Model:
    """An object like those of pydantic: it has `__getattr__`, but answers only to its own fields and extra ones."""

    __pydantic_fields__ = {"page_content": None, "metadata": None}  # noqa: RUF012
    asked = 0

    def __init__(self, page_content, metadata, **extra):
        self.__dict__.update(page_content=page_content, metadata=metadata)
        object.__setattr__(self, "__pydantic_extra__", extra)

    def __getattr__(self, name):
        type(self).asked += 1
        raise AttributeError(name)


def test_models_of_pydantic_are_read_by_their_fields_and_asked_for_nothing_else():
    metadata = {"source": "a", "start_index": 3}
    run = {"q": [Model("one", metadata), Model("two", metadata | {"start_index": 8}, rank=2)]}
    scores = assay.evaluate({"q": {"a": [(0, 6)]}}, run, ["R@1", "P@2"])
    assert (scores["R@1"], scores["P@2"]) == (3 / 6, 3 / 6)
    assert Model.asked < 20
