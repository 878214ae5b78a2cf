"""Cut documents into chunks, find chunks for questions by BM25, and measure what was found, down to the character.

    python examples/chunks/run.py                                       the example; files are written beside this one
    python examples/chunks/run.py DOCUMENTS QUESTIONS GOLD OUTPUT 400 800-400      your own, in chunks of these sizes

DOCUMENTS is a folder of .txt files. QUESTIONS has lines {"query_id": ..., "text": ...}, GOLD has spans, as `assay
locate` writes them.
Chunks of 800-400 are 800 characters long, of which a chunk shares 400 with the one before.

Everything but the measuring is written out here, as plainly as can be: take what you use instead.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import assay

HERE = Path(__file__).parent
EXAMPLE = [HERE / "documents", HERE / "questions.jsonl", HERE / "gold.jsonl", HERE]
CHUNKERS = ["200", "400", "400-200"]
RESULTS = 20
BUDGET = "R(chars=1000)"
MEASURES = ["Success(unit=document)@5", "R@5", "P@5", BUDGET]
USAGE = "usage: run.py [DOCUMENTS QUESTIONS GOLD OUTPUT [SIZE|SIZE-OVERLAP]...]"


def chunks_of(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """The starts and ends of chunks: as many words as there is room for; blanks at either end are left out."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    chunks: list[tuple[int, int]] = []
    first = 0
    while first < len(words):
        start = words[first][0]
        last = first
        while last + 1 < len(words) and words[last + 1][1] - start <= size:
            last += 1
        chunks.append((start, words[last][1]))
        if last + 1 == len(words):
            break
        following = last + 1
        while following - 1 > first and words[last][1] - words[following - 1][0] <= overlap:
            following -= 1
        first = following
    return chunks


class BM25:
    """Okapi BM25 with k1 = 1.2 and b = 0.75, without stemming and without stop words."""

    def __init__(self, texts: list[str]):
        self.counts = [Counter(terms_of(text)) for text in texts]
        self.lengths = [sum(count.values()) for count in self.counts]
        self.mean = sum(self.lengths) / len(texts)
        self.holding: dict[str, list[int]] = {}
        for number, count in enumerate(self.counts):
            for term in count:
                self.holding.setdefault(term, []).append(number)

    def best(self, question: str, most: int) -> list[tuple[int, float]]:
        """The numbers and scores of the best texts."""
        scores: Counter[int] = Counter()
        for term in terms_of(question):
            holding = self.holding.get(term, [])
            weight = math.log(1 + (len(self.counts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for number in holding:
                times, length = self.counts[number][term], self.lengths[number] / self.mean
                scores[number] += weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length))
        # of equal scores the earlier chunk is the better
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most]


def terms_of(text: str) -> list[str]:
    """The words of a text."""
    return re.findall(r"\w+", text.lower())


def questions_of(path: Path) -> list[tuple[str, str]]:
    """The ids and texts of the questions of a JSONL file."""
    questions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                record = json.loads(line)
                questions.append((record["query_id"], record["text"]))
            except (ValueError, KeyError, TypeError):
                sys.exit(f'{path}:{number}: expected {{"query_id": ..., "text": ...}}, found {line[:60]!r}')
    return questions


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    """Write a JSONL file."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8", newline="\n")


def main(documents: Path, questions: Path, gold: Path, output: Path, chunkers: list[str]) -> None:
    """Chunk, retrieve, and print what was found, and what could have been."""
    texts = {path.stem: path.read_bytes().decode("utf-8") for path in sorted(documents.glob("*.txt"))}
    if not any(text.strip() for text in texts.values()):
        sys.exit(f"{documents}: has no .txt files with text")
    asked = questions_of(questions)
    output.mkdir(parents=True, exist_ok=True)
    runs: list[Path] = []
    for name in chunkers:
        size, _, overlap = name.partition("-")
        cut = {document: chunks_of(text, int(size), int(overlap or 0)) for document, text in texts.items()}
        places = [{"doc_id": document, "start": start, "end": end} for document in cut for start, end in cut[document]]
        bm25 = BM25([texts[place["doc_id"]][place["start"] : place["end"]] for place in places])
        run = [
            {"query_id": topic, **places[number], "score": round(score, 4)}
            for topic, question in asked
            for number, score in bm25.best(question, RESULTS)
        ]
        runs.append(output / f"bm25-{name}.jsonl")
        write_lines(output / f"chunks-{name}.jsonl", places)
        write_lines(runs[-1], run)
    print(assay.evaluate(gold, runs, MEASURES).show())
    for name, run_file in zip(chunkers, runs, strict=True):
        table = assay.ceiling(gold, output / f"chunks-{name}.jsonl", run_file, BUDGET)
        (row,) = table.records()
        whole = f"{table.gold.whole} of {table.gold.excerpts} excerpts are in one chunk"
        print(f"bm25-{name}: {whole}, and the best ranking has {BUDGET} = {row['ceiling']:.4f}")


def refuse_wrong_sizes(chunkers: list[str]) -> None:
    """A size is a number of characters, with that of the overlap behind it, which is smaller."""
    for name in chunkers:
        sizes = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", name)
        if not sizes or not int(sizes[2] or 0) < int(sizes[1]):
            sys.exit(f"{name}: expected a size of chunks, as 400, or with a smaller overlap, as 800-400; {USAGE}")


if __name__ == "__main__":
    given = sys.argv[1:]
    if 0 < len(given) < 4:
        sys.exit(USAGE)
    refuse_wrong_sizes(given[4:])
    try:
        main(*(map(Path, given[:4]) if given else EXAMPLE), given[4:] or CHUNKERS)
    except (OSError, UnicodeError, assay.AssayError) as error:
        sys.exit(str(error))
