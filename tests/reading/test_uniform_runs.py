"""Runs in CSV and JSONL in blocks are those in one table, whether their lines look alike or not."""

import csv
import io
import json

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import assay
from assay.files import source
from assay.reading import frames
from assay.reading.format import Request
from assay.reading.given import given_run
from assay.reading.read import run_blocks
from helpers.files import written
from helpers.fuzzing import in_time
from helpers.samples import ASKED

IDS = st.sampled_from(["q1", "q2", "7", "d 1", "é", "日本", "a,b", "[1]", "true", "{}", "a" * 20, "tab\tbed", 'say "x"'])
PLAIN_IDS = st.sampled_from(["q1", "q2", "7", "d 1", "é", "a" * 20])
SCORES = st.floats(-1e9, 1e9) | st.integers(-9, 9) | st.decimals(0, 99, places=3).map(float)
ROWS = st.lists(st.tuples(PLAIN_IDS, PLAIN_IDS, SCORES), min_size=1, max_size=12)
MORE_ROWS = st.lists(st.tuples(IDS, IDS, SCORES), max_size=4)
SIZES = st.sampled_from([8, 60, 1 << 20])


def in_blocks(content, size, format=None, **request):
    """The rows of a run that is read in blocks of so many bytes, or what is refused; `gather` reads one table of all."""
    path = written(content, "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        try:
            runs = [block() for block in run_blocks(given_run(path, format=format), Request(**request))]
        except assay.InputError as error:
            return str(error)
    return [row for run in runs if run for row in rows_of(run)]


def rows_of(run):
    return list(zip(run.topic.texts(), run.document.texts(), run.score.tolist(), strict=True))


def csv_of(rows, **options):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **options).writerows(rows)
    return out.getvalue()


def jsonl_of(rows, **options):
    names = "query_id", "doc_id", "score"
    return "".join(json.dumps(dict(zip(names, row, strict=True)), **options) + "\n" for row in rows)


def as_numbers(rows):
    return [(topic, document, float(score)) for topic, document, score in rows]


@pytest.mark.usefixtures("folder")
@given(ROWS, MORE_ROWS, SIZES, st.booleans())
def test_csv_has_the_rows_that_were_written(rows, more, size, in_pieces):
    content = csv_of([("query_id", "doc_id", "score"), *rows, *more, *rows])
    assert in_blocks(content, size, in_pieces=in_pieces) == as_numbers([*rows, *more, *rows])


@pytest.mark.usefixtures("folder")
@given(ROWS, MORE_ROWS, SIZES, st.sampled_from([{}, {"ensure_ascii": False}, {"separators": (",", ":")}]))
def test_jsonl_has_the_rows_that_were_written(rows, more, size, options):
    content = jsonl_of([*rows, *more, *rows], **options)
    assert in_blocks(content, size) == as_numbers([*rows, *more, *rows])


CSV_LINES = ["q1,d1,2", "q1,d2,1.50", " q2,d1,1", "q2 ,d1,1", "q2,,1", "q2,d3", "q2,d3,1,9", "q3,d1,x", "", "  ", ",,", "q\t,d,1"]
CSV_LINES += ['"q4",d1,1', 'q4,"d\n1",1', 'q4,"d1,1', "é,é,+1e3", "q1,d1,nan", "q1,d1,.5", "q1,d1, 1 "]


@pytest.mark.usefixtures("folder")
@given(st.sampled_from(CSV_LINES), st.lists(st.sampled_from(CSV_LINES[:2]), max_size=20), SIZES)
def test_csv_is_read_and_refused_as_in_one_table(odd, usual, size):
    content = "\n".join(["topic,document,score", *usual, odd, *usual]) + "\n"
    assert in_blocks(content, size, "csv") == in_blocks(content, size, "csv", gather=True)


