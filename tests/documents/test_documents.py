"""Documents: their texts, paths and spans, wherever the documents are kept."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import stat
import sys
import tarfile
import threading
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.documents import collection as marks
from assay.documents import collection as xml_reading
from assay.documents import lookup
from assay.documents import xml as xml_tree
from assay.documents.lookup import BadPath, Documents
from assay.documents.xml import Finder
from assay.errors import InputError
from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

EVIDENCE = DATA / "spans" / "evidence-inference-v2"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """Writes files into the folder docs, which is beside the tests' feet, and gives the collection."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()

    def write(cache=False, **files: str | bytes) -> Documents:
        for name, content in files.items():
            path = Path("docs", name if "." in name else name + ".xml")
            written(content, path)
        return Documents("docs", cache=cache)

    return write


def cached(collection: str = "docs") -> Path:
    """The file in which is kept what is known of a collection."""
    return Path(lookup.cache_path(collection))


def keep(content: bytes) -> None:
    """Puts something in its place."""
    cached().parent.mkdir(parents=True, exist_ok=True)
    cached().write_bytes(content)


def of(content: str | bytes) -> Finder:
    return Finder(xml_reading.read_xml(content)[0])


def text_of(content: str | bytes) -> str:
    return xml_reading.read_xml(content)[1]


# The text of a document, counted by hand.


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<a>one</a>", "one"),
        ("<?xml version='1.0'?>\n<!-- no -->\n<a> one\n</a>\n<!-- no -->\n", " one\n"),
        ("<a x='no'>1<b/>2<b y='no'>3</b>4</a>", "1234"),
        ("<a>1<!-- no -->2<?no no?>3</a>", "123"),
        ("<a>1<![CDATA[<2>&amp;]]>3</a>", "1<2>&amp;3"),
        ("<a>&lt;&amp;&#252;&#x1F98A;</a>", "<&ü🦊"),
        ("<a>1\r\n2\r3\n</a>", "1\n2\n3\n"),
        ("<a>1&#13;2</a>", "1\r2"),
        ("<n:a xmlns:n='u' xmlns='v'><b>1</b><n:b>2</n:b></n:a>", "12"),
        ("<a/>", ""),
        ("\ufeff<a>é</a>".encode(), "é"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>".encode("latin-1"), "é"),
        ("<?xml version='1.0' encoding='UTF-16'?><a>é🦊</a>".encode("utf-16"), "é🦊"),
    ],
)
def test_the_text_is_what_stands_between_the_tags(content, text):
    assert text_of(content) == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('<!DOCTYPE a [<!ENTITY uuml "&#252;">]><a>1&uuml;2</a>', "1ü2"),
        ('<!DOCTYPE a [<!ENTITY b "&c;!"><!ENTITY c "twice">]><a>&b;&b;</a>', "\ufffd\ufffd"),
        ('<!DOCTYPE a [<!ENTITY b "&#38;#60;">]><a>&b;</a>', "<"),
        ('<!DOCTYPE a [<!ENTITY b "&#38;#x3c;">]><a>&b;</a>', "<"),
        ('<!DOCTYPE a SYSTEM "a.dtd"><a>1&nbsp;2&eacute;&alpha;</a>', "1\u00a02éα"),
        ('<!DOCTYPE a SYSTEM "a.dtd"><a>1&unheard-of;2</a>', "1\ufffd2"),
        # two characters in HTML, but an entity counts one
        ('<!DOCTYPE a SYSTEM "a.dtd"><a>1&NotEqualTilde;2</a>', "1\ufffd2"),
        ('<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY own "here">]><a>&own;&nbsp;</a>', "\ufffd\u00a0"),
    ],
)
def test_entities_are_the_characters_that_they_stand_for_or_one(content, text):
    assert text_of(content) == text


# Paths and spans, counted by hand.

# the text is: Ab↵ c de f 🦊g ↵ h, at 0 3 4 6 7 9 10
SMALL = "<?xml version='1.0'?><article><ti>Ab</ti>\n<p>c<b>de</b>f</p><p>🦊g</p>\n<n:p xmlns:n='u'>h</n:p></article>"


@pytest.mark.parametrize(
    ("path", "start", "end"),
    [
        ("/", 0, 11),
        ("/article[1]", 0, 11),
        ("/article", 0, 11),
        ("/article[1]/", 0, 11),
        ("/article[1]/ti[1]", 0, 2),
        ("/article/ti", 0, 2),
        ("/article/p", 3, 7),
        ("/article[1]/p[1]", 3, 7),
        ("/article[1]/p[1]/b[1]", 4, 6),
        ("/article[1]/p[2]", 7, 9),
        # names are compared without namespaces, in the document and in the path
        ("/article[1]/p[3]", 10, 11),
        ("/article[1]/x:p[2]", 7, 9),
        ("/article[1]/*[1]", 0, 2),
        ("/article[1]/*[4]", 10, 11),
        ("/*/*", 0, 2),
        ("/article[1]/text()[1]", 2, 3),
        ("/article[1]/text()[2]", 9, 10),
        ("/article[1]/p[1]/text()[1]", 3, 4),
        ("/article[1]/p[1]/text()[2]", 6, 7),
        ("/article[1]/p[1]/text()", 3, 4),
        ("/article[1]/p[2]/text()[1].0", 7, 7),
        ("/article[1]/p[2]/text()[1].1", 8, 8),
        ("/article[1]/p[2]/text()[1].2", 9, 9),
        ("/article[1]/p[2]/text().1", 8, 8),
        ("/article[1]/p[1].2", 5, 5),
        ("/article[1].11", 11, 11),
    ],
)
def test_a_path_has_the_span_counted_by_hand(path, start, end):
    assert of(SMALL).span(path) == (start, end)


@pytest.mark.parametrize(
    ("path", "last", "start", "end"),
    [
        ("/article[1]/p[1]", "/article[1]/p[2]", 3, 9),
        ("/article[1]/p[1]", "/article[1]/p[1]", 3, 7),
        ("/article[1]/p[1]/text()[1].1", "/article[1]/p[2]/text()[1].1", 4, 8),
        ("/article[1]/ti[1]", "/article[1]/p[2].1", 0, 8),
        ("/article[1]/p[1]/b[1].1", "/article[1]", 5, 11),
        ("/article[1]/p[2]/text()[1].1", "/article[1]/p[2]/text()[1].1", 8, 8),
    ],
)
def test_a_range_goes_from_the_start_of_the_first_to_the_end_of_the_last(path, last, start, end):
    assert of(SMALL).span(path, last) == (start, end)


def test_comments_and_instructions_part_text_nodes_and_entities_and_cdata_do_not():
    # XPath counts so: 12, 34, 5&6<7>
    finder = of("<!DOCTYPE a SYSTEM 'x'><a>12<!-- -->34<?p?>5&amp;6<![CDATA[<]]>7&gt;&nbsp;8</a>")
    assert [finder.span(f"/a[1]/text()[{number}]") for number in (1, 2, 3)] == [(0, 2), (2, 4), (4, 12)]


