"""Converting: what is written is read as the same table again, and what a format cannot hold is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.converting.convert import convert
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.ranking.order import order_run
from assay.reading.read import read_judgments, read_run
from assay.reading.recognition import format_named
from assay.tables.ids import Ids
from assay.tables.judgments import DocumentJudgments, HighlightJudgments, Highlights, Judgments
from assay.tables.run import DocumentRun, Run, make_run
from assay.vocabulary import FORMATS
from helpers.commands import invoke
from helpers.files import piped, written
from helpers.places import DATA

# Text: Ore|Gold is heavy.|Tin is not.  The title is 0-3, the paragraphs are 3-17 and 17-28, the section is 3-28.
ORE = "<article><title>Ore</title><sec><p>Gold is heavy.</p><p>Tin is not.</p></sec></article>"
OF_DOCUMENTS = ["trec", "csv", "tsv", "jsonl", "parquet"]
OF_SPANS = ["fol", "genomics", "spans", "inex", "csv", "tsv", "jsonl", "parquet"]
OF_HIGHLIGHTS = ["fol", "csv", "tsv", "jsonl", "parquet"]


@pytest.fixture
def documents(tmp_path):
    """One document."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ore.xml").write_text(ORE)
    return Documents(tmp_path / "docs", cache=False)


def again(given, to, **options):
    """What is read from what was written."""
    read = read_judgments if isinstance(given, Judgments) else read_run
    return read(piped(convert(given, to, **options)), format=to)


# Expected values are made from plain rows, sorted by Python.


