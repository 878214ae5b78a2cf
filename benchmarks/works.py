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


@dataclass(frozen=True)
class Sizes:
    """How much data the works have: topics with 1,000 results each, topics with spans, documents, and submissions."""

    topics: int = 4000
    many_topics: int = 6980
    topics_with_spans: int = 300_000
    documents: int = 1_000_000
    xml_documents: int = 10_000
    submissions: int = 56


FULL, QUICK = Sizes(), Sizes(2000, 2000, 100_000, 200_000, 2_000, 14)


def works(sizes: Sizes) -> list[Work]:
    """All works."""

    def on_files(
        name: str, ending: str, seconds: float, most: float | None = None, script: str = EVALUATE
    ) -> Work:
        files = f"{sizes.topics}-100.qrels", f"{sizes.topics}-100.{ending}"
        return Work(name, files, script, files, sizes.topics / 1e3, seconds, most)

    def with_spans(name: str, run: str, policy: str, seconds: float | None = None) -> Work:
        files = f"spans-{sizes.topics_with_spans}.parquet", f"{run}-{sizes.topics_with_spans}.parquet"
        return Work(f"{sizes.topics_with_spans:,} topics, {name}", files, SPANS, (*files, policy), seconds=seconds)

    many, few = ((f"{sizes.many_topics}-{n}.qrels", f"{sizes.many_topics}-{n}.run") for n in (100, 2))
    of_json = tuple(f"documents-{sizes.documents}.{ending}" for ending in ("qrels.jsonl", "run.jsonl", "jsonl"))
    of_xml = tuple(f"xml-{sizes.xml_documents}{ending}" for ending in (".qrels", ".run", ""))
    elements = f"elements-{sizes.submissions}"
    submissions = (f"{elements}/run{number:02}.xml" for number in range(sizes.submissions))
    judged = f"{sizes.many_topics / 1e3:.0f} million, {sizes.many_topics * 100:,} judged"
    return [
        on_files("TREC run", "run", 0.25, 200),
        on_files("scores of 17 digits", "long.run", 0.4, 200),
        on_files("two blanks between fields", "blanks.run", 0.4, 200),
        on_files("scattered topics", "scattered.run", 0.5, 500),
        on_files("CSV", "csv", 0.4, 400),
        on_files("JSONL", "jsonl", 0.6, 400),
        on_files("Parquet", "parquet", 0.3, 400),
        on_files("Parquet in parts", "parts", 0.3, 400),
        on_files("Parquet, shuffled", "shuffled.parquet", 0.5, 600),
        on_files("a frame, shuffled", "shuffled.parquet", 0.5, None, FRAME),
        Work(judged, many, EVALUATE, many, sizes.many_topics / 1e3),
        Work(f"trec_eval -m map, {sizes.many_topics / 1e3:.0f} million", few, "", ("trec_eval", "-m", "map", *few),
             seconds=1.6, megabytes=250),
        with_spans("spans apart", "apart", "new"),
        with_spans("overlap paid", "overlap", "paid", 2),
        with_spans("overlap new", "overlap", "new", 2),
        with_spans("overlap drop", "overlap", "drop", 3),
        Work("16 runs of chunks, 12 measures", ("chunks",), CHUNKS, seconds=3),
        Work(f"{sizes.documents:,} documents as JSONL", of_json, "",
             ("evaluate", *of_json[:2], "--documents", of_json[2], "-m", "R@5"), seconds=8, again=3),
        Work(f"{sizes.xml_documents:,} XML documents", of_xml, "",
             ("evaluate", *of_xml[:2], "--documents", of_xml[2], "-m", "AiP"), seconds=5, again=2),
        Work(f"{sizes.submissions} submissions of elements", (elements,), "",
             ("evaluate", f"{elements}/assessments", *submissions, "--task", "CO.Thorough"), seconds=5),
        Work("Tukey's HSD, 50 runs, 1,000 topics", ("fifty",), TUKEY, seconds=2),
        Work("a value of 100,000 topics", (), LOOKUP),
    ]  # fmt: skip


def of_inex() -> Iterator[Work]:
    """The real run of INEX, where it is at hand; the official program takes 0.5 s."""
    files = tuple(str(INEX / name) for name in ("inex2009-2010.technion.qrels.gz", "bert.focused.fol.run.gz"))
    if INEX.is_dir():
        yield Work("a run of INEX, focused", (), "", ("evaluate", *files, "--task", "focused"))
        yield Work("a run of INEX, inex_eval", (), "", ("inex_eval", "-f", "-q", "-c", *files))
