"""What the clients of vector databases return, as it is: `make test-frameworks`. Where a client is missing its tests are
skipped, with its name."""

from __future__ import annotations

import numpy as np
import pytest

import assay

TEXT = " ".join(f"Sentence {number} tells of animal {number * number}." for number in range(40))
SIZE = 200
STARTS = range(0, len(TEXT) - SIZE, SIZE)
CHUNKS = [
    {"id": number, "text": TEXT[start : start + SIZE], "doc_id": "animals.md", "start": start, "end": start + SIZE}
    for number, start in enumerate(STARTS)
]
# Each chunk has a direction of its own; a question looks most in that of one chunk, and a little in that of another.
VECTORS = np.eye(len(CHUNKS), dtype=np.float32)
ASKED = {"the third?": 0.9 * VECTORS[2] + 0.1 * VECTORS[4], "the first?": 0.8 * VECTORS[0] + 0.3 * VECTORS[1]}
# The middle of the chunk that is found first, and of one that is found second.
GOLD = {
    "the third?": [("animals.md", 2 * SIZE + 50, 2 * SIZE + 100)],
    "the first?": [("animals.md", SIZE + 50, SIZE + 100)],
}
DOCUMENTS = {"animals.md": TEXT}
EXPECTED = {"R@1": [1.0, 0.0], "R@2": [1.0, 1.0]}
BY_ID = {"chunks": CHUNKS}
BY_TEXT = {"documents": DOCUMENTS}


def check(run, **options):
    """That what was returned is what was asked for; a dict sorts its topics as it likes."""
    scores = assay.evaluate(GOLD, run, list(EXPECTED), **options)
    values = {str(measure): row.tolist() for measure, row in zip(scores.measures, scores.values[0], strict=True)}
    order = [scores.topics.index(topic) for topic in GOLD]
    assert {name: [row[at] for at in order] for name, row in values.items()} == EXPECTED


@pytest.fixture(scope="module")
def qdrant():
    client = pytest.importorskip("qdrant_client", reason="qdrant-client is missing")
    models = client.models
    database = client.QdrantClient(":memory:")
    vectors = models.VectorParams(size=len(CHUNKS), distance=models.Distance.COSINE)
    database.create_collection("chunks", vectors_config=vectors)
    points = [
        models.PointStruct(id=chunk["id"], vector=vector.tolist(), payload={**chunk, "half": chunk["id"] % 2})
        for chunk, vector in zip(CHUNKS, VECTORS, strict=True)
    ]
    database.upsert("chunks", points)
    return database


@pytest.mark.parametrize("options", [{}, BY_TEXT, BY_ID], ids=["offsets", "documents", "chunks"])
def test_points_of_qdrant(qdrant, options):
    run = {topic: qdrant.query_points("chunks", query=asked.tolist(), limit=3) for topic, asked in ASKED.items()}
    check(run, **options)
    check({topic: found.points for topic, found in run.items()}, **options)


def test_ids_of_qdrant_without_a_payload(qdrant):
    check(
        {
            topic: qdrant.query_points("chunks", query=asked.tolist(), limit=3, with_payload=False)
            for topic, asked in ASKED.items()
        },
        **BY_ID,
    )


@pytest.mark.parametrize("options", [{}, BY_ID], ids=["offsets", "chunks"])
def test_groups_of_qdrant(qdrant, options):
    run = {
        topic: qdrant.query_points_groups("chunks", group_by="id", query=asked.tolist(), limit=3, group_size=1)
        for topic, asked in ASKED.items()
    }
    check(run, **options)


@pytest.fixture(scope="module")
def chroma():
    chromadb = pytest.importorskip("chromadb", reason="chromadb is missing")
    client = chromadb.EphemeralClient(chromadb.config.Settings(anonymized_telemetry=False))
    collection = client.get_or_create_collection("chunks", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    collection.add(
        ids=[str(chunk["id"]) for chunk in CHUNKS],
        embeddings=VECTORS.tolist(),
        documents=[chunk["text"] for chunk in CHUNKS],
        metadatas=[{"source": chunk["doc_id"], "start_index": chunk["start"]} for chunk in CHUNKS],
    )
    return collection


@pytest.mark.parametrize("options", [{}, BY_TEXT, BY_ID], ids=["offsets", "documents", "chunks"])
def test_results_of_chroma(chroma, options):
    run = {
        topic: chroma.query(query_embeddings=[asked.tolist()], n_results=3) for topic, asked in ASKED.items()
    }
    if options is BY_ID:
        # without spans of their own
        run = {
            topic: chroma.query(query_embeddings=[asked.tolist()], n_results=3, include=["distances"])
            for topic, asked in ASKED.items()
        }
    check(run, **options)


@pytest.fixture(scope="module")
def lance(tmp_path_factory):
    lancedb = pytest.importorskip("lancedb", reason="lancedb is missing")
    database = lancedb.connect(tmp_path_factory.mktemp("lance"))
    rows = [{**chunk, "vector": vector.tolist()} for chunk, vector in zip(CHUNKS, VECTORS, strict=True)]
    return database.create_table("chunks", data=rows)


@pytest.mark.parametrize("form", ["to_list", "to_arrow", "to_pandas", "to_polars"])
@pytest.mark.parametrize("options", [{}, BY_TEXT, BY_ID], ids=["offsets", "documents", "chunks"])
def test_results_of_lancedb(lance, form, options):
    if form == "to_pandas":
        pytest.importorskip("pandas", reason="pandas is missing")
    columns = ["id", "_distance"] if options is BY_ID else ["id", "text", "doc_id", "start", "end", "_distance"]
    run = {
        topic: getattr(lance.search(asked.tolist()).select(columns).limit(3), form)() for topic, asked in ASKED.items()
    }
    check(run, **options)


def test_arrays_of_faiss():
    faiss = pytest.importorskip("faiss", reason="faiss-cpu is missing")
    index = faiss.IndexFlatIP(len(CHUNKS))
    index.add(VECTORS)
    asked = np.array(list(ASKED.values()))
    # more than there are: FAISS returns -1 for these
    _, ids = index.search(asked, len(CHUNKS) + 3)
    assert (ids == -1).any()
    check(dict(zip(ASKED, ids, strict=True)), **BY_ID)
    check({topic: index.search(vector[None], 3) for topic, vector in ASKED.items()}, **BY_ID)
    places = dict(enumerate((chunk["doc_id"], chunk["start"], chunk["end"]) for chunk in CHUNKS))
    check(dict(zip(ASKED, ids, strict=True)), chunks=places)
