"""A folder of Parquet files is one table: a run or judgments, in the order of the names of its files."""

from pathlib import Path

import polars as pl
import pytest

import assay
from helpers.commands import invoke

ROWS = [(f"t{n // 7}", f"d{n % 7}", float(7 - n % 7)) for n in range(50)]
RUN = pl.DataFrame(ROWS, ["query_id", "doc_id", "score"], orient="row")
QRELS = {f"t{n}": {"d1": 1} for n in range(8)}


@pytest.fixture
def parts(folder):
    """A run in parts that end in the midst of topics."""
    Path("run").mkdir()
    for number, begin in enumerate(range(0, 50, 9)):
        RUN[begin : begin + 9].write_parquet(f"run/part-{number:05}.snappy.parquet")
    Path("run/_SUCCESS").touch()
    Path("run/.part-00000.crc").write_bytes(b"x")
    return "run"


def test_a_folder_is_a_run(parts):
    expected = assay.evaluate(QRELS, RUN, ["AP", "RR"])
    scores = assay.evaluate(QRELS, parts, ["AP", "RR"])
    assert scores.systems == ["run"]
    assert scores.values.tobytes() == expected.values.tobytes()
    run = assay.read_run(parts)
    assert list(zip(run.topic.texts(), run.document.texts(), run.score.tolist(), strict=True)) == ROWS


def test_a_folder_is_judgments(folder):
    Path("gold").mkdir()
    grades = pl.DataFrame([(topic, "d1", 1) for topic in QRELS], ["query_id", "doc_id", "grade"], orient="row")
    grades[:3].write_parquet("gold/a.parquet")
    grades[3:].write_parquet("gold/b.parquet")
    assert assay.read_judgments("gold").topic.texts() == list(QRELS)
    assert assay.evaluate("gold", RUN, ["AP"]).values.tobytes() == assay.evaluate(QRELS, RUN, ["AP"]).values.tobytes()
    assert invoke("check", "gold").stdout.startswith("gold: judgments (parquet)\n  8 topics, 8 judged documents")


def test_a_folder_is_checked_and_converted(parts):
    assert invoke("check", parts).stdout.startswith("run: a run (parquet)\n  8 topics, 50 results")
    assert invoke("convert", parts, "--to", "trec").stdout.splitlines()[0] == "t0 Q0 d0 1 7.0 run"


def test_parts_that_do_not_fit_are_refused(parts):
    first = Path(min(Path("run").glob("*.parquet"))).name
    fitting = {"query_id": ["t9"], "doc_id": ["d"], "score": [1.0]}
    for other, what in (
        ({"score": ["x"]}, f"column score is String in part-9.parquet and Float64 in {first}"),
        ({"more": [1]}, f"column more is Int64 in part-9.parquet and missing in {first}"),
    ):
        pl.DataFrame(fitting | other).write_parquet("run/part-9.parquet")
        with pytest.raises(assay.InputError) as refused:
            assay.read_run(parts)
        assert str(refused.value) == f"run: {what}; write all files with the same columns"


def test_a_folder_of_other_files_is_no_run(folder):
    Path("run").mkdir()
    Path("run/a.run").write_text("1 Q0 d1 1 1 t\n")
    with pytest.raises(assay.InputError, match=r"^run: this is a folder; expected a file$"):
        assay.evaluate(QRELS, "run")
