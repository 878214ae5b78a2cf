"""The data of the benchmarks, seeded and made once: `python data.py FOLDER NAME...` makes what is not there yet.

It is a program of its own, as the memory of the process that measures has to stay small.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

SEED, DEPTH, RESULTS, DOCUMENTS = 20, 1000, 10, 8_841_823
WORDS = ["crust", "crumb", "starter", "levain", "oven", "steam", "flour", "water", "salt", "dough", "bench", "proof"]
MAKERS: dict[str, Callable[[Path], None]] = {}


def made(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Names the file or folder that a function makes."""

    def named(maker: Callable[[Path], None]) -> Callable[[Path], None]:
        MAKERS[name] = maker
        return maker

    return named


def numbered(prefix: str, numbers: np.ndarray) -> pl.Series:
    """Ids: a letter and a number."""
    return pl.select(pl.concat_str(pl.lit(prefix), pl.Series(numbers).cast(pl.String))).to_series()


def retrieved(topics: int, judged: int, number: int = 0) -> pl.DataFrame:
    """A run of 1,000 results a topic, half of the judged documents among them; no scores are tied, even as 32 bits."""
    random = np.random.default_rng((SEED, topics, judged, number))
    topic, place = np.repeat(np.arange(topics), DEPTH), np.tile(np.arange(DEPTH), topics)
    shuffled = np.argsort(random.random((topics, DEPTH)), axis=1).ravel()
    # half of the judged documents, and others
    place = np.where(shuffled < judged // 2, shuffled, shuffled + judged)
    scores = random.uniform(40, 60, (topics, 1)) - np.cumsum(random.uniform(0.001, 0.035, (topics, DEPTH)), axis=1)
    return pl.DataFrame({
        "topic": numbered("", 1_000_000 + topic), "q0": "Q0", "document": numbered("", document(topic, place)),
        "rank": np.tile(np.arange(1, DEPTH + 1), topics), "score": scores.ravel(), "tag": "bm25run",
    })  # fmt: skip


def document(topic: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A number of a document for each topic and place, other ones for each place."""
    return (topic * 7919 + place * 104_729) % DOCUMENTS


def judged_documents(topics: int, judged: int) -> pl.DataFrame:
    """Grades, that of the first document always above 0: programs differ over topics with nothing relevant."""
    random = np.random.default_rng((SEED, topics, judged))
    topic, place = np.repeat(np.arange(topics), judged), np.tile(np.arange(judged), topics)
    grade = random.integers(place == 0, 4)
    columns = {"topic": numbered("", 1_000_000 + topic), "q0": "0", "document": numbered("", document(topic, place))}
    return pl.DataFrame(columns | {"grade": grade})


def write_trec(frame: pl.DataFrame, path: Path, digits: int = 6) -> None:
    """Fields between blanks."""
    frame.write_csv(path, include_header=False, separator=" ", float_precision=digits)


for topics, judged in ((50, 100), (100, 100), (1000, 100), (1000, 2), (2000, 2), (2000, 100), (4000, 100), (6980, 2),
                       (6980, 100)):  # fmt: skip
    made(f"{topics}-{judged}.qrels")(lambda path, size=(topics, judged): write_trec(judged_documents(*size), path))
    made(f"{topics}-{judged}.run")(lambda path, size=(topics, judged): write_trec(retrieved(*size), path))


def many_runs(path: Path, topics: int, runs: int) -> None:
    """So many runs of so many topics."""
    path.mkdir()
    for number in range(runs):
        write_trec(retrieved(topics, 100, number), path / f"{number}.run")


for topics, runs in ((50, 100), (100, 10), (1000, 10)):
    made(f"{topics}-100-many")(lambda path, size=(topics, runs): many_runs(path, *size))


def unsorted(path: Path, topics: int) -> None:
    """The lines of each topic in any order."""
    frame = retrieved(topics, 100)
    order = np.random.default_rng(SEED).random(len(frame))
    write_trec(frame.select(pl.all().sort_by(pl.col("topic"), pl.Series(order))), path)


def scattered(path: Path, topics: int) -> None:
    """All lines in any order."""
    write_trec(retrieved(topics, 100).sample(fraction=1, shuffle=True, seed=SEED), path)


def long_scores(path: Path, topics: int) -> None:
    """Scores as Python writes them, of some 17 digits."""
    frame = retrieved(topics, 100).with_columns(score=pl.col("score").map_elements(repr, pl.String))
    frame.write_csv(path, include_header=False, separator=" ")


def blanks(path: Path, topics: int) -> None:
    """Two blanks between fields."""
    texts = retrieved(topics, 100).with_columns(pl.col("score").round(6).cast(pl.String))
    lines = texts.select(pl.concat_str(pl.all(), separator="  "))
    lines.write_csv(path, include_header=False, quote_style="never")


def table(topics: int) -> pl.DataFrame:
    """A run with named columns."""
    run = retrieved(topics, 100)
    return run.select(query_id=pl.col("topic"), doc_id=pl.col("document"), score=pl.col("score").round(6))


def shuffled_parquet(path: Path, topics: int) -> None:
    """Parquet with all rows in any order."""
    table(topics).sample(fraction=1, shuffle=True, seed=SEED).write_parquet(path)


def parts(path: Path, topics: int) -> None:
    """A folder of Parquet parts, as Spark writes them."""
    path.mkdir()
    for number, part in enumerate(table(topics).iter_slices(500_000)):
        part.write_parquet(path / f"part-{number:05}.snappy.parquet")


# The same run in other files.
FORMS: dict[str, Callable[[Path, int], None]] = {
    "unsorted.run": unsorted,
    "scattered.run": scattered,
    "long.run": long_scores,
    "blanks.run": blanks,
    "csv": lambda path, topics: table(topics).write_csv(path),
    "jsonl": lambda path, topics: table(topics).write_ndjson(path),
    "parquet": lambda path, topics: table(topics).write_parquet(path),
    "shuffled.parquet": shuffled_parquet,
    "parts": parts,
}
for topics in (1000, 2000, 4000):
    for ending, form in FORMS.items():
        made(f"{topics}-100.{ending}")(partial(form, topics=topics))


def span_documents(random: np.random.Generator, topic: np.ndarray) -> pl.Series:
    """One of a few documents for each topic."""
    return numbered("d", (topic * 3 + random.integers(0, 6, len(topic))) % 500_000)


def make_highlights(path: Path, topics: int) -> None:
    """Judgments with two highlighted spans a topic."""
    random = np.random.default_rng(SEED)
    topic = np.repeat(np.arange(topics), 2)
    start = random.integers(0, 9_000, len(topic))
    end = start + random.integers(50, 400, len(topic))
    columns = {"topic": numbered("q", topic), "document": span_documents(random, topic), "start": start, "end": end}
    pl.DataFrame(columns).write_parquet(path)


def make_spans(path: Path, topics: int, overlap: bool) -> None:
    """A run with ten spans a topic, of a few documents."""
    random = np.random.default_rng(SEED + 1 + overlap)
    topic, rank = np.repeat(np.arange(topics), RESULTS), np.tile(np.arange(RESULTS), topics)
    start = random.integers(0, 3_000, len(topic)) if overlap else rank * 1_000 + random.integers(0, 500, len(topic))
    end = start + (random.integers(200, 1_500, len(topic)) if overlap else random.integers(100, 500, len(topic)))
    columns = {"topic": numbered("q", topic), "document": span_documents(random, topic), "start": start, "end": end}
    pl.DataFrame(columns | {"score": 1.0 / (rank + 1)}).write_parquet(path)


for topics in (100_000, 300_000, 1_000_000):
    made(f"spans-{topics}.parquet")(lambda path, topics=topics: make_highlights(path, topics))
    made(f"apart-{topics}.parquet")(lambda path, topics=topics: make_spans(path, topics, False))
    made(f"overlap-{topics}.parquet")(lambda path, topics=topics: make_spans(path, topics, True))


@made("chunks")
def chunks(path: Path) -> None:
    """Evidence and 16 runs of 472 questions with 60 chunks each, as a comparison of chunkers has them."""
    path.mkdir()
    random = np.random.default_rng(SEED)
    questions, depth = 472, 60
    topic = np.repeat(np.arange(questions), 2)
    start = random.integers(0, 100_000, len(topic))
    columns = {"query_id": numbered("q", topic), "doc_id": numbered("d", topic % 5), "start": start, "end": start + 300}
    pl.DataFrame(columns).write_ndjson(path / "gold.jsonl")
    for number in range(16):
        topic, size = np.repeat(np.arange(questions), depth), 100 * (number + 1)
        start = np.argsort(random.random((questions, 1000)), axis=1)[:, :depth].ravel() * (size // 2)
        columns = {"query_id": numbered("q", topic), "doc_id": numbered("d", topic % 5), "start": start}
        columns |= {"end": start + size, "score": np.tile(1.0 / np.arange(1, depth + 1), questions)}
        pl.DataFrame(columns).write_ndjson(path / f"{number}.jsonl")


def json_documents(path: Path, number: int) -> None:
    """Texts of some 400 characters."""
    random = Random(SEED)
    texts = [" ".join(random.choices(WORDS, k=70)) for _ in range(1_000)]
    with path.open("w") as out:
        for begin in range(0, number, 1_000):
            out.writelines(f'{{"id": "d{begin + place}", "text": "{text}"}}\n' for place, text in enumerate(texts))


def spans_of_documents(path: Path, number: int, results: int) -> None:
    """So many spans of text for each of 1,000 topics; ten are a run, and two are judgments."""
    topic, rank = np.repeat(np.arange(1_000), results), np.tile(np.arange(results), 1_000)
    columns = {"query_id": numbered("q", topic), "doc_id": numbered("d", topic * (number // 1_003) + rank)}
    columns |= {"start": 0, "end": 100, "score": 1.0 / (rank + 1)} if results == 10 else {"start": 50, "end": 150}
    pl.DataFrame(columns).write_ndjson(path)


for number in (200_000, 1_000_000):
    made(f"documents-{number}.jsonl")(partial(json_documents, number=number))
    made(f"documents-{number}.qrels.jsonl")(partial(spans_of_documents, number=number, results=2))
    made(f"documents-{number}.run.jsonl")(partial(spans_of_documents, number=number, results=10))


SECTIONS, PARAGRAPHS = 10, 6


def xml_documents(path: Path, number: int) -> None:
    """Documents with 10 sections of 6 paragraphs each."""
    path.mkdir()
    random = Random(SEED)
    words = [" ".join(random.choices(WORDS, k=12)) for _ in range(500)]
    for document in range(number):
        sections = ""
        for _ in range(SECTIONS):
            texts = (f"<p>{random.choice(words)} <it>{random.choice(WORDS)}</it></p>" for _ in range(PARAGRAPHS))
            sections += f"<sec><st>crust</st>{''.join(texts)}</sec>"
        (path / f"{document}.xml").write_text(f"<article><bdy>{sections}</bdy></article>")


def xml_judgments(path: Path, number: int) -> None:
    """Highlighted passages in 30 documents of each topic."""
    pairs = ((topic, (topic * 37 + place) % number) for topic in range(number * 3 // 100) for place in range(30))
    path.write_text("".join(f"{topic} Q0 {document} 200 5000 100 100:200\n" for topic, document in pairs))


def xml_run(path: Path, number: int) -> None:
    """1,500 elements of each topic."""
    random = Random(SEED)
    with path.open("w") as out:
        for topic in range(number * 3 // 100):
            for rank in range(1, 1_501):
                name = f"/article[1]/bdy[1]/sec[{rank % SECTIONS + 1}]/p[{rank // SECTIONS % PARAGRAPHS + 1}]"
                document = (topic * 37 + rank // 60 + random.randrange(3) * number // 10) % number
                out.write(f"{topic} Q0 {document} {rank} {1 / rank:.6f} tag {name}\n")


for number in (2_000, 10_000):
    made(f"xml-{number}")(partial(xml_documents, number=number))
    made(f"xml-{number}.qrels")(partial(xml_judgments, number=number))
    made(f"xml-{number}.run")(partial(xml_run, number=number))


TOPICS_OF_ELEMENTS = 29


def assessed_file(name: str, random: Random) -> str:
    """The assessments of a document: paragraphs with highlighted text in three sections."""
    above = "/article[1]/bdy[1]"
    elements = [f'<element path="{path}" exhaustivity="2" size="6000" rsize="600"/>' for path in ("/article[1]", above)]
    for section in range(1, 4):
        elements.append(f'<element path="{above}/sec[{section}]" exhaustivity="2" size="600" rsize="200"/>')
        elements += (
            f'<element path="{above}/sec[{section}]/p[{number}]" exhaustivity="{grade}" size="100" rsize="50"/>'
            for number, grade in enumerate(random.choices((1, 2), k=4), 1)
        )
    return f'<file collection="ieee" name="{name}">\n' + "\n".join(elements) + "\n</file>\n"


def graded_elements(path: Path, runs: int) -> None:
    """Assessed elements of 29 topics, and submissions of 1,500 results a topic."""
    path.mkdir()
    (path / "assessments").mkdir()
    random = Random(SEED)
    for topic in range(TOPICS_OF_ELEMENTS):
        files = "".join(assessed_file(f"d/{number}", random) for number in range(topic, topic + 50))
        (path / "assessments" / f"{topic}.xml").write_text(
            f'<assessments pool="{topic}" topic="{topic}" version="2">\n{files}</assessments>\n'
        )
    for run in range(runs):
        with (path / f"run{run:02}.xml").open("w") as out:
            out.write(f'<?xml version="1.0"?>\n<inex-submission run-id="run{run:02}" task="CO.Thorough">\n')
            for topic in range(TOPICS_OF_ELEMENTS):
                out.write(f'<topic topic-id="{topic}">\n')
                order = random.sample(range(6000), 1500)
                out.writelines(submitted(topic, number, rank) for rank, number in enumerate(order, 1))
                out.write("</topic>\n")
            out.write("</inex-submission>\n")


def submitted(topic: int, number: int, rank: int) -> str:
    """A result of a submission."""
    path = f"/article[1]/bdy[1]/sec[{number % 10 + 1}]/p[{number // 10 % 6 + 1}]"
    place = f"<file>d/{topic + number // 60}</file>\n<path>{path}</path>"
    return f"<result>\n{place}\n<rank>{rank}</rank>\n<rsv>{1 / rank:.5f}</rsv>\n</result>\n"


for runs in (14, 56):
    made(f"elements-{runs}")(partial(graded_elements, runs=runs))


@made("fifty")
def fifty_runs(path: Path) -> None:
    """Fifty runs of 1,000 topics with ten results each."""
    path.mkdir()
    topic, place = np.repeat(np.arange(1_000), RESULTS), np.tile(np.arange(RESULTS), 1_000)
    for number in range(50):
        random = np.random.default_rng((SEED, number))
        own = numbered("d", document(topic, random.integers(0, 6, len(topic)) * RESULTS + place))
        run = pl.DataFrame({"query_id": numbered("q", topic), "doc_id": own, "score": 1.0 / (place + 1)})
        run.write_parquet(path / f"{number}.parquet")
    topic, place = np.repeat(np.arange(1_000), 30), np.tile(np.arange(30), 1_000)
    grades = np.random.default_rng(SEED).integers(0, 3, 30_000)
    columns = {"query_id": numbered("q", topic), "doc_id": numbered("d", document(topic, place)), "grade": grades}
    pl.DataFrame(columns).write_parquet(path / "qrels.parquet")


def main(folder: Path, names: list[str]) -> None:
    """Under another name first: what was interrupted must not be taken for a whole."""
    folder.mkdir(exist_ok=True)
    for name in names:
        if not (folder / name).exists():
            half = folder / f"half.{name}"
            MAKERS[name](half)
            half.rename(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(MAKERS))
