"""What Assay does in one way or another: a row each, with what it should take at the most. See README.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INEX = Path(__file__).resolve().parents[2] / "shared" / "data" / "inex"

EVALUATE = """
import sys, assay
scores = assay.evaluate(sys.argv[1], sys.argv[2:], ["AP"])
print(scores[scores.systems[0], "AP"])
"""
FRAME = """
import sys, assay, polars
scores = assay.evaluate(sys.argv[1], polars.read_parquet(sys.argv[2]), ["AP"])
print(scores["AP"])
"""
SPANS = """
import sys, assay
scores = assay.evaluate(*sys.argv[1:3], ["AiP", "iP@0.01", "P@5", "R@5", "AgP"], overlap=sys.argv[3])
print(scores.values.mean())
"""
CHUNKS = """
import assay
measures = "R@5 P@5 F@5 R@10 P@10 AiP iP@0.01 R(chars=500) R(chars=2000) P(chars=2000) Redundancy@5 NumRet"
scores = assay.evaluate("chunks/gold.jsonl", [f"chunks/{number}.jsonl" for number in range(16)], measures.split())
print(scores.values.mean())
"""
TUKEY = """
import assay
runs = [f"fifty/{number}.parquet" for number in range(50)]
scores = assay.evaluate("fifty/qrels.parquet", runs, ["AP"])
print(len(str(assay.compare(scores, "AP", test="tukey"))))
"""
LOOKUP = """
import assay, time
topics = {str(topic): {"d": 1} for topic in range(100_000)}
scores = assay.evaluate(topics, {topic: {"d": 1.0} for topic in topics}, ["AP"])
scores["run", "AP", "0"]
begin = time.perf_counter()
for topic in range(0, 100_000, 100):
    scores["run", "AP", str(topic)]
print("microseconds", (time.perf_counter() - begin) * 1e3)
"""


@dataclass(frozen=True)
class Work:
    """A row: the files it needs, and what is run, a script with arguments or the words of a command.

    `millions` of results give the seconds of a processor for a million of them. `seconds`, of a processor for a million
    results where these are told and else of the clock, and `megabytes` are what it should take at the most. Where
    `again` is told, it is run a second time, with what it kept of the documents, and should take so many seconds then.
    """

    name: str
    files: tuple[str, ...]
    script: str
    arguments: tuple[str, ...] = ()
    millions: float = 0
    seconds: float | None = None
    megabytes: float | None = None
    again: float | None = None


def on_four_million(name: str, run: str, seconds: float, most: float | None = None, script: str = EVALUATE) -> Work:
    """A run of 4,000 topics with 1,000 results each, which should take so many megabytes at the most."""
    files = "4000-100.qrels", run
    return Work(name, files, script, files, 4, seconds, most)


def overlapping(policy: str, seconds: float) -> Work:
    """300,000 topics with ten spans each."""
    files = "spans-300000.parquet", "overlap-300000.parquet"
    return Work(f"300,000 topics, overlap {policy}", files, SPANS, (*files, policy), seconds=seconds)


WORKS = [
    on_four_million("TREC run", "4000-100.run", 0.25, 200),
    on_four_million("scores of 17 digits", "4000-100.long.run", 0.4, 200),
    on_four_million("two blanks between fields", "4000-100.blanks.run", 0.4, 200),
    on_four_million("scattered topics", "4000-100.scattered.run", 0.5, 500),
    on_four_million("CSV", "4000-100.csv", 0.4, 400),
    on_four_million("JSONL", "4000-100.jsonl", 0.6, 400),
    on_four_million("Parquet", "4000-100.parquet", 0.3, 400),
    on_four_million("Parquet in parts", "4000-100.parts", 0.3, 400),
    on_four_million("Parquet, shuffled", "4000-100.shuffled.parquet", 0.5, 600),
    on_four_million("a frame, shuffled", "4000-100.shuffled.parquet", 0.5, None, FRAME),
    Work("7 million, 698,000 judged", ("6980-100.qrels", "6980-100.run"), EVALUATE,
         ("6980-100.qrels", "6980-100.run"), 7),
    Work(
        "trec_eval -m map, 7 million", ("6980-2.qrels", "6980-2.run"), "",
        ("trec_eval", "-m", "map", "6980-2.qrels", "6980-2.run"), seconds=1.6, megabytes=250,
    ),
    Work("300,000 topics, spans apart", ("spans-300000.parquet", "apart-300000.parquet"), SPANS,
         ("spans-300000.parquet", "apart-300000.parquet", "new")),
    overlapping("paid", 2),
    overlapping("new", 2),
    overlapping("drop", 3),
    Work("16 runs of chunks, 12 measures", ("chunks",), CHUNKS, seconds=3),
    Work("1,000,000 documents as JSONL", ("documents.jsonl", "documents.qrels.jsonl", "documents.run.jsonl"), "",
         ("evaluate", "documents.qrels.jsonl", "documents.run.jsonl", "--documents", "documents.jsonl", "-m", "R@5"),
         seconds=8, again=3),
    Work("10,000 XML documents", ("xml", "xml.qrels", "xml.run"), "",
         ("evaluate", "xml.qrels", "xml.run", "--documents", "xml", "-m", "AiP"), seconds=5, again=2),
    Work("56 submissions of elements", ("elements",), "",
         ("evaluate", "elements/assessments", *(f"elements/run{n:02}.xml" for n in range(56)), "--task", "CO.Thorough"),
         seconds=5),
    Work("Tukey's HSD, 50 runs, 1,000 topics", ("fifty",), TUKEY, seconds=2),
    Work("a value of 100,000 topics", (), LOOKUP),
]  # fmt: skip


def of_inex() -> Iterator[Work]:
    """The real run of INEX, where it is at hand; the official program takes 0.5 s."""
    files = tuple(str(INEX / name) for name in ("inex2009-2010.technion.qrels.gz", "bert.focused.fol.run.gz"))
    if INEX.is_dir():
        yield Work("a run of INEX, focused", (), "", ("evaluate", *files, "--task", "focused"))
        yield Work("a run of INEX, inex_eval", (), "", ("inex_eval", "-f", "-q", "-c", *files))
