"""Bad files of passages, elements and spans: one line that says where and why, whole; never a traceback."""

from __future__ import annotations

import gzip
import io
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.documents.lookup import Documents
from assay.files import source
from assay.reading.read import read_judgments, read_run
from helpers.cases import Case
from helpers.files import written
from helpers.samples import in_turn

RUN_FIELDS = "topic Q0 document rank score tag offset length"
NOT_KNOWN = (
    "means that the result has no known offset; `assay inex_eval` counts such a result as 18 characters, "
    "as the official program does"
)
LOOK_LIKE_JUDGMENTS = "; these look like judgments: pass judgments first, then the runs"
ENDS = "end, end_char, char_end, end_index, end_char_idx, span_end, end_offset, to, length, span_length"
GIVE_DOCUMENTS = (
    "the passages are element paths, and Assay needs the documents to find their characters; pass documents="
)


def fol_run(*fields: str) -> str:
    """A run whose second line has some other fields at its end."""
    return "1 Q0 d1 1 2.5 tag 0 5\n1 Q0 d2 2 1.5 tag " + " ".join(fields) + "\n"


def fol_qrels(*fields: str) -> str:
    """Judgments whose second line has some other fields at its end."""
    return "1 Q0 d1 5 100 0 0:5\n1 Q0 d2 " + " ".join(fields) + "\n"


def elements(*fields: str) -> str:
    return "1 Q0 d1 1 2.5 tag /a[1]\n1 Q0 d2 2 1.5 tag " + " ".join(fields) + "\n"


def submission(result: str, root: str = "inex-submission") -> str:
    """A submission whose second result, on line 4, is another one."""
    first = "<result><file>d1</file><path>/a[1]</path></result>"
    return f'<{root} run-id="x">\n<topic topic-id="1">\n{first}\n{result}\n</topic>\n</{root}>\n'


def ranked(*results: str) -> str:
    """A submission with these ranks and values, the first on line 2."""
    rows = "".join(f"<result><file>d</file><path>/a[1]</path>{result}</result>\n" for result in results)
    return f'<inex-submission><topic topic-id="1">\n{rows}</topic></inex-submission>'


def assessments(file: str, first: str = "d1") -> str:
    """Assessments whose second file, on line 3, is another one."""
    return f'<assessments topic="7">\n<file name="{first}"/>\n{file}\n</assessments>\n'


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


SPANS = "topic,document,start,end,score\n1,d1,0,5,2.5\n1,d2,{},{},1.5\n"
GOLD = "topic,document,start,end\n1,d1,0,5\n1,d2,{},{}\n"