def run_of(rows, spans=True) -> Run:
    """A run of rows (topic, document, start, end, score), or (topic, document, score)."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    parts = {"start": np.array(columns[2]), "end": np.array(columns[3])} if spans else {}
    return make_run("my run", Ids.of(columns[0]), Ids.of(columns[1]), score=np.array(columns[-1], float), **parts)


def rows_of(run, *fields):
    """The rows of a run in the order of the file; ranks count from 1 in each topic."""
    ids = [run.topic.texts(), run.document.texts()]
    return list(zip(*ids, *(getattr(run, field).tolist() for field in fields), strict=True))


def in_order(rows):
    """Rows of a run by topic as they come, best first, then by document id, greatest first, then by place."""
    topics = list(dict.fromkeys(row[0] for row in rows))
    by_id = sorted(rows, key=lambda row: row[2:-1])
    by_id.sort(key=lambda row: row[1].encode(), reverse=True)
    return sorted(by_id, key=lambda row: (topics.index(row[0]), -row[-1]))


TEXT = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\ufeff"), min_size=1, max_size=12)
IDS = st.one_of(st.sampled_from(["1", "07", "d", "x" * 17, "é", "日本", 'q"q', "a,b", "<&>", "1.5", "nan"]), TEXT)
NAMES = IDS.filter(lambda name: not name.startswith("#") and not name.endswith(".xml"))
SCORES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.1, 1.0, -0.0, 1 / 3, 1e22, 5e-324])
)
PLACES = st.tuples(st.integers(0, 10**9), st.integers(0, 10**6)).map(lambda place: (place[0], sum(place)))


@given(st.lists(st.tuples(NAMES, NAMES, PLACES, SCORES), min_size=1, max_size=8), st.sampled_from(OF_SPANS))
def test_a_run_of_spans_is_read_as_it_was_written(made, to):
    rows = [(topic, document, *place, score + 0.0) for topic, document, place, score in made]
    found = again(run_of(rows), to)
    assert rows_of(found, "start", "end", "score") == in_order(rows)
    ranks = [rank for topic in dict.fromkeys(row[0] for row in in_order(rows))
             for rank in range(1, 1 + sum(row[0] == topic for row in rows))]  # fmt: skip
    assert found.rank.tolist() == ranks and found.by_rank == format_named(to).by_rank


@given(st.dictionaries(st.tuples(NAMES, NAMES), SCORES, min_size=1, max_size=8), st.sampled_from(OF_DOCUMENTS))
def test_a_run_of_documents_is_read_as_it_was_written(made, to):
    rows = [(topic, document, score + 0.0) for (topic, document), score in made.items()]
    found = again(run_of(rows, spans=False), to)
    assert rows_of(found, "score") == in_order(rows)
    assert isinstance(found, DocumentRun) and not found.by_rank


@st.composite
def highlighted(draw):
    """Judgments with highlighted text, perhaps of unknown lengths and entry points, and their rows."""
    pairs = draw(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6, unique=True))
    spans = [draw(st.lists(PLACES.filter(lambda place: place[0] < place[1]), max_size=3)) for _ in pairs]
    lengths = [draw(st.integers(0, 10**9)) for _ in pairs]
    entries = [draw(st.integers(-1, 10**6)) if found else -1 for found in spans]
    flat = [(number, *span) for number, found in enumerate(spans) for span in found]
    sizes = [sum(end - start for start, end in found) for found in spans]
    columns = (*([one[at] for one in flat] for at in range(3)), lengths, entries, sizes)
    marks = Highlights(*(np.array(column, np.int64) for column in columns))
    grade = np.array([int(bool(found)) for found in spans])
    topic, document = Ids.of([one for one, _ in pairs]), Ids.of([one for _, one in pairs])
    return HighlightJudgments("gold", topic, document, grade=grade, highlights=marks), list(
        zip(pairs, spans, lengths, entries, strict=True)
    )


def judged(judgments):
    """The pair, spans, length and entry point of each judged document."""
    pairs = list(zip(judgments.topic.texts(), judgments.document.texts(), strict=True))
    marks = judgments.highlights
    spans = [[] for _ in pairs]
    for row, start, end in zip(marks.row.tolist(), marks.start.tolist(), marks.end.tolist(), strict=True):
        spans[row].append((start, end))
    assert judgments.grade.tolist() == [int(bool(found)) for found in spans]
    return list(zip(pairs, spans, marks.length.tolist(), marks.entry.tolist(), strict=True))


@given(highlighted(), st.sampled_from(OF_HIGHLIGHTS))
def test_judgments_with_highlighted_text_are_read_as_they_were_written(made, to):
    judgments, expected = made
    found = again(judgments, to)
    assert judged(found) == expected
    if to == "fol":
        assert found.highlights.rsize.tolist() == judgments.highlights.rsize.tolist()


@given(
    st.dictionaries(st.tuples(NAMES, NAMES), st.integers(-2, 4), min_size=1, max_size=8), st.sampled_from(OF_DOCUMENTS)
)
def test_judgments_of_documents_are_read_as_they_were_written(made, to):
    judgments = DocumentJudgments(
        "gold", Ids.of(t for t, _ in made), Ids.of(d for _, d in made), grade=np.array(list(made.values()))
    )
    found = again(judgments, to)
    assert rows_of(found, "grade") == [(*pair, grade) for pair, grade in made.items()]
    assert isinstance(found, DocumentJudgments)


# What is written, to the letter.

TIED = [
    ("2", "b", 5, 9, 1.0),
    ("1", "a", 0, 4, 0.5),
    ("2", "c", 7, 7, 2.5),
    ("2", "b", 3, 9, 1.0),
    ("2", "d", 0, 1, 1.0),
]
LETTERS = {
    "fol": "2 Q0 c 1 2.5 my_run 7 0\n2 Q0 d 2 1.0 my_run 0 1\n2 Q0 b 3 1.0 my_run 3 6\n2 Q0 b 4 1.0 my_run 5 4\n"
           "1 Q0 a 1 0.5 my_run 0 4\n",
    "genomics": "2 c 1 2.5 7 0 my_run\n2 d 2 1.0 0 1 my_run\n2 b 3 1.0 3 6 my_run\n2 b 4 1.0 5 4 my_run\n1 a 1 0.5 0 4 my_run\n",
    "spans": "2\t1\tc\t7\t7\t2.5\n2\t2\td\t0\t1\t1.0\n2\t3\tb\t3\t9\t1.0\n2\t4\tb\t5\t9\t1.0\n1\t1\ta\t0\t4\t0.5\n",
    "csv": "topic,document,start,end,rank,score\n2,c,7,7,1,2.5\n2,d,0,1,2,1.0\n2,b,3,9,3,1.0\n2,b,5,9,4,1.0\n1,a,0,4,1,0.5\n",
    "inex": """\
