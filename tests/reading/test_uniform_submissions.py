"""What is read at once of a submission is what is read of it element by element; whatever is unusual is left to that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reading.formats.submissions import order, read_results, regular_columns
from helpers.files import piped

HEAD = '<?xml version="1.0"?>\n<inex-submission participant-id="1" run-id="r" task="CO.Thorough">\n<topic-fields title="yes"/>\n'
FRAGMENTS = [
    "<", ">", "&amp;", "&", "<!-- x -->", "<![CDATA[x]]>", " ", "\n", "\r\n", "\xa0", "é", "\x01", "\ufffe", '"', "x", "-1", "1.5", ".xml", "/p[1]",
    "<result>", "</result>", "<rank>1</rank>", "<rsv>x</rsv>", "<file>d</file>", "<path>/p</path>", "<passage start='/p' end='/q'/>",
    '<topic topic-id="3">', "<topic topic-id='3'>", '<topic topic-id="3" x="y>">', "</topic>", "<collections/>", "</inex-submission>",
]  # fmt: skip


def result(document, path, rank, rsv):
    """A result, with line feeds between some of its fields."""
    return f"<result><file>{document}</file>\n <path>{path}</path><rank>{rank}</rank>\n<rsv>{rsv}</rsv></result>\n"


def submission(topics):
    body = "".join(f'<topic topic-id="{name}">\n{"".join(results)}</topic>\n' for name, results in topics.items())
    return f"{HEAD}{body}</inex-submission>\n"


WHOLE = submission({
    "1": [result("a/b", "/article[1]/p[2]", 1, "0.5"), result("c.xml", "/article[1]", 2, "-1e-3")],
    "2é x": [result("d", "/é[1]", 1, "12345.678901234567")],
    "3": [],
})  # fmt: skip


def at_once(content):
    """The rows of a submission as they are read at once, or None."""
    columns = regular_columns(piped(content))
    if columns is None:
        return None
    texts = (columns[name].texts() for name in ("topic", "file", "path"))
    numbers = (columns[name].tolist() if name in columns else None for name in ("rank", "rsv"))
    return [*texts, *numbers]


def one_by_one(content):
    """The same, element by element."""
    results = read_results(piped(content))
    ordered = order(results)
    rank = ordered["rank"].tolist() if any(results.rank) else None
    return [results.topic, results.document, results.first, rank, ordered["score"].tolist() if any(results.rsv) else None]


@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("\n", "")])
def test_a_usual_submission_is_read_at_once(change):
    content = change(WHOLE).encode()
    assert at_once(content) == one_by_one(content)
    assert at_once(content)[:3] == [["1", "1", "2é x"], ["a/b", "c", "d"], ["/article[1]/p[2]", "/article[1]", "/é[1]"]]


@pytest.mark.parametrize("field", ["rank", "rsv"])
def test_a_field_that_no_result_has(field):
    content = "".join(part for part in WHOLE.replace(f"<{field}>", "\0").replace(f"</{field}>", "\0").split("\0")[::2]).encode()
    assert at_once(content) == one_by_one(content)
    assert at_once(content)[3 if field == "rank" else 4] is None


@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 12), st.sampled_from(FRAGMENTS)), min_size=1, max_size=3))
def test_what_is_read_at_once_is_what_is_read_element_by_element(changes):
    text = WHOLE
    for place, removed, added in changes:
        text = text[:place] + added + text[place + removed :]
    content = text.encode()
    read = at_once(content)
    assert read is None or read == one_by_one(content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</rsv></result>\n</topic>", "</rsv></result>x\n</topic>"),
        ("<rank>2</rank>", ""),
        ("<rank>2</rank>", "<rank> 2</rank>"),
        ("<rank>2</rank>", "<rank>2.5</rank>"),
        ("/article[1]/p[2]", "article[1]/p[2]"),
        ("c.xml", ".xml"),
        ("c.xml", "c&amp;d"),
        ("<file>d</file>", "<file>d</file><file>e</file>"),
        ('"1">', "'1'>"),
        ("</inex-submission>", ""),
        ("version", "encoding='ISO-8859-1' version"),
    ],
)
def test_what_is_unusual_is_left_to_be_read_element_by_element(old, new):
    assert old in WHOLE
    assert at_once(WHOLE.replace(old, new).encode()) is None