def test_a_name_may_hold_a_point_and_a_digit():
    finder = of("<a><h.5>xyz</h.5><h>uvw</h></a>")
    assert finder.span("/a/h.5") == (0, 3)
    assert finder.span("/a/h.5[1].2") == (2, 2)
    assert finder.span("/a/h[1].2") == (5, 5)


@pytest.mark.parametrize(
    ("start", "end", "path"),
    [
        (0, 11, "/article[1]"),
        (0, 2, "/article[1]/ti[1]"),
        (0, 1, "/article[1]/ti[1]"),
        (2, 3, "/article[1]"),
        (3, 7, "/article[1]/p[1]"),
        (4, 6, "/article[1]/p[1]/b[1]"),
        (4, 5, "/article[1]/p[1]/b[1]"),
        (4, 7, "/article[1]/p[1]"),
        (6, 8, "/article[1]"),
        (7, 7, "/article[1]/p[2]"),
        (10, 11, "/article[1]/p[3]"),
    ],
)
def test_the_smallest_element_holds_a_span(start, end, path):
    assert of(SMALL).holding(start, end) == path


def test_of_elements_with_the_same_text_the_innermost_holds_it():
    assert of("<a><b><c>xy</c></b></a>").holding(0, 2) == "/a[1]/b[1]/c[1]"


@pytest.mark.parametrize(
    ("offset", "path"),
    [
        (0, "/article[1]/ti[1]/text()[1].0"),
        (1, "/article[1]/ti[1]/text()[1].1"),
        (2, "/article[1]/text()[1].0"),
        (6, "/article[1]/p[1]/text()[2].0"),
        (8, "/article[1]/p[2]/text()[1].1"),
        (11, "/article[1]/p[3]/text()[1].1"),
    ],
)
def test_a_point_stands_before_its_character(offset, path):
    assert of(SMALL).point(offset) == path


def test_a_point_in_a_document_without_text_is_its_element():
    assert of("<a><b/></a>").point(0) == "/a[1]/b[1]"


def test_all_elements_stand_in_their_order(docs):
    found = docs(d1=SMALL).elements("d1")
    rows = list(zip(found.paths, found.start.tolist(), found.end.tolist(), strict=True))
    assert rows == [
        ("/article[1]", 0, 11),
        ("/article[1]/ti[1]", 0, 2),
        ("/article[1]/p[1]", 3, 7),
        ("/article[1]/p[1]/b[1]", 4, 6),
        ("/article[1]/p[2]", 7, 9),
        ("/article[1]/p[3]", 10, 11),
    ]


def test_plain_text_is_one_span_as_it_stands(docs):
    found = docs(**{"a.txt": b"\xef\xbb\xbf1 < 2\r\n\xc3\xa9", "b.txt": "", "c.md": "<?xml"})
    assert found.text("a") == "1 < 2\r\né"
    assert found.lengths(["a", "b", "c"]).tolist() == [8, 0, 5]
    assert found.span("a", "/") == (0, 8)
    assert (found.path("a", 2, 4), found.point("a", 7), found.point("b", 0)) == ("/", "/text()[1].7", "/")
    assert found.span("a", "/text()[1].7") == (7, 7)
    for document in "ab":
        elements = found.elements(document)
        assert (elements.paths, elements.start.tolist(), elements.end.tolist()) == (
            ["/"],
            [0],
            [len(found.text(document))],
        )


# Any tree, against a walk over what it was written from.

LETTERS = st.text("ab <&>é日🦊\n\t]", max_size=5)
LEAVES = st.one_of(
    st.tuples(st.just("text"), LETTERS),
    st.tuples(st.just("cdata"), LETTERS),
    st.tuples(st.just("comment"), st.text("ab <&>é", max_size=5)),
    st.tuples(st.just("instruction"), st.just("")),
)
TREES = st.recursive(
    LEAVES, lambda below: st.tuples(st.sampled_from(["a", "b", "n:a"]), st.lists(below, max_size=5)), max_leaves=25
)


def markup(node) -> str:
    kind, inside = node
    if kind == "text":
        return inside.replace("&", "&amp;").replace("<", "&#60;").replace(">", "&gt;")
    if kind == "cdata":
        return "<![CDATA[" + inside.replace("]]>", "]]]]><![CDATA[>") + "]]>"
    if kind == "comment":
        return f"<!--{inside}-->"
    if kind == "instruction":
        return "<?go now?>"
    return f"<{kind} c='d'>" + "".join(map(markup, inside)) + f"</{kind}>"


def nodes(node, path, start, rows) -> int:
    """Adds a row for each element and text node, and gives the end."""
    number = len(rows)
    rows.append(None)
    at, counts, begun = start, {}, None

    def close():
        nonlocal begun
        if begun is not None and at > begun:
            counts["text()"] = counts.get("text()", 0) + 1
            rows.append((f"{path}/text()[{counts['text()']}]", begun, at))
        begun = None

    for kind, inside in node[1]:
        if kind in ("text", "cdata"):
            begun = at if begun is None else begun
            at += len(inside)
            continue
        close()
        if kind not in ("comment", "instruction"):
            name = kind.removeprefix("n:")
            counts[name] = counts.get(name, 0) + 1
            at = nodes((kind, inside), f"{path}/{name}[{counts[name]}]", at, rows)
    close()
    rows[number] = (path, start, at)
    return at


@given(st.lists(TREES, max_size=6))
def test_any_tree_has_the_paths_and_spans_of_what_it_was_written_from(inside):
    content = f"<r xmlns:n='u'>{''.join(map(markup, inside))}</r>"
    tree, text = xml_reading.read_xml(content)
    rows: list = []
    nodes(("r", inside), "/r[1]", 0, rows)
    finder = Finder(xml_tree.Tree.unpacked(tree.packed()))
    assert text == "".join(ElementTree.fromstring(content).itertext())
    assert list(zip(finder.paths()[1:], tree.start[1:].tolist(), tree.end[1:].tolist(), strict=True)) == rows
    for number, (path, start, end) in enumerate(rows, 1):
        assert finder.path(number) == path
        assert finder.span(path) == (start, end)
        around = [(e - s, -n, p) for n, (p, s, e) in enumerate(rows) if s <= start and e >= end and "text()" not in p]
        assert finder.holding(start, end) == min(around)[2]
    for offset in range(len(text) + 1):
        assert finder.span(finder.point(offset)) == (offset, offset)


# Many at once.


def test_many_rows_are_looked_up_at_once_in_their_order(docs):
    found = docs(d1=SMALL, d2="<x><y>12</y><y>345</y></x>")
    start, end = found.spans(
        ["d2", "d1", "d2", "d2"], ["/x/y[2]", "/article/p", "/x", "/x/y[1]"], ["", "/article/p[2]", "", "/x/y[2]"]
    )
    assert (start.tolist(), end.tolist()) == ([2, 3, 0, 0], [5, 9, 5, 5])
    assert found.points(["d1", "d2"], ["/article/p[2]/text()[1].1", "/x/y[2]"]).tolist() == [8, 2]
    assert [column.tolist() for column in found.spans([], [])] == [[], []]


