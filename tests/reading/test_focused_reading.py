"""Reading parts of documents: passages, elements and spans mean the same in every dialect of every format that holds
them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import assay
from assay.documents.lookup import Documents
from assay.files import source
from assay.files.source import Source
from assay.reading import frames, xml_events
from assay.reading.format import Request
from assay.reading.given import given_run
from assay.reading.read import read_judgments, read_run, run_blocks
from assay.reading.recognition import format_named, recognise
from assay.tables.ids import Ids
from assay.tables.judgments import HighlightJudgments, by_document
from assay.tables.run import ElementRun, SpanRun
from helpers.files import piped, written
from helpers.places import DATA
from helpers.samples import in_turn

# Text: Ore|Gold is heavy.|Tin is not.  The title is 0-3, the paragraphs are 3-17 and 17-28, the section is 3-28.
ORE = "<article><title>Ore</title><sec><p>Gold is heavy.</p><p>Tin is not.</p></sec></article>"
# Text: Salz löst sich.  One element.
SALT = "<article>Salz löst sich.</article>"


@pytest.fixture
def documents(tmp_path):
    """Two documents, one of them in a folder of its own."""
    folder = tmp_path / "documents"
    (folder / "co" / "2000").mkdir(parents=True)
    (folder / "ore.xml").write_text(ORE, "utf-8")
    (folder / "co" / "2000" / "salt.xml").write_text(SALT, "utf-8")
    return Documents(folder, cache=False)


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def write(content: str | bytes, name: str = "file") -> str:
        return written(content, tmp_path / name)

    return write


def numbers_of(table, topic, document, noun="line"):
    """The numbers of the lines, or of what else `noun` says, on which a topic and a document stand together."""
    places = list(table.places(topic, document))
    assert {(place.name, place.noun) for place in places} <= {(table.name, noun)}
    return [place.number for place in places]



def results(run) -> list[tuple]:
    """The rows of a run: topic, document, rank, score, and where they are."""
    columns = [
        run.topic.texts(),
        run.document.texts(),
        *(column(run, name) for name in ("rank", "score", "start", "end")),
    ]
    return list(zip(*columns, strict=True))


def column(run, name):
    values = getattr(run, name, None)
    return [None] * len(run) if values is None else values.tolist()


def passages(judgments) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The spans of each judged document, in the order of the file."""
    pairs = list(zip(judgments.topic.texts(), judgments.document.texts(), strict=True))
    found = {pair: [] for pair in pairs}
    assert len(found) == len(pairs)
    marks = judgments.highlights
    for row, start, end in zip(marks.row.tolist(), marks.start.tolist(), marks.end.tolist(), strict=True):
        found[pairs[row]].append((start, end))
    assert judgments.grade.tolist() == [int(bool(found[pair])) for pair in pairs]
    return found


def facts(judgments) -> list[tuple[int, int, int]]:
    """Length, best entry point and highlighted characters of each document, as they are told."""
    marks = judgments.highlights
    return list(zip(marks.length.tolist(), marks.entry.tolist(), marks.rsize.tolist(), strict=True))


# Passages as text.

FOL_RUN = """\
1 Q0 ore 1 2.5 tag 3 14
1 Q0 salt 2 0.5 tag 0 15
1 Q0 ore 3 0.125 tag 28 0
2 Q0 ore 1 -1e-3 tag 0 999999999999999
"""
FOL_RESULTS = [
    ("1", "ore", 1, 2.5, 3, 17), ("1", "salt", 2, 0.5, 0, 15), ("1", "ore", 3, 0.125, 28, 28),
    ("2", "ore", 1, -0.001, 0, 999999999999999),
]  # fmt: skip
FOL_QRELS = """\
1 Q0 ore 18 28 8 3:14 20:4
1 Q0 salt 0 15
2 Q0 ore 3 28 -1 0:3 5:0
2 Q0 salt 0 15 7
2 Q0 tin 0 9 0 4:0
"""
FOL_PASSAGES = {
    ("1", "ore"): [(3, 17), (20, 24)],
    ("1", "salt"): [],
    ("2", "ore"): [(0, 3)],
    ("2", "salt"): [],
    ("2", "tin"): [],
}
FOL_FACTS = [(28, 8, 18), (15, -1, 0), (28, -1, 3), (15, 7, 0), (9, 0, 0)]

WRITTEN = {
    "as it is": lambda text: text,
    "with tabs": lambda text: text.replace(" ", "\t"),
    "with repeated blanks": lambda text: text.replace(" ", " \t "),
    "with blanks at both ends": lambda text: text.replace("\n", "  \n "),
    "with form feeds": lambda text: text.replace(" Q0", "\fQ0", 2),
    "with Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "with line ends of old Macs": lambda text: text.replace("\n", "\r"),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "without a line end at the end": lambda text: text.rstrip(),
    "with comments and blank lines": lambda text: "# x\n\n" + text.replace("\n", "\n#1 2 3\n \n"),
    "compressed": lambda text: gzip.compress(text.encode()),
    "compressed otherwise": lambda text: bz2.compress(text.encode()),
}
WAYS = pytest.mark.parametrize("change", WRITTEN.values(), ids=WRITTEN)


@pytest.mark.parametrize(("way", "block"), in_turn(WRITTEN, None, 40, 7))
def test_a_run_of_passages(way, block, file, monkeypatch):
    change = WRITTEN[way]
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    path = file(change(FOL_RUN))
    run = read_run(path)
    assert results(run) == FOL_RESULTS
    assert run.by_rank and type(run) is SpanRun
    parts = [part for part in (block() for block in run_blocks(given_run(path), Request())) if part is not None]
    assert [row for part in parts for row in results(part)] == FOL_RESULTS
    assert recognise(Source(path)).name == recognise(Source(path), "run").name == "fol"


@WAYS
def test_judgments_of_passages(change, file):
    path = file(change(FOL_QRELS))
    judgments = read_judgments(path)
    assert passages(judgments) == FOL_PASSAGES
    assert facts(judgments) == FOL_FACTS
    assert recognise(Source(path)).name == recognise(Source(path), "judgments").name == "fol"


