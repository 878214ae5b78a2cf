"""Groups of topics: a row a group in the tables of scores and comparisons."""

import json

import numpy as np
import pytest

import assay
from helpers.commands import invoke
from helpers.places import DATA

CHROMA = DATA / "spans" / "chroma-chunking-eval"
JUDGMENTS = {str(topic): {"a": 1, "b": 1} for topic in range(1, 6)}
RUNS = {
    "half": {str(topic): {"a": 2, "c": 1} for topic in range(1, 6)},
    "some": {str(topic): {"a": 2, "b": 1} if topic < 3 else {"c": 1} for topic in range(1, 6)},
}
BY = {"1": "x", "2": "x", "3": "y", "4": "y"}
FILES = {
    "queries.jsonl": '{"query_id": "1", "corpus_id": "x"}\n{"query_id": 2, "corpus_id": "x"}\n'
    '{"query_id": "3", "corpus_id": "y"}\n{"query_id": "4", "corpus_id": "y"}\n',
    "queries.tsv": "topic\tcorpus_id\n1\tx\n2\tx\n3\ty\n4\ty\n",
    "queries.csv": 'query_id,text,corpus_id\n1,"one, two",x\n2,"three\nlines",x\n3,four,y\n4,five,y\n',
    "queries.xml": "<topics>"
    + "".join(f'<topic id="{t}"><corpus_id>{g}</corpus_id></topic>' for t, g in BY.items())
    + "</topics>",
}


def test_the_table_has_a_row_a_group_and_one_over_all_topics():
    scores = assay.evaluate(JUDGMENTS, RUNS, ["R"], by=BY)
    assert scores.show("tsv") == (
        "run\tgroup\tR\nhalf\tx\t0.5\nhalf\ty\t0.5\nhalf\tall\t0.5\nsome\tx\t1.0\nsome\ty\t0.0\nsome\tall\t0.4\n"
    )
    assert scores.notes == ["by: 1 topic of 5 without a group, which count in all of them only: 5"]
    assert scores.per_group.rows() == [
        ("half", "x", 0.5), ("half", "y", 0.5), ("half", "all", 0.5), ("some", "x", 1), ("some", "y", 0), ("some", "all", 0.4)
    ]  # fmt: skip
    assert scores.of_group("y").topics == ["3", "4"]


def test_topic_by_topic_each_group_is_followed_by_its_value():
    scores = assay.evaluate(JUDGMENTS, RUNS["some"], ["R"], by=BY)
    rows = [line.split("\t")[1:] for line in scores.show("tsv", per_topic=True).splitlines()]
    assert rows == [
        ["group", "topic", "R"], ["x", "1", "1.0"], ["x", "2", "1.0"], ["x", "all", "1.0"], ["y", "3", "0.0"], ["y", "4", "0.0"],
        ["y", "all", "0.0"], ["", "5", "0.0"], ["all", "all", "0.4"],
    ]  # fmt: skip


