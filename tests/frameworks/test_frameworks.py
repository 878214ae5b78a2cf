"""The chunks of the real frameworks, as their splitters make them: `make test-frameworks`. Where a package is missing
its tests are skipped, with its name."""

from __future__ import annotations

import pytest

import assay
from assay.errors import InputError
from assay.reading.records import record_of
from helpers.places import DATA

SENTENCES = [
    f"Sentence {number} tells of the {animal}, whose number is {number * number}."
    for number in range(60) for animal in ("cat", "dog", "naïve emu")
]  # fmt: skip
TEXT = "\n\n".join(" ".join(SENTENCES[at : at + 6]) for at in range(0, len(SENTENCES), 6))
DOCUMENTS = {"animals.md": TEXT, "other.md": "Nothing of animals is told here. " * 20}
QUOTE = SENTENCES[100]
GOLD = {"which?": [("animals.md", TEXT.index(QUOTE), TEXT.index(QUOTE) + len(QUOTE))]}


def langchain():
    """Documents of LangChain."""
    core = pytest.importorskip("langchain_core.documents", reason="langchain-core is missing")
    splitters = pytest.importorskip("langchain_text_splitters", reason="langchain-text-splitters is missing")
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=50, add_start_index=True)
    return splitter.split_documents([core.Document(page_content=TEXT, metadata={"source": "/corpus/animals.md"})])


def llama_splitter(size):
    node_parser = pytest.importorskip("llama_index.core.node_parser", reason="llama-index-core is missing")
    return node_parser.SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=str.split)


def llama_document():
    core = pytest.importorskip("llama_index.core", reason="llama-index-core is missing")
    return core.Document(text=TEXT, id_="animals.md")


def llama_index():
    """Nodes with scores of LlamaIndex."""
    nodes = llama_splitter(60).get_nodes_from_documents([llama_document()])
    schema = pytest.importorskip("llama_index.core.schema")
    return [schema.NodeWithScore(node=node, score=0.5) for node in nodes]


def llama_index_nested():
    """Leaves of a hierarchy of LlamaIndex, whose offsets count from their parents."""
    parser = pytest.importorskip("llama_index.core.node_parser", reason="llama-index-core is missing")
    sizes = {"large": llama_splitter(120), "small": llama_splitter(30)}
    nested = parser.HierarchicalNodeParser.from_defaults(node_parser_ids=list(sizes), node_parser_map=sizes)
    return parser.get_leaf_nodes(nested.get_nodes_from_documents([llama_document()]))


def haystack_document():
    haystack = pytest.importorskip("haystack", reason="haystack-ai is missing")
    return haystack.Document(content=TEXT, id="3f2a", meta={"file_path": "animals.md"})


def haystack():
    """Documents of Haystack."""
    made_of = haystack_document()
    splitter = pytest.importorskip("haystack.components.preprocessors").DocumentSplitter(
        split_by="word", split_length=40
    )
    if hasattr(splitter, "warm_up"):
        splitter.warm_up()
    return splitter.run(documents=[made_of])["documents"]


def haystack_nested():
    """Leaves of a hierarchy of Haystack, whose offsets count from their parents."""
    made_of = haystack_document()
    preprocessors = pytest.importorskip("haystack.components.preprocessors")
    splitter = preprocessors.HierarchicalDocumentSplitter(block_sizes={120, 30}, split_overlap=0, split_by="word")
    return [part for part in splitter.run(documents=[made_of])["documents"] if not part.meta["__children_ids"]]


def chonkie():
    """Chunks of Chonkie."""
    chonkie = pytest.importorskip("chonkie", reason="chonkie is missing")
    return chonkie.TokenChunker(tokenizer="character", chunk_size=200, chunk_overlap=0).chunk(TEXT)


def reached(chunks, **options):
    """R of all chunks that have a part of the quotation, in any order, and the notes."""
    run = {"which?": [chunk for chunk in chunks if shared(record_of(chunk)["text"])]}
    scores = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS, whitespace="ignore", **options)
    return scores["R"], scores.notes


def shared(text):
    """Whether a chunk has a good part of the quotation."""
    return any(QUOTE[at : at + 12] in text for at in range(len(QUOTE) - 11))


