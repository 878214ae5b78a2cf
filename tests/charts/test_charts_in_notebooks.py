"""What a notebook shows and keeps of a chart: a picture, and the specification for those who can draw it."""

import base64
import json
import re

import altair as alt
import pytest

import assay
from assay.charts import saving

JUDGMENTS = {"1": {"x": 1}, "2": {"x": 1}}
RUNS = {"a": {"1": {"x": 1}, "2": {"y": 2, "x": 1}}, "b": {"1": {"y": 1}, "2": {"x": 1}}}
PNG = b"\x89PNG\r\n\x1a\n"


def shown(chart):
    """What a notebook gets, and what it is told of each part."""
    return chart._repr_mimebundle_(None, None)


@pytest.mark.parametrize(
    "chart",
    [
        assay.chart(JUDGMENTS, RUNS, "means", ["AP"]),
        assay.evaluate(JUDGMENTS, RUNS, ["AP"]).chart("means", "AP"),
        assay.chart(JUDGMENTS, RUNS, "curve", ["P"]).properties(width=200),
    ],
    ids=["of runs", "of scores", "changed"],
)
def test_a_chart_carries_a_picture_and_needs_no_script(chart):
    bundle, about = shown(chart)
    specification, *others = sorted(bundle)
    assert re.fullmatch(r"application/vnd\.vegalite\.v\d\+json", specification)
    assert others == ["image/png", "text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(PNG)
    # twice as fine as it is shown
    width, height = saving.picture_size(base64.b64decode(bundle["image/png"]))
    assert about["image/png"] == {"width": width // 2, "height": height // 2}
    assert bundle["text/plain"].startswith("<chart: ")
    json.dumps(bundle)


def test_a_large_picture_is_made_coarser_and_a_large_specification_left_out(monkeypatch):
    chart = assay.chart(JUDGMENTS, RUNS, "means", ["AP"])
    fine, about = shown(chart)
    size = len(base64.b64decode(fine["image/png"]))
    monkeypatch.setattr(saving, "LARGEST_PICTURE", size - 1)
    monkeypatch.setattr(saving, "LARGEST_SPECIFICATION", 10)
    coarse, of_coarse = shown(chart)
    assert sorted(coarse) == ["image/png", "text/plain"]
    assert len(base64.b64decode(coarse["image/png"])) < size
    assert of_coarse["image/png"]["width"] == pytest.approx(about["image/png"]["width"], abs=1)
    monkeypatch.setattr(saving, "LARGEST_PICTURE", 10)
    assert sorted(shown(chart)[0]) == ["text/plain"]


def test_another_renderer_of_altair_is_kept_to():
    chart = assay.chart(JUDGMENTS, RUNS, "means", ["AP"])
    with alt.renderers.enable("json"):
        bundle = shown(chart)
    assert "image/png" not in (bundle[0] if isinstance(bundle, tuple) else bundle)