@pytest.mark.usefixtures("folder")
@example(["q2,,1", "q2,d3,1,9"], 8)
@given(st.lists(st.sampled_from(CSV_LINES), max_size=6), SIZES)
def test_csv_with_several_faults_is_refused_as_in_one_table(odd, size):
    content = "\n".join(["topic,document,score", *odd]) + "\n"
    read, whole = in_blocks(content, size, "csv"), in_blocks(content, size, "csv", gather=True)
    # which of several faults is told depends on where the blocks end
    assert isinstance(read, str) if isinstance(whole, str) else read == whole


JSON_LINES = ['{"query_id": "q1", "doc_id": "d1", "score": 2}', '{"query_id": "q1", "doc_id": "d2", "score": 1.5}']
JSON_VALUES = ["01", "1.", ".5", "-.5", "+1", "-0", "1e3", "1.e3", "1E-05", "- 1", "NaN", "null", "true", '"1.5"', "[1]"]
JSON_VALUES += ["1 2", "1.5.5", "1-2", "12345678901234567890", "0.1234567890123456789", "", "1,", '1, "score": 2', "{}"]
OTHER_LINES = [JSON_LINES[0].replace("2}", value + "}") for value in JSON_VALUES]
OTHER_LINES += [JSON_LINES[0].replace('"d1"', value) for value in ("7", "7.0", '""', '"\\u00e9"', '"a\tb"', '"é"', "null", '"a\\"b"')]
OTHER_LINES += ["", "  ", "{}", "[]", '{"query_id": "q1", "doc_id": "d3"}', JSON_LINES[0][:-1], JSON_LINES[0] + " ", "x"]
OTHER_LINES += ['{"doc_id": "d1", "query_id": "q1", "score": 2}', '{"query_id":"q1","doc_id":"d1","score":2}', " " + JSON_LINES[0]]


@pytest.mark.parametrize("size", [16, 1 << 20])
@pytest.mark.parametrize("odd", OTHER_LINES)
@pytest.mark.usefixtures("folder")
def test_jsonl_is_read_and_refused_as_by_frames(odd, size):
    places = [[odd], [*JSON_LINES, odd], [*JSON_LINES * 4, odd, *JSON_LINES], [odd, *JSON_LINES]]
    # two of the places in small blocks and the others in a large one; a larger sample: all in both
    for lines in places if ASKED else places[int(size == 16) :: 2]:
        content = "\n".join(lines) + "\n"
        assert in_blocks(content, size, "jsonl") == in_blocks(content, size, "jsonl", gather=True)


@pytest.mark.usefixtures("folder")
def test_a_column_that_has_the_name_of_a_field_is_not_taken_for_it():
    path = written("topic,document,score,bm25\nq1,d1,1,4\nq1,d2,2,3\n", "run")
    (run,) = [block() for block in run_blocks(given_run(path), Request(columns={"score": "bm25"}))]
    assert run.score.tolist() == [4.0, 3.0]


