"""`assay check`: every fault with its line, and what is in the file."""

from __future__ import annotations

import gzip
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checking.check import add_readable_rows, summarise_documents
from assay.checking.summary import Report
from assay.files import source
from assay.reading.formats.trec import FORMAT
from helpers.files import old_mac, parquet, piped, windows

RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n1 Q0 d3 3 1.5 t\n2 Q0 d1 1 1 t\n"
RUN_SUMMARY = """\
r: a run (trec)
  2 topics, 4 results, 1 to 3 per topic (median 2)
  ties: 1 topic with tied scores (2 results)
  duplicates: none
  no faults
"""
QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 -1\n3 0 d1 2\n3 0 d2 0\n"
QRELS_SUMMARY = """\
q: judgments (trec)
  3 topics, 5 judged documents, 1 to 2 per topic (median 2)
  grades: -1: 1, 0: 2, 1: 1, 2: 1
  nothing relevant: 1 topic (2)
  duplicates: none
  no faults
"""
FAULTY = """\
# every kind of fault
1 Q0 d1 1 2.5 t
1 Q0 d2 2 nan t
1 Q0 d3 3

1 Q0 d1 4 2.5 t
1 Q0 d4 x 1e999 t
1 Q0 d5 x 1 t
1 Q0 d6 6 2.5 t
2 Q0 d1 1 1 t
1 Q0 d1 7 1 t
"""
FAULTY_SHOWN = """\
r:3: score 'nan' is not a finite number
r:4: expected 6 fields (topic Q0 document rank score tag), found 4: '1 Q0 d3 3'
r:6: document d1 is retrieved twice for topic 1 (first on line 2)
r:7: rank 'x' is not a whole number
r:8: rank 'x' is not a whole number
r:11: document d1 is retrieved twice for topic 1 (first on line 2)
r: a run (trec)
  2 topics, 3 results, 1 to 2 per topic (median 1.5)
  ties: 1 topic with tied scores (2 results)
  duplicates: 2
  6 faults
"""
FAULTY_QRELS = "1 0 d1 1\n1 0 d2 x\n1 0 d1 0\n1 0 d3 1.5x\n1 0\n1 0 d4 1e20\n"
FAULTY_QRELS_SHOWN = """\
q:2: grade 'x' is not a number
q:3: document d1 is judged twice for topic 1 (first on line 1)
q:4: grade '1.5x' is not a number
q:5: expected 4 fields (topic iteration document grade), found 2: '1 0'
q:6: grade '1e20' is too large; expected at most 15 digits
q: judgments (trec)
  1 topic, 1 judged document, 1 per topic (median 1)
  grades: 1: 1
  duplicates: 1
  5 faults
"""


@pytest.mark.parametrize("block", [None, 32])
@pytest.mark.parametrize(
    "change", [str, windows, old_mac, lambda text: "\ufeff" + text, lambda text: gzip.compress(text.encode())]
)
def test_a_file_without_faults(change, block, check, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    assert check(["r"], r=change(RUN)) == (RUN_SUMMARY, 0)
    assert check(["q"], q=change(QRELS)) == (QRELS_SUMMARY, 0)


@pytest.mark.parametrize("block", [None, 32])
@pytest.mark.parametrize("change", [str, windows, old_mac])
def test_every_fault_is_shown_with_its_line(change, block, check, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    assert check(["r"], r=change(FAULTY)) == (FAULTY_SHOWN, 1)
    assert check(["q"], q=change(FAULTY_QRELS)) == (FAULTY_QRELS_SHOWN, 1)


def test_several_files_and_one_that_is_missing(check):
    together = "q and r: 1 of 3 judged topics is missing from the run: 3\n"
    shown = RUN_SUMMARY + "missing: no such file\n" + QRELS_SUMMARY + together
    assert check(["r", "missing", "q"], r=RUN, q=QRELS) == (shown, 1)
    assert check(["r", "q"]) == (RUN_SUMMARY + QRELS_SUMMARY + together, 0)
    assert check(["q", "r"], r=FAULTY) == (QRELS_SUMMARY + FAULTY_SHOWN, 1)


def test_standard_input(check):
    shown = RUN_SUMMARY.replace("r: a run", "standard input: a run")
    assert check(["-"], stdin=RUN) == (shown, 0)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("", "the input is empty; expected a run or judgments"),
        ("\n \n", "the input is empty; expected a run or judgments"),
        ("# only\n# comments", "the input is empty; expected a run or judgments"),
        (b"\x7fELF\n\n\0\0", "3: not a text file (it has a zero byte here); expected a run or judgments"),
        (RUN.encode("utf-16"), "UTF-16, not UTF-8; convert the file, for example with iconv"),
        (gzip.compress(RUN.encode())[:-9], "the gzip data is cut short"),
        ("topic,score\n1,2\n", "no document column; the columns are topic, score; expected a column such as doc_id, or pass --column, for example document=NAME"),
        ('{"topic": \n', "1: not valid JSON (Expecting value at column 11): '{\"topic\": '"),
    ],
)
def test_a_file_of_which_nothing_can_be_read(content, shown, check):
    assert check(["r"], r=content) == (f"r:{'' if shown[0] in '13' else ' '}{shown}\n", 1)


