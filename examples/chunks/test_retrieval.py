"""A gate for retrieval: `pytest test_retrieval.py`, in this folder, fails if retrieval is worse than the baseline.

    python test_retrieval.py            saves the baseline
    SIZE=200 pytest test_retrieval.py   tries another size of chunks
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from run import BM25, chunks_of, questions_of

GOLD, QUESTIONS, DOCUMENTS, BASELINE = "gold.jsonl", "questions.jsonl", "documents", "baseline.json"
MEASURES = ["R@5", "R(chars=1000)"]


def retrieve(size: int) -> dict[str, list[dict[str, Any]]]:
    """Return the chunks found for each question, best first. Your own retriever goes here."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(Path(DOCUMENTS).glob("*.txt"))}
    chunks = [(name, start, end) for name, text in texts.items() for start, end in chunks_of(text, size, 0)]
    bm25 = BM25([texts[name][start:end] for name, start, end in chunks])
    return {
        topic: [
            {"doc_id": chunks[number][0], "start": chunks[number][1], "end": chunks[number][2], "score": score}
            for number, score in bm25.best(question, 20)
        ]
        for topic, question in questions_of(Path(QUESTIONS))
    }


def test_retrieval_is_not_worse(assay: Any) -> None:
    """No measure may lose significantly against the baseline."""
    run = {"bm25": retrieve(int(os.environ.get("SIZE", "400")))}
    assay.assert_gate(GOLD, run, documents=DOCUMENTS, not_worse_than=BASELINE, topics_file=QUESTIONS)


if __name__ == "__main__":
    import assay

    assay.evaluate(GOLD, {"bm25": retrieve(400)}, MEASURES, documents=DOCUMENTS).save(BASELINE)
