"""Names of points: each has one, and none covers another or a point."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts.scatter import LETTER, LINE, POINT, names_apart, point_labels, reach
from assay.charts.style import Look, short_names

LOOK = Look("light", 500, 400)
VALUE = st.floats(0, 1, allow_subnormal=False)
NAMED = st.tuples(st.text(min_size=1, max_size=40), VALUE, VALUE)


def in_pixels(points):
    """Where some points stand, and the (left, top, right, bottom) of the name of each, from the top left."""
    across, up = reach([x for _, x, _ in points]), reach([y for _, _, y in points])
    labels = point_labels(points, [across, up], LOOK)

    def spot(x, y):
        return (x - across[0]) / (across[1] - across[0]) * 500, (up[1] - y) / (up[1] - up[0]) * 400

    boxes = []
    for label in labels:
        place, middle = spot(label.label_x, label.label_y)
        half, width = LINE * LOOK.font_size / 2, LETTER * LOOK.font_size * len(label.label)
        left = place - {"left": 0, "center": width / 2, "right": width}[label.align]
        boxes.append((left, middle - half, left + width, middle + half))
    return [spot(x, y) for _, x, y in points], boxes, labels


@given(st.lists(NAMED, min_size=1, max_size=25, unique_by=lambda row: row[0]))
def test_every_point_has_a_name_that_covers_neither_another_nor_a_point(points):
    spots, boxes, labels = in_pixels(points)
    assert len(labels) == len(points) and all(label.label for label in labels)
    near = 1e-6
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[number + 1 :]:
            apart = right <= other[0] + near or other[2] <= left + near or bottom <= other[1] + near
            assert apart or other[3] <= top + near
        assert left >= -near and top >= -near and right <= 500 + near and bottom <= 400 + near
        for x, y in spots:
            across = left - POINT < x - near and x + near < right + POINT
            assert not (across and top - POINT < y - near and y + near < bottom + POINT)


# where a point has names all around it, its line passes behind one of them
@pytest.mark.parametrize("seed", range(5))
def test_no_line_runs_through_a_name_of_seventeen_runs(seed):
    random = Random(seed)
    # along a line, as runs are by two measures that are alike, and so close that some names stand far from their points
    along = [random.uniform(0.3, 0.7) for _ in range(15)]
    points = [(f"a run {number:02}", x, x + random.gauss(0, 0.01)) for number, x in enumerate(along)]
    points += [("low", 0.0, 0.0), ("high", 1.0, 1.0)]
    spots, boxes, labels = in_pixels(points)
    across, up = reach([x for _, x, _ in points]), reach([y for _, _, y in points])
    assert any(label.far for label in labels)
    for (x, y), label in zip(spots, labels, strict=True):
        if not label.far:
            continue
        end_x = (label.end_x - across[0]) / (across[1] - across[0]) * 500
        end_y = (up[1] - label.end_y) / (up[1] - up[0]) * 400
        # many steps along the line, none of which is within a name
        for step in range(1, 400):
            at = x + (end_x - x) * step / 400, y + (end_y - y) * step / 400
            inside = [
                other
                for other, (left, top, right, bottom) in zip(labels, boxes, strict=True)
                if left + 0.01 < at[0] < right - 0.01 and top + 0.01 < at[1] < bottom - 0.01
            ]
            assert inside == []


def test_a_single_name_stands_to_the_right_of_its_point_without_a_line():
    ((x, y),), ((left, top, _, bottom),), (label,) = in_pixels([("bm25", 0.5, 0.5)])
    assert (left - x, (top + bottom) / 2 - y) == pytest.approx((8, 0))
    assert not label.far


def test_a_name_to_the_left_of_its_point_ends_beside_it_and_one_above_or_below_has_its_middle_there():
    middle = [(f"point {number}", 0.5, 0.5) for number in range(4)]
    spots, _, labels = in_pixels([("a point in a corner", 1.0, 1.0), *middle, ("another", 0.0, 0.0)])
    assert [label.align for label in labels] == ["right", "left", "right", "center", "center", "left"]
    low, high = reach([0.0, 1.0])
    places = [(label.label_x - low) / (high - low) * 500 - x for label, (x, _) in zip(labels, spots, strict=True)]
    assert places == pytest.approx([-8, 8, -8, 0, 0, 8])


def test_where_points_are_one_upon_the_other_names_stand_around_them_and_lines_lead_there():
    _, _, labels = in_pixels([(f"run {number}", 0.3, 0.3) for number in range(10)])
    assert sorted(label.far for label in labels) == [False] * 4 + [True] * 6
    assert len({(label.label_x, label.label_y) for label in labels}) == 10


def test_more_names_than_have_room_are_all_shown():
    points = [(f"{number} is a long name", 0.5, 0.5) for number in range(300)]
    labels = point_labels(points, [[0, 1], [0, 1]], Look("light", 100, 100))
    assert [label.label for label in labels][:2] == ["0 is a long name", "1 is a long name"]
    assert len(labels) == 300


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["bm25", "a name that is quite long, and alone with its end"], ["bm25", "a name that …ith its end"]),
        (["experiment-2024-bm25-k1=0.9", "experiment-2024-bm25-k1=1.2"], ["experiment-2024-bm25…0.9", "experiment-2024-bm25…1.2"]),
        (["bm25-of-a-long-and-equal-end", "dense-of-a-long-and-equal-end"], ["bm25…", "dense…"]),
        (["the-same-bm25-and-the-same-end", "the-same-dense-and-the-same-end"], ["the-same-bm25…", "the-same-dense…"]),
        (["a name of more than twenty-four letters"], ["a name of more than twe…"]),
        # the middle, where these two differ, would be cut: they stay whole
        (["xxxxxxxxxxxxxxxx1yyyyyyyyyyyyyyyy", "xxxxxxxxxxxxxxxx2yyyyyyyyyyyyyyyy", "z"],
         ["xxxxxxxxxxxxxxxx1yyyyyyyyyyyyyyyy", "xxxxxxxxxxxxxxxx2yyyyyyyyyyyyyyyy", "z"]),
    ],
)  # fmt: skip
def test_long_names_are_cut_where_they_are_alike(names, shown):
    assert names_apart(names, 24) == shown
    labels = point_labels([(name, 0.1 * number, 0.5) for number, name in enumerate(names)], [[0, 1], [0, 1]], Look("light", 500, 500))
    # what all begin with is left out before anything is cut
    assert [label.label for label in labels] == names_apart(short_names(names), 24)