def test_a_folder_without_files_is_refused(check, tmp_path):
    (tmp_path / "folder").mkdir()
    assert check(["folder"]) == (
        "folder: this is a folder without a file that Assay knows; expected a run, judgments, documents, chunks, topics, quotes, "
        "saved scores, a table of scores, a study of `assay assess`, a configuration of EvalJ, Python with measures\n", 1
    )  # fmt: skip


TABLE_SUMMARY = """\
r: a run ({})
  2 topics, 3 results, 1 to 2 per topic (median 1.5)
  ties: none
  duplicates: none
  no faults
"""
TABLE_FAULTS = """\
r{1}: score is missing
r{2}: score 'x' is not a number
r{3}: document d1 is retrieved twice for topic 1 (first {0})
r: a run ({4})
  2 topics, 2 results, 1 per topic (median 1)
  ties: none
  duplicates: 1
  3 faults
"""
ROWS = [("1", "d1", "2"), ("1", "d2", None), ("1", "d3", "x"), ("1", "d1", "1"), ("2", "d1", "1")]


def separated(rows, separator) -> str:
    return "".join(separator.join(value or "" for value in row) + "\n" for row in [("topic", "docno", "score"), *rows])


@pytest.mark.parametrize("change", [str, windows, old_mac])
def test_tables_without_faults(change, check):
    rows = [("1", "d1", "2"), ("1", "d2", "1"), ("2", "d1", "1")]
    for form, separator in (("csv", ","), ("tsv", "\t")):
        assert check(["r"], r=change(separated(rows, separator))) == (TABLE_SUMMARY.format(form), 0)
    objects = "".join(f'{{"qid": {t}, "docid": "{d}", "score": {s}}}\n' for t, d, s in rows)
    assert check(["r"], r=change(objects)) == (TABLE_SUMMARY.format("jsonl"), 0)
    columns = dict(zip(("query_id", "doc_id", "rank"), zip(*rows, strict=True), strict=True))
    assert check(["r"], r=parquet(**columns)) == (TABLE_SUMMARY.format("parquet"), 0)


@pytest.mark.parametrize("change", [str, windows, old_mac])
def test_every_fault_of_a_table_is_shown(change, check):
    at_lines = "on line 2", ":3", ":4", ":5"
    for form, separator in (("csv", ","), ("tsv", "\t")):
        assert check(["r"], r=change(separated(ROWS, separator))) == (TABLE_FAULTS.format(*at_lines, form), 1)
    objects = "".join(f'{{"qid": {t}, "docid": "{d}", "score": {f"{s!r}" if s else "null"}}}\n' for t, d, s in ROWS)
    shown = TABLE_FAULTS.format("on line 1", ":2", ":3", ":4", "jsonl")
    assert check(["r"], r=change(objects.replace("'", '"'))) == (shown, 1)
    columns = dict(zip(("topic", "document", "score"), zip(*ROWS, strict=True), strict=True))
    shown = TABLE_FAULTS.format("in row 1", ": row 2", ": row 3", ": row 4", "parquet")
    assert check(["r"], r=parquet(**columns)) == (shown, 1)


def test_rows_that_cannot_be_read_are_shown_with_the_others(check):
    text = 'topic,document,score\n1,d1,1,2\n1,"d\n2",x\n\n1,d3,3,4,5\n1,d4,4\n1,"d5,5\n'
    assert check(["r"], r=text) == ("""\
r:2: expected 3 values (topic, document, score), found 4
r:4: score 'x' is not a number
r:6: expected 3 values (topic, document, score), found 5
r:8: a quote is not closed
r: a run (csv)
  1 topic, 1 result, 1 per topic (median 1)
  ties: none
  duplicates: none
  4 faults
""", 1)  # fmt: skip
    text = '{"topic": 1, "document": "a", "score": 1}\n{bad\n[]\n{"topic": 1, "document": "b", "score": "x"}\n{"topic": 1}\n'
    assert check(["r"], r=text) == ("""\
r:2: not valid JSON (Expecting property name enclosed in double quotes at column 2): '{bad'
r:3: expected a JSON object, found '[]'
r:4: score 'x' is not a number
r:5: document is missing
r: a run (jsonl)
  1 topic, 1 result, 1 per topic (median 1)
  ties: none
  duplicates: none
  4 faults
""", 1)  # fmt: skip