def test_only_documents_asked_for_are_read_and_each_once(docs, monkeypatch):
    found = docs(d1=SMALL, d2="<x/>", broken="<x>")
    read = []
    monkeypatch.setattr(xml_reading, "read_xml", lambda content, real=xml_reading.read_xml: read.append(content) or real(content))
    found.spans(["d1", "d1", "d2", "d1"], ["/article", "/", "/x", "/article/p"])
    assert found.lengths(["d2", "d1"]).tolist() == [0, 11]
    assert sorted(read) == sorted([SMALL.encode(), b"<x/>"])


def test_lengths_of_missing_documents_are_unknown_where_that_is_no_error(docs):
    assert docs(d1=SMALL).lengths(["no", "d1", "nor"], missing="unknown").tolist() == [-1, 11, -1]


def test_the_first_row_that_is_wrong_is_told(docs):
    found = docs(d1=SMALL, d2="<x/>")
    with pytest.raises(BadPath) as caught:
        found.spans(["d1", "d2", "d2", "d1"], ["/article", "/x", "/nor", "/no"])
    assert caught.value.row == 2
    assert caught.value.what == "document d2 has no /nor; it has only x in /"
    assert str(caught.value) == "docs: document d2 has no /nor; it has only x in /"


THREE = "<article>t<sec><p>one</p></sec><sec/><sec/></article>"