LINES = [
    Case(f"r:2: expected 8 fields ({RUN_FIELDS}), found 7: '1 Q0 d2 2 1.5 tag 3'", fol_run("3")),
    Case(f"r:2: expected 8 fields ({RUN_FIELDS}), found 6: '1 Q0 d2 2 1.5 tag'", fol_run()),
    Case(f"r:2: offset 'X' {NOT_KNOWN}", fol_run("X", "X")),
    Case(f"r:2: offset '-1' {NOT_KNOWN}", fol_run("-1", "5")),
    Case(f"r:1: offset 'x' {NOT_KNOWN}", "1 Q0 d1 1 2.5 tag x x\n"),
    Case("r:2: offset '-2' is negative", fol_run("-2", "5")),
    Case("r:2: offset '1.5' is not a whole number", fol_run("1.5", "5")),
    Case("r:2: offset '1000000000000000' is too large; expected at most 15 digits", fol_run("1" + "0" * 15, "5")),
    Case("r:2: length '-1' is negative", fol_run("3", "-1")),
    Case("r:2: length 'X' is not a whole number", fol_run("3", "X")),
    Case("r:2: length '5:6' is not a whole number", fol_run("3", "5:6")),
    Case("r:2: rank 'first' is not a whole number", fol_run("3", "5").replace("d2 2", "d2 first")),
    Case("r:2: score 'x' is not a number", fol_run("3", "5").replace("1.5", "x")),
    Case("r:4: length '-3' is negative", "# c\r\n\r\n" + fol_run("3", "-3").replace("\n", "\r\n")),
    Case("r:2: not UTF-8 (byte 0xE9); convert the file, for example with iconv", fol_run("3", "5").replace("d2", "d\xe9").encode("latin-1")),
    Case("r:2: not a text file (it has a zero byte here); expected a run of passages", fol_run("3", "5\0")),
    Case(f"r:1: offset '0:5' is not a whole number{LOOK_LIKE_JUDGMENTS}", "1 Q0 d1 5 100 0 0:5 7:2\n"),
    Case(f"r:1: expected 8 fields ({RUN_FIELDS}), found 7: '1 Q0 d1 5 100 0 0:5'{LOOK_LIKE_JUDGMENTS}", "1 Q0 d1 5 100 0 0:5\n"),
    Case("r:2: expected 7 fields (topic Q0 document rank score tag path), found 6: '1 Q0 d2 2 1.5 tag'", elements()),
    Case("r:2: path 'sec[1]' does not begin with /; expected for example /article[1]/sec[2]", elements("sec[1]")),
    Case("r:2: last path 'sec[1]' does not begin with /; expected for example /article[1]/sec[2]", elements("/sec[1]", "sec[1]")),
    Case("r:3: rank '1.5' is not a whole number; expected topic Q0 document rank score tag path: are rank and score swapped?",
         elements("/a[1] /b[1]") + "1 Q0 d3 1.5 1 tag /a[1]\n"),
    Case("r:2: score 'nan' is not a finite number", elements("/a[1]").replace("1.5", "nan")),
    Case("r:2: offset '-5' is negative", "200 106 1 48.63 0 295 t\n200 107 2 1 -5 2 t\n"),
    Case("r:2: expected 7 fields (topic document rank score offset length tag), found 6: '200 107 2 1 5 2'",
         "200 106 1 48.63 0 295 t\n200 107 2 1 5 2\n"),
    Case("r: the input is empty; expected a run", "# nothing", "fol"),
    Case("r: the input is empty; expected a run", "\n \n", "elements"),
    Case("r: the input is empty; expected a run", "", "genomics"),
]  # fmt: skip

XML = [
    Case("r:4: a result has no <file>; expected the document id", submission("<result><path>/a[1]</path></result>")),
    Case("r:4: a result has no <file>; expected the document id", submission("<result><file> </file><path>/a[1]</path></result>")),
    Case("r:4: a result has no <path>, <passage> or <fol>; expected one of these", submission("<result><file>d2</file><rank>2</rank></result>")),
    Case("r:4: path '' does not begin with /; expected for example /article[1]/sec[2]", submission("<result><file>d2</file><path/></result>")),
    Case("r:4: path 'a[1]' does not begin with /; expected for example /article[1]/sec[2]",
         submission("<result><file>d2</file><path>a[1]</path></result>")),
    Case("r:4: a result has both <path> and <passage>; expected one place",
         submission('<result><file>d2</file><path>/a[1]</path><passage start="/a[1]" end="/a[1]"/></result>')),
    Case("r:4: <passage> has no end", submission('<result><file>d2</file><passage start="/a[1]"/></result>')),
    Case("r:4: some results have element paths and others <fol>; expected one kind in a run",
         submission('<result><file>d2</file><fol offset="0" length="1"/></result>')),
    Case("r:2: <fol> has no length", '<inex-submission><topic topic-id="1">\n<result><file>d</file><fol offset="0"/></result>'
         "</topic></inex-submission>"),
    Case(f"r:1: offset 'X' {NOT_KNOWN}", '<inex-submission><topic topic-id="1"><result><file>d</file><fol offset="X" length="X"/>'
         "</result></topic></inex-submission>"),
    Case("r:1: length '-2' is negative", '<inex-submission><topic topic-id="1"><result><file>d</file><fol offset="1" length="-2"/>'
         "</result></topic></inex-submission>"),
    Case("r:3: rank 'x' is not a whole number", ranked("<rank>1</rank>", "<rank>x</rank>")),
    Case("r:3: rank '1.5' is not a whole number", ranked("<rank>1</rank>", "<rank>1.5</rank>")),
    Case("r:3: rsv 'inf' is not a finite number", ranked("<rsv>1</rsv>", "<rsv>inf</rsv>")),
    Case("r:3: a result has no <rank>, but others do", ranked("<rank>1</rank>", "<rsv>1</rsv>")),
    Case("r:3: a result has no <rsv>, but others do", ranked("<rsv>1</rsv>", "")),
    Case("r:2: a <topic> has no topic-id; expected the topic as this attribute", "<inex-submission>\n<topic>\n</topic></inex-submission>"),
    Case("r: the input is empty; expected a run", '<inex-submission><topic topic-id="1"/></inex-submission>'),
    Case("r: this is a submission of snippets; Assay evaluates only whole documents and their parts",
         '<inex-snippet-submission run-id="x"><topic topic-id="1"><snippet rsv="1" doc-id="d">text</snippet></topic>'
         "</inex-snippet-submission>"),
    Case("r: these are judgments (INEX assessments); expected a run: pass judgments first, then the runs", assessments("")),
    Case("r: unknown XML element <inex-topic-file>; expected <inex-submission> or <efficiency-submission>",
         "<inex-topic-file><topic id='1'/></inex-topic-file>"),
    Case("r: UTF-16, not UTF-8; convert the file, for example with iconv", submission("").encode("utf-16")),
]  # fmt: skip