def test_places_of_passages_are_their_lines(file):
    run = read_run(file("# x\n" + FOL_RUN))
    assert numbers_of(run, "1", "ore") == [2, 4] and numbers_of(run, "2", "ore") == [5]
    assert numbers_of(read_judgments(file("\n" + FOL_QRELS)), "2", "salt") == [5]


def test_what_is_left_to_others_to_report_is_read(file):
    # rsize is not the sum, passages overlap, and one ends behind the end of the document
    judgments = read_judgments(file("1 Q0 d 7 20 0 5:10 8:30 5:10\n"))
    assert passages(judgments) == {("1", "d"): [(5, 15), (8, 38), (5, 15)]}
    assert facts(judgments) == [(20, 0, 7)]


def test_ids_of_any_letters(file):
    judgments = read_judgments(file("日本 Q0 é/ü.xml 2 9 0 1:2\n"))
    assert passages(judgments) == {("日本", "é/ü.xml"): [(1, 3)]}
    assert results(read_run(file("日本 Q0 é/ü.xml 1 1 t 1 2\n"))) == [("日本", "é/ü.xml", 1, 1.0, 1, 3)]


SPACE = st.sampled_from([" "] * 6 + ["\t", "  ", " \t"])
COUNT = st.integers(0, 10**15 - 1)


@st.composite
def qrels(draw):
    """Lines of judgments, and what stands in them."""
    text, expected = "", []
    for number in range(draw(st.integers(1, 6))):
        spans = draw(st.lists(st.tuples(st.integers(0, 10**14), st.integers(0, 10**14)), max_size=4))
        full = any(size for _, size in spans)
        rsize = draw(COUNT) if full else 0
        length, entry = draw(COUNT), draw(st.one_of(st.just(-1), COUNT)) if spans or draw(st.booleans()) else None
        fields = [
            f"t{number % 2}",
            "Q0",
            f"d{number}",
            str(rsize),
            str(length),
            *([] if entry is None else [str(entry)]),
        ]
        fields += [f"{start}:{size}" for start, size in spans]
        text += (
            draw(st.sampled_from(["", "", "\n", "# c\n"]))
            + "".join(field + draw(SPACE) for field in fields[:-1])
            + fields[-1]
        )
        text += draw(st.sampled_from(["\n", "\n", " \n", "\r\n"]))
        expected.append(((f"t{number % 2}", f"d{number}"), (length, -1 if entry is None else entry, rsize),
                         [(start, start + size) for start, size in spans if size]))  # fmt: skip
    return text, expected


@given(qrels())
def test_judgments_of_passages_of_all_kinds(made):
    text, expected = made
    judgments = read_judgments(piped(text), "fol")
    assert passages(judgments) == {pair: spans for pair, _, spans in expected}
    assert facts(judgments) == [told for _, told, _ in expected]


# Elements as text.

ELEMENTS = """\
1 Q0 ore 1 2.5 tag /article[1]/sec[1]
1 Q0 co/2000/salt 2 1.5 tag /article[1]
2 Q0 ore 1 1 tag /article[1]/title[1]
"""
RANGES = "1 Q0 ore 1 2.5 tag /article[1]/title[1] /article[1]/sec[1]/p[1]\n2 Q0 ore 1 1 tag /article[1] /article[1]\n"


@WAYS
def test_a_run_of_elements(change, file, documents):
    path = file(change(ELEMENTS))
    assert recognise(Source(path)).name == recognise(Source(path), "run").name == "elements"
    run = read_run(path)
    assert [row[:4] for row in results(run)] == [
        ("1", "ore", 1, 2.5),
        ("1", "co/2000/salt", 2, 1.5),
        ("2", "ore", 1, 1.0),
    ]
    assert run.by_rank and type(run) is ElementRun
    assert run.path.texts() == ["/article[1]/sec[1]", "/article[1]", "/article[1]/title[1]"]
    found = read_run(path, documents=documents)
    assert [(start, end) for *_, start, end in results(found)] == [(3, 28), (0, 15), (0, 3)]


@WAYS
def test_a_run_of_ranges_of_elements(change, file, documents):
    run = read_run(file(change(RANGES)), documents=documents)
    assert run.last.texts() == ["/article[1]/sec[1]/p[1]", "/article[1]"]
    assert [(start, end) for *_, start, end in results(run)] == [(0, 17), (0, 28)]


