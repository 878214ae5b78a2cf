"""The rank column of a table: the scores tell the order, of documents and of spans alike, and where the ranks tell
another one that is noted. The formats of INEX have the ranks first.
"""

import polars as pl
import pytest

import assay
from helpers.files import written

GOLD = pl.DataFrame({"topic": ["1", "2"], "document": ["a", "a"], "start": [0, 0], "end": [10, 10]})
GRADES = {"1": {"a": 1}, "2": {"a": 1}}
NOTE = "my: scores and ranks disagree in 1 topic; Assay used the scores"


def run(*ranks, spans=True, **more):
    """Two topics with two results each; the scores put `a` first in both."""
    columns = {
        "topic": ["1", "1", "2", "2"],
        "document": ["a", "b", "a", "b"],
        "score": [2.0, 1.0, 2.0, 1.0],
        "rank": list(ranks),
    }
    spanned = {"start": [0, 0, 0, 0], "end": [10, 10, 10, 10]} if spans else {}
    return pl.DataFrame(columns | spanned | more)


def measured(given, spans, **how):
    scores = assay.evaluate(GOLD if spans else GRADES, {"my": given}, ["P@1"], **how)
    return scores.means["P@1"].to_list(), scores.notes


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
@pytest.mark.parametrize("kind", ["frame", "csv", "jsonl", "parquet", "records"])
def test_the_scores_tell_the_order_and_ranks_that_tell_another_are_noted(spans, kind, folder):
    frame = run(2, 1, 1, 2, spans=spans)
    writers = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    if kind in writers:
        writers[kind]("file")
    given = "file" if kind in writers else frame if kind == "frame" else frame.to_dicts()
    assert measured(given, spans) == ([1.0], [NOTE])


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
def test_scores_that_rise_with_all_ranks_may_be_distances(spans):
    note = NOTE.replace("1 topic", "2 topics")
    hint = "; if they are distances, negate them, or leave out the score column to use the ranks"
    assert measured(run(2, 1, 2, 1, spans=spans), spans) == ([1.0], [note + hint])


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
@pytest.mark.parametrize(
    ("change", "ranks"),
    [({}, (1, 2, 1, 2)), ({}, (0, 0, 0, 0)), ({"score": [2.0, 2.0, 1.0, 1.0]}, (2, 1, 1, 2))],
    ids=["they agree", "all are one", "they order ties"],
)
def test_ranks_that_agree_with_the_scores_are_not_noted(spans, change, ranks):
    _, notes = measured(run(*ranks, spans=spans, **change), spans)
    assert [note for note in notes if "ranks" in note] == []


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
def test_without_scores_the_ranks_tell_the_order(spans):
    assert measured(run(2, 1, 2, 1, spans=spans).drop("score"), spans) == ([0.0], [])


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
def test_ranks_break_ties_where_that_is_asked(spans):
    tied = run(2, 1, 1, 2, spans=spans, score=[1.0] * 4)
    values, notes = measured(tied, spans, ties="rank")
    assert values == [0.5] and not any("descend" in note for note in notes)


@pytest.mark.parametrize("spans", [True, False], ids=["spans", "documents"])
def test_ranks_that_are_not_needed_may_be_anything(spans):
    assert measured(run(None, 1, 2, None, spans=spans), spans) == ([1.0], [])
    assert measured(run("first", "second", "1", "2", spans=spans), spans) == ([1.0], [])


def test_the_ranks_of_inex_come_first(folder):
    lines = "1 Q0 b 1 1 t 0 10\n1 Q0 a 2 2 t 0 10\n2 Q0 a 1 2 t 0 10\n2 Q0 b 2 1 t 0 10\n"
    values, notes = measured(written(lines, "run"), spans=True)
    assert values == [0.5]
    assert notes == ["my: scores and ranks disagree in 1 topic; Assay used the ranks"]


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "parquet", "spans"])
def test_a_conversion_keeps_the_order(to, folder):
    lines = "1 Q0 b 1 1 t 0 10\n1 Q0 a 2 2 t 0 10\n2 Q0 a 1 2 t 0 10\n2 Q0 b 2 1 t 0 10\n"
    notes = []
    content = assay.convert(written(lines, "run"), to, notes=notes)
    assert notes == ["run: scores and ranks disagree in 1 topic; Assay wrote scores that follow the ranks"]
    values, said = measured(written(content, "converted"), spans=True)
    assert values == [0.5] and said == []
    notes = []
    assay.convert(written(lines.replace("b 1 1", "b 1 3"), "run"), to, notes=notes)
    assert notes == []
