"""`assay check` for parts of documents and highlighted text: every violation of a task, and everything that does not
fit."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checking import check as checking
from assay.evaluation.tasks import GRADED, TASKS
from assay.files.source import Source
from assay.reading import line_files
from assay.reading.formats.fol import FORMAT as FOL
from helpers.commands import invoke
from helpers.files import old_mac, parquet, piped, windows
from helpers.places import DATA
from helpers.samples import FULL

INEX = DATA / "inex"
NO_LENGTHS = (
    "not checked: whether results end within their documents, because the lengths are unknown; "
    "pass --documents, or pass the judgments before the run"
)

RUN = """\
1 Q0 a 1 9 t 0 10
1 Q0 a 2 8 t 20 10
1 Q0 b 3 7 t 0 30
2 Q0 a 1 9 t 5 15
"""
RUN_SUMMARY = """\
r: a run (fol)
  2 topics, 4 results, 1 to 3 per topic (median 2)
  parts of 2 documents (3 by topic), 65 characters (median 12.5 per result)
  ties: none
  overlap: none
  documents: the results of each are adjacent
  duplicates: none
  follows the rules of: focused, thorough, relevant-in-context, restricted-focused, restricted-relevant-in-context
  no faults
"""
QRELS = """\
1 Q0 a 15 100 5 5:10 40:5
1 Q0 b 0 30
2 Q0 a 0 100
"""
QRELS_SUMMARY = """\
q: judgments (fol)
  2 topics, 3 judged documents, 1 to 2 per topic (median 1.5)
  highlighted: 1 document, 2 spans, 15 characters (median 15 per document)
  nothing relevant: 1 topic (2)
  best entry points: known for all relevant documents
  lengths: known for all judged documents
  duplicates: none
  no faults
"""
CHANGES = [str, windows, old_mac, lambda text: "\ufeff# by hand\n\n" + text, lambda text: gzip.compress(text.encode())]


@pytest.mark.parametrize("change", CHANGES)
def test_files_without_faults(change, check):
    assert check(["r"], r=change(RUN)) == (RUN_SUMMARY, 0)
    assert check(["q"], q=change(QRELS)) == (QRELS_SUMMARY, 0)


# Everything that is wrong with a run.

FAULTY = """\
# what follows is wrong
1 Q0 a 1 9 t 0 10
1 Q0 b 2 8 t 0 10
1 Q0 a 3 7 t 5 10

1 Q0 a 4 6 t 95 10
1 Q0 z 5 5 t 0 5
1 Q0 a 6 4 t /article[1]/sec[2]
1 Q0 a 7 3 t X X
1 Q0 a 8
1 Q0 c 9 nan t 0 5
"""
UNREADABLE = [
    "r:8: an element in a run that begins with a passage; expected only one of these in a run",
    "r:9: offset 'X' means that the result has no known offset; `assay inex_eval` counts such a result as 18 characters, "
    "as the official program does",
    "r:10: expected 8 fields (topic Q0 document rank score tag offset length), found 4: '1 Q0 a 8'",
    "r:11: score 'nan' is not a finite number",
]
FAULTY_SHOWN = [
    "r:4: result 5-15 of document a in topic 1 overlaps 0-10 (line 2); text may be returned only once",
    "r:4: document a is returned again in topic 1 after others (line 2); the results of a document must be consecutive",
    "r:6: result 95-105 of document a in topic 1 extends past its end; the document has 100 characters",
    *UNREADABLE,
    "r: a run (fol)",
    "  1 topic, 5 results, 5 per topic (median 5)",
    "  parts of 3 documents, 45 characters (median 10 per result)",
    "  ties: none",
    "  overlap: 1 result with text of an earlier result",
    "  documents: results of one document are apart in 1 topic (1)",
    "  beyond the end of their document: 1 result",
    "  duplicates: none",
    "  task relevant-in-context: 3 violations",
    "  not checked: whether results end within their documents, because the lengths of 1 of 3 documents are unknown; "
    "pass --documents, or pass the judgments before the run",
    "  7 faults",
]


@pytest.mark.parametrize("change", CHANGES[:3])
@pytest.mark.parametrize("chunk", [None, 2])
def test_every_violation_is_shown_with_its_line_in_the_order_of_the_file(change, chunk, check, monkeypatch):
    if chunk:
        monkeypatch.setattr(line_files, "CHUNK", chunk)
    shown = QRELS_SUMMARY + "\n".join(FAULTY_SHOWN) + "\n"
    assert check(["q", "r", "--task", "relevant-in-context"], q=change(QRELS), r=change(FAULTY)) == (shown, 1)


def test_without_a_task_overlap_is_no_fault(check):
    lines = FAULTY.splitlines(keepends=True)
    shown, status = check(["r"], r="".join(lines[:7]))
    assert (shown, status) == ("""\
r: a run (fol)
  1 topic, 5 results, 5 per topic (median 5)
  parts of 3 documents, 45 characters (median 10 per result)
  ties: none
  overlap: 1 result with text of an earlier result
  documents: results of one document are apart in 1 topic (1)
  duplicates: none
  follows the rules of: thorough
  no faults
""", 0)  # fmt: skip


def test_what_cannot_be_read_is_a_fault_without_a_task_too(check):
    shown, status = check(["r"], r=FAULTY)
    assert ([line for line in shown.splitlines() if line.startswith("r:") and line[2] != " "], status) == (
        UNREADABLE,
        1,
    )


def test_nothing_can_be_read(check):
    assert check(["r", "--format", "fol"], r="1 Q0 a 1 9 t\n") == ("""\