@pytest.mark.parametrize(
    ("path", "last", "what"),
    [
        ("/article[1]/sec[9]", "", "/article[1]/sec[9]; it has 3 sec in /article[1]"),
        ("/article[1]/sec[4]/p[1]", "", "/article[1]/sec[4]/p[1]; it has 3 sec in /article[1]"),
        ("/article[1]/bdy[1]/sec[1]", "", "/article[1]/bdy[1]/sec[1]; it has only text(), sec in /article[1]"),
        ("/article[1]/sec[2]/p[1]", "", "/article[1]/sec[2]/p[1]; it has nothing in /article[1]/sec[2]"),
        ("/article[2]", "", "/article[2]; it has 1 article in /"),
        ("/book", "", "/book; it has only article in /"),
        ("/article/*[4]", "", "/article/*[4]; it has 3 elements in /article[1]"),
        ("/article/text()[2]", "", "/article/text()[2]; it has 1 text() in /article[1]"),
        ("/article/text()[1]/b", "", "/article/text()[1]/b; it has nothing in /article[1]/text()[1]"),
        ("/article/text()[1].2", "", "/article/text()[1].2; it has 1 character there"),
        ("/article/sec[1].4", "", "/article/sec[1].4; it has 3 characters there"),
        ("/article/sec.3", "", "/article/sec.3; it has only text(), sec in /article[1]"),
        ("/article[0]", "", "/article[0]: numbers start at 1; expected for example /article[1]/sec[2]"),
        ("/article/sec[1]/@id", "", "text at /article/sec[1]/@id: it is an attribute; expected an element"),
        ("article[1]", "", "'article[1]': it is not a path; expected for example /article[1]/sec[2]"),
        ("//sec", "", "'//sec': it is not a path; expected for example /article[1]/sec[2]"),
        ("", "", "'': it is not a path; expected for example /article[1]/sec[2]"),
        ("X", "", "'X': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[1", "", "'/article[1': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[-1]", "", "'/article[-1]': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[one]", "", "'/article[one]': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[1]/sec[last()]", "", "'/article[1]/sec[last()]': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[1] ", "", "'/article[1] ': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article[1].x", "", "'/article[1].x': it is not a path; expected for example /article[1]/sec[2]"),
        ("/article/sec[1]", "/article/sec[8]", "/article/sec[8]; it has 3 sec in /article[1]"),
        ("/article/sec[2]", "/article/text()",
         "text from /article/sec[2] to /article/text(): it ends at 1, before it begins at 4"),
        ("/article/sec[2]", "/article/sec[1]", "text from /article/sec[2] to /article/sec[1]: the last element is before the first"),
        ("/article/sec[3]", "/article/sec[2]", "text from /article/sec[3] to /article/sec[2]: the last element is before the first"),
        ("/" + "x" * 300, "", f"/{'x' * 198}…; it has only article in /"),
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_an_error(docs, path, last, what):
    with pytest.raises(BadPath) as caught:
        docs(d1=THREE).span("d1", path, last)
    assert str(caught.value) == f"docs: document d1 has no {what}"


# Where documents are kept.

FILES = {
    "co/2000/r7108.xml": SMALL,
    "tk/r7109.xml": "<a>1</a>",
    "top.txt": "text",
    "x.v1": "other",
    "tk/deep/z.nxml": "<a>zz</a>",
}
SIZES = {"co/2000/r7108": 11, "tk/r7109": 1, "top": 4, "x.v1": 5, "tk/deep/z": 2}
# also by the last parts of the path, and with the ending
OTHERS = {
    "r7108": 11,
    "2000/r7108": 11,
    "r7109.xml": 1,
    "top.txt": 4,
    "z.xml": 2,
    "deep/z.nxml": 2,
    "co/2000/r7108.xml": 11,
}


def zipped(files) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(files, prefix="", **links) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(prefix + name)
            data = content.encode()
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        for name, (kind, to) in links.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.type, member.linkname = kind, to
            archive.addfile(member)
    return target.getvalue()


def json_lines(files) -> bytes:
    rows = [{"doc_id": name, "xml" if content.startswith("<") else "text": content} for name, content in files.items()]
    return "\n\n".join(map(json.dumps, rows)).encode()


PLACES = {
    "docs.zip": zipped(FILES),
    "docs.tar": tarred(FILES),
    "dot.tar": tarred(FILES, "./"),
    "docs.tar.gz": gzip.compress(tarred(FILES)),
    "docs.tar.bz2": bz2.compress(tarred(FILES)),
    "docs.tar.xz": lzma.compress(tarred(FILES)),
    "docs.tar.zst": zstd.compress(tarred(FILES)),
    "docs.jsonl": json_lines(FILES),
    "docs.jsonl.gz": gzip.compress(json_lines(FILES)),
}


@pytest.fixture(params=["folder", *PLACES])
def place(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if request.param == "folder":
        for name, content in FILES.items():
            Path("folder", name).parent.mkdir(parents=True, exist_ok=True)
            Path("folder", name).write_text(content, "utf-8")
    else:
        Path(request.param).write_bytes(PLACES[request.param])
    return request.param


@pytest.mark.parametrize("is_cached", [False, True])
def test_documents_are_the_same_wherever_they_are_kept(place, is_cached):
    for _ in range(2):
        found = Documents(place, cache=is_cached)
        assert found.label == place
        assert repr(found) == f"<Documents {place}>"
        assert found.lengths([*SIZES, *OTHERS]).tolist() == [*SIZES.values(), *OTHERS.values()]
        assert found.text("r7109") == "1"
        assert found.span("co/2000/r7108", "/article/p[2]") == (7, 9)
        assert all(document in found for document in [*SIZES, *OTHERS])
        assert not any(
            document in found for document in ["", "7109", "r71", "co", "co/", "/top", "../top", "./top", "x", "a/top"]
        )
    assert cached(place).exists() == is_cached
    assert [path.name for path in Path().rglob("*") if "assay" in path.name] == []


def test_missing_documents_are_named_or_counted(place):
    found = Documents(place, cache=False)
    with pytest.raises(InputError) as caught:
        found.text("4711")
    hint = "if these are chunk ids, pass chunks= with the table of all chunks"
    assert str(caught.value) == f"{place}: there is no document 4711"
    with pytest.raises(InputError) as caught:
        found.spans(["top", "4711"], ["/", "/"])
    assert str(caught.value) == f"{place}: there is no document 4711"
    with pytest.raises(InputError) as caught:
        found.lengths(["top", *"abcdefg", "top", "a"])
    assert str(caught.value) == f"{place}: 7 of 8 documents are missing: a, b, c, d, e, …"
    with pytest.raises(InputError) as caught:
        found.lengths(["top#chunk_7", "top#chunk_8"])
    lacks = "2 of 2 documents are missing: top#chunk_7, top#chunk_8"
    assert str(caught.value) == f"{place}: {lacks}; document top exists; {hint}"


@pytest.mark.parametrize("name", ["docs.tar.gz", "docs.jsonl"])
def test_what_can_only_be_read_from_the_start_is_not_read_again_for_what_is_missing(docs, monkeypatch, name):
    docs()
    Path(name).write_bytes(PLACES[name])
    found, passes = Documents(name, cache=False), []
    kind = type(found._collection)
    monkeypatch.setattr(kind, "files", lambda self, real=kind.files: passes.append(1) or real(self))
    for _ in range(3):
        assert found.lengths(["top", "no", "tk/r7109"], missing="unknown").tolist() == [4, -1, 1]
    assert len(passes) == 1


TWINS = {
    "a/r1.xml": "<a>1</a>",
    "b/r1.xml": "<a>22</a>",
    "r2.xml": "<a/>",
    "r2.txt": "x",
    "r3.xml": "<a>333</a>",
    "c/r3.xml": "<a",
}


@pytest.mark.parametrize("kind", ["folder", "zip", "tar"])
def test_two_files_of_one_name_are_an_error_only_where_nothing_decides(kind, docs):
    docs(**TWINS)
    Path("docs.zip").write_bytes(zipped(TWINS))
    Path("docs.tar").write_bytes(tarred(TWINS))
    place = "docs" if kind == "folder" else f"docs.{kind}"
    found = Documents(place, cache=False)
    assert found.lengths(["a/r1", "b/r1", "r2.txt", "r2.xml", "r3"]).tolist() == [1, 2, 1, 0, 3]
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            found.lengths(["r1"])
        assert str(caught.value) == f"{place}: document r1 could be 2 files: a/r1.xml, b/r1.xml; write the whole name, for example a/r1.xml"
    with pytest.raises(InputError) as caught:
        found.text("r2")
    assert str(caught.value) == f"{place}: document r2 could be 2 files: r2.txt, r2.xml; write the whole name, for example r2.txt"


def test_the_same_id_twice_is_an_error_where_it_is_asked_for(docs):
    docs()
    Path("docs.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n{"id": "1", "text": "c"}\n')
    found = Documents("docs.jsonl", cache=False)
    assert found.lengths(["2"]).tolist() == [1]
    with pytest.raises(InputError) as caught:
        found.text("1")
    assert str(caught.value) == "docs.jsonl: document 1 appears 2 times; expected it once"


@pytest.mark.parametrize("field", ["id", "_id", "doc_id", "docid", "docno", "document", "pmcid"])
@pytest.mark.parametrize("text", ["text", "contents", "content", "body", "page_content"])
def test_ids_and_texts_have_their_usual_names(tmp_path, field, text):
    path = tmp_path / "docs.jsonl"
    path.write_text(json.dumps({field: 7, text: "é<b>", "title": "no"}) + "\n")
    assert Documents(path, cache=False).text("7") == "é<b>"


def test_long_lines_are_put_together(tmp_path, monkeypatch):
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": size, "text": "x" * size}) + "\n" for size in (1, 900, 2, 3000, 0)))
    monkeypatch.setattr("assay.files.source.BLOCK", 100)
    assert Documents(path, cache=False).lengths(["1", "900", "2", "3000", "0"]).tolist() == [1, 900, 2, 3000, 0]


def test_files_without_a_known_ending_are_xml_if_they_say_so(docs):
    found = docs(
        **{"a.b": "<?xml version='1.0'?><a>1</a>", "c.d": "<a>1</a>", "e.HTML": "<p>1</p>", "f.XML": "<a>1</a>"}
    )
    found = docs(**{"g.x": "<?xml version='1.0' encoding='utf-16'?><a>1</a>".encode("utf-16")})
    assert found.lengths(["a.b", "c.d", "e", "f", "g.x"]).tolist() == [1, 8, 8, 1, 1]


def test_what_is_hidden_is_no_document(docs):
    found = docs(d1="<a/>", **{".d2.xml": "<a/>", ".git/d3.xml": "<a/>"})
    assert ["d1" in found, ".d2" in found, "d2" in found, "d3" in found] == [True, False, False, False]


# Untrusted input.


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("SECRET")
    (tmp_path / "evil.dtd").write_text('<!ENTITY nbsp "SECRET"><!ENTITY other "SECRET">')
    return path.as_uri()


def test_a_document_cannot_take_in_another_file(docs, secret):
    found = docs(d1=f'<!DOCTYPE a [\n<!ENTITY x SYSTEM "{secret}">]>\n<a>\n&x;</a>')
    with pytest.raises(InputError) as caught:
        found.text("d1")
    what = "the entity &x; refers to another file, which Assay does not open; expected all of the text in this file"
    assert str(caught.value) == f"docs/d1.xml:3: {what}"


def test_no_dtd_is_opened(docs, secret):
    dtd = secret.replace("secret", "evil.dtd")
    found = docs(
        d1=f'<!DOCTYPE a SYSTEM "{dtd}"><a>&nbsp;&other;</a>',
        d2=f'<!DOCTYPE a [<!ENTITY % x SYSTEM "{dtd}"> %x;]><a>&nbsp;&other;</a>',
        d3=f'<a xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="{secret}" parse="text"/></a>',
    )
    assert [found.text(document) for document in ("d1", "d2", "d3")] == ["\u00a0\ufffd", "\u00a0\ufffd", ""]


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]>\n"
)


@pytest.mark.parametrize(
    "content",
    [
        LAUGHS + "<a>&l9;</a>",
        LAUGHS + "<a b='&l9;'/>",
        f'<!DOCTYPE a [<!ENTITY q "{"x" * 50_000}">]>\n<a>{"&q;" * 50_000}</a>',
        '<!DOCTYPE a [<!ENTITY b "&c;"><!ENTITY c "&b;">]>\n<a>&b;</a>',
    ],
    ids=["laughs", "laughs in an attribute", "quadratic", "endless"],
)
def test_entities_that_grow_are_refused(docs, content):
    with pytest.raises(InputError) as caught:
        docs(d1=content).text("d1")
    # on which line depends on where the parser notices
    assert str(caught.value) in [f"docs/d1.xml:{line}: the XML entities expand to too much text; expected a document without nested entities" for line in (1, 2)]


def test_entities_with_elements_are_refused(docs):
    with pytest.raises(InputError) as caught:
        docs(d1='<!DOCTYPE a [<!ENTITY b "<c>1</c>">]><a>&b;</a>').text("d1")
    assert str(caught.value) == "docs/d1.xml:1: the entity &b; contains XML elements; expected only characters"


def test_no_path_leads_out_of_an_archive(docs, secret):
    docs()
    outside = {"../secret": "x", "/secret.xml": "<a>no</a>", "a/../../b.xml": "<a>no</a>", "good.xml": "<a>yes</a>"}
    hard = {"hard_xml": (tarfile.LNKTYPE, "../secret"), "same_xml": (tarfile.LNKTYPE, "good.xml")}
    Path("docs.tar").write_bytes(tarred(outside, sym_xml=(tarfile.SYMTYPE, secret), **hard))
    with zipfile.ZipFile("docs.zip", "w") as archive:
        for name, content in outside.items():
            archive.writestr(name, content)
        link = zipfile.ZipInfo("sym.xml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, secret)
    before = sorted(map(str, Path().rglob("*")))
    for place in ("docs.tar", "docs.zip"):
        found = Documents(place, cache=False)
        assert found.text("good") == "yes"
        assert not any(document in found for document in ["secret", "../secret", "/secret", "b", "sym", "hard", "same"])
    assert sorted(map(str, Path().rglob("*"))) == before


def test_an_id_leads_to_no_file_outside(docs, secret):
    found = docs(d1="<a/>")
    for document in ("../secret", secret, secret.removeprefix("file://"), "d1/../../secret", "d1\0"):
        assert document not in found
        with pytest.raises(InputError):
            found.lengths([document])


def test_links_between_folders_are_followed_once(docs, tmp_path):
    found = docs(**{"a/d1.xml": "<a>1</a>"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "d2.xml").write_text("<a>22</a>")
    Path("docs/a/loop").symlink_to(tmp_path / "docs", target_is_directory=True)
    Path("docs/b").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    Path("docs/gone.xml").symlink_to(tmp_path / "nowhere")
    os.mkfifo("docs/pipe.xml")
    assert found.lengths(["d1", "d2"]).tolist() == [1, 2]
    assert ["gone" in found, "pipe" in found] == [False, False]


@pytest.mark.parametrize("place", ["docs", "docs.zip", "docs.tar.gz"])
def test_a_document_has_a_largest_size(docs, monkeypatch, place):
    files = {"d1.xml": f"<a>{' ' * (1 << 21)}</a>", "d2.xml": "<a>1</a>"}
    docs(**files)
    Path("docs.zip").write_bytes(zipped(files))
    Path("docs.tar.gz").write_bytes(gzip.compress(tarred(files)))
    monkeypatch.setattr("assay.documents.collection.LARGEST", 1 << 20)
    found = Documents(place, cache=False)
    assert found.lengths(["d2"]).tolist() == [1]
    with pytest.raises(InputError) as caught:
        found.lengths(["d1"])
    assert str(caught.value) == f"{place}/d1.xml: more than 1 MB; expected one document per file"


# Bad input.


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.xml", "<a>\n<b>\n   </c></a>",
         ":3: not well-formed XML at column 8: Opening and ending tag mismatch: b line 2 and c"),
        ("a.xml", "<a>\n<b>", ":2: not well-formed XML at column 4: Premature end of data in tag b line 2"),
        ("a.xml", "<a/>\n<b/>", ":2: not well-formed XML at column 1: Extra content at the end of the document"),
        ("a.xml", "<a>&nbsp;</a>", ":1: not well-formed XML at column 10: Entity 'nbsp' not defined"),
        ("a.xml", "<a><n:b/></a>", ":1: not well-formed XML at column 8: Namespace prefix n on b is not defined"),
        ("a.xml", "plain", ":1: not well-formed XML at column 1: Start tag expected, '<' not found"),
        ("a.xml", "", ":1: the document is empty; expected XML"),
        ("a.xml", "<?xml version='1.0' encoding='klingon'?><a/>",
         ":1: not well-formed XML at column 39: Unsupported encoding: klingon"),
        ("a.xml", "<a>" * 300, ":1: not well-formed XML at column 771: Excessive depth in document: 256"),
        ("a.txt", b"fine\nnot \xff here", ":2: not UTF-8 (byte 0xFF); convert the file, for example with iconv"),
        ("a.txt", "é".encode("utf-16"), ":1: not UTF-8 (byte 0xFF); convert the file, for example with iconv"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["docs", "docs.zip", "docs.tar"])
def test_a_broken_document_says_where(docs, place, name, content, error):
    docs(**{name: content})
    Path("docs.zip").write_bytes(zipped({name: content}))
    with tarfile.open("docs.tar", "w") as archive:
        archive.add("docs", "")
    for look in (lambda found: found.text("a"), lambda found: found.lengths(["a"])):
        with pytest.raises(InputError) as caught:
            look(Documents(place, cache=False))
        assert str(caught.value) == f"{place}/{name}{error}"


def test_of_broken_documents_the_first_that_was_asked_for_is_told(docs):
    found = docs(d1="<a>", d2="<b>", d3="<c/>")
    with pytest.raises(InputError, match=r"^docs/d2\.xml:1: "):
        found.lengths(["d3", "d2", "d1"])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('{"id": "a", "xml": "<a>\\n<b>"}',
         "docs.jsonl:1: not well-formed XML at line 2, column 4: Premature end of data in tag b line 2"),
        ('\n{"id": "a", "xml": ""}', "docs.jsonl:2: the document is empty; expected XML"),
        ('{"id": "a", "xml": "<a>\\ud800</a>"}',
         "docs.jsonl:1: not well-formed XML at line 1, column 4: Invalid bytes in character encoding"),
        ('{"id": "a"}', "docs.jsonl:1: document a has no text; expected either a text or an xml"),
        ('{"id": "a", "text": 3}', "docs.jsonl:1: document a has no text; expected either a text or an xml"),
        ('{"id": "a", "text": "x", "xml": "<a/>"}', "docs.jsonl:1: document a has text and xml; expected either a text or an xml"),
        ('{"id": "b", "text": ""}\n{"name": "a"}',
         "docs.jsonl:2: the document has no id; expected a JSON object with a key such as id or doc_id: '{\"name\": \"a\"}'"),
        ('{"id": "b", "text": ""}\n["a"]', "docs.jsonl:2: expected a JSON object, found '[\"a\"]'"),
        ('{"id": ["a"], "text": ""}',
         "docs.jsonl:1: the document has no id; expected a JSON object with a key such as id or doc_id: '{\"id\": [\"a\"], \"text\": \"\"}'"),
        ('{"id": "b", "text": ""}\n{"id": ', "docs.jsonl:2: not valid JSON (Expecting value at column 8): '{\"id\": '"),
        ('{"id": "b", "text": ""}', "docs.jsonl: there is no document a"),
    ],
)  # fmt: skip
def test_a_broken_line_says_where(docs, content, error):
    docs()
    Path("docs.jsonl").write_text(content)
    with pytest.raises(InputError) as caught:
        Documents("docs.jsonl", cache=False).lengths(["a"])
    assert str(caught.value) == error


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("none", None, "none: no such file or folder; expected documents"),
        ("d.xml", b"<a/>", "d.xml: not a document collection; expected a folder, a .zip or .tar archive, or a JSONL file"),
        ("d.jsonl", b"", "d.jsonl: not a document collection; expected a folder, a .zip or .tar archive, or a JSONL file"),
        (
            "d.json",
            b'[{"id": 1}]',
            "d.json: not a document collection; expected a folder, a .zip or .tar archive, or a JSONL file",
        ),
        ("d.zip", PLACES["docs.zip"][:60], "d.zip: cannot read the file: File is not a zip file"),
        ("d.tar", PLACES["docs.tar"][:700], "d.tar: cannot read the file: unexpected end of data"),
        ("d.tar.gz", PLACES["docs.tar.gz"][:-30], "d.tar.gz: the gzip data is cut short"),
        (
            "large.tar.gz",
            gzip.compress(tarred({"d1.xml": f"<a>{list(range(99_999))}</a>"}))[:-30],
            "large.tar.gz: the file is cut short",
        ),
        ("d.jsonl.gz", PLACES["docs.jsonl.gz"][:-30], "d.jsonl.gz: the gzip data is cut short"),
    ],
)
def test_a_broken_collection_is_an_error(docs, name, content, error):
    docs()
    if content is not None:
        Path(name).write_bytes(content)
    found = Documents(name)
    for look in (lambda: "d1" in found, lambda: found.text("d1"), lambda: found.lengths(["d1"])):
        with pytest.raises(InputError) as caught:
            look()
        assert str(caught.value) == error