@WAYS
@pytest.mark.parametrize("block", [None, 50])
def test_elements_and_ranges_may_be_mixed(change, block, file, documents, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    run = read_run(file(change(ELEMENTS + RANGES.replace("2 Q0", "3 Q0"))), documents=documents)
    assert run.last.texts() == ["", "", "", "/article[1]/sec[1]/p[1]", "/article[1]"]
    assert [(start, end) for *_, start, end in results(run)] == [(3, 28), (0, 15), (0, 3), (0, 17), (0, 28)]


def test_a_run_that_was_read_before_gets_its_characters_later(file, documents):
    run = read_run(file(ELEMENTS))
    assert type(run) is ElementRun
    assert read_run(run, documents=documents).end.tolist() == [28, 15, 3]


# Submissions in XML.

INDRI_2005 = """\
<inex-submission participant-id="1" run-id="indri" task="CO.Thorough" query="automatic" topic-part="T">
  <description>what it is</description>
  <topic topic-id="202">
    <collections><collection>ieee</collection></collections>
    <result><file>co/2000/salt</file><path>/article[1]</path><rsv>-4.83</rsv></result>
    <result><file>ore</file><path>/article[1]/sec[1]</path><rsv>-4.5</rsv></result>
  </topic>
</inex-submission>
"""
GALILEI_2005 = """\
<?xml version="1.0"?>
<inex-submission submission-type="adhoc" participant-id="22" run-id="g" task="COS.Thorough" query="automatic">
<topic-fields title="yes" castitle="no" description="no" narrative="no" ontopic_keywords="no"/>
<description/>
<collections><collection>ieee</collection></collections>
<topic topic-id="202">
<result><file>co/2000/salt</file><path>/article[1]</path><rank>2</rank><rsv>9</rsv></result>
<result><in>x</in><file>ore</file><path>/article[1]/sec[1]</path><rank>1</rank><rsv>8</rsv></result>
</topic></inex-submission>
"""
SMART_2006 = """\
<?xml version="1.0" encoding="ISO-8859-1" ?>
<inex-submission participant-id="19" run-id="Läufe" task="RelevantInContext " query="automatic" result-type="element">
<topic-fields title="yes" mmtitle="no" castitle="no" description="yes" narrative="no"/>
<description>für alle</description>
<collections><collection>wikipedia</collection></collections>
<topic topic-id=" 414 ">
  <result><file> ore.xml </file><path> /article[1]/sec[1]/p[2] </path><rsv> 0.67 </rsv></result>
</topic>
</inex-submission>
"""
ATIRE_2007 = """\
<inex-submission participant-id="4" run-id="atire" task="Focused" query="automatic" result-type="element">
<topic topic-id="414">
<!-- from 0 -->
<result><file>ore</file><path>/article[1]/title[1]</path><rank>0</rank></result>
<result><file>ore.xml</file><path>/article[1]/sec[1]/p[1]</path><rank>1</rank></result>
</topic>
<topic topic-id="415"></topic>
</inex-submission>
"""
PASSAGES_2007 = """\
<inex-submission participant-id="4" run-id="p" task="Focused" query="automatic" result-type="passage">
<topic topic-id="414">
<result><file>ore</file><passage start="/article[1]/sec[1]/p[1]/text()[1].5" end="/article[1]/sec[1]/p[2]/text()[1].3"/></result>
<result><file>ore</file><path>/article[1]/title[1]</path></result>
</topic>
<topic topic-id="415"><result><file>ore</file><path>/article[1]</path></result></topic>
</inex-submission>
"""
FOL_2008 = """\
<inex-submission participant-id="4" run-id="f" task="Focused" query="automatic" result-type="fol">
<topic topic-id="544">
<result><file>ore</file><fol offset="3" length="14"/><rank>1</rank><rsv>3.25</rsv></result>
<result><file>ore</file><fol offset="0" length="0"/><rank>2</rank><rsv>3.5</rsv></result>
</topic>
</inex-submission>
"""
EFFICIENCY_2009 = """\
<?xml version="1.0" encoding="UTF-8"?>
<efficiency-submission participant-id="10" run-id="e" task="adhoc" type="article" query="automatic" sequential="yes" no_cpu="1"
 ram="2" no_nodes="1" hardware_cost="500" hardware_year="2008" topk="15" index_size_bytes="1" indexing_time_sec="2">
<topic-fields co_title="yes" cas_title="no" xpath_title="no" text_predicates="no" description="no" narrative="no"/>
<general_description/><ranking_description/><indexing_description/><caching_description/>
<topic topic-id="2009-Eff-228" total_time_ms="1" cpu_time_ms="1" io_time_ms="0" io_bytes="0">
<result><file>ore</file><path>/article[1]</path><rank>1</rank><rsv>2</rsv></result>
</topic>
</efficiency-submission>
"""
DIALECTS = {
    "Indri, 2005": (INDRI_2005, False, [("202", "co/2000/salt", None, -4.83, 0, 15), ("202", "ore", None, -4.5, 3, 28)]),
    "GALILEI, 2005": (GALILEI_2005, True, [("202", "co/2000/salt", 2, 9.0, 0, 15), ("202", "ore", 1, 8.0, 3, 28)]),
    "SMART, 2006": (SMART_2006, False, [("414", "ore", None, 0.67, 17, 28)]),
    "ATIRE, 2007": (ATIRE_2007, True, [("414", "ore", 0, 0.0, 0, 3), ("414", "ore", 1, -1.0, 3, 17)]),
    "passages, 2007": (
        PASSAGES_2007, True, [("414", "ore", 1, -1, 8, 20), ("414", "ore", 2, -2, 0, 3), ("415", "ore", 1, -1, 0, 28)],
    ),
    "offsets, 2008": (FOL_2008, True, [("544", "ore", 1, 3.25, 3, 17), ("544", "ore", 2, 3.5, 0, 0)]),
    "Efficiency, 2009": (EFFICIENCY_2009, True, [("2009-Eff-228", "ore", 1, 2.0, 0, 28)]),
}  # fmt: skip


def in_its_encoding(text: str) -> bytes:
    return text.encode("latin-1" if "ISO-8859-1" in text else "utf-8")


@pytest.mark.parametrize(("text", "by_rank", "expected"), DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_submission_in_xml(text, by_rank, expected, pack, file, documents):
    path = file(pack(in_its_encoding(text)))
    assert recognise(Source(path)).name == recognise(Source(path), "run").name == "inex"
    assert format_named("inex").kind_of(Source(path)) == "run"
    run = read_run(path, documents=documents)
    assert results(run) == expected
    assert run.by_rank == by_rank


@pytest.mark.parametrize("text", [INDRI_2005, FOL_2008])
@pytest.mark.parametrize(
    "change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n"), "\n".__add__]
)
def test_a_submission_may_begin_and_end_its_lines_otherwise(text, change, file):
    assert results(read_run(file(change(text)))) == results(read_run(file(text, "plain")))


def test_paths_of_a_submission_without_documents(file):
    run = read_run(file(PASSAGES_2007))
    assert type(run) is ElementRun
    assert run.path.texts() == ["/article[1]/sec[1]/p[1]/text()[1].5", "/article[1]/title[1]", "/article[1]"]
    assert run.last.texts() == ["/article[1]/sec[1]/p[2]/text()[1].3", "", ""]
    assert numbers_of(run, "414", "ore") == [3, 4]