r:1: expected 8 fields (topic Q0 document rank score tag offset length), found 6: '1 Q0 a 1 9 t'
r: a run (fol)
  nothing could be read
  1 fault
""", 1)  # fmt: skip


def fol(*rows: tuple[str, str, int, int]) -> str:
    """A run of passages, each with its topic, document, start and end."""
    return "".join(f"{topic} Q0 {document} {rank} {-rank} t {start} {end - start}\n"
                   for rank, (topic, document, start, end) in enumerate(rows, 1))  # fmt: skip


ALL = list(TASKS)
# What is wrong, the run, the faults, and the tasks of which they are.
VIOLATIONS = [
    (
        "one that contains another and one that is contained",
        fol(("1", "a", 10, 20), ("1", "a", 0, 30), ("1", "a", 12, 13)),
        [
            "r:2: result 0-30 of document a in topic 1 overlaps 10-20 (line 1); text may be returned only once",
            "r:3: result 12-13 of document a in topic 1 overlaps 10-20 (line 1); text may be returned only once",
        ],
        [task for task in ALL if task != "thorough"],
    ),
    (
        "one that overlaps only what overlaps another",
        fol(("1", "a", 0, 10), ("1", "a", 5, 15), ("1", "a", 12, 20)),
        [
            "r:2: result 5-15 of document a in topic 1 overlaps 0-10 (line 1); text may be returned only once",
            "r:3: result 12-20 of document a in topic 1 overlaps 5-15 (line 2); text may be returned only once",
        ],
        [task for task in ALL if task != "thorough"],
    ),
    (
        "the same text twice",
        fol(("1", "a", 0, 10), ("2", "a", 0, 10), ("1", "a", 0, 10)),
        ["r:3: result 0-10 of document a in topic 1 overlaps 0-10 (line 1); text may be returned only once"],
        [task for task in ALL if task != "thorough"],
    ),
    (
        "results that touch, and others that have no text",
        fol(("1", "a", 0, 10), ("1", "a", 10, 20), ("1", "a", 5, 5)),
        [],
        [],
    ),
    (
        "two documents in turns",
        fol(("1", "a", 0, 1), ("1", "b", 0, 1), ("1", "a", 1, 2), ("1", "b", 1, 2), ("1", "b", 2, 3), ("1", "a", 2, 3)),
        [
            "r:3: document a is returned again in topic 1 after others (line 1); the results of a document must be consecutive",
            "r:4: document b is returned again in topic 1 after others (line 2); the results of a document must be consecutive",
            "r:6: document a is returned again in topic 1 after others (line 3); the results of a document must be consecutive",
        ],
        ["relevant-in-context", "restricted-relevant-in-context"],
    ),
    (
        "a document again",
        fol(("1", "a", 0, 1), ("1", "a", 1, 2), ("2", "a", 0, 1), ("1", "a", 2, 3)),
        [
            "r:2: document a is returned again in topic 1; only one result per document is allowed",
            "r:4: document a is returned again in topic 1; only one result per document is allowed",
        ],
        ["best-in-context"],
    ),
    (
        "too many results",
        fol(
            *(("1", f"d{number}", 0, 0) for number in range(1502)),
            *(("2", f"d{number}", 0, 0) for number in range(1500)),
        ),
        ["r:1501: topic 1 has 1,502 results; at most 1,500 are allowed"],
        ALL,
    ),
    (
        "too much text of a topic",
        fol(
            ("1", "a", 0, 600),
            ("1", "b", 0, 400),
            ("2", "c", 0, 999),
            ("1", "d", 0, 1),
            ("2", "d", 0, 1),
            ("1", "e", 0, 1),
        ),
        ["r:4: topic 1 has 1,002 characters; at most 1,000 are allowed"],
        ["restricted-focused"],
    ),
    (
        "too much text of a document",
        fol(("1", "a", 0, 300), ("1", "a", 400, 600), ("1", "a", 700, 701), ("1", "b", 0, 500), ("2", "b", 0, 501)),
        [
            "r:3: document a has 501 characters in topic 1; at most 500 are allowed",
            "r:5: document b has 501 characters in topic 2; at most 500 are allowed",
        ],
        ["restricted-relevant-in-context"],
    ),
]


@pytest.mark.parametrize(("what", "run", "faults", "tasks"), VIOLATIONS, ids=[case[0] for case in VIOLATIONS])
def test_each_violation_is_one_of_the_tasks_that_forbid_it(what, run, faults, tasks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r").write_text(run)
    # a run that is made for one rule may break another that other tasks have
    found = {task: [str(fault) for fault in assay.check("r", task=task).faults] for task in ALL}
    assert [task for task in ALL if set(faults) & set(found[task])] == tasks
    for task in tasks:
        kinds = {fault.partition(";")[2] for fault in faults}
        assert [fault for fault in found[task] if fault.partition(";")[2] in kinds] == faults
    keeps = assay.check("r").notes[0].removeprefix("follows the rules of: ").split(", ")
    assert keeps == ([task for task in ALL if not found[task]] or ["no task"])


@pytest.mark.parametrize(("what", "run", "faults", "tasks"), VIOLATIONS, ids=[case[0] for case in VIOLATIONS])
def test_the_evaluation_refuses_the_same(what, run, faults, tasks, tmp_path, monkeypatch):
    """But for too many results, which can be measured all the same."""
    monkeypatch.chdir(tmp_path)
    Path("r").write_text(run)
    Path("q").write_text(QRELS)
    for task in ALL:
        found = [str(fault) for fault in assay.check("r", task=task).faults if " 1,500 " not in fault.what]
        if found:
            with pytest.raises(assay.InputError) as error:
                assay.evaluate("q", "r", task=task)
            assert str(error.value) in found
        else:
            assay.evaluate("q", "r", task=task)


def test_the_ranks_tell_what_is_earlier(check):
    run = "1 Q0 a 3 9 t 0 10\n1 Q0 b 2 8 t 0 10\n1 Q0 a 1 7 t 5 10\n"
    shown, status = check(["r", "--task", "focused"], r=run)
    assert (shown, status) == (f"""\