def test_a_damaged_file_of_an_archive_is_an_error(docs):
    docs()
    data = zipped({"d1.xml": f"<a>{'x' * 100}</a>", "d2.xml": "<a>1</a>"})
    Path("docs.zip").write_bytes(data.replace(b"d1.xml", b"d1.xml", 1)[:40] + b"\xff" + data[41:])
    found = Documents("docs.zip", cache=False)
    assert found.text("d2") == "1"
    with pytest.raises(InputError, match=r"^docs\.zip/d1\.xml: cannot read the file: "):
        found.text("d1")


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (0, 12), (5, 4), (12, 12)])
def test_a_span_that_is_not_in_the_document_has_no_path(docs, start, end):
    with pytest.raises(InputError) as caught:
        docs(d1=SMALL).path("d1", start, end)
    assert str(caught.value) == f"docs: the span {start}-{end} is outside document d1, which has 11 characters"


# What is kept about a collection.


@pytest.fixture
def unread(monkeypatch):
    """From here on, to read a document is a fault of the test."""

    def forbid():
        monkeypatch.setattr(xml_reading, "read_xml", lambda content: pytest.fail("read again"))

    return forbid


def test_what_was_read_once_is_not_read_again(docs, unread):
    docs(d1=SMALL, d2="<x/>", d3="<x>1</x>", cache=True).lengths(["d1", "d3"])
    docs(cache=True).lengths(["d2"])
    unread()
    found = docs(cache=True)
    assert found.lengths(["d3", "d2", "d1"]).tolist() == [1, 0, 11]
    assert found.span("d1", "/article/p[2]") == (7, 9)
    with pytest.raises(pytest.fail.Exception, match="read again"):
        docs(cache=False).lengths(["d1"])


