"""Gold as a spreadsheet writes it: quotations in CSV, with columns of any names, between commas or semicolons."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.files.source import Source
from assay.reading.texts import records_of
from helpers.commands import invoke
from helpers.files import written

TEXT = "Häuser blühen. Der müde Wächter schläft, und niemand weiß es."
QUOTE = "Der müde Wächter schläft, und"
DOCUMENTS = {"tor": TEXT}
RUN = {"F1": [("tor", 0, 30)]}
# Of the 29 characters of the quotation, which begins behind 15 others, the first 15 were returned.
RECALL = len(set(range(30)) & set(range(15, 44))) / 29
COLUMNS = {"topic": "Frage Nr.", "document": "Quelle", "text": "Zitat (wörtlich)"}
NAMES = tuple(COLUMNS.values())


def sheet(separator, name="gold.csv", names=NAMES, mark=""):
    quote = f'"{QUOTE}"' if separator == "," else QUOTE
    return written(f"{mark}{separator.join(names)}\r\nF1{separator}tor{separator}{quote}\r\n", name)


def telling(columns):
    return [word for field, name in columns.items() for word in ("--column", f"{field}={name}")]


def printed(*words):
    result = invoke(*words)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"'])
def test_a_line_that_tells_the_separator_is_no_header(first, folder):
    gold = written(f"{first}\r\nquery_id;doc_id;quote\r\nF1;tor;{QUOTE}\r\n", "gold.csv")
    assert assay.evaluate(gold, RUN, "R", documents=DOCUMENTS)["R"] == pytest.approx(RECALL)
    assert [row["start"] for row in assay.locate(gold, DOCUMENTS).rows] == [TEXT.index(QUOTE)]
    graded = written(f"{first}\nquery_id;doc_id;grade\nF1;tor;2\nF1;dach;0\n", "grades.csv")
    assert assay.evaluate(graded, {"F1": {"dach": 2, "tor": 1}}, "RR")["RR"] == 0.5


def test_blanks_around_ids_beside_a_text_are_not_part_of_them_but_those_of_the_text_are(folder):
    gold = written("query_id ,doc_id, quote\r\n F1 , tor ,müde \r\n", "gold.csv")
    (row,) = assay.locate(gold, DOCUMENTS).rows
    assert (row["query_id"], row["doc_id"], row["quote"], row["start"], row["end"]) == ("F1", "tor", "müde ", 19, 24)
    assert assay.evaluate(gold, RUN, "R", documents=DOCUMENTS)["R"] == 1


@pytest.mark.parametrize("given", ["dict", "records", "frame", "csv", "csv in quotes", "jsonl", "trec"])
def test_an_id_that_is_too_long_is_refused_with_its_length(given, folder):
    name = "d" * 70_000
    row = {"topic": "1", "document": name, "score": 1.0}
    run = {
        "dict": lambda: {"1": {name: 1.0}},
        "records": lambda: [row],
        "frame": lambda: pd.DataFrame([row]),
        "csv": lambda: written(f"topic,document,score\n1,{name},1\n", "run.csv"),
        "csv in quotes": lambda: written(f'topic,document,score\n1," {name}",1\n', "run.csv"),
        "jsonl": lambda: written(json.dumps(row), "run.jsonl"),
        "trec": lambda: written(f"1 Q0 {name} 1 1 r\n", "run.run"),
    }[given]()
    with pytest.raises(assay.InputError, match=r": document has 70,000 bytes; expected an id of at most 65,535$"):
        assay.evaluate({"1": {"d": 1}}, run, "P@1")


@pytest.mark.parametrize("title", ["Evidence of March\n\n", "Evidence of March,,\n,,\n"], ids=["a line", "a row"])
def test_a_title_above_the_names_of_columns_is_told(title, folder):
    gold = written(f'{title}query_id,doc_id,quote\nF1,tor,"{QUOTE}"\n', "gold.csv")
    says = (
        "gold.csv:3: these look like the column names (query_id, doc_id, quote); expected them in the first line: remove the lines above"
    )
    for asked in (lambda: assay.evaluate(gold, RUN, "R", documents=DOCUMENTS), lambda: assay.locate(gold, DOCUMENTS)):
        with pytest.raises(assay.InputError) as error:
            asked()
        assert str(error.value) == says


@pytest.fixture
def files(folder):
    written(json.dumps({"id": "tor", "text": TEXT}) + "\n", "documents.jsonl")
    written(json.dumps({"query_id": "F1", "doc_id": "tor", "start": 0, "end": 30, "score": 1}) + "\n", "run.jsonl")


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_columns_of_any_names_are_told(files, separator, mark):
    path = sheet(separator, mark=mark)
    assert assay.evaluate(path, RUN, "R", documents=DOCUMENTS, columns=COLUMNS)["R"] == pytest.approx(RECALL)
    given = ["evaluate", path, "run.jsonl", "-m", "R", "--documents", "documents.jsonl", "--quiet", *telling(COLUMNS)]
    assert printed(*given) == (0, f"run\tR\nrun\t{RECALL!r}\n", "")


@pytest.mark.parametrize("made", [pd.DataFrame, lambda rows: rows], ids=["frame", "records"])
def test_columns_of_texts_in_memory_are_told(made):
    gold = made([dict(zip(NAMES, ("F1", "tor", QUOTE), strict=True))])
    assert assay.evaluate(gold, RUN, "R", documents=DOCUMENTS, columns=COLUMNS)["R"] == pytest.approx(RECALL)


def test_usual_names_between_semicolons_are_known(files):
    path = sheet(";", names=("qid", "source", "quote"))
    assert assay.evaluate(path, RUN, "R", documents=DOCUMENTS)["R"] == pytest.approx(RECALL)
    rows = [json.loads(line) for line in printed("locate", path, "--documents", "documents.jsonl")[1].splitlines()]
    assert [(row["doc_id"], row["start"], row["end"]) for row in rows] == [("tor", 15, 44)]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, "no topic column; the columns are Frage Nr., Quelle, Zitat (wörtlich); pass --column, for example topic='Frage Nr.'"),
        ({"topic": "Frage Nr.", "document": "Quelle"},
         "no grade column; the columns are Frage Nr., Quelle, Zitat (wörtlich); if column Zitat (wörtlich) has quotes, "
         "pass --column, for example text=Zitat (wörtlich), and pass --documents"),
    ],
)  # fmt: skip
def test_unknown_names_are_told_with_what_to_do(files, told, message):
    given = ["evaluate", sheet(","), "run.jsonl", "-m", "R", "--documents", "documents.jsonl", *telling(told)]
    assert printed(*given) == (1, "", f"gold.csv: {message}\n")


def test_lines_of_trec_are_read_whatever_their_file_is_called(files):
    written("F1 0 tor 1\n", "qrels.csv")
    written("F1 Q0 tor 1 2.5 a,b\n", "run.csv")
    assert assay.evaluate("qrels.csv", "run.csv", "AP")["AP"] == 1


def test_a_check_and_a_conversion_find_the_places(files):
    path = sheet(";")
    lines = printed("check", path, "--documents", "documents.jsonl", *telling(COLUMNS))[1].splitlines()
    assert lines[0] == "gold.csv: judgments (csv)"
    # no column is called unused from which something was taken
    assert lines[-2:] == [
        "  texts: located 1 text in documents.jsonl: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places", "  no faults",
    ]  # fmt: skip
    assert printed("convert", path, "--to", "csv", "--documents", "documents.jsonl", *telling(COLUMNS)) == (
        0,
        "topic,document,start,end,grade\nF1,tor,15,44,1\n",
        "note: gold.csv: located 1 text in documents.jsonl: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places\n",
    )


def test_rows_of_separators_alone_are_passed_over(files):
    path = sheet(";", names=("qid", "source", "quote"))
    written(Path(path).read_bytes() + b";;\r\n ; ;\r\n", path)
    assert assay.evaluate(path, RUN, "R", documents=DOCUMENTS)["R"] == pytest.approx(RECALL)
    assert printed("locate", path, "--documents", "documents.jsonl")[2] == "1 quote: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places, 0 not found\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"qid;source;quote\n;tor;{QUOTE}\n", "gold.csv:2: topic is missing"),
        (
            b"PK\x03\x04\x14\0",
            "gold.csv: this is a ZIP archive; unpack it and pass one of its files, or if it is a spreadsheet, save it as CSV",
        ),
    ],
    ids=["no topic", "a workbook"],
)
def test_what_cannot_be_read_is_told(files, content, message):
    written(content, "gold.csv")
    given = ["gold.csv", "run.jsonl", "-m", "R", "--documents", "documents.jsonl"]
    assert printed("evaluate", *given) == (1, "", f"{message}\n")


def test_a_file_that_names_the_document_of_a_text_is_used(files):
    path = sheet(";", names=("qid", "source", "quote"))
    assert "not used" not in printed("check", path, "--documents", "documents.jsonl")[1]


def test_numbers_between_semicolons_may_have_a_comma(tmp_path):
    run = written("topic;document;score\n1;a;0,25\n1;b;1\n1;c;-1,5e-1\n", tmp_path / "run.csv")
    judgments = written("topic;document;grade\n1;a;0,5\n1;c;2,0\n", tmp_path / "gold.csv")
    assert assay.read_run(run).score.tolist() == [0.25, 1, -0.15]
    assert assay.read_judgments(judgments).grade.tolist() == [0.5, 2]
    assert assay.check(run).faults == []
    documents = {"a": "bread and salt"}
    texts = written("query_id;text;score\n1;and salt;0,25\n1;bread;0,75\n", tmp_path / "texts.csv")
    assert assay.evaluate({"1": [("a", 0, 5)]}, texts, "R@1", documents=documents)["R@1"] == 1
    quotes = written("query_id;quote;grade\n1;bread;1,0\n1;salt;0,0\n", tmp_path / "quotes.csv")
    assert assay.evaluate(quotes, {"1": [("a", 0, 5)]}, "R", documents=documents)["R"] == 1
    wrong = written("topic;document;score\n1;a;1,2,3\n", tmp_path / "wrong.csv")
    with pytest.raises(assay.InputError, match=r"wrong\.csv:2: score '1,2,3' is not a number"):
        assay.read_run(wrong)
    with pytest.raises(assay.InputError, match=r"comma\.csv:2: score '0,25' is not a number"):
        assay.read_run(written('topic,document,score\n1,a,"0,25"\n', tmp_path / "comma.csv"))


def test_the_limit_of_values_is_left_as_it_was_where_a_file_is_not_read_to_its_end(tmp_path):
    before = csv.field_size_limit()
    file = written(f"question,quote\n1,{'a' * 200_000}\n2,b\n", tmp_path / "gold.csv")
    rows = records_of(Source(file))
    assert len(next(rows)[1]["quote"]) == 200_000
    assert csv.field_size_limit() == before