def test_records_of_a_group_name_it():
    records = json.loads(assay.evaluate(JUDGMENTS, RUNS["some"], ["R"], by=BY).show("json"))
    assert records == [
        {"run": "run", "measure": "R", "group": "x", "topic": "all", "value": 1.0},
        {"run": "run", "measure": "R", "group": "y", "topic": "all", "value": 0.0},
        {"run": "run", "measure": "R", "topic": "all", "value": 0.4},
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_groups_are_any_column_of_a_file_of_topics(name, tmp_path):
    file = tmp_path / name
    file.write_text(FILES[name])
    scores = assay.evaluate(JUDGMENTS, RUNS["some"], ["R"], by="corpus_id", topics_file=file)
    assert [row[1:] for row in scores.per_group.rows()] == [("x", 1), ("y", 0), ("all", 0.4)]
    assert scores.groups.name == "corpus_id"


def test_groups_that_are_numbers_stand_in_their_order():
    by = {"1": 10, "2": 9, "3": 9, "4": True, "5": 10}
    assert assay.evaluate(JUDGMENTS, RUNS["some"], ["R"], by=by).groups.names == ["10", "9", "true"]
    assert assay.evaluate(JUDGMENTS, RUNS["some"], ["R"], by=by | {"4": 9}).groups.names == ["9", "10"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"by": "corpus_id"}, "the corpus_id of each topic is told by a file of topics: give topics_file="),
        ({"topics_file": "queries.jsonl"}, "the topics of topics_file are grouped by one of its columns: give by="),
        ({"by": 7}, "by is 7; expected the name of a column, or a dict from topics to groups"),
        ({"by": {"9": "x"}}, "by: has a group of no judged topic, as of 1, 2, …"),
        (
            {"by": "corpus", "topics_file": "queries.jsonl"},
            "queries.jsonl: no topic has a corpus; choose from query_id, corpus_id",
        ),
        ({"by": "tags", "topics_file": "tags.jsonl"}, "tags.jsonl:1: tags of topic 1 is neither text nor a number: \"['x']\""),
        ({"by": "tags", "topics_file": "twice.csv"}, "twice.csv:3: topic 1 has two lines (first on line 2)"),
        ({"by": "tags", "topics_file": "short.csv"}, "short.csv:2: expected 2 values (query_id, tags), found 1: '1'"),
    ],
)  # fmt: skip
def test_groups_that_cannot_be_told_are_refused(options, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.jsonl").write_text(FILES["queries.jsonl"])
    (tmp_path / "tags.jsonl").write_text('{"query_id": "1", "tags": ["x"]}\n')
    (tmp_path / "twice.csv").write_text("query_id,tags\n1,x\n1,y\n")
    (tmp_path / "short.csv").write_text("query_id,tags\n1\n")
    with pytest.raises(assay.AssayError) as refused:
        assay.evaluate(JUDGMENTS, RUNS, ["R"], **options)
    assert str(refused.value) == what


def test_systems_are_compared_in_each_group_and_corrected_together():
    values = np.random.default_rng(5).random((2, 40))
    judgments = {str(topic): {f"d{n}": 1 for n in range(10)} for topic in range(40)}
    runs = {
        name: {str(topic): {f"d{n}": 1 for n in range(1 + int(9 * value))} for topic, value in enumerate(row)}
        for name, row in zip("ab", values, strict=True)
    }
    by = {str(topic): "first" if topic < 20 else "second" if topic < 39 else "alone" for topic in range(40)}
    scores = assay.evaluate(judgments, runs, ["R"], by=by)
    compared = assay.compare_groups(scores, "R", correct="bonferroni")
    assert list(compared.parts) == ["first", "second", "all"]
    assert compared.notes == [
        "alone: not compared; a and b have 1 topic with R in common; a comparison needs 2 or more"
    ]
    for group in ("first", "second"):
        (alone,) = assay.compare(scores.of_group(group), "R").pairs
        (pair,) = compared.parts[group].pairs
        assert (pair.p, pair.corrected) == (alone.p, min(1, 2 * alone.p))
    assert compared.parts["all"].pairs == assay.compare(scores, "R", correct="bonferroni").pairs
    lines = compared.show("text").splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["first", "second", "all"]
    assert lines[-1].endswith(
        "Bonferroni's correction for 1 pair; significant at 0.05; 2 pairs of 2 groups corrected together"
    )


def test_without_groups_there_is_nothing_to_compare_by():
    scores = assay.evaluate(JUDGMENTS, RUNS, ["R"])
    with pytest.raises(assay.UsageError, match="the topics of these scores have no groups; pass by= to evaluate"):
        assay.compare_groups(scores, "R")


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_the_corpora_of_chroma_are_groups():
    runs = [CHROMA / "runs" / f"bm25-{chunks}.tsv" for chunks in ("rec800-0", "rec800-400")]
    options = ["-m", "R(chars=2000)", "--by", "corpus_id", "--topics-file", CHROMA / "queries.jsonl"]
    printed = invoke("evaluate", CHROMA / "gold.jsonl", *runs, *options, "-m", "NumQ", "--as", "json").stdout
    records = [record for record in json.loads(printed) if record["run"] == "bm25-rec800-0"]
    topics = {record.get("group", "all"): record["value"] for record in records if record["measure"] == "NumQ"}
    assert topics == {
        "chatlogs": 56,
        "finance": 97,
        "pubmed": 99,
        "state_of_the_union": 76,
        "wikitexts": 144,
        "all": 472,
    }
    recall = {record.get("group", "all"): record["value"] for record in records if record["measure"] != "NumQ"}
    assert recall["all"] == pytest.approx(sum(recall[name] * topics[name] for name in topics if name != "all") / 472)
    assert round(recall["all"], 4) == 0.7507
    compared = invoke("compare", CHROMA / "gold.jsonl", *runs, *options).stdout.splitlines()
    assert [line.split("\t")[1] for line in compared] == ["corpus_id", *topics]
    refused = invoke("compare", CHROMA / "gold.jsonl", *runs, *options, "--show", "letters")
    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (2, "groups are shown as pairs, and not as letters")