def test_a_document_that_changed_is_read_again(docs):
    ids = ["d1", "d2", "d3"]
    docs(d1="<a>1</a>", d2="<a>2</a>", d3="<a>3</a>", cache=True).lengths(ids)
    before = os.stat("docs/d2.xml")
    # another size; the same size at another time
    docs(d1="<a>1234</a>", d2="<a></a>\n")
    os.utime("docs/d1.xml", ns=(before.st_atime_ns, os.stat("docs/d3.xml").st_mtime_ns))
    os.utime("docs/d2.xml", ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert docs(cache=True).lengths(ids).tolist() == [4, 0, 1]


def test_an_archive_that_changed_is_read_again(docs):
    docs()
    Path("docs.zip").write_bytes(zipped({"d1.xml": "<a>1</a>"}))
    assert Documents("docs.zip").lengths(["d1"]).tolist() == [1]
    Path("docs.zip").write_bytes(zipped({"d1.xml": "<a>123</a>"}))
    assert Documents("docs.zip").lengths(["d1"]).tolist() == [3]


def test_documents_asked_for_one_by_one_are_kept_too(docs, unread, monkeypatch):
    ids = [f"d{number}" for number in range(200)]
    found = docs(**{name: f"<a>{name}</a>" for name in ids}, cache=True)
    replaced = []
    monkeypatch.setattr(os, "replace", lambda *paths, real=os.replace: replaced.append(paths) or real(*paths))
    for name in ids:
        assert found.span(name, "/a") == (0, len(name))
    # a cache written anew for each of them would take longer with each
    assert len(replaced) < 50
    del found
    unread()
    assert docs(cache=True).lengths(ids).tolist() == [len(name) for name in ids]


def test_threads_may_share_documents(docs, monkeypatch):
    ids = [f"d{number}" for number in range(50)]
    found = docs(**{name: f"<a>{name}</a>" for name in ids}, cache=True)
    read = []
    monkeypatch.setattr(xml_reading, "read_xml", lambda content, real=xml_reading.read_xml: read.append(content) or real(content))
    answers = []

    def work():
        answers.append(found.lengths(ids).tolist())

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[len(name) for name in ids]] * 6
    assert len(read) == 50


def test_documents_that_are_gone_are_dropped(docs):
    docs(**{f"d{number}": f"<a>{number}</a>" for number in range(100)}, cache=True).lengths(
        [f"d{n}" for n in range(100)]
    )
    large = cached().stat().st_size
    for number in range(1, 100):
        os.unlink(f"docs/d{number}.xml")
    docs(new="<a/>", cache=True).lengths(["new", "d0"])
    assert cached().stat().st_size < large / 10
    with pytest.raises(InputError, match=r"there is no document d1$"):
        docs(cache=True).lengths(["d1"])