r:1: result 0-10 of document a in topic 1 overlaps 5-15 (line 3); text may be returned only once
r: a run (fol)
  1 topic, 3 results, 3 per topic (median 3)
  parts of 2 documents, 30 characters (median 10 per result)
  ties: none
  overlap: 1 result with text of an earlier result
  documents: results of one document are apart in 1 topic (1)
  order: by rank; the file is in another order for 1 topic (1)
  duplicates: none
  task focused: 1 violation
  {NO_LENGTHS}
  1 fault
""", 1)  # fmt: skip


def test_ties_empty_results_and_duplicates_are_counted(check):
    run = "1 Q0 a 1 9 t 0 0\n1 Q0 a 1 9 t 0 0\n1 Q0 a 1 8 t 3 5\n1 Q0 a 4 8 t 3 5\n"
    assert check(["r"], r=run) == ("""\
r: a run (fol)
  1 topic, 4 results, 4 per topic (median 4)
  parts of 1 document, 10 characters (median 2.5 per result)
  ties: 1 topic with tied ranks (2 results)
  empty: 2 results without text
  overlap: 1 result with text of an earlier result
  documents: the results of each are adjacent
  duplicates: 2
  follows the rules of: thorough
  no faults
""", 0)  # fmt: skip


# Lengths.


def test_lengths_come_from_judgments_documents_or_the_caller(check, tmp_path):
    run = fol(("1", "a", 90, 101), ("1", "b", 0, 31), ("1", "c", 0, 9))
    beyond = {
        "a": "r:1: result 90-101 of document a in topic 1 extends past its end; the document has 100 characters",
        "b": "r:2: result 0-31 of document b in topic 1 extends past its end; the document has 30 characters",
        "c": "r:3: result 0-9 of document c in topic 1 extends past its end; the document has 8 characters",
    }
    shown, status = check(["q", "r", "--task", "thorough"], r=run, q=QRELS)
    assert ([line for line in shown.splitlines() if line.startswith("r:")][:-1], status) == (
        [beyond["a"], beyond["b"]],
        1,
    )
    assert "  task thorough: 2 violations" in shown.splitlines()
    # before the judgments are read nothing is known
    shown, status = check(["r", "q", "--task", "thorough"])
    assert (status, f"  {NO_LENGTHS}" in shown.splitlines()) == (0, True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "c.txt").write_text("12345678")
    shown, status = check(["q", "r", "--task", "thorough", "--documents", "docs"])
    assert ([line for line in shown.splitlines() if line.startswith("r:")][:-1], status) == (list(beyond.values()), 1)
    assert "not checked" not in shown
    report = assay.check(tmp_path / "r", task="thorough", lengths={"c": 8})
    assert [(fault.line, fault.what) for fault in report.faults] == [(3, beyond["c"].removeprefix("r:3: "))]
    # without a task it is told, but no fault
    report = assay.check(tmp_path / "r", lengths={"c": 8})
    assert (report.faults, report.text.beyond) == ([], 1)


@pytest.mark.parametrize("run", [RUN, "1 Q0 a 1 9 t /article[1]\n"])
def test_a_collection_that_is_missing_is_refused_also_where_it_is_not_needed(folder, run):
    (folder / "r").write_text(run)
    done = invoke("check", "r", "--documents", "nowhere")
    assert (done.stdout, done.stderr, done.exit_code) == (
        "",
        "nowhere: no such file or folder; expected documents\n",
        1,
    )


# Judgments.

FAULTY_QRELS = """\
1 Q0 a 10 100 5 5:10
1 Q0 b 11 100 0 0:10
1 Q0 c 25 100 0 20:5 0:10 5:10
1 Q0 d 30 100 0 90:20 70:10
1 Q0 e 10 100 100 0:10
1 Q0 f 120 100 0 0:120
2 Q0 a 0 90
2 Q0 g 0
2 Q0 h 5 50 -5 0:5
2 Q0 i 5 50 0
2 Q0 j x 50
2 Q0 k 5 50 0 0-5
1 Q0 a 10 100 5 5:10
1 Q0 a 10 100 105 5:10
"""
FAULTY_QRELS_SHOWN = """\
q:2: rsize 11 of document b in topic 1 is not the sum of its passages; expected 10
q:3: passage 5:10 of document c in topic 1 overlaps 0:10; expected passages that do not overlap
q:4: passage 90:20 of document d in topic 1 goes beyond its end; the document has 100 characters
q:5: best entry point 100 of document e in topic 1 is after its end; the document has 100 characters
q:6: rsize 120 of document f in topic 1 is more than its length; expected at most 100
q:6: passage 0:120 of document f in topic 1 goes beyond its end; the document has 100 characters
q:7: the length of document a is 90 here and 100 on line 1; expected one length
q:8: expected 5 fields (topic Q0 document rsize length), found 4: '2 Q0 g 0'
q:9: bep '-5' is negative
q:10: rsize is 5 but no passage is highlighted
q:11: rsize 'x' is not a whole number
q:12: passage '0-5' is not two whole numbers offset:length
q:13: document a is judged twice for topic 1 (first on line 1)
q:14: document a is judged twice for topic 1 (first on line 1)
q:14: best entry point 105 of document a in topic 1 is after its end; the document has 100 characters
q: judgments (fol)
  2 topics, 7 judged documents, 1 to 6 per topic (median 3.5)
  highlighted: 6 documents, 9 spans, 200 characters (median 15 per document)
  nothing relevant: 1 topic (2)
  overlap: 1 span with text that another span of the document has too
  best entry points: known for all relevant documents
  lengths: known for all judged documents
  duplicates: 2
  15 faults