@pytest.mark.parametrize("content", ["topic,document,score\n" + "q1,d1,2\n" * 2, jsonl_of([("q1", "d1", 2)] * 2)])
@pytest.mark.usefixtures("folder")
def test_the_lines_of_a_document_that_is_there_twice_are_told(content):
    path = written(content, "run")
    first = 2 if content.startswith("topic") else 1
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q1": {"d1": 1}}, path, ["AP"])
    what = f"{path}:{first + 1}: document d1 is retrieved twice for topic q1 (first on line {first})"
    assert str(refused.value) == f"{what}; pass duplicates=first or duplicates=best to keep one"


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
def test_the_lines_of_such_a_document_are_told_also_where_topics_are_scattered(quoting, folder, monkeypatch):
    monkeypatch.setattr(source, "BLOCK", 32)
    rows = [(f"q{number % 4}", f"d{number}", 99 - number) for number in range(40)]
    path = written(csv_of([("topic", "document", "score"), *rows, ("q1", "d1", 2)], quoting=quoting), "run")
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q1": {"d1": 1}}, path, ["AP"])
    what = f"{path}:42: document d1 is retrieved twice for topic q1 (first on line 3)"
    assert str(refused.value) == f"{what}; pass duplicates=first or duplicates=best to keep one"


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "frame"])
def test_the_places_of_such_a_document_are_named_where_topics_are_scattered_over_several_frames(kind, folder, monkeypatch):
    monkeypatch.setattr(source, "BLOCK", 32)
    monkeypatch.setattr(frames, "ROWS", 8)
    rows = [(f"q{number % 4}", f"d{number}", 1e20 - number * 1e17) for number in range(40)]
    frame = pl.DataFrame([*rows, ("q1", "d1", 2.0)], schema=["topic", "document", "score"], orient="row")
    run, where = frame, "run: row 41"
    if kind == "jsonl":
        # a score with an exponent in the first block, so that all blocks become frames
        run = written(jsonl_of(frame.rows()), "run")
        where = f"{run}:41"
    elif kind == "parquet":
        run = str(folder / "run.parquet")
        frame.write_parquet(run)
        where = f"{run}: row 41"
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"q1": {"d1": 1}}, run, ["AP"])
    first = "on line 2" if kind == "jsonl" else "in row 2"
    what = f"{where}: document d1 is retrieved twice for topic q1 (first {first})"
    assert str(refused.value) == f"{what}; pass duplicates=first or duplicates=best to keep one"


@pytest.mark.usefixtures("folder")
def test_a_document_in_every_row_is_refused_at_once():
    path = written("".join(f'{{"topic": "1", "document": "d", "score": 1e-5, "more": "{"x" * 800}"}}\n' for _ in range(4000)), "run")
    with in_time(3), pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"d": 1}}, path, ["AP"])
    what = f"{path}:2: document d is retrieved twice for topic 1 (first on line 1)"
    assert str(refused.value) == f"{what}; pass duplicates=first or duplicates=best to keep one"


@pytest.mark.usefixtures("folder")
def test_lines_that_look_alike_become_no_frames(monkeypatch):
    made = []
    frame_run = frames.frame_run
    monkeypatch.setattr(frames, "frame_run", lambda *given: made.append(given) or frame_run(*given))
    rows = [("q1", "d1", 1.5), ("q1", "d2", 1.25), ("q2", "d1", 3.0)]
    names = ("query_id", "doc_id", "score")
    assert in_blocks(jsonl_of(rows), 1 << 20) == rows and not made
    assert in_blocks(csv_of([names, *rows]), 1 << 20) == rows and not made
    assert in_blocks(jsonl_of([("q1", 'say "x"', 1.5), *rows]), 1 << 20) and made
    made.clear()
    assert in_blocks(csv_of([names, ("q1", "a,b", 1.5), *rows]), 1 << 20) and made


@pytest.mark.parametrize("separator", [",", "\t"])
def test_the_topic_of_a_line_is_found_in_any_column(separator, folder):
    names = ["document", "score", "topic"]
    lines = [separator.join(names), *(separator.join([f"d{n}", str(90 - n), f"q{n // 3}"]) for n in range(27))]
    path = written("\n".join(lines), "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", 32)
        runs = [block() for block in run_blocks(given_run(path), Request())]
    assert [topic for run in runs for topic in sorted(set(run.topic.texts()))] == [f"q{n}" for n in range(9)]
    assert len(runs) > 1


@pytest.mark.usefixtures("folder")
def test_a_blank_of_unicode_between_fields_is_refused_with_its_line():
    lines = ['{"topic": "2", "document": "file", "score": 9, "rank": 1}', '{"topic": "2", "document": "rye", "score": 9,\u2028"rank": 2}']
    path = written("\n".join(lines) + "\n", "run.jsonl")
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"2": {"rye": 1}}, path, ["AP"])
    assert str(refused.value).startswith(f"{path}:2: ")