def test_lines_of_a_long_submission_are_known(file):
    rows = "<result><file>d</file><path>/a[1]</path></result>\n" * 70_000
    run = read_run(file(f'<inex-submission>\n<topic topic-id="1">\n{rows}</topic></inex-submission>'))
    # as numbers of results where the library does not count so many lines
    noun, first = ("line", 3) if xml_events.lines_go_on() else ("result", 1)
    assert numbers_of(run, "1", "d", noun) == list(range(first, first + 70_000))
    assert run.rank[-1] == 70_000


def test_lines_that_are_not_known_are_told_as_numbers_of_results(file, monkeypatch):
    monkeypatch.setattr(xml_events, "lines_go_on", lambda: False)
    monkeypatch.setattr(xml_events, "LAST_LINE", 4)
    run = read_run(file(PASSAGES_2007))
    assert numbers_of(run, "414", "ore", "result") == [1, 2]
    with pytest.raises(assay.InputError) as caught:
        read_run(file(PASSAGES_2007.replace("<path>/article[1]/title[1]</path>", "")))
    assert str(caught.value).endswith("file: result 2: a result has no <path>, <passage> or <fol>; expected one of these")


def test_a_submission_opens_no_other_file(file, tmp_path):
    (tmp_path / "secret").write_text("ore")
    head = f'<!DOCTYPE inex-submission [<!ENTITY secret SYSTEM "file://{tmp_path}/secret">]>'
    result = "<result><file>&secret;</file><path>/a[1]</path></result>"
    text = f'{head}<inex-submission><topic topic-id="1">{result}</topic></inex-submission>'
    with pytest.raises(assay.InputError, match=r"1: a result has no <file>; expected the document id$"):
        read_run(file(text))


# Assessments in XML.

ASSESSMENTS = """\
<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool="275" topic="202" version="2">
<!-- Topic definition -->
<inex_topic topic_id="202" query_type="CO" ct_no="1"><title>metal</title></inex_topic>
 <file collection="ieee" name="ore">
   <best-entry-point path="/article[1]/sec[1]/p[1]/text()[1].0"/>
   <passage start="/article[1]/sec[1]/p[1]/text()[1].5" end="/article[1]/sec[1]/p[2]/text()[1].3" size="12"/>
   <passage start="/article[1]/title[1]" end="/article[1]/title[1]" size="3"/>
   <element path="/article[1]" exhaustivity="2" size="28" rsize="15"/>
 </file>
 <file collection="ieee" file="co/2000/salt.xml">
 </file>
 <file collection="ieee" name="lost"></file>
</assessments>
"""


def test_assessments(file, documents):
    path = file(ASSESSMENTS)
    assert (
        recognise(Source(path), "judgments").name == "inex"
        and format_named("inex").kind_of(Source(path)) == "judgments"
    )
    judgments = read_judgments(path, documents=documents)
    assert passages(judgments) == {("202", "ore"): [(8, 20), (0, 3)], ("202", "co/2000/salt"): [], ("202", "lost"): []}
    assert facts(judgments) == [(28, 3, -1), (15, -1, -1), (-1, -1, -1)]
    assert numbers_of(judgments, "202", "co/2000/salt") == [12]


def test_a_folder_of_assessments(file, documents, tmp_path):
    file(ASSESSMENTS, "pools/done/CO/main/topic-202/pool-275.xml")
    other = ASSESSMENTS.replace('"202"', '"203"').replace(
        'end="/article[1]/sec[1]/p[2]/text()[1].3"', 'end="/article[1]/sec[1]"'
    )
    file(gzip.compress(other.encode()), "pools/done/CO/others/topic-203/pool-3.xml.gz")
    file("<!ELEMENT x>", "pools/assessments.dtd")
    judgments = read_judgments(tmp_path / "pools", documents=documents)
    assert passages(judgments) == {
        ("202", "ore"): [(8, 20), (0, 3)], ("202", "co/2000/salt"): [], ("202", "lost"): [],
        ("203", "ore"): [(8, 28), (0, 3)], ("203", "co/2000/salt"): [], ("203", "lost"): [],
    }  # fmt: skip


def test_assessments_with_nothing_highlighted_need_no_documents(file):
    text = '<assessments topic="7"><file collection="c" name="a"/><file collection="c" name="b"></file></assessments>'
    assert passages(read_judgments(file(text))) == {("7", "a"): [], ("7", "b"): []}


# Genomics.

GOLD = "200\t14747618\t64716\t10\tKRÜPPEL|GAP GENE\n200\t106\t5\t3\tX\n200\t14747618\t7\t2\tANTI-DS DNA\n201\t106\t0\t1\t\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_genomics_judgments(encoding, pack, file):
    path = file(pack(GOLD.encode(encoding)))
    assert recognise(Source(path)).name == recognise(Source(path), "judgments").name == "genomics"
    assert format_named("genomics").kind_of(Source(path)) == "judgments"
    judgments = read_judgments(path)
    assert passages(judgments) == {
        ("200", "14747618"): [(64716, 64726), (7, 9)], ("200", "106"): [(5, 8)], ("201", "106"): [(0, 1)],
    }  # fmt: skip
    assert facts(judgments) == [(-1, -1, -1)] * 3
    assert numbers_of(judgments, "200", "14747618") == [1, 3]


def test_a_genomics_run(file):
    path = file("200 106 1 48.63 28426 295 york\n200 106 2 46.25 3839 339 york\n201 7 1 1 0 0 york\n")
    assert recognise(Source(path)).name == recognise(Source(path), "run").name == "genomics"
    run = read_run(path)
    assert run.by_rank
    assert results(run) == [
        ("200", "106", 1, 48.63, 28426, 28721), ("200", "106", 2, 46.25, 3839, 4178), ("201", "7", 1, 1.0, 0, 0),
    ]  # fmt: skip


def test_equal_ranks_of_a_genomics_run_are_in_the_order_of_the_track(file):
    # by the document's id as text, then by offset, then by length; the score does not count
    rows = ["9 20 5 1 7 2", "9 100 5 9 1 1", "9 20 5 2 7 1", "9 20 5 3 6 9", "9 3 4 0 0 1", "8 1 5 1 1 1"]
    run = read_run(file("".join(f"{row} t\n" for row in rows)))
    assert run.rank.tolist() == [5, 2, 4, 3, 1, 1]