def test_a_damaged_cache_is_as_good_as_none(docs):
    docs(d1=SMALL, d2="<x>12</x>", cache=True).lengths(["d1", "d2"])
    good = cached().read_bytes()
    damaged = [good[:size] for size in range(0, len(good), 7)]
    damaged += [good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :] for at in range(len(good))]
    for data in damaged:
        keep(data)
        found = docs(cache=True)
        assert found.lengths(["d1", "d2"]).tolist() == [11, 2]
        assert found.span("d1", "/article/p[2]") == (7, 9)
    assert cached().read_bytes() == good


def crafted(columns, data=b"", magic=lookup.MAGIC) -> bytes:
    index = zlib.compress(json.dumps(columns).encode())
    return magic + lookup.HEAD.pack(len(index)) + index + data


def stamped(data: bytes) -> dict:
    """The columns for one document of which there are these bytes."""
    mark = marks.mark_of("docs/d1.xml")
    return {"marks": [mark], "names": ["d1.xml"], "mark": [0], "size": [len(data)], "check": [zlib.crc32(data)]}


def tree(*columns, names=("", "text()", "a"), length=3) -> bytes:
    text = "\n".join(names).encode()
    data = text + np.array(columns, "<i4").tobytes()
    return xml_tree.HEAD.pack(length, len(text), len(columns[0])) + zlib.compress(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 50,
        b"no tree at all, but long enough",
        tree([0, 2, 1], [3, 2, 1], [0, 0, 3])[:-5],
        tree([0, 2, 9], [3, 2, 1], [0, 0, 3]),
        tree([0, 2, -1], [3, 2, 1], [0, 0, 3]),
        tree([0, 2, 1], [3, 0, 1], [0, 0, 3]),
        tree([0, 2, 1], [3, 5, 1], [0, 0, 3]),
        tree([0, 2, 1], [2, 2, 1], [0, 0, 3]),
        tree([0, 2, 1], [3, 2, 1], [0, 4, -1]),
        tree([0, 2, 1], [3, 2, 1], [0, 0, 4]),
    ],
)
def test_nonsense_in_a_cache_is_passed_over(docs, data):
    docs(d1="<a>123</a>")
    keep(crafted(stamped(data), data))
    found = docs(cache=True)
    assert found.span("d1", "/a") == (0, 3)
    assert found.lengths(["d1"]).tolist() == [3]


@pytest.mark.parametrize("data", [b"", b"short"])
def test_too_little_in_a_cache_is_passed_over(docs, data):
    docs(d1="<a>123</a>")
    keep(crafted(stamped(data), data))
    assert docs(cache=True).lengths(["d1"]).tolist() == [3]


def test_a_well_made_cache_is_believed(docs):
    """Or else the test before this one could not fail."""
    docs(d1="<a>123</a>")
    data = tree([0, 2, 1], [3, 2, 1], [0, 0, 7], length=7)
    keep(crafted(stamped(data), data))
    assert docs(cache=True).span("d1", "/a") == (0, 7)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"somebody's notes",
        lookup.MAGIC,
        lookup.MAGIC + lookup.HEAD.pack(1 << 60),
        crafted(None),
        crafted([1, 2]),
        crafted({}),
        crafted({"marks": [], "names": ["d1.xml"], "mark": [0], "size": [0], "check": [0]}),
        crafted({"marks": ["x"], "names": ["d1.xml"], "mark": ["x"], "size": [0], "check": [0]}),
        crafted({"marks": ["x"], "names": ["d1.xml"], "mark": [0], "size": [1e300], "check": [0]}),
        crafted({"marks": ["x"], "names": ["d1.xml"], "mark": [0], "size": [-1], "check": [0]}),
        crafted({"marks": ["x"], "names": ["d1.xml"], "mark": [0], "size": [5], "check": [0]}),
        crafted({"marks": ["x"], "names": [["d1.xml"]], "mark": [0], "size": [0], "check": [[]]}),
        crafted({"marks": ["x"], "names": ["d1.xml", "d2.xml"], "mark": [0], "size": [0], "check": [0]}),
        crafted([], magic=b"Assay documents 0\n"),
    ],
)
def test_a_foreign_cache_is_passed_over_and_replaced(docs, unread, content):
    docs(d1="<a>123</a>")
    keep(content)
    assert docs(cache=True).lengths(["d1"]).tolist() == [3]
    unread()
    assert docs(cache=True).lengths(["d1"]).tolist() == [3]


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


def test_nothing_in_a_cache_is_run(docs):
    docs(d1="<a>123</a>")
    for data in (pickle.dumps(Bomb()), crafted(stamped(pickle.dumps(Bomb())), pickle.dumps(Bomb()))):
        keep(data)
        assert docs(cache=True).span("d1", "/a") == (0, 3)
    assert not Path("exploded").exists()


def test_a_cache_that_is_no_file_is_left_alone(docs):
    docs(d1="<a>123</a>")
    cached().mkdir(parents=True)
    assert docs(cache=True).lengths(["d1"]).tolist() == [3]
    assert cached().is_dir()


def test_a_cache_that_is_a_link_is_not_followed(docs):
    docs(d1="<a>123</a>", cache=True).lengths(["d1"])
    cached().rename("target")
    before = Path("target").read_bytes(), os.stat("target").st_mtime_ns
    cached().symlink_to(Path("target").absolute())
    docs(d1="<a>1234</a>", cache=True).lengths(["d1"])
    assert (Path("target").read_bytes(), os.stat("target").st_mtime_ns) == before
    assert not cached().is_symlink()


def test_a_cache_that_is_a_pipe_is_not_waited_for(docs):
    found = docs(d1="<a>123</a>", cache=True)
    cached().parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(cached())
    waiting = threading.Thread(target=found.lengths, args=(["d1"],), daemon=True)
    waiting.start()
    waiting.join(20)
    assert not waiting.is_alive()


def test_a_cache_that_is_a_link_is_not_written_through(docs):
    docs(d1="<a>123</a>")
    Path("notes").write_text("somebody's notes")
    cached().parent.mkdir(parents=True, exist_ok=True)
    cached().symlink_to(Path("notes").absolute())
    assert docs(cache=True).lengths(["d1"]).tolist() == [3]
    assert Path("notes").read_text() == "somebody's notes"