"""


@pytest.mark.parametrize("change", CHANGES[:3])
@pytest.mark.parametrize("chunk", [None, 3])
def test_every_fault_of_judgments_is_shown(change, chunk, check, monkeypatch):
    if chunk:
        monkeypatch.setattr(line_files, "CHUNK", chunk)
    assert check(["q"], q=change(FAULTY_QRELS)) == (FAULTY_QRELS_SHOWN, 1)


def test_every_passage_that_overlaps_is_shown_beside_the_one_that_reaches_farthest(check):
    shown, _ = check(["q"], q="1 Q0 a 25 100 0 0:10 2:3 9:4 10:8\n")
    what = "of document a in topic 1 overlaps"
    assert shown.splitlines()[:3] == [
        f"q:1: passage 2:3 {what} 0:10; expected passages that do not overlap",
        f"q:1: passage 9:4 {what} 0:10; expected passages that do not overlap",
        f"q:1: passage 10:8 {what} 9:4; expected passages that do not overlap",
    ]


def test_lengths_are_those_of_the_documents(check, tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "text": "%s"}\n' % ("x" * 99))
    shown, status = check(["q", "--documents", "docs.jsonl"], q=QRELS)
    assert ("\n".join(shown.splitlines()[:2]), status) == ("""\
q:1: the length of document a is 100 here and 99 in docs.jsonl; expected the same text
q:3: the length of document a is 100 here and 99 in docs.jsonl; expected the same text""", 1)


def test_entry_points_that_are_all_the_same_are_told(check):
    shown, _ = check(["q"], q="".join(f"1 Q0 d{number} 5 50 7 0:5\n" for number in range(10)))
    assert (
        "  best entry points: known for all relevant documents; all are 7, which may be a default"
        in shown.splitlines()
    )
    shown, _ = check(["q"], q="".join(f"1 Q0 d{number} 5 50 {number % 3 - 1} 0:5\n" for number in range(10)))
    assert "  best entry points: known for 6 of 10 relevant documents" in shown.splitlines()


# Tables of spans.


TABLE_SHOWN = """\
r{1}: start 9 is after end 3
r{2}: result 5-15 of document d1 in topic 1 overlaps 0-10 ({0}); text may be returned only once
r: a run ({3})
  1 topic, 2 results, 2 per topic (median 2)
  parts of 1 document, 20 characters (median 10 per result)
  ties: none
  overlap: 1 result with text of an earlier result
  documents: the results of each are adjacent
  duplicates: none
  task focused: 1 violation
  {4}
  2 faults
"""


def test_runs_in_tables(check):
    rows = [("1", "d1", 0, 10, 3.0), ("1", "d2", 9, 3, 2.0), ("1", "d1", 5, 15, 1.0)]
    names = ("query_id", "doc_id", "start", "end", "score")
    text = "\n".join(",".join(map(str, row)) for row in (names, *rows)) + "\n"
    shown = TABLE_SHOWN.format("line 2", ":3", ":4", "csv", NO_LENGTHS)
    for change in (str, windows, old_mac):
        assert check(["r", "--task", "focused"], r=change(text)) == (shown, 1)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    shown = TABLE_SHOWN.format("row 1", ": row 2", ": row 3", "parquet", NO_LENGTHS)
    assert check(["r", "--task", "focused"], r=parquet(**columns)) == (shown, 1)
    plain = "".join(f"{topic}\t{rank}\t{document}\t{start}\t{end}\t{score}\n"
                    for rank, (topic, document, start, end, score) in enumerate(rows, 1))  # fmt: skip
    shown = TABLE_SHOWN.format("line 1", ":2", ":3", "spans", NO_LENGTHS)
    assert check(["r", "--task", "focused"], r=plain) == (shown, 1)


def test_judgments_in_tables(check):
    """Several rows tell of a document, and their spans may overlap; its length and its best entry point are one."""
    text = """\
query_id,doc_id,start,end,document_length,bep
1,d1,0,10,50,0
1,d1,0,10,50,0
1,d1,5,15,40,1
1,d1,45,55,50,
1,d2,0,0,,
1,d3,0,5,,7
"""
    assert check(["q"], q=text) == ("""\