# Spans in tables and in memory.

SPAN_RUN = [
    ("q1", "ore", 3, 17, 2.5),
    ("q1", "ore", 0, 3, 2.5),
    ("q1", "salt", 5, 5, 1.25),
    ("q2", "ore", 0, 28, 1 / 3),
]
SPAN_RESULTS = [("q1", "ore", None, 2.5, 3, 17), ("q1", "ore", None, 2.5, 0, 3), ("q1", "salt", None, 1.25, 5, 5),
                ("q2", "ore", None, 1 / 3, 0, 28)]  # fmt: skip
RUN_NAMES = ("topic", "document", "start", "end", "score")
SPAN_GOLD = [
    ("q1", "ore", 20, 24),
    ("q1", "salt", 0, 4),
    ("q1", "ore", 3, 17),
    ("q2", "ore", 0, 3),
    ("q2", "ore", 2, 5),
]
GOLD_NAMES = ("topic", "document", "start", "end")
SPAN_PASSAGES = {("q1", "ore"): [(20, 24), (3, 17)], ("q1", "salt"): [(0, 4)], ("q2", "ore"): [(0, 3), (2, 5)]}


@dataclass
class Chunk:
    """A record with names of its own."""

    query_id: str
    ref_doc_id: str
    chunk_id: str
    start_char_idx: int
    end_char_idx: int
    score: float = 0.0


def separated(rows, names, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in [names, *rows])


def in_parquet(rows, names) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows, names, orient="row").write_parquet(out)
    return out.getvalue()


