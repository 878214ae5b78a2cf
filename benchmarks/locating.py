"""How long it takes to find chunks without places in their documents: `assay locate`, with the document of each told
and without.

    python benchmarks/locating.py            1,000,000 chunks of 1,000 characters, 20,000 documents, 1 GB of text
    python benchmarks/locating.py --quick    the fiftieth part
    python benchmarks/locating.py --near     the passages nearest to 1,000 altered quotes in 100 MB of text

One chunk in a hundred has its blanks collapsed, one in a hundred stands twice in its document.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHUNK, CHUNKS_OF_A_DOCUMENT = 1000, 50


def write_collection(folder: Path, documents: int) -> int:
    """Writes documents and their chunks, with the document of each and without; the number of chunks."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(20_000)]
    chunks = 0
    with (
        open(folder / "documents.jsonl", "w") as texts,
        open(folder / "with.jsonl", "w") as told,
        open(folder / "without.jsonl", "w") as untold,
    ):
        for number in range(documents):
            text = " ".join(chance.choices(words, k=CHUNK * CHUNKS_OF_A_DOCUMENT // 6))[: CHUNK * CHUNKS_OF_A_DOCUMENT]
            pieces = [text[start : start + CHUNK] for start in range(0, len(text), CHUNK)]
            if number % 2:
                pieces[-1] = pieces[0]
            blank = chance.randrange(len(pieces) - 1) if number % 2 else -1
            written = [
                piece.replace(" ", "\n  ", 20) if place == blank else piece for place, piece in enumerate(pieces)
            ]
            texts.write(json.dumps({"id": f"d{number}", "text": "".join(written)}) + "\n")
            for piece in pieces:
                told.write(json.dumps({"doc_id": f"d{number}", "text": piece}) + "\n")
                untold.write(json.dumps({"text": piece}) + "\n")
            chunks += len(pieces)
    return chunks


def write_altered_quotes(folder: Path) -> int:
    """Writes 2,000 documents whose words are as unevenly common as those of a language, and 1,000 quotes with a word in
    ten changed.
    """
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(20_000)]
    common = [1 / (rank + 3) for rank in range(len(words))]
    texts = [chance.choices(words, common, k=7_700) for _ in range(2_000)]
    with open(folder / "documents.jsonl", "w") as documents, open(folder / "altered.jsonl", "w") as quotes:
        for number, text in enumerate(texts):
            documents.write(json.dumps({"id": f"d{number}", "text": " ".join(text)}) + "\n")
        for _ in range(1_000):
            text, size = chance.choice(texts), chance.choice([8, 15, 30, 60])
            at = chance.randrange(len(text) - size)
            quote = text[at : at + size]
            for place in chance.sample(range(size), max(size // 10, 1)):
                quote[place] = "altered"
            quotes.write(json.dumps({"text": " ".join(quote)}) + "\n")
    return 1_000


def main() -> None:
    """Prints a line for each way, with seconds and megabytes at the most."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="the fiftieth part")
    options.add_argument("--near", action="store_true", help="the passages nearest to altered quotes")
    asked = options.parse_args()
    documents = 2_000 if asked.near else 400 if asked.quick else 20_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chunks = write_altered_quotes(folder) if asked.near else write_collection(folder, documents)
        size = (folder / "documents.jsonl").stat().st_size >> 20
        print(f"{chunks:,} chunks, {documents:,} documents, {size:,} MB of text")
        for way in ("altered",) if asked.near else ("with", "without"):
            began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [
                sys.executable,
                "-c",
                "from assay.cli import main; main()",
                "locate",
                str(folder / f"{way}.jsonl"),
            ]
            command += ["--documents", str(folder / "documents.jsonl"), "-o", str(folder / "spans.jsonl")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            said = next((line for line in done.stderr.splitlines() if " missing" in line), done.stderr)
            what = "quotes" if asked.near else "documents told"
            print(
                f"{way:<7} {what}  {seconds:7.1f} s  {cpu:7.1f} cpu s  {used.ru_maxrss >> 10:,} MB  {said}",
                flush=True,
            )


if __name__ == "__main__":
    main()
