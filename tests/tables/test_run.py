"""A run as a frame, and in a notebook."""

import polars as pl
from polars.testing import assert_frame_equal

import assay
from helpers.places import EXAMPLES

RUNS = {"a<b": {"1": {"x": 3.0, "é": 2.0}, "2": {"x": 1.0}}, "c": {"1": {"é": 9.0}}}


def test_the_frame_of_a_fused_run_has_its_rows_in_their_order_and_is_a_run_again():
    fused = assay.fuse(RUNS, "combsum")
    # min-max: of a<b x has 1 and é 0, of c é has 1; equal scores by id, the greater one first; a single score is 1
    rows = {"topic": ["1", "1", "2"], "document": ["é", "x", "x"], "score": [1.0, 1.0, 1.0], "rank": [1, 2, 1]}
    assert_frame_equal(fused.frame(), pl.DataFrame(rows))
    judgments = {"1": {"x": 1}, "2": {"x": 1}}
    assert assay.evaluate(judgments, fused.frame(), "RR").values.tolist() == [[[0.5, 1.0]]]


def test_the_frame_of_a_run_of_parts_has_their_columns():
    frame = assay.read_run(EXAMPLES / "focused" / "chunks-100.jsonl").frame()
    assert frame.columns == ["topic", "document", "score", "start", "end"]
    assert frame.row(0) == ("1", "steam", 0.9, 200, 300)


def test_a_notebook_shows_the_first_rows_of_a_run_and_what_was_decided():
    fused = assay.fuse({"a<b": {"1": {f"document {number}": 1.0 for number in range(100, 150)}}})
    shown = fused._repr_html_()
    assert shown.startswith("<p>&lt;Run rrf: 1 topic, 50 rows&gt;</p>")
    assert "document 149" in shown and "document 140" in shown and "document 139" not in shown
    assert shown.endswith("<p><small>a&lt;b: tied scores in 1 topic; Assay breaks ties by document id</small></p>")