FILES = {
    "csv": lambda rows, names: separated(rows, names),
    "csv, with other columns": lambda rows, names: separated([(*row, "x y") for row in rows], (*names, "title")),
    "csv, points": lambda rows, names: separated([(*row[:2], f"{row[2]}.0", f" {row[3]} ", *row[4:]) for row in rows], names),
    "csv, Windows": lambda rows, names: "\ufeff" + separated(rows, names).replace("\n", "\r\n"),
    "csv, blank lines": lambda rows, names: separated(rows, names).replace("\n", "\n\n"),
    "tsv": lambda rows, names: separated(rows, names, "\t"),
    "gzip": lambda rows, names: gzip.compress(separated(rows, names).encode()),
    "jsonl": lambda rows, names: "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows),
    "parquet": in_parquet,
    "parquet in gzip": lambda rows, names: gzip.compress(in_parquet(rows, names)),
}  # fmt: skip
OBJECTS = {
    "tuples": lambda rows, names: list(rows),
    "lists": lambda rows, names: [list(row) for row in rows],
    "a generator": lambda rows, names: iter(rows),
    "dicts": lambda rows, names: [dict(zip(names, row, strict=True)) for row in rows],
    "numpy": lambda rows, names: [(*row[:2], *map(np.int32, row[2:4]), *row[4:]) for row in rows],
    "dataclasses": lambda rows, names: [Chunk(row[0], row[1], f"c{n}", *row[2:]) for n, row in enumerate(rows)],
    "pandas": lambda rows, names: pd.DataFrame(rows, columns=names),
    "polars": lambda rows, names: pl.DataFrame(rows, names, orient="row"),
    "polars, lazy": lambda rows, names: pl.LazyFrame(rows, names, orient="row"),
    "Arrow": lambda rows, names: pl.DataFrame(rows, names, orient="row").to_arrow(),
    "an Arrow reader": lambda rows, names: pa.RecordBatchReader.from_batches(
        (table := pl.DataFrame(rows, names, orient="row").to_arrow()).schema, table.to_batches()
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_spans_in_files(make, file):
    run = read_run(file(make(SPAN_RUN, RUN_NAMES), "run"))
    assert results(run) == SPAN_RESULTS and not run.by_rank
    assert passages(read_judgments(file(make(SPAN_GOLD, GOLD_NAMES), "gold"))) == SPAN_PASSAGES


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_spans_in_memory(make):
    assert results(read_run(make(SPAN_RUN, RUN_NAMES))) == SPAN_RESULTS
    if make is not OBJECTS["dataclasses"]:
        assert passages(read_judgments(make(SPAN_GOLD, GOLD_NAMES))) == SPAN_PASSAGES


def test_spans_in_dicts():
    gold = {"q1": {"ore": [(20, 24), (3, 17)], "salt": [(0, 4)], "tin": []}, "q2": {"ore": [[0, 3], [2, 5]]}}
    assert passages(read_judgments(gold)) == SPAN_PASSAGES | {("q1", "tin"): []}
    listed_gold = {"q1": [("ore", 20, 24), ("salt", 0, 4), ("ore", 3, 17)], "q2": [("ore", 0, 3), ("ore", 2, 5)]}
    assert passages(read_judgments(listed_gold)) == SPAN_PASSAGES
    scored = {"q1": [("ore", 3, 17, 2.5), ("ore", 0, 3, 2.5), ("salt", 5, 5, 1.25)], "q2": [("ore", 0, 28, 1 / 3)]}
    assert results(read_run(scored)) == SPAN_RESULTS
    ranked = {"q1": [("ore", 3, 17), ["ore", 0, 3]], 2: [(7, 0, 28)], "q3": []}
    assert results(read_run(ranked)) == [
        ("q1", "ore", None, 0, 3, 17),
        ("q1", "ore", None, -1, 0, 3),
        ("2", "7", None, 0, 0, 28),
    ]


NAMED = [
    ("query_id", "doc_id", "start", "end"),
    ("qid", "docid", "start_char", "end_char"),
    ("query", "document", "start_index", "end_index"),
    ("qid", "ref_doc_id", "start_char_idx", "end_char_idx"),
    ("Topic", "DOC", "Span_Start", "span_end"),
    ("qid", "doc", "begin", "to"),
    ("qid", "doc", "from", "end"),
]


@pytest.mark.parametrize("names", NAMED, ids=" ".join)
def test_columns_of_spans_have_many_names(names, file):
    assert results(read_run(file(separated(SPAN_RUN, (*names, "score"))))) == SPAN_RESULTS
    assert passages(read_judgments(file(separated(SPAN_GOLD, names)))) == SPAN_PASSAGES


@pytest.mark.parametrize("names", [("offset", "length"), ("start", "span_length"), ("begin", "length")])
def test_a_length_may_stand_for_the_end(names, file):
    run = [(*row[:3], row[3] - row[2], row[4]) for row in SPAN_RUN]
    assert results(read_run(file(separated(run, ("topic", "document", *names, "score"))))) == SPAN_RESULTS


def test_a_length_beside_an_end_must_agree_with_it(file):
    names = ("topic", "document", "start", "end", "length", "score")
    right = [(*row[:4], row[3] - row[2], row[4]) for row in SPAN_RUN]
    assert results(read_run(file(separated(right, names)))) == SPAN_RESULTS
    path = file(separated([*right[:2], (*SPAN_RUN[2][:4], 999, SPAN_RUN[2][4]), *right[3:]], names))
    with pytest.raises(assay.InputError) as error:
        read_run(path)
    _, _, start, end, _ = SPAN_RUN[2]
    wrong = f"length 999 contradicts start {start} and end {end}; expected length {end - start} or no length"
    assert str(error.value) == f"{path}:4: {wrong}"


@pytest.mark.parametrize("part", ["chunk_id", "passage_id", "chunk", "pid"])
def test_beside_spans_a_document_is_no_part_of_one(part, file):
    rows = [(row[0], f"c{number}", *row[1:]) for number, row in enumerate(SPAN_RUN)]
    assert (
        results(read_run(file(separated(rows, ("topic", part, "ref_doc_id", "start", "end", "score"))))) == SPAN_RESULTS
    )
    # without another name it is the document all the same
    assert results(read_run(file(separated(SPAN_RUN, ("topic", part, "start", "end", "score"))))) == SPAN_RESULTS


def test_grades_lengths_and_entry_points_of_spans(file):
    rows = [
        ("1", "ore", 3, 17, 2, 28, 8),
        ("1", "salt", 0, 0, 0, "", ""),
        ("1", "ore", 20, 24, 1, "", ""),
        ("1", "ore", 0, 3, 0, 28, 8),
        ("2", "ore", 0, 3, -1, 28, ""),
    ]
    text = separated(rows, ("qid", "docid", "start", "end", "grade", "doc_length", "bep"))
    for judgments in (read_judgments(file(text)), read_judgments(file(text.replace(",", "\t")))):
        assert passages(judgments) == {("1", "ore"): [(3, 17), (20, 24)], ("1", "salt"): [], ("2", "ore"): []}
        assert facts(judgments) == [(28, 8, -1), (-1, -1, -1), (28, -1, -1)]


def test_labels_that_are_no_numbers_are_no_grades(file):
    names = (*GOLD_NAMES, "label")
    named = separated([(*row, "significantly decreased") for row in SPAN_GOLD], names)
    assert passages(read_judgments(file(named))) == SPAN_PASSAGES
    graded = separated([(*row, int(row[1] == "ore")) for row in SPAN_GOLD], names)
    assert passages(read_judgments(file(graded))) == SPAN_PASSAGES | {("q1", "salt"): []}


def test_the_rank_column_of_a_table_does_not_tell_the_order(file):
    ranked = separated([(*row, number) for number, row in enumerate(SPAN_RUN)], (*RUN_NAMES, "rank"))
    run = read_run(file(ranked))
    assert not run.by_rank and run.rank.tolist() == [0, 1, 2, 3]
    assert not next(run_blocks(given_run(file(ranked)), Request()))().by_rank
    documents = separated(
        [(t, d, s, n) for n, (t, d, _, _, s) in enumerate(SPAN_RUN)], ("topic", "document", "score", "rank")
    )
    assert not read_run(file(documents)).by_rank and next(run_blocks(given_run(file(documents)), Request()))().rank.tolist()[:3] == [0, 1, 2]


def test_spans_without_names(file):
    text = "q1\t1\tmy ore.pdf\t3\t17\t2.5\nq1\t2\tmy ore.pdf\t0\t3\t2.5\n"
    path = file(text)
    assert recognise(Source(path)).name == recognise(Source(path), "run").name == "spans"
    assert format_named("spans").kind_of(Source(path)) == "run"
    run = read_run(path)
    assert results(run) == [("q1", "my ore.pdf", 1, 2.5, 3, 17), ("q1", "my ore.pdf", 2, 2.5, 0, 3)]
    assert not run.by_rank and numbers_of(run, "q1", "my ore.pdf") == [1, 2]
    gold = file("q1\tmy ore.pdf\t3\t17\n\nq1\tsalt\t0\t2\n", "gold")
    assert format_named("spans").kind_of(Source(gold)) == "judgments"
    judgments = read_judgments(gold, "spans")
    assert passages(judgments) == {("q1", "my ore.pdf"): [(3, 17)], ("q1", "salt"): [(0, 2)]}
    assert numbers_of(judgments, "q1", "salt") == [3]


def test_gold_of_spans_without_names_is_recognised(file):
    gold = "1\ta\t0\t5\n1\ta\t64\t90\n2\tdoc 7\t64\t90\n"
    for content in (gold, gold.replace("\n", "\r\n"), gold[:-1], "# topic document start end\n" + gold):
        path = file(content)
        assert recognise(Source(path)).name == recognise(Source(path), "judgments").name == "spans"
    judgments = read_judgments(file(gold))
    assert passages(judgments) == {("1", "a"): [(0, 5), (64, 90)], ("2", "doc 7"): [(64, 90)]}
    # one faulty line of ten is reported as such
    faulty = "".join(f"1\ta\t{at}\t{at + 5}\n" for at in range(9)) + "1\ta\t90\t64\n"
    assert recognise(Source(file(faulty)), "judgments").name == "spans"


@pytest.mark.parametrize("lines", [
    "1\t0\t7\t8\n1\t0\t5\t9\n",
    "1\tQ0\t0\t1\n1\tQ0\t1\t2\n",
    "1\t1\t0\t1\n1\t2\t0\t2\n",
    "1\titer\td1\t1\n1\titer\td2\t0\n",
    "1\tSYS1\t0\t2\n1\tSYS1\t1\t3\n2\tSYS1\t0\t1\n",
    "1\titer\t12\t1\n1\titer\t13\t0\n",
])  # fmt: skip
def test_qrels_with_tabs_are_no_spans(lines, file):
    for kind in (None, "judgments"):
        assert recognise(Source(file(lines)), kind).name == "trec"
    assert not isinstance(read_judgments(file(lines)), HighlightJudgments)


def test_gold_of_spans_whose_documents_are_numbers_looks_like_qrels_and_a_note_says_so(file):
    for lines, documents in (("1\t7\t0\t5\n1\t7\t64\t90\n", ["0", "64"]), ("1\tSYS1\t0\t2\n1\tSYS1\t1\t3\n", ["0", "1"])):
        judgments = read_judgments(file(lines))
        assert judgments.document.texts() == documents
        assert judgments.notes[-1] == (
            "the third field is less than the fourth, so these may be spans (topic document start end); "
            "if so, convert them to jsonl with format=spans"
        )
    assert not any("spans" in note for note in read_judgments(file("1\t0\t7\t8\n")).notes)


@pytest.mark.parametrize(("given", "noun", "expected"), [
    (separated(SPAN_RUN, RUN_NAMES), "line", [2, 3]),
    (separated(SPAN_RUN, RUN_NAMES).replace("\n", "\n\n"), "line", [3, 5]),
    (in_parquet(SPAN_RUN, RUN_NAMES), "row", [1, 2]),
])  # fmt: skip
def test_places_of_spans(given, noun, expected, file):
    run = read_run(file(given))
    assert numbers_of(run, "q1", "ore", noun) == expected
    gold = read_judgments(file(separated(SPAN_GOLD, GOLD_NAMES)))
    assert numbers_of(gold, "q1", "ore") == [2, 4] and numbers_of(gold, "q1", "nothing") == []


# Blocks of whole topics.


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("form", ["csv", "parquet", "polars", "pandas"])
def test_tables_are_read_some_whole_topics_at_a_time(rows, form, file, monkeypatch):
    monkeypatch.setattr(frames, "ROWS", rows)
    # a line of the file has eleven or twelve characters
    monkeypatch.setattr(source, "BLOCK", 12 * rows)
    sizes = [1, 5, 2, 2, 9, 1, 1, 3]
    table = [(f"t{n}", f"d{n}", i, i + 1, -i) for n, size in enumerate(sizes) for i in range(size)]
    given = FILES[form](table, RUN_NAMES) if form in FILES else OBJECTS[form](table, RUN_NAMES)
    given = file(given) if form in FILES else given
    blocks = [block() for block in run_blocks(given_run(given), Request())]
    assert [row for block in blocks for row in results(block)] == [(t, d, None, s, a, b) for t, d, a, b, s in table]
    for before, after in pairwise(blocks):
        assert set(before.topic.texts()).isdisjoint(after.topic.texts())
    # what is read at once is not cut
    assert (len(blocks) == 1) is (rows > 20)
    first = 2 if form == "csv" else 1
    noun = "line" if form == "csv" else "row"
    pairs = [(block, topic) for block in blocks for topic in set(block.topic.texts())]
    places = {topic: numbers_of(block, topic, topic.replace("t", "d"), noun) for block, topic in pairs}
    assert places == {
        f"t{n}": list(range(first + sum(sizes[:n]), first + sum(sizes[: n + 1]))) for n in range(len(sizes))
    }
    assert len(list(run_blocks(given_run(given), Request(gather=True)))) == 1


def test_a_reader_that_reads_once_is_held_as_a_frame(monkeypatch):
    monkeypatch.setattr(frames, "ROWS", 1)
    blocks = list(run_blocks(given_run(OBJECTS["an Arrow reader"](SPAN_RUN, RUN_NAMES)), Request()))
    assert sum(len(block()) for block in blocks) == len(SPAN_RUN)


def test_scattered_topics_of_a_table_are_gathered(file, monkeypatch):
    monkeypatch.setattr(frames, "ROWS", 2)
    rows = [(t, f"d{i}", -i) for i in range(6) for t in ("1", "2")]
    judged = {"1": {"d3": 1}, "2": {"d0": 1}}
    scores = assay.evaluate(judged, {"run": file(separated(rows, ("topic", "document", "score")))}, ["RR"])
    assert (scores["run", "RR", "1"], scores["run", "RR", "2"]) == (1 / 4, 1)


PAIRS = st.tuples(st.sampled_from(["1", "12", "x" * 9]), st.sampled_from(["d", "2d", "y" * 17, "é"]))


@given(st.lists(PAIRS))
@example([("1", "2d"), ("12", "d"), ("1", "2d")])
def test_rows_are_grouped_by_topic_and_document(pairs):
    first, group = by_document(Ids.of([topic for topic, _ in pairs]), Ids.of([document for _, document in pairs]))
    kept = list(dict.fromkeys(pairs))
    assert [pairs[row] for row in first] == kept
    assert group.tolist() == [kept.index(pair) for pair in pairs]
    assert first.tolist() == [pairs.index(pair) for pair in kept]


# What a file is.

FIRST_LINES = {
    "1 Q0 d1 1 2.5 tag\n": ("trec", "run"),
    "1 Q0 d1 1 2.5 a tag\n": ("trec", "run"),
    "1 Q0 d1 1 2.5 tag 2\n": ("trec", "run"),
    "1 Q0 d1 1 2.5 tag no 2\n": ("trec", "run"),
    "1 Q0 17 1 5 7 tag\n": ("trec", "run"),
    "1\tQ0\td1\t1\t2.5\ttag\n": ("trec", "run"),
    "1\t0\t17\t1\t5\t3\n1\t0\t18\t2\t4\t3\n": ("trec", "run"),
    "1 0 d1 1\n": ("trec", "judgments"),
    "1 0 d1 1 more\n": ("trec", "judgments"),
    "1\t0\t17\t1\tnote\n": ("trec", "judgments"),
    "1 0 17 1 60\n": ("trec", "judgments"),
    "1 Q0 d1 1 2.5 tag 0 5\n": ("fol", "run"),
    "1 Q0 d1 1 2.5 tag X X\n": ("fol", "run"),
    "1 Q0 d1 1 2.5 tag -1 -1\n": ("fol", "run"),
    "# c\n\n1 Q0 d1 1 2.5 tag 0 5 more\n": ("fol", "run"),
    "1 Q0 d1 5 100 7 3:5\n": ("fol", "judgments"),
    "1 Q0 d1 0 100\n1 Q0 d2 5 100 7 3:5\n": ("fol", "judgments"),
    "1 Q0 d1 0 100\n": ("fol", "judgments"),
    "1 Q0 d1 1 2.5 tag /article[1]\n": ("elements", "run"),
    "1 Q0 d1 1 2.5 tag /a[1] /b[1]\n": ("elements", "run"),
    "200 106 1 48.63 28426 295 tag\n": ("genomics", "run"),
    "200\t106\t28426\t295\tA|B\n": ("genomics", "judgments"),
    "q\t1\td\t0\t5\t2.5\n": ("spans", "run"),
    "q\t1\td\t0\t5\t2.5\nq\t2\td\t5\t9\t1\n": ("spans", "run"),
    "topic,document,start,end,score\n": ("csv", "run"),
    "topic,document,start,end\n": ("csv", "judgments"),
    "topic,document,offset,length,grade\n": ("csv", "judgments"),
    "qid\tdocid\trel\n": ("tsv", "judgments"),
    "qid\tdocid\tscore\n": ("tsv", "run"),
    '{"qid": 1, "docid": 2, "start": 0, "end": 1}\n': ("jsonl", "judgments"),
    '{"qid": 1, "docid": 2, "start": 0, "end": 1, "rank": 1}\n': ("jsonl", "run"),
    "<inex-submission>\n<topic/></inex-submission>": ("inex", "run"),
    "\n<?xml version='1.0'?>\n<efficiency-submission/>": ("inex", "run"),
    "<!-- x --><assessments topic='1'/>": ("inex", "judgments"),
    "<1> Q0 d1 1 2.5 tag\n": ("trec", "run"),
}


@pytest.mark.parametrize("text", FIRST_LINES)
def test_the_format_and_the_kind_of_a_file_are_told_by_its_first_lines(text, file):
    form, kind = FIRST_LINES[text]
    held = Source(file(text.lstrip("\n") if text.startswith("\n<?") else text))
    assert (recognise(held).name, format_named(form).kind_of(held)) == (form, kind)
    assert recognise(held, kind).name == form


def test_a_format_that_only_runs_have_is_not_that_of_judgments(file):
    assert passages(read_judgments(file(FOL_QRELS), "elements")) == FOL_PASSAGES


@pytest.mark.parametrize("content", [FOL_RUN, "1 Q0 d 1 1 t\n"], ids=["passages", "TREC"])
def test_lines_are_read_without_polars_and_lxml(content, file):
    path = file(content)
    code = f"import sys, assay; assay.read_run({path!r}); print(sorted({{'polars', 'lxml'}} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    code = code.replace("read_run", "read_judgments").replace(path, file(FOL_QRELS, "qrels"))
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# Real data.


@pytest.mark.shared("inex")
def test_the_judgments_of_inex_2009_and_2010():
    path = DATA / "inex" / "inex2009-2010.technion.qrels.gz"
    judgments = read_judgments(path)
    expected = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, document, *_, = fields = line.split()
        spans = [tuple(map(int, passage.split(":"))) for passage in fields[6:]]
        expected[topic, document] = [(start, start + size) for start, size in spans if size]
    assert passages(judgments) == expected and len(expected) == 10_329
    assert judgments.highlights.rsize.tolist() == [
        sum(end - start for start, end in spans) for spans in expected.values()
    ]


@pytest.mark.shared("inex")
@pytest.mark.parametrize("name", ["bert.focused", "bert.ric", "bert.bic", "ideal.passages"])
def test_the_runs_of_passages_of_inex(name):
    path = DATA / "inex" / f"{name}.fol.run.gz"
    rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    expected = [(t, d, int(r), float(s), int(o), int(o) + int(n)) for t, _, d, r, s, _, o, n in rows]
    assert results(read_run(path)) == expected


@pytest.mark.shared("genomics-2007")
def test_the_gold_passages_and_runs_of_genomics():
    gold = DATA / "genomics-2007" / "trecgen2007.gold.standard.tsv.gz"
    expected = {}
    for line in gzip.decompress(gold.read_bytes()).decode("latin-1").splitlines():
        topic, document, offset, length, _ = line.split("\t")
        expected.setdefault((topic, document), []).append((int(offset), int(offset) + int(length)))
    assert passages(read_judgments(gold)) == expected and sum(map(len, expected.values())) == 4492
    run = DATA / "genomics-2007" / "york-experimental-02.run.gz"
    rows = [line.split() for line in gzip.decompress(run.read_bytes()).decode().splitlines()]
    expected = [(t, d, int(r), float(s), int(o), int(o) + int(n)) for t, d, r, s, o, n, _ in rows]
    assert results(read_run(run)) == expected


@pytest.mark.shared("spans")
@pytest.mark.parametrize("collection", ["chroma-chunking-eval", "evidence-inference-v2", "covid-qa", "clapnq"])
def test_the_spans_of_question_answering(collection):
    folder = DATA / "spans" / collection
    expected = {}
    for line in (folder / "gold.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        expected.setdefault((row["query_id"], row["doc_id"]), []).append((row["start"], row["end"]))
    assert passages(read_judgments(folder / "gold.jsonl")) == expected
    for path in (folder / "runs").glob("*.tsv"):
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        assert results(read_run(path)) == [(t, d, int(r), float(s), int(a), int(b)) for t, r, d, a, b, s in rows]