q:2: the best entry point of document d1 is 0 here but 1 in another row
q:3: the best entry point of document d1 is 0 here but 1 in another row
q:4: the length of document d1 is 40 here but 50 in another row
q:5: span 45-55 of document d1 in topic 1 goes beyond its end; the document has 50 characters
q:6: the text from 0 to 0 is empty
q: judgments (csv)
  1 topic, 2 judged documents, 2 per topic (median 2)
  highlighted: 2 documents, 5 spans, 30 characters (median 15 per document)
  overlap: 2 spans with text that another span of the document has too
  best entry points: known for all relevant documents
  lengths: known for 1 of 2 judged documents
  duplicates: 1
  5 faults
""", 1)  # fmt: skip


def test_a_row_that_is_not_highlighted_moves_no_line(check):
    text = "query_id,doc_id,start,end,grade,document_length\n1,d1,0,10,0,20\n1,d1,15,25,1,20\n1,d2,0,5,0,3\n"
    assert check(["q"], q=text) == ("""\
q:3: span 15-25 of document d1 in topic 1 goes beyond its end; the document has 20 characters
q: judgments (csv)
  1 topic, 2 judged documents, 2 per topic (median 2)
  highlighted: 1 document, 1 span, 10 characters (median 10 per document)
  best entry points: unknown
  lengths: known for all judged documents
  duplicates: none
  1 fault
""", 1)  # fmt: skip


def test_genomics(check, tmp_path):
    """Gold passages are lines of their own, in Latin-1; of the lengths the documents know."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "17.txt").write_text("x" * 30)
    gold = "200\t17\t0\t10\tCAF\xc9\n200\t18\t5\t5\tX\n200\t17\t25\t10\tY\n200\t17\t5\t0\tY\n".encode("latin-1")
    assert check(["q", "--documents", "docs"], q=gold) == ("""\
q:3: span 25-35 of document 17 in topic 200 goes beyond its end; the document has 30 characters
q:4: length '0' is zero; expected 1 or more
q: judgments (genomics)
  1 topic, 2 judged documents, 2 per topic (median 2)
  highlighted: 2 documents, 3 spans, 25 characters (median 12.5 per document)
  best entry points: unknown
  lengths: known for 1 of 2 judged documents
  duplicates: none
  subtopics: 3 in 1 topic, 3 per topic
  not in docs: 1 of 2 documents (18)
  2 faults
""", 1)  # fmt: skip
    run = "200 17 1 0.9 0 10 tag\n200 17 2 0.8 9 2 tag\n200 17 3 0.7 x 2 tag\n"
    shown, status = check(["r", "--task", "focused"], r=run)
    assert (shown.splitlines()[:3], status) == ([
        "r:2: result 9-11 of document 17 in topic 200 overlaps 0-10 (line 1); text may be returned only once",
        "r:3: offset 'x' is not a whole number",
        "r: a run (genomics)",
    ], 1)  # fmt: skip


# Elements.

ELEMENTS = """\
1 Q0 a 1 9 t /article[1]/sec[1]
1 Q0 a 2 8 t /article[1]/sec[1]/p[2]
1 Q0 b 3 7 t /article[1]/sec[1]/p[2]
1 Q0 a 4 6 t /article/sec/p[2]
1 Q0 a 5 5 t /article[1]/sec[12]
1 Q0 a 6 4 t /article[1]/sec[
1 Q0 c 7 3 t 0 10
"""
ELEMENTS_FAULTS = [
    "e:6: document a has no '/article[1]/sec[': it is not a path; expected for example /article[1]/sec[2]",
    "e:7: a passage in a run that begins with an element; expected only one of these in a run",
]
ELEMENTS_OVERLAP = [
    "e:2: result /article[1]/sec[1]/p[2] of document a in topic 1 overlaps /article[1]/sec[1] (line 1); text may be returned only once",
    "e:4: result /article/sec/p[2] of document a in topic 1 overlaps /article[1]/sec[1] (line 1); text may be returned only once",
]
ARTICLE = "<article><sec>abc<p>x</p><p>yy</p></sec>" + "<sec>d</sec>" * 10 + "</article>"


def test_elements_overlap_by_their_paths(check):
    shown = "\n".join([*ELEMENTS_FAULTS, """\
e: a run (elements)
  1 topic, 5 results, 5 per topic (median 5)
  elements of 2 documents; counting their characters needs the documents
  ties: none
  overlap: 2 results with text of an earlier result
  documents: results of one document are apart in 1 topic (1)
  duplicates: none
  follows the rules of: thorough
  2 faults
"""])  # fmt: skip
    assert check(["e"], e=ELEMENTS) == (shown, 1)
    shown = "\n".join([*ELEMENTS_OVERLAP, *ELEMENTS_FAULTS, """\
e: a run (elements)
  1 topic, 5 results, 5 per topic (median 5)
  elements of 2 documents; counting their characters needs the documents
  ties: none
  overlap: 2 results with text of an earlier result
  documents: results of one document are apart in 1 topic (1)
  duplicates: none
  task restricted-focused: 2 violations
  not checked: whether the elements exist, how many characters they have; pass --documents
  4 faults
"""])  # fmt: skip
    assert check(["e", "--task", "restricted-focused"]) == (shown, 1)