@pytest.mark.parametrize("framework", [langchain, llama_index, haystack, chonkie], ids=lambda made: made.__name__)
def test_the_chunks_of_a_framework_have_their_places(framework):
    chunks = framework()
    assert len(chunks) > 20
    for chunk in map(record_of, chunks):
        assert TEXT[chunk["start"] : chunk["end"]] == chunk["text"]
    value, notes = reached(chunks)
    assert value == pytest.approx(1)
    assert not [note for note in notes if "wrong" in note]


@pytest.mark.parametrize("framework", [langchain, llama_index], ids=lambda made: made.__name__)
def test_where_a_framework_tells_the_document_no_documents_are_needed(framework):
    chunks = framework()
    read = assay.read_run({"which?": chunks})
    assert [TEXT[start:end] for start, end in zip(read.start.tolist(), read.end.tolist(), strict=True)] == [
        record_of(chunk)["text"] for chunk in chunks
    ]


@pytest.mark.parametrize("framework", [llama_index_nested, haystack_nested], ids=lambda made: made.__name__)
def test_offsets_that_count_from_a_parent_are_found_out(framework):
    leaves = framework()
    assert all("in_parent" in record_of(leaf) for leaf in leaves)
    refused = r"^run: no usable offsets for \d+ of \d+ results \(\d+ with offsets that count from a parent chunk"
    with pytest.raises(InputError, match=refused):
        assay.evaluate(GOLD, {"which?": leaves}, "R")
    value, notes = reached(leaves)
    assert value == pytest.approx(1)
    cause = "these offsets count from a parent chunk, not from the start of the document"
    assert any(f"; {cause}; Assay located them by their texts instead" in note for note in notes)


def test_sentence_windows_of_llama_index_are_read_by_their_path():
    parser = pytest.importorskip("llama_index.core.node_parser", reason="llama-index-core is missing")
    schema = pytest.importorskip("llama_index.core.schema")
    windows = parser.SentenceWindowNodeParser(window_size=1, sentence_splitter=lambda text: text.split("\n\n"))
    nodes = windows.get_nodes_from_documents([llama_document()])
    # the paragraph before the one with the quotation, which its window has
    at = next(number for number, node in enumerate(nodes) if QUOTE in node.text) - 1
    run = {"which?": [schema.NodeWithScore(node=nodes[at], score=0.5)]}
    read = assay.evaluate(GOLD, run, "R", documents=DOCUMENTS, columns={"text": "metadata.window"})
    assert read["R"] == 1
    assert assay.evaluate(GOLD, run, "R", documents=DOCUMENTS)["R"] == 0


def test_results_of_llama_indexs_retriever_evaluation_are_a_run_and_gold():
    base = pytest.importorskip("llama_index.core.evaluation.retrieval.base", reason="llama-index-core is missing")
    found = {"retrieved_ids": ["a", "b"], "expected_ids": ["b"], "retrieved_texts": ["x", "y"], "metric_dict": {}}
    results = [base.RetrievalEvalResult(query="which?", **found)]
    assert assay.evaluate(results, results, ["R@1", "RR"]).values.ravel().tolist() == [0, 0.5]


CHROMA = DATA / "spans/chroma-chunking-eval"


@pytest.mark.shared("spans/chroma-chunking-eval")
@pytest.mark.parametrize(("size", "overlap", "cut"), [(200, 0, 491), (800, 400, 21)])
def test_so_many_of_chromas_790_excerpts_stand_in_no_single_chunk_of_langchain(size, overlap, cut):
    core = pytest.importorskip("langchain_core.documents", reason="langchain-core is missing")
    splitters = pytest.importorskip("langchain_text_splitters", reason="langchain-text-splitters is missing")
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap, add_start_index=True)
    files = sorted((CHROMA / "corpora").glob("*.md"))
    documents = [core.Document(page_content=file.read_text("utf-8"), metadata={"source": file.stem}) for file in files]
    gold = assay.ceiling(CHROMA / "gold.jsonl", splitter.split_documents(documents), measures="R@5").gold
    assert (gold.excerpts, gold.in_pieces, gold.nowhere) == (790, cut, 0)
