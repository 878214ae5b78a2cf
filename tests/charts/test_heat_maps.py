"""Heat maps: colours that fit the values, and titles that are whole."""

import math

import numpy as np
import pytest

from assay.charts.heat_maps import heatmap, topic_heatmap
from assay.errors import UsageError
from assay.measures.notation import measures_of
from assay.scores import Scores

VALUES = np.array([[[0.2, 0.7, math.nan]], [[0.4, 1.0, math.nan]], [[math.nan, 0.5, math.nan]]])
SCORES = Scores(["low", "high", "part"], measures_of(["AP"]), ["t1", "t2", "t3"], VALUES)


@pytest.mark.parametrize(
    ("lowest", "domain"), [(0.87, [0.8, 1]), (0.8, [0.7, 1]), (0.05, [0, 1]), (0.0, [0, 1]), (-0.1, [-1, 1])]
)
def test_colours_begin_below_the_lowest_correlation(lowest, domain):
    scale = heatmap(["AP", "RR"], [[1, lowest], [lowest, 1]]).to_dict(validate=False)["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == domain
    assert scale.get("domainMid") == (0 if lowest < 0 else None)


def test_a_long_title_goes_on_in_the_next_line():
    heading = "How alike a great many measures of retrieval rank the systems of a whole conference"
    title = heatmap(["a", "b"], np.eye(2), heading, "tau-b " * 30).to_dict(validate=False)["title"]
    assert " ".join(title["text"]) == heading
    assert len(title["text"]) == 2
    assert " ".join(title["subtitle"]).split() == ["tau-b"] * 30
    assert "limit" not in title


def test_where_less_is_better_the_run_with_less_is_above():
    scores = Scores(SCORES.systems, measures_of(["Redundancy"]), SCORES.topics, VALUES)
    spec = topic_heatmap(scores, "Redundancy").to_dict(validate=False)
    assert list(dict.fromkeys(row["run"] for row in spec["data"]["values"])) == ["low", "part", "high"]


def test_a_map_of_topics_has_every_value_the_best_run_above_and_the_easiest_topic_first():
    spec = topic_heatmap(SCORES, "AP").to_dict(validate=False)
    assert [(row["run"], row["topic"], row["value"]) for row in spec["data"]["values"]] == [
        ("high", "t2", 1.0), ("high", "t1", 0.4), ("part", "t2", 0.5), ("low", "t2", 0.7), ("low", "t1", 0.2),
    ]  # fmt: skip
    encoding = spec["layer"][0]["encoding"]
    assert encoding["x"]["scale"]["domain"] == ["t2", "t1"]
    assert encoding["y"]["scale"]["domain"] == ["high", "part", "low"]
    assert encoding["color"]["scale"]["domain"] == [0.2, 1.0]
    assert encoding["x"]["title"] == "2 topics, highest mean first"


def test_numbers_stand_in_cells_that_have_room_and_names_below_columns_that_have_some():
    def layers(topics):
        scores = Scores(["a"], measures_of(["AP"]), [str(n) for n in range(topics)], np.linspace(0, 1, topics)[None, None])
        spec = topic_heatmap(scores, "AP").to_dict(validate=False)
        return len(spec["layer"]), spec["layer"][0]["encoding"]["x"]["axis"]["labels"]

    assert [layers(topics) for topics in (10, 60, 400)] == [(3, True), (1, True), (1, False)]


def test_what_has_no_value_is_refused():
    with pytest.raises(UsageError) as error:
        topic_heatmap(Scores(["a"], measures_of(["AP"]), ["1"], np.full((1, 1, 1), math.nan)), "AP")
    assert str(error.value) == "no topic has a value of AP, so there is nothing to draw"
    with pytest.raises(UsageError) as error:
        topic_heatmap(SCORES, "RR")
    assert str(error.value) == "RR was not measured; choose from AP"
