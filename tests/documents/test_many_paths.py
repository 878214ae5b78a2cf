"""Many paths at once lead where each leads by itself."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.documents import collection as xml_reading
from assay.documents import lookup
from assay.documents.lookup import BadPath, Documents
from assay.documents.xml import NONE, Finder, Forest, NoSuchPath, Tree, parents

leaves = st.sampled_from(["x", "yy", "", "<!-- c -->"])
tags = st.sampled_from("ab")
xml = st.recursive(
    leaves, lambda inner: st.builds("<{0}>{1}</{0}>".format, tags, st.lists(inner, max_size=4).map("".join))
)
documents = st.lists(xml.map("<r>{}</r>".format), min_size=1, max_size=5)
steps = st.sampled_from(["/r", "/a[1]", "/b[2]", "/a", "/b", "/text()[1]", "/*", "/c[1]", "/a[7]"])
paths = st.lists(steps, max_size=4).map(lambda steps: "/r[1]" + "".join(steps))
points = st.one_of(st.just(""), st.integers(0, 3).map(".{}".format))


@given(st.lists(documents, min_size=1, max_size=4), st.data())
def test_paths_lead_where_each_leads_by_itself(groups, data):
    forest, finders = Forest(), {}
    for group_number, group in enumerate(groups):
        trees = {f"{group_number}-{number}": xml_reading.read_xml(content)[0] for number, content in enumerate(group)}
        forest.add(trees.items())
        finders |= {name: Finder(tree) for name, tree in trees.items()}
    somewhere = st.one_of(st.just("/"), st.tuples(paths, points).map("".join))
    rows = data.draw(st.lists(st.tuples(st.sampled_from(sorted(finders)), somewhere)))
    start, end = forest.spans([name for name, _ in rows], [path for _, path in rows])
    for (name, path), *span in zip(rows, start.tolist(), end.tolist(), strict=True):
        try:
            expected = list(finders[name].span(path))
        except NoSuchPath:
            expected = [NONE, NONE]
        if "*" in path:
            expected = [NONE, NONE]
        assert span == expected
    assert forest.size == sum(len(finder.tree.name) for finder in finders.values())


@given(documents)
def test_a_parent_is_the_last_node_that_holds_another(group):
    for content in group:
        behind = xml_reading.read_xml(content)[0].behind
        expected = [
            max((above for above in range(node) if behind[above] > node), default=NONE) for node in range(len(behind))
        ]
        assert parents(behind).tolist() == expected


def test_adding_many_trees_takes_few_bytes_a_node():
    packed = xml_reading.read_xml("<r>" + "<a><b>x</b>yy</a>" * 2000 + "</r>")[0].packed()
    forest = Forest()
    tracemalloc.start()
    try:
        forest.add((str(number), Tree.unpacked(packed)) for number in range(20))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most / forest.size < 110


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.setattr(lookup, "MANY_ROWS", 3)
    for number in range(20):
        (tmp_path / f"d{number}.xml").write_text(f"<a><p>{'x' * number}</p><q>12</q><p>y</p></a>")
    return tmp_path


@pytest.mark.parametrize("most", [1, 2_000_000])
def test_many_rows_are_as_each_of_them(collection, monkeypatch, most):
    monkeypatch.setattr(lookup, "MOST_NODES", most)
    found = Documents(collection, cache=False)
    names = [f"d{number}" for number in range(20)] * 2
    wanted = (["/a/p[2]", "/a/*[2]", "/a/p[1]", "/", "/a/q/text().1"] * 8, ["", "", "/a/q", "", ""] * 8)
    for _ in range(2):
        start, end = found.spans(names, *wanted)
        alone = [found.span(*row) for row in zip(names, *wanted, strict=True)]
        assert list(zip(start.tolist(), end.tolist(), strict=True)) == alone


def test_the_first_wrong_row_of_many_is_told(collection):
    found = Documents(collection, cache=False)
    with pytest.raises(BadPath) as caught:
        found.spans(["d1", "d2", "d3", "d4"], ["/a", "/a/p[2]", "/a/p[3]", "/b"], ["", "/a/p[1]", "", ""])
    assert caught.value.row == 1
    assert str(caught.value).endswith(
        "document d2 has no text from /a/p[2] to /a/p[1]: it ends at 2, before it begins at 4"
    )


def test_names_beyond_number_are_followed_one_by_one(collection, monkeypatch):
    monkeypatch.setattr("assay.documents.xml.NAME_BITS", 1)
    start, end = Documents(collection, cache=False).spans(["d3"] * 4, ["/a/q", "/a/p[2]", "/a/p[1]", "/a"])
    assert (start.tolist(), end.tolist()) == ([3, 5, 0, 0], [5, 6, 3, 6])
    assert np.all(end >= start)