# Names that appear only behind the first block of a file

GOLD = [{"query_id": "q1", "doc_id": f"d{n}", "start": 0, "end": 9} for n in range(20)]
DOCUMENTS = [{"query_id": "q1", "doc_id": f"d{n}", "score": 20 - n} for n in range(20)]


def written_as(rows, form):
    if form == "array":
        return written(json.dumps(rows), "rows.json")
    return written("".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")


@pytest.fixture
def small_blocks(monkeypatch, folder):
    monkeypatch.setattr(source, "BLOCK", 100)


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_name_counts_wherever_it_first_appears(form, small_blocks):
    sets = [{**GOLD[0], "query_id": "q2", "set": name} for name in "ab"]
    sets[1] |= {"doc_id": "d1", "end": 50}
    run = {"q2": [("d0", 0, 9), ("d1", 0, 9)]}
    values = [assay.evaluate(rows, run, "R", topics="common")["R"]
              for gold in (GOLD + sets, sets + GOLD) for rows in (gold, written_as(gold, form))]  # fmt: skip
    assert values == [1.0] * 4


@pytest.mark.parametrize("form", ["lines", "array"])
@pytest.mark.parametrize("late", [{"docno": "d1"}, {"doc_id": "d1", "docno": "d2"}, {"doc_id": "d1", "start": 0, "end": 5}])
def test_a_late_name_that_changes_what_the_rows_mean_is_refused_as_in_records(late, form, small_blocks):
    rows = [*DOCUMENTS, {"query_id": "q2", "score": 1, **late}]
    refused = []
    for run in (rows, written_as(rows, form)):
        with pytest.raises(assay.InputError) as error:
            assay.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, run, "AP")
        refused.append(error.value.what)
    assert refused[0] == refused[1]


@pytest.mark.parametrize("late", [{"rank": 1}, {"text": "some words"}, {"passage": "some words"}])
def test_a_late_name_that_a_fast_path_has_not_read_is_refused(late, small_blocks):
    path = written_as([*DOCUMENTS, {"query_id": "q2", "doc_id": "d1", "score": 1, **late}], "lines")
    with pytest.raises(assay.InputError) as error:
        assay.evaluate({"q1": {"d1": 1}}, path, "AP")
    told = f"the first rows lack {next(iter(late))}, which later rows have"
    assert str(error.value) == f"rows.jsonl: {told}; write it in the first row too, if need be as null"


def test_a_late_name_that_no_field_uses_changes_nothing(small_blocks):
    path = written_as([*DOCUMENTS, {"query_id": "q2", "doc_id": "d1", "score": 1, "colour": "red"}], "lines")
    assert assay.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, path, "AP")["AP"] == 0.75


def test_a_label_that_is_no_id_is_refused_in_whichever_block_it_is(small_blocks):
    rows = [{"query_id": "q1", "doc_id": "a", "start": 0, "end": 40, "stratum": stratum} for stratum in (7.5, "a", "a")]
    with pytest.raises(assay.InputError) as error:
        assay.read_judgments(written_as(rows, "lines"))
    assert str(error.value) == "rows.jsonl:1: stratum 7.5 is neither text nor a whole number"


def test_check_sees_a_late_name(small_blocks):
    path = written_as([*DOCUMENTS, {"query_id": "q2", "doc_id": "d1", "docno": "d2", "score": 1}], "lines")
    with pytest.raises(assay.InputError) as error:
        assay.check(path, kind="run")
    assert error.value.what == "columns doc_id and docno could both be the document; pass columns=, for example document=doc_id"


def test_judgments_with_scores_for_grades_have_their_late_names(small_blocks):
    gold = [*DOCUMENTS, {"query_id": "q2", "doc_id": "d1", "docno": "d2", "score": 1}]
    with pytest.raises(assay.InputError, match="columns doc_id and docno could both be the document"):
        assay.read_judgments(written_as(gold, "lines"))
