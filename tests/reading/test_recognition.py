"""A file that begins as TREC's files do is one, and one that begins with no bracket is no JSON, without a look at the
other formats; these would say the same.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reading.format import Head
from assay.reading.recognition import JSON, TREC_LINES, every_format, format_named, recognise
from helpers.files import piped

WORDS = st.sampled_from(
    ["1", "T1", "q-1", "Q0", "0", "d", "topic", "document", "score", "/article[1]", "0:5", "1.5", "-1", "X", "a.b", "é"]
)
BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t"])


@st.composite
def heads(draw):
    """Lines of some words, many of them as those of TREC's files."""
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.lists(WORDS, min_size=3, max_size=8))
        if draw(st.integers(0, 3)):
            words[1:2] = [draw(st.sampled_from(["Q0", "0"]))]
            words[3:5] = draw(st.sampled_from([["1"], ["1", "2.5"], ["0", "7"]]))
        lines.append("".join(word + draw(BLANKS) for word in words).strip() + "\n")
    return "".join(lines).encode()


@pytest.mark.parametrize("kind", ["run", "judgments"])
@given(heads())
def test_what_is_recognised_at_once_is_what_all_formats_say(kind, content):
    head = Head(content)
    asked = next(each for each in reversed(list(every_format())) if each.recognises(head, kind))
    assert recognise(piped(content), kind).name == asked.name


@pytest.mark.parametrize(
    ("kind", "line"), [("run", b"401 Q0 FT-1 1 12.5 bm25\n"), ("judgments", b"401 0 FT-1 1\r\n"), ("judgments", b"a Q0 b -1\n")]
)
def test_lines_of_trec_are_recognised_at_once(kind, line):
    assert TREC_LINES[kind].match(2 * line)
    assert not TREC_LINES[kind].match(line + b"401 Q0\n")


# What formats of JSON look for in the first bytes of a file.
PARTS = st.sampled_from([
    b'{"questions": [', b'{"tests": [', b'"snippets"', b'"input"', b'"passages": [{', b'"sentences"', b'"text"', b'"label": [[0, 5, "a"]]',
    b'"supporting_facts"', b'"_id"', b'"output": [{"provenance": [{', b'"wikipedia_id"', b'[{', b'"annotations": [', b'"start"', b'"qid"',
    b'"nuggets": [{', b'"full_text"', b'"section_name"', b'"abstract"', b'"retrieved_contexts": [', b'"context"', b'"answers": [',
    b'"candidates": [{', b'"docid"', b'"TextQuoteSelector"', b'{"q1": {"d1": 1}}', b'{"query_id": "1", "results": [', b"\n", b", ",
])  # fmt: skip


@pytest.mark.parametrize("kind", ["run", "judgments", None])
@given(begin=st.sampled_from([b"x", b'"', b"1 ", b"T1\t", b"<", b"query_id,doc_id\n", b"# "]), parts=st.lists(PARTS, max_size=12))
def test_a_file_that_does_not_begin_with_a_bracket_is_no_json(kind, begin, parts):
    head = Head(begin + b"".join(parts))
    assert not [name for name in sorted(JSON) if format_named(name).recognises(head, kind)]
