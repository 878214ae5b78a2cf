"""Which column of a table holds what: ids before texts, what the user tells before all, and no silent choice between
two."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from helpers.commands import invoke
from helpers.files import parquet, written
from helpers.fuzzing import in_time

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 1}}
TEXTS = {"d1": "bread is baked in an oven", "d2": "dough has to rest for a night"}
ROWS = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d2", 1.0)]


def table(**columns):
    return pl.DataFrame(columns)


def with_texts(document="doc_id", text="document"):
    return table(qid=[q for q, _, _ in ROWS], **{text: [TEXTS[d] for _, d, _ in ROWS]}, **{document: [d for _, d, _ in ROWS]},
                 score=[s for *_, s in ROWS])  # fmt: skip


def as_file(frame, kind):
    if kind == "jsonl":
        return written("".join(json.dumps(row) + "\n" for row in frame.to_dicts()), "run.jsonl")
    if kind == "array":
        return written(json.dumps(frame.to_dicts(), indent=1), "run.json")
    if kind == "csv":
        return written(frame.write_csv(), "run.csv")
    return written(parquet(**frame.to_dict(as_series=False)), "run.parquet")


@pytest.mark.parametrize("kind", ["jsonl", "array", "csv", "parquet", "polars", "pandas", "records"])
@pytest.mark.parametrize(
    ("document", "text"), [("doc_id", "document"), ("docno", "doc"), ("passage_id", "passage"), ("pid", "document")]
)
def test_an_id_wins_over_a_text_and_that_is_noted(kind, document, text, folder):
    frame = with_texts(document, text)
    given = {
        "polars": lambda: frame,
        "pandas": lambda: pd.DataFrame(frame.to_dict(as_series=False)),
        "records": frame.to_dicts,
    }
    run = given[kind]() if kind in given else as_file(frame, kind)
    scores = assay.evaluate(QRELS, {"my": run}, ["AP"])
    assert scores.means["AP"].to_list() == [1.0]
    assert scores.notes == [f"my: Assay reads the documents from column {document}; column {text} looks like text"]


def test_a_frame_of_pyterrier_is_a_run(folder):
    frame = pd.DataFrame({
        "qid": ["q1", "q1", "q2"], "query": ["rise", "rise", "rise"], "docid": [7, 0, 0], "docno": ["d1", "d2", "d2"],
        "rank": [0, 1, 0], "score": [2.5, 1.5, 1.0],
    })  # fmt: skip
    scores = assay.evaluate(QRELS, frame, ["AP"])
    assert scores.topics == ["q1", "q2"]
    assert scores.means["AP"].to_list() == [1.0]
    assert scores.notes == ["run: Assay reads the topics from column qid, not query", "run: Assay reads the documents from column docno, not docid"]


SPANS = table(
    query_id=["q1", "q1"], chunk_id=["c1", "c2"], chunk=["bread is", "dough has"], source=["a.md", "b.md"],
    start=[0, 5], end=[8, 14], score=[2.0, 1.0],
)  # fmt: skip


@pytest.mark.parametrize("name", ["source", "file_path", "file_name", "filename", "file", "path", "doc_id", "document"])
def test_where_there_are_spans_the_file_is_the_document(name):
    run = assay.read_run(SPANS.rename({"source": name}))
    assert run.document.texts() == ["a.md", "b.md"]
    assert run.notes == ("Assay reads the documents from column " + name + "; column chunk looks like text",)


def test_without_spans_a_file_is_no_document():
    run = assay.read_run(SPANS.drop("start", "end", "chunk"))
    assert run.document.texts() == ["c1", "c2"] and run.notes == ()


def test_the_id_of_a_chunk_is_taken_where_there_is_nothing_better():
    run = assay.read_run(SPANS.drop("source", "chunk"))
    assert run.document.texts() == ["c1", "c2"] and run.notes == ()


EQUALS = [
    (with_texts().with_columns(docno=pl.col("doc_id")), "document", "doc_id", "docno"),
    (with_texts().with_columns(topic_id=pl.col("qid")), "topic", "qid", "topic_id"),
    (SPANS.with_columns(document=pl.col("chunk")), "document", "source", "document"),
    (SPANS.with_columns(start_char=pl.col("start")), "start", "start", "start_char"),
    (with_texts().with_columns(DOC_ID=pl.col("doc_id")), "document", "doc_id", "DOC_ID"),
]


@pytest.mark.parametrize(
    ("frame", "field", "first", "second"), EQUALS, ids=[case[1] + str(n) for n, case in enumerate(EQUALS)]
)
def test_two_columns_that_are_equally_good_are_refused(frame, field, first, second):
    with pytest.raises(assay.InputError) as refused:
        assay.read_run(frame)
    said = f"columns {first} and {second} could both be the {field}; pass columns=, for example {field}={first}"
    assert str(refused.value) == f"run: {said}"
    for name in (first, second):
        run = assay.read_run(frame, columns={field: name})
        assert run.notes == () or field + "s" not in run.notes[0]


@pytest.mark.parametrize("kind", ["jsonl", "array", "csv", "parquet", "polars", "pandas", "records"])
def test_what_the_user_tells_counts(kind, folder):
    frame = with_texts("best", "document").rename({"score": "fusion"})
    given = {
        "polars": lambda: frame,
        "pandas": lambda: pd.DataFrame(frame.to_dict(as_series=False)),
        "records": frame.to_dicts,
    }
    run = given[kind]() if kind in given else as_file(frame, kind)
    columns = {"document": "best", "score": "Fusion "}
    scores = assay.evaluate(QRELS, {"my": run}, ["AP"], columns=columns)
    assert scores.means["AP"].to_list() == [1.0] and scores.notes == []
    table = assay.read_run(run, columns=columns)
    assert table.document.texts() == ["d1", "d2", "d2"] and table.score.tolist() == [2.0, 1.0, 1.0]


def test_what_is_told_counts_where_there_is_such_a_column(folder):
    judgments = table(qid=["q1", "q2"], doc_id=["d1", "d2"], rel=[1, 1])
    run = with_texts("chunk_id").with_columns(doc_id=pl.lit("x"))
    scores = assay.evaluate(judgments, run, ["AP"], columns={"document": "chunk_id"})
    assert scores.means["AP"].to_list() == [1.0]
    assert scores.notes == ["judgments: no column 'chunk_id'; Assay reads the documents from column doc_id"]


@pytest.mark.parametrize("columns", ["document=doc_id", ["document=doc_id"]])
def test_columns_that_are_not_a_dict_are_refused(columns, folder):
    path = written("query_id,doc_id,score\n1,a,1\n", "run.csv")
    expected = f'columns= is a {type(columns).__name__}; expected a dict, for example {{"document": "doc_id"}}'
    for call in (
        lambda: assay.evaluate({"1": {"a": 1}}, path, ["AP"], columns=columns),
        lambda: assay.read_run(path, columns=columns),
        lambda: assay.check(path, columns=columns),
        lambda: assay.convert(path, "trec", columns=columns),
    ):
        with pytest.raises(assay.UsageError) as refused:
            call()
        assert str(refused.value) == expected


TOPIC_OF_A = "no topic column; the columns are a, End, end; pass columns=, for example topic=a"
NO_DOCUMENT = "no document column; the columns are question; expected a column such as doc_id, or pass columns=, for example document=NAME"


@pytest.mark.parametrize(("content", "what"), [("question\nq1\n", NO_DOCUMENT), ("a\tEnd\tend\nq\tx\ty\n", TOPIC_OF_A)])
@pytest.mark.parametrize("ending", ["csv", "tsv", "tsv.gz"])
def test_a_file_named_as_a_table_is_refused_for_its_columns(content, what, ending, folder):
    content = content.replace("\t", ",") if ending == "csv" else content
    packed = gzip.compress(content.encode()) if ending.endswith("gz") else content
    path = written(packed, folder / f"table.{ending}")
    for judgments, run in (({"q1": {"a": 1}}, path), (path, {"q1": {"a": 1}})):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(judgments, run, ["P@1"])
        assert str(refused.value) == f"{path}: {what}"


def test_columns_that_are_not_there_are_refused(folder):
    run, qrels = as_file(with_texts(), "csv"), written("q1 0 d1 1\n", "qrels")
    with pytest.raises(
        assay.InputError, match=r"^run.csv: no column 'chunk'; the columns are qid, document, doc_id, score$"
    ):
        assay.read_run(run, columns={"document": "chunk"})
    without = "qrels: the format trec has no named columns; pass columns= only for tables such as CSV or JSONL"
    with pytest.raises(assay.InputError, match=f"^{without}$"):
        assay.read_judgments(qrels, columns={"document": "chunk"})
    with pytest.raises(assay.UsageError, match=r"^no input has the column 'chunk' that you named for the document$"):
        assay.evaluate(qrels, run, columns={"document": "chunk"})
    with pytest.raises(
        assay.UsageError, match=r"^unknown field 'doc' in columns; choose from topic, document, score, "
    ):
        assay.evaluate(qrels, run, columns={"doc": "document"})
    with pytest.raises(assay.UsageError, match=r"^columns names 3 for the document; expected the name of a column$"):
        assay.read_run(run, columns={"document": 3})


def test_the_command_line_tells_columns_and_shows_the_notes(folder):
    run, qrels = as_file(with_texts(), "csv"), written("q1 0 d1 1\nq2 0 d2 1\n", "qrels")
    done = invoke("evaluate", qrels, run, "-m", "AP")
    assert done.stderr == "note: run: Assay reads the documents from column doc_id; column document looks like text\n"
    assert done.stdout == "run\tAP\nrun\t1.0\n"
    done = invoke("evaluate", qrels, run, "-m", "AP", "--column", "document=doc_id", "--column", "topic=qid")
    assert done.stderr == ""
    done = invoke("evaluate", qrels, run, "--column", "doc_id")
    assert done.exit_code == 2 and "'doc_id' is not FIELD=NAME; expected for example document=chunk_id" in done.stderr
    both = as_file(with_texts().with_columns(docno=pl.col("doc_id")), "csv")
    done = invoke("evaluate", qrels, both)
    said = "run.csv: columns doc_id and docno could both be the document; pass --column, for example document=doc_id\n"
    assert (done.stderr, done.exit_code) == (said, 1)
    other = written("q1 Q0 d2 1 1 t\nq2 Q0 d2 1 1 t\n", "other")
    for command in (["evaluate", qrels, both, "-m", "AP"], ["check", both], ["convert", both, "--to", "trec"],
                    ["compare", qrels, both, other, "-m", "AP"], ["report", qrels, both, "-o", "report.html"],
                    ["chart", qrels, both, "-m", "IPrec", "-o", "chart.svg"]):  # fmt: skip
        assert invoke(*command).exit_code == 1
        assert invoke(*command, "--column", "document=docno").exit_code == 0


def test_a_check_and_a_conversion_say_what_was_taken(folder):
    run = as_file(with_texts(), "jsonl")
    assert "  Assay reads the documents from column doc_id; column document looks like text\n" in invoke("check", run).stdout
    done = invoke("convert", run, "--to", "trec")
    assert done.stdout == "q1 Q0 d1 1 2.0 run\nq1 Q0 d2 2 1.0 run\nq2 Q0 d2 1 1.0 run\n"
    assert done.stderr == "note: run.jsonl: Assay reads the documents from column doc_id; column document looks like text\n"


def test_long_names_of_columns_are_cut(folder):
    frame = with_texts().rename({"doc_id": "x" * 1000, "document": "y" * 1000})
    with pytest.raises(assay.InputError) as refused:
        assay.read_run(frame)
    names = f"qid, {'y' * 59}…, {'x' * 59}…, score"
    what = f"run: no document column; the columns are {names}"
    assert str(refused.value) == f"{what}; expected a column such as doc_id, or pass columns=, for example document=NAME"


@pytest.mark.parametrize("name", ["x" * 60_000, "many words " * 5_000], ids=["a word", "a text"])
def test_long_ids_are_cut_in_messages(name, folder):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"d": 1}}, [("1", name, 1.0), ("1", name, 0.5)])
    assert str(refused.value).startswith("run: record 2: document ") and len(str(refused.value)) < 2100
    scores = assay.evaluate({name: {"d": 0}, "1": {"d": 1}}, {"1": {"d": 1}}, ["AP"])
    assert scores.notes and all(len(note) < 300 for note in scores.notes)
    path = folder / ("f" * 200)
    with pytest.raises(assay.InputError, match=f"^{path}: no such file$"):
        assay.read_run(path)


@pytest.mark.parametrize(("start", "end"), [("chunk_start", "chunk_end"), ("startOffset", "endOffset"), ("begin_line", "end_line")])
def test_columns_that_may_tell_parts_are_not_passed_over_in_silence(start, end, folder):
    frame = table(qid=["q1"], doc_id=["d1"], score=[1.0], **{start: [0], end: [5]})
    gold, documents = {"q1": [("d1", 5, 10)]}, {"d1": "bread is baked"}
    scores = assay.evaluate(gold, {"my": frame}, "R", documents=documents)
    said = f"my: Assay reads whole documents, because it does not know columns {start} and {end}; if they are offsets in characters, pass columns=, for example"
    assert (scores["R"], scores.notes) == (1, [f"{said} start={start} and end={end}"])
    told = {"start": start, "end": end}
    assert assay.evaluate(gold, {"my": frame}, "R", documents=documents, columns=told)["R"] == 0


@pytest.mark.parametrize("name", ["chunk_index", "Page"])
def test_numbers_of_parts_are_not_passed_over_in_silence(name):
    rows = [{"query_id": "1", "doc_id": document, name: 3, "score": score} for document, score in (("a", 2.0), ("b", 1.0))]
    what = f"Assay reads whole documents, because column {name} alone does not locate a part of a document"
    said = f"run: {what}; to count parts, add start and end, or a text"
    assert assay.evaluate({"1": [("a", 0, 3)]}, rows, "R", documents={"a": "bread", "b": "salt"}).notes == [said]
    assert assay.evaluate({"1": {"a": 1}}, [row | {"start": 0, "end": 3} for row in rows], "RR").notes == []
    ids = [{"query_id": "1", "doc_id": "a#3", name: 3, "score": 1.0}]
    assert assay.evaluate({"1": {"a#3": 1}}, ids, "RR").notes == []


def test_where_ids_do_not_do_it_is_said_which_column_was_taken():
    rows = [("1", "a", "a#0", 2.0), ("1", "a", "a#1", 1.0)]
    frame = pl.DataFrame(rows, ["topic", "doc_id", "chunk_id", "score"], orient="row")
    taken = "; Assay reads the documents from column doc_id, not chunk_id"
    with pytest.raises(assay.InputError, match=f"document a is retrieved twice .*{taken}$"):
        assay.evaluate({"1": ["b"]}, frame, "RR")
    with pytest.raises(assay.InputError, match=f"the ids differ only in chunk number .*{taken}$"):
        assay.evaluate({"1": ["a#1"]}, frame[:1], "RR")
    assert assay.evaluate({"1": ["a#1"]}, frame, "RR", columns={"document": "chunk_id"})["RR"] == 1 / 2
    # where the ids of chunks are judged, these are taken
    scores = assay.evaluate({"1": ["a#1"]}, frame, "RR")
    assert scores["RR"] == 1 / 2
    assert "run: the judgments name the ids in column chunk_id, not those in doc_id; Assay compares column chunk_id" in scores.notes


def test_times_are_no_parts_of_documents():
    frame = table(qid=["q1"], doc_id=["d1"], score=[1.0], start_time=[3], end_time=[5])
    assert assay.evaluate({"q1": {"d1": 1}}, {"my": frame}, "RR").notes == []


SEVERAL = "column System names several runs, bm25, dense; Assay reads all rows as one run"


@pytest.mark.parametrize("given", ["polars", "pandas", "records", "two.csv", "two.jsonl", "two.parquet"])
def test_rows_of_several_runs_in_one_table_are_not_taken_for_one_in_silence(given, tmp_path):
    rows = [{"topic": "1", "document": f"d{number}", "score": 1.0 + number, "System": "bm25"} for number in range(150)]
    rows += [{"topic": "1", "document": f"e{number}", "score": 2.0, "System": "dense"} for number in range(2)]
    frame = pl.DataFrame(rows)
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    objects = {"polars": frame, "pandas": frame.to_pandas(), "records": rows}
    if given not in objects:
        write[given.partition(".")[2]](tmp_path / given)
    scores = assay.evaluate({"1": {"d0": 1}}, objects.get(given, tmp_path / given), "R@1")
    assert [note.partition(": ")[2] for note in scores.notes if "System" in note] == [SEVERAL]


def test_a_table_that_names_one_run_needs_no_note():
    rows = [{"topic": "1", "document": name, "score": 1.0, "run": "bm25"} for name in "ab"]
    for given in (rows, pl.DataFrame(rows)):
        assert not [note for note in assay.evaluate({"1": {"a": 1}}, given, "R").notes if "several" in note]


# Very many columns


@pytest.mark.parametrize("form", ["csv", "jsonl", "no name"])
def test_time_grows_with_the_columns_and_no_faster(form, folder):
    names = ["" if form == "no name" else f"c{number}" for number in range(20_000)]
    record = {"topic": "1", "document": "d", "score": 1}
    if form == "jsonl":
        path = written(json.dumps(record | dict.fromkeys(names, 1)) + "\n", "run.jsonl")
    else:
        path = written(",".join([*record, *names]) + "\n1,d,1" + ",1" * len(names) + "\n", "run.csv")
    with in_time(4):
        assert assay.evaluate({"1": {"d": 1}}, path, "AP")["AP"] == 1


def test_a_wide_table_is_read_as_a_narrow_one(folder):
    rows = [{"topic": str(row % 3), "document": f"d{row}", "score": -row / 7, "text": "a\\u0301"} for row in range(40)]
    wide = [row | {f"c{number}": number for number in range(200)} for row in rows]
    paths = [
        written("".join(json.dumps(row) + "\n" for row in each), name)
        for each, name in ((rows, "narrow.jsonl"), (wide, "wide.jsonl"))
    ]
    gold = {"0": {"d3": 1, "d30": 1}, "1": {"d22": 2}, "2": {"d5": 1}}
    narrow, broad = (assay.evaluate(gold, path, ["AP", "nDCG"]).values.tolist() for path in paths)
    assert narrow == broad


# Advice


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        ({"vector": [0.1, 0.2], "text": "a b", "id": "d", "_distance": 0.5}, "; expected a column such as query_id, or pass columns=, for example topic=NAME, or pass the texts by question, {question: [texts]}"),
        ({"page_content": "a b", "file": "a.md"}, "; expected a column such as query_id, or pass columns=, for example topic=NAME, or pass the texts by question, {question: [texts]}"),
        ({"vector": [0.1, 0.2], "Frage": "1", "_distance": 0.5}, "; pass columns=, for example topic=Frage"),
        ({"my_embedding": [0.1, 0.2], "item": "x"}, "; pass columns=, for example topic=item"),
    ],
)
def test_no_vector_is_proposed_as_a_topic(row, hint):
    for given in ([row], pl.DataFrame([row]), pd.DataFrame([row])):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate({"1": {"d": 1}}, given, "AP")
        assert str(refused.value) == f"run: no topic column; the columns are {', '.join(row)}{hint}"


@pytest.mark.parametrize("more", [{}, {"response": "it was a cat"}])
def test_what_was_retrieved_or_answered_is_not_proposed_as_gold(more):
    row = {"user_input": "who?", "retrieved_contexts": ["a cat", "a dog"], **more}
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate([row], {"who?": {"d": 1}}, "AP")
    what = f"judgments: no document column; the columns are {', '.join(row)}"
    assert str(refused.value) == f"{what}; expected a column such as doc_id, or pass columns=, for example document=NAME"


def test_only_texts_are_proposed_as_texts():
    row = {"vector": [0.1, 0.2], "numbers": [1, 2], "price": 3.5, "stated": "two words"}
    for given, hint in (([row], "; pass columns=, for example text=stated"), ([{**row, "stated": 1}], "")):
        with pytest.raises(assay.InputError) as refused:
            assay.locate(given, {"d": "two words"})
        assert str(refused.value).endswith(f"the columns are vector, numbers, price, stated{hint}")


def test_chunks_in_a_frame_may_have_vectors():
    chunks = pd.DataFrame({"doc_id": ["d"], "start": [0], "end": [3], "vector": [np.array([0.1, 0.2])]})
    assert "1 in one chunk" in str(assay.ceiling({"1": [("d", 0, 3)]}, chunks, None, "R@1"))