TABLES = [
    Case("r:3: start is missing", SPANS.format("", 5)),
    Case("r:3: end is missing", SPANS.format(3, "")),
    Case("r:3: start '-1' is negative", SPANS.format(-1, 5)),
    Case("r:3: start '1.5' is not a whole number", SPANS.format(1.5, 5)),
    Case("r:3: end 'x' is not a whole number", SPANS.format(3, "x")),
    Case("r:3: start 7 is after end 5", SPANS.format(7, 5)),
    Case("r:3: end '1e15' is too large; expected at most 15 digits", SPANS.format(7, "1e15")),
    Case("r:3: length '-2' is negative", SPANS.replace("end", "length").format(7, -2)),
    Case("r: row 2: start is missing", parquet(topic=[1, 1], document=["d", "e"], start=[0, None], end=[1, 2], score=[1, 2])),
    Case("r: row 2: start 3 is after end 2", parquet(topic=[1, 1], document=["d", "e"], start=[0, 3], end=[1, 2], score=[1, 2])),
    Case(f"r: a column start_index without a column for the end; expected one of {ENDS}",
         "topic,document,start_index,score\n1,d,0,1\n"),
    Case(
        "r: no score or rank column; the columns are topic, document, start, end; if the rows are sorted best first, add a column rank; if these are judgments, pass judgments first, then the runs",
        "topic,document,start,end\n1,d,0,1\n",
    ),
    Case("r:2: start is missing", '{"topic": 1, "document": 2, "start": 0, "end": 5, "score": 1}\n'
         '{"topic": 1, "document": 2, "start": null, "end": 5, "score": 1}\n'),
    Case("r:2: start 5 is after end 3", "q\t1\td\t0\t5\t2.5\nq\t2\td\t5\t3\t2\n"),
    Case("r:2: expected 6 values (topic, rank, document, start, end, score), found 7", "q\t1\td\t0\t5\t2.5\nq\t2\td\t5\t9\t2\tx\n"),
    Case("r:3: score is missing", "q\t1\td\t0\t5\t2.5\n\nq\t2\td\t5\t9\n"),
    Case("r: expected 6 values (topic, rank, document, start, end, score) or 4 values (topic, document, start, end) separated by tabs, found 1: '1 Q0 d 1 1 t'", "1 Q0 d 1 1 t\n", "spans"),
]  # fmt: skip