def test_judgments_in_a_table(check):
    text = "query-id,corpus-id,relevance\n1,d1,0\n1,d2,1.5x\n2,d1,2\n2,d2,1e20\n"
    assert check(["q"], q=text) == ("""\
q:3: grade '1.5x' is not a number
q:5: grade '1e20' is too large; expected at most 15 digits
q: judgments (csv)
  2 topics, 2 judged documents, 1 per topic (median 1)
  grades: 0: 1, 2: 1
  nothing relevant: 1 topic (1)
  duplicates: none
  2 faults
""", 1)  # fmt: skip


def test_the_kind_and_the_format_can_be_told(check):
    beir = "query-id,corpus-id,score\n1,d1,1\n1,d2,0\n"
    assert check(["q"], q=beir)[0].startswith("q: a run (csv)\n")
    assert check(["q", "--kind", "judgments"], q=beir)[0].startswith("q: judgments (csv)\n")
    assert check(["q", "--format", "tsv"], q=beir) == (
        "q: no topic column; the columns are query-id,corpus-id,score; expected a column such as query_id, or pass --column, for example topic=NAME\n",
        1,
    )
    as_run = "q:1: expected 6 fields (topic Q0 document rank score tag), found 4: '1 0 d1 1'"
    hint = "; these look like judgments: pass judgments first, then the runs"
    assert check(["q", "--kind", "run"], q="1 0 d1 1\n") == (
        f"{as_run}{hint}\nq: a run (trec)\n  nothing could be read\n  1 fault\n", 1
    )  # fmt: skip


def test_a_run_without_tags_is_still_a_run(check):
    assert check(["r"], r="1 Q0 d1 1 2.5\n") == ("""\
r:1: expected 6 fields (topic Q0 document rank score tag), found 5: '1 Q0 d1 1 2.5'
r: a run (trec)
  nothing could be read
  1 fault
""", 1)  # fmt: skip


def test_blanks_longer_than_the_first_bytes(check):
    assert check(["r"], r="\n" * 200_000 + RUN) == (RUN_SUMMARY, 0)


def test_in_python(tmp_path):
    (tmp_path / "r").write_text(FAULTY)
    report = assay.check(tmp_path / "r")
    assert [fault.line for fault in report.faults] == [3, 4, 6, 7, 8, 11]
    assert (report.kind, report.format, report.duplicates, dict(report.sizes)) == ("run", "trec", 2, {"1": 2, "2": 1})
    with pytest.raises(assay.InputError, match=r"nothing: no such file$"):
        assay.check(tmp_path / "nothing")


clean_rows = st.lists(st.tuples(st.sampled_from("12ab"), st.sampled_from("cdefgh"), st.integers(-2, 3)), min_size=1)


@given(clean_rows, st.booleans(), st.booleans())
def test_a_file_without_faults_is_summed_up_as_row_by_row(rows, is_run, sort):
    rows = list({row[:2]: row for row in (sorted(rows) if sort else rows)}.values())
    line = "{} Q0 {} 1 {} t\n" if is_run else "{} 0 {} {}\n"
    held = piped("".join(line.format(*row) for row in rows))
    kind = "run" if is_run else "judgments"
    quick = summarise_documents(Report("f", kind, "trec"), held, FORMAT)
    slow = add_readable_rows(Report("f", kind, "trec"), FORMAT.readable(held, kind, None))
    grouped = len(list(groupby(row[0] for row in rows))) == len({row[0] for row in rows})
    assert (quick is not None) == grouped
    assert quick is None or str(quick) == str(slow)


def test_grades_that_are_not_whole_are_counted_as_they_are(check):
    assert check(["q"], q="1 0 a 0.5\n1 0 b 2\n1 0 c 0.50\n1 0 d 0\n") == ("""\
q: judgments (trec)
  1 topic, 4 judged documents, 4 per topic (median 4)
  grades: 0: 1, 0.5: 2, 2: 1
  duplicates: none
  no faults
""", 0)  # fmt: skip


def test_what_is_no_file_cannot_be_checked():
    with pytest.raises(assay.UsageError) as refused:
        assay.check({"1": {"a": 1}})
    assert str(refused.value) == "check reads a file; expected its path, found an object of type dict"