<?xml version="1.0" encoding="UTF-8"?>
<inex-submission participant-id="" run-id="my_run" task="" query="automatic" result-type="fol">
<description></description>
<collections><collection></collection></collections>
<topic topic-id="2">
<result><file>c</file><fol offset="7" length="0"/><rank>1</rank><rsv>2.5</rsv></result>
<result><file>d</file><fol offset="0" length="1"/><rank>2</rank><rsv>1.0</rsv></result>
<result><file>b</file><fol offset="3" length="6"/><rank>3</rank><rsv>1.0</rsv></result>
<result><file>b</file><fol offset="5" length="4"/><rank>4</rank><rsv>1.0</rsv></result>
</topic>
<topic topic-id="1">
<result><file>a</file><fol offset="0" length="4"/><rank>1</rank><rsv>0.5</rsv></result>
</topic>
</inex-submission>
""",
}  # fmt: skip


@pytest.mark.parametrize("to", LETTERS)
def test_a_run_is_written_best_first_with_ranks_from_one(to):
    assert convert(run_of(TIED), to).decode() == LETTERS[to]


def test_where_the_rank_tells_the_order_it_is_kept():
    text = b"1 Q0 a 7 1.5 t 0 4\n1 Q0 b 3 0.5 t 0 4\n1 Q0 c 7 2.5 t 0 4\n"
    assert convert(piped(text), "fol") == (
        b"1 Q0 b 1 0.5 standard_input 0 4\n1 Q0 c 2 2.5 standard_input 0 4\n1 Q0 a 3 1.5 standard_input 0 4\n"
    )


TIED_ELEMENTS = b"1 Q0 ore 1 1.0 t /article[1]/sec[2]\n1 Q0 ore 1 1.0 t /article[1]/sec[1]\n"
ASSESSED = """<assessments topic="1"><file name="ore">
<element path="/article[1]/sec[1]" exhaustivity="2" size="10" rsize="10"/></file></assessments>"""


def test_tied_elements_of_a_document_are_written_in_the_order_in_which_they_are_measured(tmp_path):
    (tmp_path / "assessed.xml").write_text(ASSESSED)
    (tmp_path / "tied.run").write_bytes(TIED_ELEMENTS)
    (tmp_path / "converted.run").write_bytes(convert(tmp_path / "tied.run", "elements"))
    runs = [tmp_path / "tied.run", tmp_path / "converted.run"]
    values = assay.evaluate(tmp_path / "assessed.xml", runs, "nxCG@1").means["nxCG@1"]
    assert values.to_list() == [1.0, 1.0]
    assert (tmp_path / "converted.run").read_text().splitlines()[0] == "1 Q0 ore 1 1.0 tied /article[1]/sec[1]"


QRELS = b"1 Q0 a 9 30 3 3:4 10:5\n1 Q0 b 0 12\n2 Q0 a 1 30 -1 0:1\n"


@pytest.mark.parametrize(("to", "expected"), {
    "fol": QRELS.decode(),
    "trec": "1 0 a 1\n1 0 b 0\n2 0 a 1\n",
    "csv": "topic,document,start,end,grade,document_length,bep\n1,a,3,7,1,30,3\n1,a,10,15,1,30,3\n1,b,0,0,0,12,\n2,a,0,1,1,30,\n",
    "jsonl": '{"topic": "1", "document": "a", "start": 3, "end": 7, "grade": 1, "document_length": 30, "bep": 3}\n'
             '{"topic": "1", "document": "a", "start": 10, "end": 15, "grade": 1, "document_length": 30, "bep": 3}\n'
             '{"topic": "1", "document": "b", "start": 0, "end": 0, "grade": 0, "document_length": 12}\n'
             '{"topic": "2", "document": "a", "start": 0, "end": 1, "grade": 1, "document_length": 30}\n',
}.items())  # fmt: skip
def test_judgments_are_written_in_their_order(to, expected):
    assert convert(piped(QRELS), to).decode() == expected


def test_spans_that_overlap_are_one_passage_where_nothing_says_how_much_is_highlighted():
    gold = "topic,document,start,end,doc_length\n1,a,5,9,30\n1,a,0,2,30\n1,a,7,12,30\n1,b,4,5,9\n1,b,1,2,9\n"
    assert convert(piped(gold.encode()), "fol") == b"1 Q0 a 9 30 -1 0:2 5:7\n1 Q0 b 2 9 -1 4:1 1:1\n"
    told = b"1 Q0 a 11 30 5 5:4 0:2 7:5\n"
    assert convert(piped(told), "fol") == told


# With documents.


def test_elements_and_spans_into_each_other(documents):
    spans = b"1 Q0 ore 1 2.0 t 3 14\n1 Q0 ore 2 1.0 t 1 8\n1 Q0 ore 3 0.5 t 20 2\n"
    elements = convert(piped(spans), "elements", documents=documents)
    assert elements == (
        b"1 Q0 ore 1 2.0 standard_input /article[1]/sec[1]/p[1]\n"
        b"1 Q0 ore 2 1.0 standard_input /article[1]\n"
        b"1 Q0 ore 3 0.5 standard_input /article[1]/sec[1]/p[2]\n"
    )
    found = read_run(piped(convert(piped(elements), "fol", documents=documents)))
    assert rows_of(found, "start", "end") == [("1", "ore", 3, 17), ("1", "ore", 0, 28), ("1", "ore", 17, 28)]
    table = convert(piped(elements), "csv", documents=documents)
    assert table.decode().splitlines()[1:] == ["1,ore,3,17,1,2.0", "1,ore,0,28,2,1.0", "1,ore,17,28,3,0.5"]


RANGES = (b"1 Q0 ore 1 2.0 standard_input /article[1]/title[1] /article[1]/sec[1]/p[1]\n"
          b"1 Q0 ore 2 1.0 standard_input /article[1]/sec[1]\n")  # fmt: skip


def test_elements_stay_as_they_are_where_a_format_has_them(documents):
    assert convert(piped(RANGES), "elements") == RANGES
    submission = convert(piped(RANGES), "inex", documents=documents)
    assert b'<passage start="/article[1]/title[1]" end="/article[1]/sec[1]/p[1]"/><rank>1</rank>' in submission
    assert b"<path>/article[1]/sec[1]</path><rank>2</rank>" in submission
    assert convert(piped(submission), "elements") == RANGES


@pytest.mark.parametrize(("to", "expected"), [
    ("fol", b"1 Q0 ore 1 1.0 standard_input 0 28\n"),
    ("elements", b"1 Q0 ore 1 1.0 standard_input /article[1]\n"),
    ("genomics", b"1 ore 1 1.0 0 28 standard_input\n"),
    ("trec", b"1 Q0 ore 1 1.0 standard_input\n"),
])  # fmt: skip
def test_whole_documents_are_all_of_their_text(to, expected, documents):
    assert convert(piped(b"1 Q0 ore 4 1 t\n"), to, documents=documents) == expected
    assert convert(piped(b"1 Q0 ore 4 1 t\n"), to, documents=documents.label) == expected


def test_lengths_are_looked_up(documents):
    gold = piped(b"topic,document,start,end\n1,ore,3,17\n")
    assert convert(gold, "fol", documents=documents) == b"1 Q0 ore 14 28 -1 3:14\n"


# Whether it is a run or judgments.


def test_objects_in_memory_are_told_by_their_columns():
    table = pl.DataFrame({"qid": ["1"], "docno": ["d"], "start": [0], "end": [5]})
    assert convert(table, "csv") == b"topic,document,start,end,grade\n1,d,0,5,1\n"
    assert convert(table.with_columns(score=2.5), "fol") == b"1 Q0 d 1 2.5 run 0 5\n"
    assert convert({"1": {"d": 1}}, "trec", kind="judgments") == b"1 0 d 1\n"
    assert convert({"1": {"d": 1}}, "trec", kind="run") == b"1 Q0 d 1 1.0 run\n"


def test_a_folder_holds_judgments(tmp_path, documents):
    (tmp_path / "pools").mkdir()
    (tmp_path / "pools" / "pool-1.xml").write_text('<assessments topic="7"><file name="ore"><passage start="/article[1]/title[1]" '
                                                   'end="/article[1]/title[1]"/></file></assessments>')  # fmt: skip
    assert convert(tmp_path / "pools", "fol", documents=documents) == b"7 Q0 ore 3 28 -1 0:3\n"


def test_parts_of_documents_become_documents_ranked_by_their_first_result():
    run, notes = piped(b"1 Q0 a 1 1 t 0 30\n1 Q0 b 2 9 t 0 10\n1 Q0 a 3 8 t 40 10\n"), []
    assert convert(run, "trec", notes=notes) == b"1 Q0 a 1 -1.0 standard_input\n1 Q0 b 2 -2.0 standard_input\n"
    assert notes == ["standard input: 3 parts of documents became 2 documents, ranked by their first result"]


CHUNKS = [
    {"topic": "1", "document": "a", "text": "one", "score": 3},
    {"topic": "1", "document": "b", "text": "two", "score": 2},
    {"topic": "1", "document": "a", "text": "three", "score": 4},
]


def test_chunks_without_offsets_become_documents_ranked_by_their_first_result():
    notes = []
    assert convert(CHUNKS, "trec", notes=notes) == b"1 Q0 a 1 4.0 run\n1 Q0 b 2 2.0 run\n"
    assert notes == ["run: 1 result repeats a document of the same topic; Assay counts each document at its first result"]
    # without texts, a document that comes twice is a mistake
    with pytest.raises(InputError, match="document a is retrieved twice for topic 1"):
        convert([{name: value for name, value in each.items() if name != "text"} for each in CHUNKS], "trec")


def test_highlights_become_gold_passages_and_are_read_as_such():
    gold = convert(piped(b"1 Q0 a 50 200 10 0:20 30:30\n1 Q0 b 0 100\n"), "genomics")
    assert gold == b"1\ta\t0\t20\tNONE\n1\ta\t30\t30\tNONE\n"
    found = assay.read_judgments(piped(gold)).highlights
    assert (found.start.tolist(), found.end.tolist()) == ([0, 30], [20, 60])


# What is refused.

SPAN_ROW = ("1", "d", 0, 5, 1.0)
DOCUMENT_ROW = ("1", "d", 1.0)
GRADED = DocumentJudgments("gold", Ids.of("1"), Ids.of("d"), grade=np.array([1]))
ELEMENTS = "the run returns elements, and {} needs their offsets; pass documents="
REFUSED = [
    ("gold: these judgments are grades of documents; genomics needs highlighted text", GRADED, "genomics"),
    ("my run: the run returns spans, and Assay needs the elements around them; pass documents=",
     run_of([SPAN_ROW]), "elements"),
    ("standard input: " + ELEMENTS.format("fol"), RANGES, "fol"),
    ("standard input: " + ELEMENTS.format("csv"), RANGES, "csv"),
    ("my run: the run returns whole documents, and fol needs their lengths; pass documents=",
     run_of([DOCUMENT_ROW], spans=False), "fol"),
    ("my run: the run returns whole documents, and elements needs their lengths; pass documents=",
     run_of([DOCUMENT_ROW], spans=False), "elements"),
    ("my run: the run returns whole documents, and inex needs their lengths; pass documents=",
     run_of([DOCUMENT_ROW], spans=False), "inex"),
    ("gold: these judgments are grades of documents; fol needs highlighted text", GRADED, "fol"),
    ("standard input: these judgments are grades of elements, which csv cannot represent",
     b'<assessments topic="7"><file name="d"><element path="/a[1]" exhaustivity="2" size="5" rsize="5"/></file>'
     b"</assessments>", "csv"),
    ("standard input: fol needs the length of document 'd'; pass documents=",
     b"topic,document,start,end\n1,d,0,5\n", "fol"),
    ("my run: document 'a b' contains whitespace or other characters that a run of passages cannot represent",
     run_of([("1", "a b", 0, 5, 1.0)]), "fol"),
    ("my run: topic '#1' would be read as a comment in a Genomics run; expected an id that does not begin with #", run_of([("#1", "d", 0, 5, 1.0)]), "genomics"),
    ("my run: document ' d' contains whitespace or other characters that CSV cannot represent", run_of([("1", " d", 0, 5, 1.0)]), "tsv"),
    ("my run: document 'd\\x01' contains whitespace or other characters that XML cannot represent", run_of([("1", "d\1", 0, 5, 1.0)]), "inex"),
    ("my run: some ids contain a lone surrogate, which UTF-8 cannot encode", run_of([("1", "\ud800", 0, 5, 1.0)]), "jsonl"),
    ("my run: some ids contain a lone surrogate, which UTF-8 cannot encode", run_of([("1", "\ud800", 0, 5, 1.0)]), "parquet"),
    ("standard input: a text ends at offset 1000000000000003; expected at most 15 digits",
     b"1 Q0 d 1 0.9 t 4 999999999999999\n", "jsonl"),
    ("standard input: a text ends at offset 1000000000000003; expected at most 15 digits",
     b"1\td\t4\t999999999999999\tNONE\n", "csv"),
    ("standard input: nothing is relevant in these judgments, and genomics lists only what is relevant", b"1 Q0 d 0 5\n", "genomics"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "given_", "to"), REFUSED, ids=[message[:50] + to for message, _, to in REFUSED])
def test_what_a_format_cannot_hold_is_refused(message, given_, to):
    with pytest.raises(assay.InputError) as caught:
        convert(piped(given_) if isinstance(given_, bytes) else given_, to)
    assert str(caught.value) == message


def test_a_subtopic_with_blanks_is_not_written_as_qrels():
    rows = b"topic,subtopic,document,grade\n1,rye bread,d1,1\n1,oats,d1,1\n"
    with pytest.raises(assay.InputError) as caught:
        convert(piped(rows), "trec", kind="judgments")
    what = "subtopic 'rye bread' contains whitespace or other characters that TREC qrels cannot represent"
    assert str(caught.value) == f"standard input: {what}"


@pytest.mark.parametrize(("to", "title"), [("label_studio", "Label Studio"), ("squad", "SQuAD")])
def test_judgments_that_highlight_nothing_are_not_written_as_an_empty_file(to, title):
    with pytest.raises(assay.InputError) as caught:
        convert(piped(b"1 Q0 d 0 5\n"), to, documents={"d": "Rinse"})
    assert str(caught.value) == f"standard input: nothing is relevant in these judgments, and {title} lists only what is relevant"


EXPECTED = "choose from trec, sampled, fol, inex, genomics, spans, csv, tsv, jsonl, label_studio, squad, parquet"


def test_highlighted_spans_are_written_without_column_names():
    rows = b'{"query_id": "1", "doc_id": "d", "start": 3, "end": 9}\n{"query_id": "2", "doc_id": "e", "start": 0, "end": 4}\n'
    assert convert(piped(rows), "spans") == b"1\td\t3\t9\n2\te\t0\t4\n"
    with pytest.raises(assay.InputError) as caught:
        convert(GRADED, "spans")
    assert str(caught.value).endswith("these judgments have no highlighted text; spans can represent nothing else")


@pytest.mark.parametrize(("given_", "to", "message"), [
    (GRADED, "elements", f"judgments cannot be written as elements; {EXPECTED}"),
    (GRADED, "xls", f"unknown format 'xls'; choose from {', '.join(FORMATS)}"),
    ({"1": {"d": 1}}, "trec", "cannot tell whether this is a run or judgments; pass kind='run' or kind='judgments'"),
])  # fmt: skip
def test_a_way_that_is_not_there_is_refused(given_, to, message):
    with pytest.raises(assay.UsageError) as caught:
        convert(given_, to)
    assert str(caught.value) == message


@pytest.mark.parametrize("to", ["trec", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 a 3 0 t\n",
            "file:3: document a is retrieved twice for topic 1 (first on line 1); pass duplicates=first or duplicates=best to keep one",
        ),
        ("1 0 a 2\n1 0 a 1\n", "file:2: document a is judged twice for topic 1 (first on line 1)"),
        ("topic,document,grade\n1,a,1\n1,a,0\n", "file:3: document a is judged twice for topic 1 (first on line 2)"),
    ],
)
def test_a_document_that_stands_twice_is_refused(content, said, to, folder):
    with pytest.raises(assay.InputError) as refused:
        convert(written(content), to)
    assert str(refused.value) == said


# Real data.


@pytest.mark.shared("inex", "genomics-2007")
@pytest.mark.parametrize("to", OF_SPANS)
@pytest.mark.parametrize("name", ["inex/bert.ric.fol.run.gz", "genomics-2007/york-experimental-01.run.gz"])
def test_a_real_run_is_read_as_it_was_written(name, to):
    run = read_run(DATA / name)
    # a table is ordered by its scores, which become others where the ranks tell another order
    fields = ("rank", "start", "end", *(("score",) if format_named(to).by_rank else ()))
    found = again(run, to)
    assert np.array_equal(order_run(found)[1].origin, np.arange(len(found)))
    order = np.lexsort((run.rank, run.topic.texts()))
    same = np.lexsort((found.rank, found.topic.texts()))
    for field in fields:
        assert np.array_equal(getattr(run, field)[order], getattr(found, field)[same])
    assert run.document[order].texts() == found.document[same].texts()


@pytest.mark.shared("inex")
@pytest.mark.parametrize("to", OF_HIGHLIGHTS)
def test_real_judgments_are_read_as_they_were_written(to):
    judgments = read_judgments(DATA / "inex/inex2009-2010.technion.qrels.gz")
    assert judged(again(judgments, to)) == judged(judgments)


def test_highlighted_text_is_not_left_out_in_silence():
    notes = []
    assert convert({"1": [("d", 3, 9)]}, "trec", kind="judgments", notes=notes) == b"1 0 d 1\n"
    assert notes == ["judgments: trec cannot represent highlighted text; Assay wrote the grades of documents"]


@pytest.mark.parametrize(("duplicates", "order"), [("first", ["b", "a"]), ("best", ["a", "b"])])
def test_a_document_that_stands_twice_is_written_once_where_that_is_asked(duplicates, order, folder):
    run = written("1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n", "run")
    notes = []
    lines = convert(run, "trec", duplicates=duplicates, notes=notes).decode().splitlines()
    assert [line.split()[2] for line in lines] == order
    what = {"first": "Assay keeps the first", "best": "Assay keeps the one with the best score"}[duplicates]
    assert notes == [f"run: 1 result repeats a document of the same topic; {what}"]
    done = invoke("convert", run, "--to", "trec", "--duplicates", duplicates)
    assert (done.exit_code, done.stdout.splitlines(), done.stderr) == (0, lines, f"note: {notes[0]}\n")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["1 Q0 a 1 5 x", "1 Q0 b 2 5 x", "2 Q0 b 1 5 x", "2 Q0 a 2 5 x"], "ranks"),
        (["topic,document,score", "1,a,5", "1,b,5", "2,b,5", "2,a,5"], "lines of the file"),
    ],
)
def test_a_note_tells_where_tied_results_are_written_in_another_order(tmp_path, lines, told):
    path = tmp_path / "bm25"
    path.write_text("\n".join(lines) + "\n")
    notes = []
    content = assay.convert(path, "csv", kind="run", notes=notes)
    assert [row.split(",")[:3] for row in content.decode().split()[1:]] == [
        ["1", "b", "1"], ["1", "a", "2"], ["2", "b", "1"], ["2", "a", "2"],
    ]  # fmt: skip
    written = "tied scores in 1 topic are broken by document id, as in an evaluation"
    assert notes == [f"{path}: {written}; the {told} have another order"]


def test_where_ranks_tell_the_order_of_ties_in_which_they_are_written_nothing_is_noted(tmp_path):
    path = tmp_path / "bm25.run"
    path.write_text("1 Q0 a 2 5 x\n1 Q0 b 1 5 x\n1 Q0 c 3 4 x\n")
    notes = []
    assay.convert(path, "csv", notes=notes)
    assert notes == []


def test_records_objects_and_frames_are_judgments_by_the_same_names():
    rows = [{"query_id": "1", "doc_id": "a", "grade": 1}, {"query_id": "1", "doc_id": "b", "grade": 0}]
    frame = pl.DataFrame(rows)
    for table in (rows, [SimpleNamespace(**row) for row in rows], frame, frame.to_arrow(), frame.to_pandas()):
        assert assay.convert(table, "trec") == b"1 0 a 1\n1 0 b 0\n"


def test_only_the_first_results_of_each_topic_are_written(folder):
    run = written("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n2 Q0 a 1 1 t\n", "r")
    assert assay.convert(run, "trec", depth=2) == b"1 Q0 a 1 3.0 r\n1 Q0 b 2 2.0 r\n2 Q0 a 1 1.0 r\n"
    fused = assay.fuse({"a": run, "b": {"1": {"c": 2, "d": 1}}}, depth=1).frame()
    assert fused.select("topic", "document", "rank").rows() == [("1", "c", 1), ("2", "a", 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assay.convert({"1": {"a": 1.0}}, "trec", kind="run", depth=0), "depth is 0; expected 1 or more"),
        (lambda: assay.fuse([{"1": {"a": 1.0}}], depth=0), "depth is 0; expected 1 or more"),
        (lambda: assay.convert({"1": {"a": 1}}, "trec", kind="judgments", depth=1), "these are judgments; depth= works only with a run"),
    ],
)  # fmt: skip
def test_a_depth_is_a_number_of_results_of_a_run(call, message):
    with pytest.raises(assay.UsageError) as refused:
        call()
    assert str(refused.value) == message


# Texts that hold a passage of a document and more around it.

TALE = {"a": "First line of the text.\nSecond line of the text is here.\n", "b": "Another text. It has two sentences.\n"}
SURROUNDED = [
    {"topic": "1", "document": "a", "text": "Title: A\nFirst line of the text.", "score": 3},
    {"topic": "1", "document": "a", "text": "Second line of the text is here.\n(the end)", "score": 2},
    {"topic": "1", "document": "b", "text": "It has two sentences.", "score": 1},
]
BUDGETS = ["P@1", "P@3", "R(chars=20)", "P(chars=60)", "AP"]


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "parquet"])
def test_a_run_whose_texts_have_more_around_their_passages_counts_the_same_after_it_was_converted(to):
    gold = {"1": [("a", 0, 5), ("b", 14, 20)]}
    known = assay.evaluate(gold, SURROUNDED, BUDGETS, documents=TALE)
    content = convert(SURROUNDED, to, documents=TALE, kind="run")
    assert rows_of(read_run(piped(content), documents=TALE), "score", "rank", "start", "end") == [
        ("1", "a", 3.0, 1, 0, 23), ("1", "a", 2.0, 2, 24, 56), ("1", "b", 1.0, 3, 14, 35)
    ]  # fmt: skip
    assert assay.evaluate(gold, piped(content), BUDGETS, documents=TALE).values.tolist() == known.values.tolist()


@pytest.mark.parametrize("to", ["fol", "genomics", "spans", "inex"])
def test_a_note_counts_the_texts_that_lose_what_is_around_their_passages(to):
    what = "cannot represent the text around a passage; Assay left it out of 2 results, which changes values"
    assert converted_notes(to)[-1] == f"run: {to} {what}"
    assert not any("Assay left it out" in note for note in converted_notes("jsonl"))


def test_a_run_whose_texts_have_more_around_their_passages_is_written_as_elements(documents):
    run = [{"topic": "1", "document": "ore", "text": "Title: Ore\nGold is heavy.", "score": 1}]
    notes: list[str] = []
    assert convert(run, "elements", documents=documents, kind="run", notes=notes) == b"1 Q0 ore 1 1.0 run /article[1]/sec[1]/p[1]\n"
    what = "cannot represent the text around a passage; Assay left it out of 1 result, which changes values"
    assert notes[-1] == f"run: elements {what}"


def converted_notes(to):
    """The notes on the conversion of texts with more around their passages."""
    notes: list[str] = []
    convert(SURROUNDED, to, documents=TALE, kind="run", notes=notes)
    return notes


def test_a_check_calls_no_offset_wrong_if_its_text_has_more_around_the_passage_there(folder):
    path = written(convert(SURROUNDED, "jsonl", documents=TALE, kind="run"), "run.jsonl")
    report = assay.check(path, documents=TALE)
    assert report.faults == []
    assert report.notes[-2:] == [
        "texts: 2 of 2 texts hold a passage of a document with other text around it; only the passage can be relevant, "
        "but the whole text uses up the budget",
        "texts: 2 texts compared with the documents: 2 exact, 0 moved, 0 in several places, 0 not found",
    ]


# Questions without an answer


UNANSWERED = [
    {"topic": "1", "document": "a", "start": 0, "end": 5, "fact": "f"},
    {"topic": "2", "answerable": False},
    {"topic": "3", "document": "b", "start": 8, "end": 12, "fact": "g"},
    {"topic": "4", "answerable": False},
]


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "parquet"])
def test_questions_without_an_answer_are_written_with_their_mark(to):
    judged = read_judgments(UNANSWERED)
    assert judged.unanswerable == ("2", "4")
    content = convert(UNANSWERED, to, kind="judgments")
    read = read_judgments(piped(content))
    assert read.unanswerable == ("2", "4")
    assert read.topic.texts() == ["1", "3"]
    assert read.facts.fact.texts() == ["f", "g"]
    run = {"1": [("a", 0, 10)], "2": [("a", 0, 3)]}
    note = "run: 2 questions have no answer and are left out of all means; the run returned 1 result for 1 of them"
    for gold in (UNANSWERED, judged, piped(content)):
        scores = assay.evaluate(gold, run, ["R"])
        assert scores.values.tolist() == [[[1.0, 0.0]]]
        assert note in scores.notes


@pytest.mark.parametrize("to", ["trec", "spans", "squad"])
def test_a_note_counts_the_questions_without_an_answer_that_a_format_cannot_mark(to):
    notes: list[str] = []
    convert(UNANSWERED, to, kind="judgments", documents=TALE, notes=notes)
    assert f"judgments: {to} cannot mark questions as having no answer; Assay left out 2 questions" in notes


@pytest.mark.parametrize("target", ["spans", "genomics", "label_studio", "squad", "csv", "fol"])
def test_topics_with_nothing_relevant_are_kept_or_noted(target):
    gold = [{"topic": topic, "document": topic, "start": 0, "end": 9, "grade": grade} for topic, grade in (("1", 1), ("2", 0))]
    notes = []
    assay.convert(gold, target, documents={"1": "x" * 20, "2": "y" * 20}, notes=notes)
    what = "cannot represent topics with nothing relevant; Assay left out 1 topic, which changes means"
    assert notes == ([] if target in ("csv", "fol") else [f"judgments: {target} {what}"])