def test_elements_are_looked_up_in_the_documents(check, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(ARTICLE)
    lost = "e:5: document a has no /article[1]/sec[12]; it has 11 sec in /article[1]"
    shown = "\n".join([*ELEMENTS_OVERLAP, lost, *ELEMENTS_FAULTS, """\
e: a run (elements)
  1 topic, 4 results, 4 per topic (median 4)
  elements of 2 documents; counting their characters needs the documents
  ties: none
  overlap: 2 results with text of an earlier result
  documents: results of one document are apart in 1 topic (1)
  duplicates: none
  task focused: 2 violations
  not checked: whether the elements exist; docs has no b
  not in docs: 1 of 2 documents (b)
  5 faults
"""])  # fmt: skip
    assert check(["e", "--task", "focused", "--documents", "docs"], e=ELEMENTS) == (shown, 1)
    (tmp_path / "docs" / "b.xml").write_text(ARTICLE)
    shown, _ = check(["e", "--task", "focused", "--documents", "docs"])
    assert "  elements of 2 documents, 12 characters (median 2 per result)" in shown.splitlines()
    assert "not checked" not in shown


def test_every_path_that_leads_nowhere_is_shown(check, tmp_path):
    (tmp_path / "docs").mkdir()
    for name in "abc":
        (tmp_path / "docs" / f"{name}.xml").write_text("<x><y>1</y></x>")
    run = "".join(f"1 Q0 {name} {rank} 0 t /x/{step}\n" for rank, (name, step) in
                  enumerate((("a", "y"), ("b", "z"), ("a", "z"), ("c", "y"), ("b", "y[2]"), ("b", "y")), 1))  # fmt: skip
    shown, _ = check(["e", "--documents", "docs"], e=run)
    assert shown.splitlines()[:4] == [
        "e:2: document b has no /x/z; it has only y in /x[1]",
        "e:3: document a has no /x/z; it has only y in /x[1]",
        "e:5: document b has no /x/y[2]; it has 1 y in /x[1]",
        "e: a run (elements)",
    ]


def test_ranges_of_elements_are_passages(check, tmp_path):
    run = """\
1 Q0 a 1 9 t /article[1]/sec[2] /article[1]/sec[10]
1 Q0 a 2 8 t /article[1]/sec[9]/p[1] /article[1]/sec[9]/p[2]
1 Q0 a 3 7 t /article[1]/sec[1]/p[1] /article[1]/sec[2]
1 Q0 a 4 6 t /article[1]/sec[11]
"""
    overlaps = "of document a in topic 1 overlaps /article[1]/sec[2] to /article[1]/sec[10] (line 1); text may be returned only once"
    mixed = "e:4: an element in a run that begins with a passage; expected only one of these in a run"
    sure = f"e:2: result /article[1]/sec[9]/p[1] to /article[1]/sec[9]/p[2] {overlaps}"
    shown, _ = check(["e", "--task", "focused"], e=run)
    assert shown.splitlines()[:2] == [sure, mixed]
    assert (
        "  not checked: whether the elements exist, the overlap of 3 ranges; pass --documents" in shown.splitlines()
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(ARTICLE.replace("<sec>d</sec>", "<sec>d<p>e</p><p>f</p></sec>"))
    shown, _ = check(["e", "--task", "focused", "--documents", "docs"])
    assert shown.splitlines()[:3] == [
        sure,
        f"e:3: result /article[1]/sec[1]/p[1] to /article[1]/sec[2] {overlaps}",
        mixed,
    ]
    assert "not checked" not in shown


# XML.

SUBMISSION = """\
<?xml version="1.0"?>
<inex-submission participant-id="1" run-id="x" task="Focused" query="automatic">
<topic topic-id="1">
<result><file>a.xml</file><path>/article[1]/sec[1]</path><rank>1</rank></result>
<result>
  <file>a.xml</file><path>/article[1]/sec[1]/p[1]</path><rank>2</rank></result>
</topic>
</inex-submission>
"""
ASSESSMENTS = """\
<assessments pool="275" topic="1" version="2">
 <file collection="ieee" name="a">
   <best-entry-point path="/article[1]/sec[1]/p[1]/text()[1].0"/>
   <passage start="/article[1]/sec[1]/p[1]/text()[1].0" end="/article[1]/sec[1]/p[2]" size="3"/>
   <element path="/article[1]" exhaustivity="2" size="16" rsize="3"/>
 </file>
 <file collection="ieee" name="b">
 </file>
</assessments>
"""
ASSESSED = """\
q: judgments (inex)
  1 topic, 2 judged documents, 2 per topic (median 2)
  highlighted: 1 document, 1 span{}
  best entry points: known for all relevant documents
  lengths: {}
  duplicates: none
  elements: 1 assessed in 1 document
  no faults
"""


@pytest.mark.parametrize("change", CHANGES[:2] + CHANGES[4:])
def test_submissions_and_assessments_in_xml(change, check, tmp_path):
    shown, status = check(["s", "--task", "focused"], s=change(SUBMISSION))
    assert (shown, status) == ("""\
s:5: result /article[1]/sec[1]/p[1] of document a in topic 1 overlaps /article[1]/sec[1] (line 4); text may be returned only once
s: a run (inex)
  1 topic, 2 results, 2 per topic (median 2)
  elements of 1 document; counting their characters needs the documents
  ties: none
  overlap: 1 result with text of an earlier result
  documents: the results of each are adjacent
  duplicates: none
  task focused: 1 violation
  not checked: whether the elements exist; pass --documents
  1 fault
""", 1)  # fmt: skip
    unknown = ASSESSED.format("; counting their characters needs the documents", "unknown")
    assert check(["q"], q=change(ASSESSMENTS)) == (unknown, 0)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(ARTICLE)
    known = ASSESSED.format(", 3 characters (median 3 per document)", "known for 1 of 2 judged documents")
    lacking = known.replace("  no faults", "  not in docs: 1 of 2 documents (b)\n  no faults, but documents are missing from docs")
    assert check(["q", "--documents", "docs"]) == (lacking, 0)
    assert check(["s"], s=SUBMISSION.replace("  <file>a.xml</file>", "")) == ("s:5: a result has no <file>; expected the document id\n", 1)


def test_a_folder_of_assessments(check, tmp_path):
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "pool-1.xml").write_text(ASSESSMENTS)
    assert check(["q"]) == (ASSESSED.format("; counting their characters needs the documents", "unknown"), 0)
    (tmp_path / "q" / "pool-2.xml").write_text(ASSESSMENTS)
    shown, status = check(["q"])
    assert (shown.partition(";")[0], status) == (
        "q: topic 1 is assessed in two files, q/pool-1.xml and q/pool-2.xml",
        1,
    )


def test_assessed_elements_without_highlighted_text(check):
    text = """\
<assessments topic="1">
<file file="co/2000/r7108">
<path path="/article[1]" exhaustiveness="3" specificity="1"/>
<path path="/article[1]/sec[1]" exhaustiveness="0" specificity="0"/>
</file>
<file file="co/2000/r7109"><path path="/article[1]" exhaustiveness="0" specificity="0"/></file>
</assessments>
"""
    assert check(["q"], q=text) == ("""\
q: judgments (inex)
  1 topic, 2 judged documents, 2 per topic (median 2)
  grades: 0: 1, 1: 1
  duplicates: none
  elements: 3 assessed in 2 documents
  no faults
""", 0)  # fmt: skip


# Whole documents.

WHOLE = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n"


def test_whole_documents_keep_to_tasks(check):
    shown, status = check(["r", "--task", "best-in-context"], r=WHOLE)
    assert (shown, status) == ("""\
r:3: document a is retrieved twice for topic 1 (first on line 1)
r: a run (trec)
  1 topic, 2 results, 2 per topic (median 2)
  ties: none
  duplicates: 1
  whole documents: each counts from offset 0 to its length
  task best-in-context: 1 violation
  1 fault
""", 1)  # fmt: skip
    shown, status = check(["q", "r", "--task", "restricted-focused"], q="1 Q0 a 0 900\n1 Q0 b 0 101\n", r=WHOLE[:26])
    assert (shown.splitlines()[-8:], status) == ([
        "r:2: topic 1 has 1,001 characters; at most 1,000 are allowed",
        "r: a run (trec)",
        "  1 topic, 2 results, 2 per topic (median 2)",
        "  ties: none",
        "  duplicates: none",
        "  whole documents: each counts from offset 0 to its length",
        "  task restricted-focused: 1 violation",
        "  1 fault",
    ], 1)  # fmt: skip
    shown, status = check(["r", "--task", "restricted-focused"])
    unknown = "  not checked: how many characters are returned, because the lengths of documents are unknown; "
    assert (status, unknown + "pass --documents, or pass the judgments before the run" in shown.splitlines()) == (0, True)
    many = "topic,document,score\n" + "".join(f"1,d{number},{-number}\n" for number in range(1501))
    shown, status = check(["r", "--task", "thorough"], r=many)
    assert (shown.splitlines()[0], status) == ("r:1502: topic 1 has 1,501 results; at most 1,500 are allowed", 1)


def test_judgments_have_no_task(check):
    assert check(["q", "--task", "focused"], q=QRELS) == (QRELS_SUMMARY, 0)


# All at once.


def test_a_format_of_runs_does_not_make_runs_of_judgments(check):
    shown, status = check(["q", "e", "--format", "elements"], q=QRELS, e=ELEMENTS.splitlines()[0] + "\n")
    assert (shown.startswith(QRELS_SUMMARY + "e: a run (elements)\n"), status) == (True, 0)


def test_unknown_tasks_are_refused(tmp_path):
    (tmp_path / "r").write_text(RUN)
    expected = rf"^unknown task 'fast'; choose from {', '.join([*ALL, *GRADED])}$"
    with pytest.raises(assay.UsageError, match=expected):
        assay.check(tmp_path / "r", task="fast")
    assert assay.check(tmp_path / "r", task="RelevantInContext").faults == []


def test_offsets_beyond_all_measure_are_refused(check):
    huge = 10**15 - 1
    run = "".join(
        f"1 Q0 d{number} {number} {-number} t {start} {huge - start}\n" for number in range(5000) for start in (0, 1)
    )
    assert check(["r"], r=run) == (
        "r: the offsets are too large to add up over the documents; do they count characters?\n",
        1,
    )


def test_thousands_of_violations_do_not_read_the_file_thousands_of_times(tmp_path, monkeypatch):
    """A run of two documents in turns that overlap: each result but the first two is wrong twice."""
    path = tmp_path / "r"
    path.write_text(fol(*(("1", "ab"[number % 2], 0, 10) for number in range(5000))))
    reads, blocks = [], Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self, size=None: (reads.append(1), blocks(self, size))[1])
    faults = assay.check(path, task="relevant-in-context").faults
    assert [fault.line for fault in faults] == sorted([*range(3, 5001), *range(3, 5001), 1501])
    assert len(reads) < 20
    reads.clear()
    path.write_text(QRELS + "1 Q0 a 11 100 0 0:10\n" * 5000)
    faults = assay.check(path).faults
    assert [fault.line for fault in faults] == sorted([*range(4, 5004), *range(4, 5004)])
    assert len(reads) < 20


results = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(1, 9), st.integers(0, 9), st.integers(0, 5)),
    min_size=1,
)


@given(results, st.booleans())
def test_what_is_found_is_what_is_found_one_by_one(rows, sort):
    """Every pair of results is looked at, in the order of rank, then score, which is the number of the line."""
    rows = sorted(rows) if sort else rows
    text = "".join(f"{topic} Q0 {document} {rank} {-line} t {start} {length}\n"
                   for line, (topic, document, rank, start, length) in enumerate(rows))  # fmt: skip
    order = sorted(range(len(rows)), key=lambda line: (rows[line][2], line))
    overlap, repeated, apart = set(), set(), set()
    for at, line in enumerate(order):
        topic, document, _, start, length = rows[line]
        before = [other for other in order[:at] if rows[other][0] == topic]
        same = [other for other in before if rows[other][1] == document]
        if any(max(start, rows[other][3]) < min(start + length, rows[other][3] + rows[other][4]) for other in same):
            overlap.add(line + 1)
        if same:
            repeated.add(line + 1)
            if before[-1] not in same:
                apart.add(line + 1)
    held = piped(text)
    found = {}
    for task in ("focused", "relevant-in-context", "best-in-context"):
        asked = checking.CheckRequest(task)
        report = checking.checked_file(held, "run", FOL, asked)
        found[task] = {(fault.line, fault.what.split()[0]) for fault in report.faults}
    overlaps = {(line, "result") for line in overlap}
    assert found == {
        "focused": overlaps,
        "relevant-in-context": overlaps | {(line, "document") for line in apart},
        "best-in-context": overlaps | {(line, "document") for line in repeated},
    }
    summary = checking.checked_file(held, "run", FOL, checking.CheckRequest())
    assert (summary.text.overlapping, summary.text.single, summary.faults) == (len(overlap), not repeated, [])