def test_no_room_for_a_cache_is_no_fault(docs, monkeypatch):
    found = docs(d1="<a>123</a>", cache=True)

    def full(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert found.lengths(["d1"]).tolist() == [3]
    assert not [path for path in cached().parent.iterdir() if path.name.startswith(cached().name)]


def test_a_broken_document_does_not_keep_the_others_from_being_kept(docs, unread):
    with pytest.raises(InputError):
        docs(d1=SMALL, d2="<x>", cache=True).lengths(["d2", "d1"])
    unread()
    assert docs(cache=True).lengths(["d1"]).tolist() == [11]


def test_many_may_write_a_cache_at_once(docs):
    ids = [f"d{number}" for number in range(60)]
    docs(**{name: f"<a>{name}</a>" for name in ids})
    wrong = []

    def work(number):
        for turn in range(10):
            some = ids[(number * 7 + turn * 5) % 40 :][:20]
            if Documents("docs").lengths(some).tolist() != [len(name) for name in some]:
                wrong.append(some)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [path.name for path in cached().parent.iterdir() if path.name.startswith(cached().name)] == [cached().name]
    content = cached().read_bytes()
    index = lookup.unpacked_index(lookup.index_in(content), len(content))
    assert len(list(lookup.entries(content, index, index, lambda key, mark: True))) >= 20


# Real articles, of which there is a plain text made by others.


@pytest.fixture(scope="module")
def articles():
    in_xml, in_text = Documents(EVIDENCE / "xml", cache=False), Documents(EVIDENCE / "txt", cache=False)
    ids = sorted(path.stem for path in (EVIDENCE / "xml").iterdir() if path.stem in in_text)
    return in_xml, in_text, ids


@pytest.mark.shared("spans/evidence-inference-v2")
def test_every_element_of_real_articles_has_the_text_that_another_parser_finds(articles):
    in_xml, _, ids = articles
    seen = 0
    for document in ids:
        text, found = in_xml.text(document), in_xml.elements(document)
        others = list(ElementTree.parse(EVIDENCE / "xml" / f"{document}.nxml").iter())
        texts = [text[start:end] for start, end in zip(found.start, found.end, strict=True)]
        assert texts == ["".join(other.itertext()) for other in others]
        names = [path.rpartition("/")[2].partition("[")[0] for path in found.paths]
        assert names == [other.tag.rpartition("}")[2] for other in others]
        start, end = in_xml.spans([document] * len(texts), found.paths)
        assert (start.tolist(), end.tolist()) == (found.start.tolist(), found.end.tolist())
        seen += len(texts)
    print(f"{seen:,} elements of {len(ids)} articles")
    assert seen > 70_000


@pytest.mark.shared("spans/evidence-inference-v2")
def test_the_paragraphs_of_real_articles_stand_in_their_plain_text(articles):
    """The plain text has no references, notes and titles of sections; of the rest it leaves out formulas and the like.
    """
    in_xml, in_text, ids = articles
    whole = same = titles = 0
    for document in ids:
        text, plain, found = in_xml.text(document), in_text.text(document), in_xml.elements(document)
        start, end = in_xml.span(document, "/article/front/article-meta/title-group/article-title")
        titles += text[start:end] in plain
        for path, start, end in zip(found.paths, found.start.tolist(), found.end.tolist(), strict=True):
            names = [step.partition("[")[0] for step in path.split("/")]
            if names[-1] == "p" and {"abstract", "body"} & set(names) and text[start:end].strip():
                whole += 1
                same += text[start:end] in plain
    print(f"{same:,} of {whole:,} paragraphs and {titles} of {len(ids)} titles")
    assert titles == len(ids)
    assert same / whole > 0.97


# Files that cannot be read, beside others that can


def test_links_that_lead_to_themselves_are_passed_over(docs):
    docs(d1="<a>123</a>")
    os.symlink("two", "docs/one.xml")
    os.symlink("one.xml", "docs/two")
    found = Documents("docs", cache=False)
    assert [name for name, _ in found.texts()] == ["d1"]
    with pytest.raises(InputError, match="one"):
        found.text("one")


def test_a_document_that_cannot_be_read_stops_no_search_in_all(docs):
    docs(**{"a.txt": "hello world", "latin.txt": b"caf\xe9 au lait"})
    unread = "Assay could not read 1 document and did not search there: docs/latin.txt:1: not UTF-8 (byte 0xE9); convert the file, for example with iconv"
    found = assay.locate([{"text": "hello"}], "docs")
    assert found.summary() == f"1 quote: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places, 0 not found; {unread}"
    gold = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 5}]
    scores = assay.evaluate(gold, [{"query_id": "1", "text": "hello", "score": 1}], "R", documents="docs")
    assert (scores["R"], scores.notes[1]) == (1, f"run: {unread}")
    with pytest.raises(InputError) as refused:
        assay.evaluate(gold, [{"query_id": "1", "text": "au lait", "score": 1}], "R", documents="docs")
    assert f"'au lait'; {unread}; run `assay locate`" in str(refused.value)


def test_a_document_that_cannot_be_read_is_a_fault_where_it_is_needed(docs):
    docs(**{"a.txt": "hello world", "latin.txt": b"caf\xe9 au lait"})
    message = "docs/latin.txt:1: not UTF-8 (byte 0xE9); convert the file, for example with iconv"
    for rows in ([{"text": "hello", "doc_id": "latin"}], [{"text": "hello", "doc_id": "latin"}, {"text": "hello", "doc_id": "a"}]):
        with pytest.raises(InputError) as refused:
            assay.locate(rows, "docs")
        assert str(refused.value) == message
    Path("docs/a.txt").unlink()
    with pytest.raises(InputError) as refused:
        assay.locate(["hello"], "docs")
    assert str(refused.value) == message


PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n\0"
NO_PDF = "this is a PDF, not text; save the text of each PDF as a .txt file"
NO_TEXT = "this is not text; save the text of each file as a .txt file"


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("ferry.pdf", PDF, NO_PDF),
        ("ferry.pdf", b"%PDF-1.4\nall of it is ASCII", NO_PDF),
        ("ferry.txt", PDF, NO_PDF),
        ("ferry.png", b"\x89PNG\r\n\0\xff", NO_TEXT),
    ],
)
def test_a_folder_without_text_is_refused_with_its_first_file(tmp_path, monkeypatch, name, content, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / name).write_bytes(content)
    message = f"docs/{name}: {what}"
    place = [{"query_id": "1", "doc_id": "ferry", "start": 0, "end": 3, "text": "The", "score": 1}]
    for call in (
        lambda: Documents("docs", cache=False).text("ferry"),
        lambda: list(Documents("docs", cache=False).texts()),
        lambda: assay.locate(["The"], "docs"),
        lambda: assay.evaluate(place, {"1": ["ferry"]}, documents="docs"),
        lambda: assay.evaluate(place, place, documents="docs"),
    ):
        with pytest.raises(InputError) as refused:
            call()
        assert str(refused.value) == message
    if not name.endswith(".txt"):
        assert (invoke("check", "docs").exit_code, invoke("check", "docs").stdout) == (1, f"{message}\n")
    (tmp_path / "run").write_text("1 Q0 ferry 1 2 t\n")
    done = invoke("check", "run", "--documents", "docs")
    if not name.endswith(".txt"):
        assert (done.exit_code, done.stdout.splitlines()[0]) == (1, message)
    # beside a text, other files are no documents
    (tmp_path / "docs" / "a.txt").write_text("The ferry")
    assert assay.locate(["ferry"], "docs").counts["exact"] == 1
