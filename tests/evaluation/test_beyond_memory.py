"""A run whose topics are scattered is held as a whole: if that does not fit, it is said before memory is full."""

import polars as pl
import pytest

import assay
from assay.files import memory
from assay.reading import read
from assay.reading.format import Request
from assay.reading.given import given_run

# A topic, a document and a score: ids of up to eight letters take eight bytes and two for their length, scores eight.
ROWS, BYTES = 300_000, (10 + 10 + 8) * 4 / 3


@pytest.fixture
def shuffled():
    names = pl.DataFrame({"topic": [f"q{row % 1000}" for row in range(ROWS)], "document": [f"d{row}" for row in range(ROWS)]})
    return names.with_columns(score=pl.int_range(ROWS).cast(pl.Float64))


def message(label, rows, free):
    return (
        f"{label}: the rows are not sorted by topic, so Assay must hold all: {rows} rows of about 37 bytes are 0.0 GB, but {free} GB are free; sort the rows by topic, or pass engine=spark and master=local[*] to use the disk (in Python assay.spark.evaluate)"
    )


@pytest.mark.parametrize("path", ["run.parquet", "run.csv", ""])
def test_a_run_that_does_not_fit_is_refused_with_its_numbers(folder, monkeypatch, shuffled, path):
    given = path or {"shuffled": shuffled}
    if path:
        {"run.parquet": shuffled.write_parquet, "run.csv": shuffled.write_csv}[path](path)
    monkeypatch.setattr(read, "available_memory", lambda: 10**5)
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q1": {"d1": 1}}, given, "AP")
    # how many rows a text has is known roughly
    rows = str(refused.value).partition(" rows of")[0].rpartition(" ")[2]
    assert abs(int(rows.replace(",", "")) / ROWS - 1) < 0.1 and (path == "run.csv" or rows == "300,000")
    assert str(refused.value) == message(path or "shuffled", rows, "0.0")


def test_a_run_that_fits_is_measured_and_so_is_one_whose_topics_stand_together(monkeypatch, shuffled):
    monkeypatch.setattr(read, "available_memory", lambda: int(ROWS * BYTES))
    assert assay.evaluate({"q1": {"d1": 1}}, {"run": shuffled}, "R")["run", "R"] == 1
    monkeypatch.setattr(read, "available_memory", lambda: 1)
    assert assay.evaluate({"q1": {"d1": 1}}, {"run": shuffled.sort("topic")}, "R")["run", "R"] == 1
    monkeypatch.setattr(read, "available_memory", lambda: None)
    assert assay.evaluate({"q1": {"d1": 1}}, {"run": shuffled}, "R")["run", "R"] == 1


def test_long_ids_count_as_what_they_take(monkeypatch):
    rows = pl.DataFrame({"topic": ["q1", "q2"] * 100, "document": [f"{row:0>100}" for row in range(200)], "score": [1.0] * 200})
    seen = []
    monkeypatch.setattr(read, "available_memory", lambda: 10**9)
    monkeypatch.setattr(read, "refuse_beyond_memory", lambda dealt, given: seen.append(dealt[0].bytes / len(dealt[0])))
    list(read.run_blocks(given_run(rows), Request(scattered=True)))
    # 100 letters, and where they begin and end
    assert seen == [10 + (100 + 16) + 8]


def test_memory_that_is_left_is_that_of_the_machine_or_of_the_container(folder, monkeypatch):
    assert (memory.available_memory() or 1) > 0
    for name, text in {"max": "1000000", "current": "900000", "stat": "anon 5\ninactive_file 50000\n"}.items():
        (folder / name).write_text(text)
        monkeypatch.setattr(memory, {"max": "LIMIT", "current": "TAKEN", "stat": "PARTS"}[name], str(folder / name))
    assert memory.available_memory() == 150_000
    (folder / "max").write_text("max\n")
    assert memory.of_container() is None