LOOKS = "this looks like judgments of passages (topic Q0 document rsize length bep offset:length)"
INSTEAD = "expected TREC qrels (topic iteration document grade)"
JUDGED_LINES = [
    Case("q:2: expected 5 fields (topic Q0 document rsize length), found 4: '1 Q0 d2 5'", fol_qrels("5")),
    Case("q:2: rsize is 60 but no passage is highlighted", fol_qrels("60", "100")),
    Case("q:2: rsize is 60 but no passage is highlighted", fol_qrels("60", "100", "7")),
    Case("q:2: rsize is 60 but no passage is highlighted", fol_qrels("60", "100", "7", "5:0")),
    Case("q:2: rsize '-1' is negative", fol_qrels("-1", "100", "7", "5:5")),
    Case("q:2: rsize 'x' is not a whole number", fol_qrels("x", "100", "7", "5:5")),
    Case("q:2: length '99.5' is not a whole number", fol_qrels("5", "99.5", "7", "5:5")),
    Case("q:2: length '1e20' is too large; expected at most 15 digits", fol_qrels("5", "1e20", "7", "5:5")),
    Case("q:2: bep '-2' is negative", fol_qrels("5", "100", "-2", "5:5")),
    Case("q:2: bep '5:5' is not a whole number", fol_qrels("5", "100", "5:5")),
    Case("q:2: passage '5-10' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "5-10")),
    Case("q:2: passage '5:' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "5:")),
    Case("q:2: passage ':5' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "1:2", ":5")),
    Case("q:2: passage '1:2:3' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "1:2:3")),
    Case("q:2: passage '-1:2' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "-1:2")),
    Case("q:2: passage '1:-2' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "1:-2")),
    Case("q:2: passage '1:x' is not two whole numbers offset:length", fol_qrels("5", "100", "7", "1:x")),
    Case("q:2: passage '1:1000000000000000' is not two whole numbers offset:length", fol_qrels("5", "100", "7", f"1:1{'0' * 15}")),
    Case("q:5: passage '7' is not two whole numbers offset:length",
         "# c\n\n" + fol_qrels("0", "100").replace("\n", "\r\n") + "2 Q0 d1 5 100 0 7\n"),
    Case("q:2: document has 70,000 bytes; expected an id of at most 65,535", fol_qrels("0", "100").replace("d2", "d" * 70_000)),
    Case("q:2: not UTF-8 (byte 0xE9); convert the file, for example with iconv", fol_qrels("0", "100").replace("d2", "d\xe9").encode("latin-1")),
    Case("q:2: not a text file (it has a zero byte here); expected judgments of passages", fol_qrels("0", "100", "\0")),
    Case("q: the input is empty; expected judgments", "# c\n\n", "fol"),
    Case("q:1: this looks like a run (topic Q0 document rank score tag); expected judgments (topic iteration document grade): pass judgments first, then the runs", fol_run("3", "5")),
    Case(f"q:1: {LOOKS}, but length '-' is not a whole number; {INSTEAD}", "1 Q0 a 5 - 0 3:5\n1 Q0 b 6 - 0 0:6\n"),
    Case(f"q:3: {LOOKS}, but length 'X' is not a whole number; {INSTEAD}", "1 Q0 c 0 X\n# a 5 - 0 3:5\n 1 Q0 a 5 X 0 3:5\n"),
    Case(f"q:2: {LOOKS}, but length '3:5' is not a whole number; {INSTEAD}", "1 0 a 1\n1 0 b 5 3:5\n"),
    Case("q:2: this looks like a run (topic Q0 document rank score tag); expected judgments (topic iteration document grade): pass judgments first, then the runs", "1 0 a 1\n1 Q0 a 1 2.5 t\n"),
    Case("q:2: offset 'x' is not a whole number", "200\t106\t5\t3\tA\n200\t106\tx\t3\tA\n"),
    Case("q:2: length '0' is zero; expected 1 or more", "200\t106\t5\t3\tA\n200\t106\t5\t0\tKR\xfcPPEL\n".encode("latin-1")),
    Case("q:2: expected 4 fields (topic document offset length), found 3: '200 106 5'", "200\t106\t5\t3\tA\n200\t106\t5\n"),
    Case("q: the gzip data is cut short", gzip.compress(fol_qrels("0", "100").encode())[:-5]),
]  # fmt: skip

JUDGED_XML = [
    Case(f"q: {GIVE_DOCUMENTS}", assessments('<file name="d2"><passage start="/a[1]" end="/a[1]" size="5"/></file>')),
    Case(f"q: {GIVE_DOCUMENTS}", assessments('<file name="d2"><best-entry-point path="/a[1]"/></file>')),
    Case("q:3: a <file> has no name; expected the document id as its attribute name", assessments('<file collection="c"/>')),
    Case("q:3: document d1 is judged twice for topic 7 (first on line 2)", assessments('<file file="d1.xml"/>')),
    Case("q:3: <passage> has no start", assessments('<file name="d2"><passage end="/a[1]"/></file>')),
    Case("q:3: <best-entry-point> has no path", assessments('<file name="d2"><best-entry-point/></file>')),
    Case("q: <assessments> has no topic; expected an attribute topic", "<assessments><file name='d1'/></assessments>"),
    Case("q: this is a run; expected judgments: pass judgments first, then the runs", ranked("<rank>1</rank>")),
    Case("q: unknown XML element <pool>; expected <assessments>", '<?xml version="1.0"?><pool topic="1"/>'),
    Case("q: no document is assessed; expected a <file> for each document", '<assessments topic="7"/>'),
]  # fmt: skip

JUDGED_TABLES = [
    Case("q:3: the text from 5 to 5 is empty", GOLD.format(5, 5)),
    Case("q:3: start 7 is after end 5", GOLD.format(7, 5)),
    Case("q:3: start '-7' is negative", GOLD.format(-7, 5)),
    Case("q:3: end is missing", GOLD.format(7, "")),
    Case("q:3: the text from 5 to 5 is empty", "topic,document,start,end,grade\n1,d1,0,0,0\n1,d2,5,5,1\n"),
    Case("q:2: start 7 is after end 5", "topic,document,start,end,grade\n1,d1,7,5,0\n"),
    Case("q:2: grade '0.5' is not a whole number", "topic,document,start,end,grade\n1,d1,0,1,0.5\n"),
    Case("q:3: grade 'x' is not a whole number", "topic,document,start,end,label\n1,d1,0,1,0\n1,d2,5,6,x\n"),
    Case("q:4: the length of document d1 is 90 here but 100 in another row",
         "topic,document,start,end,doc_length\n1,d1,0,1,100\n1,d2,0,1,90\n1,d1,5,6,90\n"),
    Case("q:3: the best entry point of document d1 is 4 here but 5 in another row",
         "topic,document,start,end,bep\n1,d1,0,1,5\n1,d1,5,6,4\n"),
    Case("q:2: document_length '-1' is negative", "topic,document,start,end,document_length\n1,d1,0,1,-1\n"),
    Case("q:2: bep 'x' is not a whole number", "topic,document,start,end,bep\n1,d1,0,1,x\n"),
    Case("q: this looks like a run, because it has a score and a rank; expected judgments with a grade",
         "topic,document,start,end,rank,score\n1,d1,0,1,1,2\n"),
    Case("q: no document column; the columns are topic, start, end; expected a column such as doc_id, or pass columns=, for example document=NAME", "topic,start,end\n1,0,1\n"),
    Case("q: row 2: the text from 4 to 4 is empty", parquet(topic=[1, 1], document=["d", "e"], start=[0, 4], end=[1, 4])),
    Case("q:2: expected 4 values (topic, document, start, end), found 5", "1\td\t0\t5\n1\td\t5\t9\t2\n", "spans"),
]  # fmt: skip


def refused(read, case: Case, folder, name: str, **options) -> None:
    written(case.content, name)
    with pytest.raises(assay.InputError) as caught:
        read(name, format=case.form, **options)
    assert str(caught.value) == case.message


@pytest.mark.parametrize(("case", "block"), in_turn(LINES, None, 64, 7), ids=repr)
def test_a_run_of_lines_is_refused(case, block, folder, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    refused(read_run, case, folder, "r")


@pytest.mark.parametrize("case", [*XML, *TABLES], ids=repr)
def test_a_run_is_refused(case, folder):
    refused(read_run, case, folder, "r")


@pytest.mark.parametrize("case", [*JUDGED_LINES, *JUDGED_XML, *JUDGED_TABLES], ids=repr)
def test_judgments_are_refused(case, folder):
    refused(read_judgments, case, folder, "q")


# The parser's own words, and where; the column depends on its version.
MISMATCH = "not well-formed XML (column N): Opening and ending tag mismatch"
MALFORMED = [
    Case(f"f:4: {MISMATCH}: result line 4 and file", submission("<result></file>")),
    Case(f"f:5: {MISMATCH}: result line 4 and topic", submission("<result>")),
    Case("f:3: not well-formed XML (column N): Premature end of data in tag topic line 2",
         '<inex-submission>\n<topic topic-id="1">\n'),
    Case("f:2: not well-formed XML (column N): Premature end of data in tag inex-submission line 1", "<inex-submission>\n"),
    Case("f:4: not well-formed XML (column N): xmlParseEntityRef: no name", submission("<result><file>a & b</file></result>")),
    Case(f"f:3: {MISMATCH}: file line 3 and passage", assessments("<file></passage>")),
    Case("f:5: not well-formed XML (column N): Extra content at the end of the document", assessments("") + "<more/>"),
]  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED, ids=repr)
def test_broken_xml_is_refused_with_line_and_column(case, folder):
    (folder / "f").write_text(case.content)
    with pytest.raises(assay.InputError) as caught:
        (read_judgments if "assessments" in case.content else read_run)("f")
    assert re.sub(r"(?<=\(column )[1-9][0-9]*(?=\))", "N", str(caught.value)) == case.message


TWICE = [
    Case("q:2: document d1 is judged twice for topic 1 (first on line 1)", "1 Q0 d1 5 9 0 0:5\n1 Q0 d1 5 9 0 0:5\n"),
    Case(
        "q:3: document d1 is judged twice for topic 1 (first on line 1)",
        "1 Q0 d1 5 9 0 0:5\n2 Q0 d1 0 9\n1 Q0 d1 0 9\n",
    ),
]


@pytest.mark.parametrize("case", TWICE, ids=repr)
def test_a_document_is_judged_once(case, folder):
    (folder / "q").write_text(case.content)
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate("q", {"1": {"d1": 1}}, "AP(unit=document)")
    assert str(caught.value) == case.message


# Where documents are needed, and do not have what is asked for.


@pytest.fixture
def documents(folder):
    """One document: <a><b>text</b></a>."""
    (folder / "docs").mkdir()
    (folder / "docs" / "d1.xml").write_text("<a><b>text</b></a>")
    return Documents("docs", cache=False)


NO_C = "document d1 has no /a[1]/c[1]; it has only b in /a[1]"


@pytest.mark.parametrize("case", [
    Case(f"r:2: {NO_C}", "1 Q0 d1 1 2 t /a[1]\n1 Q0 d1 2 1 t /a[1]/c[1]\n"),
    Case(f"r:4: {NO_C}", "1 Q0 d1 1 2 t /a[1]\n\n# c\n1 Q0 d1 2 1 t /a[1]/b[1] /a[1]/c[1]\n"),
    Case(f"r:4: {NO_C}", submission("<result><file>d1</file><path>/a[1]/c[1]</path></result>")),
    Case("docs: there is no document d9", "1 Q0 d9 1 2 t /a[1]\n"),
], ids=repr)  # fmt: skip
def test_an_element_that_is_not_there(case, folder, documents):
    refused(read_run, case, folder, "r", documents=documents)


def assessed(entry: str, start: str, end: str, name: str = "d1") -> str:
    """Assessments with an entry point on line 3 and a passage on line 4."""
    parts = f'<best-entry-point path="{entry}"/>\n<passage start="{start}" end="{end}"/>'
    return assessments(f'<file name="{name}">{parts}</file>', "d0")


POINT = "/a[1]/b[1]/text()[1].2"


@pytest.mark.parametrize("case", [
    Case(f"q:4: {NO_C}", assessed("/a[1]", "/a[1]", "/a[1]/c[1]")),
    Case("q:3: document d1 has no /c[1]; it has only a in /", assessed("/c[1]", "/a[1]", "/a[1]")),
    Case("q:4: a passage is empty: it ends before or where it begins", assessed("/a[1]", POINT, POINT)),
    Case("docs: there is no document d9", assessed("/a[1]", "/a[1]", "/a[1]", "d9")),
], ids=repr)  # fmt: skip
def test_a_passage_that_is_not_there(case, folder, documents):
    refused(read_judgments, case, folder, "q", documents=documents)


def test_a_topic_is_assessed_in_one_file(folder):
    for name in ("main", "others"):
        (folder / "pools" / name).mkdir(parents=True)
        (folder / "pools" / name / "pool-1.xml").write_text(assessments(""))
    with pytest.raises(assay.InputError) as caught:
        read_judgments("pools")
    where = "pools/main/pool-1.xml and pools/others/pool-1.xml"
    assert str(caught.value) == f"pools: topic 7 is assessed in two files, {where}; choose one of their pools"


def test_a_folder_has_files_of_assessments(folder):
    (folder / "empty").mkdir()
    with pytest.raises(assay.InputError) as caught:
        read_judgments("empty")
    assert str(caught.value) == "empty: this is a folder; expected a file"
    (folder / "empty" / "x.xml").write_text("<x/>")
    with pytest.raises(assay.InputError) as caught:
        read_judgments("empty")
    assert str(caught.value) == "empty/x.xml: unknown XML element <x>; expected <assessments>"


# Objects in memory.

LISTED = "chunks, ids, (id, score), (id, start, end) or (id, start, end, score); the id comes first in a tuple"
RUNS = {
    "run: record 2: start is missing": [("1", "d", 0, 5, 1), ("1", "e", None, 5, 1)],
    "run: record 1: start '-1' is negative": [("1", "d", -1, 5, 1)],
    "run: record 1: start 5 is after end 4": [{"topic": "1", "document": "d", "start": 5, "end": 4, "score": 1}],
    "run: record 3: start is missing": [("1", "d", 0, 5, 1), ("1", "e", 0, 5, 1), ("1", "f", 1)],
    "run: record 2: start [] is neither text nor a number": [("1", "d", 0, 5, 1), ("1", "d", [], 5, 1)],
    "run: record 1: expected topic, document and score, found ('1', 'd', 0, 5)": [("1", "d", 0, 5)],
    f"run: topic 1 has ('d', '0'); expected a list of {LISTED}": {"1": [("d", "0")]},
    f"run: topic 1 has ('e', 0, 5); expected a list of {LISTED}": {"1": [("d", 0, 5, 1), ("e", 0, 5)]},
    "run: topic 2, result 1: start is missing": {"1": [("d", 0, 5)], "2": ["e"]},
    "run: topic 2, document e: start is missing": {"1": [("d", 0, 5)], "2": {"e": 1}},
    "run: topic 1, document d: start 6 is after end 5": {"1": [("e", 0, 5), ("d", 6, 5)]},
    "run: topic 1, document d: score 'x' is not a number": {"1": [("d", 0, 5, "x")]},
    "run: topic 1, document d: start is missing": {"1": [("d", np.nan, 5)]},
    "run: topic 1, document d: end '1e+30' is too large; expected at most 15 digits": {"1": [("d", 1, 1e30)]},
    "run: topic 1, document \\ud800: document '\\ud800' contains a lone surrogate, which is not valid Unicode": {"1": [("\ud800", 1, 2)]},
    "run: row 2: start is missing":
        pd.DataFrame({"qid": [1, 1], "docno": [1, 2], "start": [1, None], "end": [2, 3], "score": [1, 2]}),
    "run: row 1: start True is neither text nor a number":
        pl.DataFrame({"qid": [1], "docno": [1], "start": [True], "end": [2], "score": [1]}),
}  # fmt: skip
JUDGED = {
    "judgments: record 1: the text from 5 to 5 is empty": [("1", "d", 5, 5)],
    "judgments: record 1: expected topic, document and grade, found ('1', 'd', 0, 5, 1)": [("1", "d", 0, 5, 1)],
    "judgments: topic 1, document d: the text from 5 to 5 is empty": {"1": {"d": [(5, 5)]}},
    "judgments: topic 1, document d: expected a list of (start, end), found [(0, 5), (1,)]": {
        "1": {"d": [(0, 5), (1,)]}
    },
    "judgments: topic 2, document d: start is missing": {"1": {"d": [(0, 5)]}, "2": {"d": 1}},
    "judgments: topic 1 has ('d', 0, 5, 1); expected a list of (document, start, end)": {"1": [("d", 0, 5, 1)]},
    "judgments: topic 1 has ('d', nan); expected a list of (document, start, end)": {"1": [("d", float("nan"))]},
    "judgments: topic 1, document d: start '1.5' is not a whole number": {"1": {"d": [(1.5, 2)]}},
}


@pytest.mark.parametrize("message", RUNS)
def test_a_run_in_memory_is_refused(message):
    with pytest.raises(assay.InputError) as caught:
        read_run(RUNS[message])
    assert str(caught.value) == message


@pytest.mark.parametrize("message", JUDGED)
def test_judgments_in_memory_are_refused(message):
    with pytest.raises(assay.InputError) as caught:
        read_judgments(JUDGED[message])
    assert str(caught.value) == message