# Real data.

real = pytest.mark.shared("inex")


REAL_RUNS = [
    ("bert.bic", 11_800, "focused, thorough, relevant-in-context, best-in-context"),
    ("ideal.passages", 21_108, "no task"),
]
LARGE_RUNS = [
    ("bert.focused", 36_619, "focused, thorough"),
    ("bert.ric", 36_619, "focused, thorough, relevant-in-context"),
]


@real
@pytest.mark.parametrize(("name", "results", "keeps"), REAL_RUNS + LARGE_RUNS if FULL else REAL_RUNS)
def test_the_tasks_that_real_runs_keep_to(name, results, keeps):
    """The runs were made for the tasks in their names; the ideal one returns every highlighted passage, up to 4,342 of
    a topic."""
    report = assay.check(INEX / f"{name}.fol.run.gz")
    assert (report.sizes.total(), report.faults, report.notes) == (results, [], [f"follows the rules of: {keeps}"])
    kept = [task for task in ALL if not assay.check(INEX / f"{name}.fol.run.gz", task=task).faults]
    assert ", ".join(kept) == (keeps if kept else "")


@real
def test_real_judgments_and_a_real_run(check):
    qrels, run = (str(INEX / name) for name in ("inex2009-2010.technion.qrels.gz", "bert.focused.fol.run.gz"))
    shown, status = check([qrels, run, "--task", "focused"])
    assert (shown, status) == (f"""\
{qrels}: judgments (fol)
  120 topics, 10,329 judged documents, 5 to 506 per topic (median 56.5)
  highlighted: 10,196 documents (10,329 by topic), 21,106 spans, 36,633,793 characters (median 1,008 per document)
  best entry points: known for all relevant documents; all are 100, which may be a default
  lengths: known for all judged documents
  duplicates: none
  no faults
{run}: a run (fol)
  118 topics, 36,619 results, 154 to 606 per topic (median 306)
  parts of 11,582 documents (11,800 by topic), 59,068,415 characters (median 1,823 per result)
  ties: none
  overlap: none
  documents: results of one document are apart in 118 topics (2009001, 2009002, 2009003, 2009004, 2009005, …)
  beyond the end of their document: none
  duplicates: none
  task focused: no violations
  not checked: whether results end within their documents, because the lengths of 8,237 of 11,582 documents are unknown; \
pass --documents, or pass the judgments before the run
  no faults
{qrels} and {run}: 2 of 120 judged topics are missing from the run: 2010061, 2010107
""", 0)  # fmt: skip


@real
def test_every_overlap_of_a_real_run_that_was_made_to_overlap(tmp_path):
    """Each result is returned a second time, one character longer: all of these overlap, and nothing else does."""
    lines = gzip.decompress((INEX / "bert.bic.fol.run.gz").read_bytes()).decode().splitlines()
    rows = [line.split() for line in lines]
    again = [[*row[:3], str(1000 + int(row[3])), *row[4:7], str(int(row[7]) + 1)] for row in rows]
    path = tmp_path / "r"
    path.write_text("\n".join([*lines, *map(" ".join, again)]) + "\n")
    faults = assay.check(path, task="focused").faults
    assert [fault.line for fault in faults] == list(range(len(lines) + 1, 2 * len(lines) + 1))
