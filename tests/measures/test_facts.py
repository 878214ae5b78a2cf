"""Facts: ands of ors, against a second implementation over sets of characters, and through every door."""

import json

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from helpers import naive_facts as naive
from helpers.commands import invoke
from helpers.samples import sample

FIELDS = ("query_id", "doc_id", "start", "end", "fact", "quotation")
# fact A has alternatives of 10 and of 40 characters, fact B one of 20
ROWS = [
    {"query_id": "q", "doc_id": "d", "start": 0, "end": 10, "fact": "A"},
    {"query_id": "q", "doc_id": "d", "start": 100, "end": 140, "fact": "A"},
    {"query_id": "q", "doc_id": "e", "start": 0, "end": 20, "fact": "B"},
]
# the 40 of A and 15 of B are read
RUN = {"q": [("d", 100, 140), ("e", 0, 15)]}
MEASURES = ["FactRecall", "FactRecall(cover=0.7)", "R"]
EXPECTED = [1 / 2, 1, 55 / 70]


def test_the_example():
    assert assay.evaluate(ROWS, RUN, MEASURES).values[0, :, 0].tolist() == EXPECTED


def test_facts_are_read_through_every_door(folder):
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    lines = [",".join(ROWS[0]), *(",".join(map(str, row.values())) for row in ROWS)]
    (folder / "gold.csv").write_text("\n".join(lines) + "\n")
    (folder / "gold.tsv").write_text("\n".join(lines).replace(",", "\t") + "\n")
    pl.DataFrame(ROWS).write_parquet(folder / "gold.parquet")
    by_topic = {"q": [{name: row[name] for name in row if name != "query_id"} for row in ROWS]}
    (folder / "gold.json").write_text(json.dumps(by_topic))
    frame = pl.DataFrame(ROWS)
    doors = [ROWS, frame, pd.DataFrame(ROWS), by_topic]
    doors += [f"gold.{ending}" for ending in ("jsonl", "csv", "tsv", "parquet", "json")]
    for door in doors:
        assert assay.evaluate(door, RUN, MEASURES).values[0, :, 0].tolist() == EXPECTED, door
    renamed = [{"fact_id": row["fact"], **{name: row[name] for name in row if name != "fact"}} for row in ROWS]
    assert assay.evaluate(renamed, RUN, MEASURES).values[0, :, 0].tolist() == EXPECTED
    called = [{"nugget": row["fact"], **{name: row[name] for name in row if name != "fact"}} for row in ROWS]
    scores = assay.evaluate(called, RUN, MEASURES, columns={"fact": "nugget"})
    assert scores.values[0, :, 0].tolist() == EXPECTED


def test_without_the_column_each_excerpt_is_a_fact():
    plain = [{name: row[name] for name in row if name != "fact"} for row in ROWS]
    assert assay.evaluate(plain, RUN, "FactRecall")["FactRecall"] == 1 / 3
    some = [*ROWS[:2], plain[2], {"query_id": "q", "doc_id": "e", "start": 50, "end": 60}]
    assert assay.evaluate(some, RUN, "FactRecall(cover=0.7)")["FactRecall(cover=0.7)"] == 2 / 3


def test_facts_beside_sets_are_refused(folder):
    rows = [{**row, "set": "1"} for row in ROWS]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for door, name in ((rows, "judgments"), ("gold.jsonl", "gold.jsonl")):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(door, RUN, "R")
        assert str(refused.value) == f"{name}: these judgments have both a fact and a set column; expected only one of these"
    done = invoke("check", "gold.jsonl")
    assert done.exit_code == 1 and "these judgments have both a fact and a set column" in done.output


def test_each_annotator_has_facts_of_their_own():
    rows = [{**row, "annotator": "ann"} for row in ROWS]
    rows += [{**ROWS[2], "annotator": "bob", "fact": "A"}, {**ROWS[0], "annotator": "bob", "fact": "A"}]
    measure = "FactRecall(cover=0.7)"
    scores = {who: assay.evaluate(rows, RUN, measure, annotators=who)[measure] for who in ("ann", "bob", "mean")}
    assert scores == {"ann": 1, "bob": 1, "mean": 1}
    assert assay.evaluate(rows, RUN, "FactRecall", annotators="bob")["FactRecall"] == 0
    assert assay.evaluate(rows, RUN, "FactRecall")["FactRecall"] == 1 / 4


TEXT = "A fine bridge. It was built in 1911, they say, of stone from the hill. Two arches fell."


def test_a_quotation_with_an_ellipsis_is_one_alternative(folder):
    quotes = [{"query_id": "q", "doc_id": "d", "quote": "A fine bridge. ... of stone from the hill."}]
    documents = {"d": TEXT}
    end = TEXT.index("It was")
    beginning, rest = {"q": [("d", 0, end)]}, {"q": [("d", 0, end), ("d", end, len(TEXT))]}
    located = assay.locate(quotes, documents)
    assert [row["quotation"] for row in located.rows] == [1, 1]
    without = [{name: row[name] for name in row if name != "quotation"} for row in located.rows]
    for gold in (quotes, located.rows, without):
        assert assay.evaluate(gold, beginning, "FactRecall", documents=documents)["FactRecall"] == 0
        assert assay.evaluate(gold, rest, "FactRecall", documents=documents)["FactRecall"] == 1
    # the quotation is known without the documents too
    (folder / "gold.jsonl").write_bytes(b"".join(located.lines()))
    assert assay.evaluate("gold.jsonl", beginning, "FactRecall")["FactRecall"] == 0
    assert assay.evaluate("gold.jsonl", beginning, "FactRecall(cover=0.3)")["FactRecall(cover=0.3)"] == 1


def test_whitespace_is_not_counted_where_there_are_texts():
    documents = {"d": "one two\n\nthree"}
    gold = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 14}]
    run = {"q": [("d", 0, 7), ("d", 9, 14)]}
    assert assay.evaluate(gold, run, "FactRecall", documents=documents)["FactRecall"] == 1
    assert assay.evaluate(gold, run, "FactRecall", documents=documents, whitespace="ignore")["FactRecall"] == 1
    alone = assay.evaluate(gold, run, "FactRecall")
    assert alone["FactRecall"] == 0
    assert alone.notes == [
        "judgments: FactRecall counts whitespace because there are no documents; pass documents= to ignore whitespace"
    ]


def test_a_fact_of_only_whitespace_is_left_out():
    documents = {"d": "one two"}
    blank, word = ({"query_id": "q", "doc_id": "d", "start": start, "end": end} for start, end in ((3, 4), (0, 3)))
    whole, nothing = {"q": [("d", 0, 7)]}, {"q": [("d", 5, 6)]}
    note = "judgments: 1 fact is only whitespace, and FactRecall leaves it out: q"
    for run, value in ((whole, 1), (nothing, 0)):
        scores = assay.evaluate([blank, word], run, "FactRecall@1", documents=documents)
        assert (scores["FactRecall@1"], scores.notes[-1]) == (value, note)
    # it would be found without any result
    assert assay.evaluate([blank], whole, "FactRecall", documents=documents)["FactRecall"] == 0
    assert assay.misses([blank, word], whole, "FactRecall", documents=documents).counts["read"] == 1
    # of two alternatives the other one decides
    rows = [{**blank, "fact": "x"}, {**word, "fact": "x"}]
    assert assay.evaluate(rows, whole, "FactRecall", documents=documents).notes == []
    assert assay.evaluate(rows, nothing, "FactRecall", documents=documents)["FactRecall"] == 0
    # nothing counts facts
    assert assay.evaluate([blank, word], whole, "R@1", documents=documents).notes == []


def test_a_note_says_which_measures_count_all_alternatives():
    assert assay.evaluate(ROWS, RUN, ["R@5", "FactRecall@5", "P@5", "R(unit=document)"]).notes[-1] == (
        "judgments: 1 of 2 facts has several excerpts; R@5, P@5 count all of them as evidence, FactRecall needs only one"
    )
    assert not any("several excerpts" in note for note in assay.evaluate(ROWS, RUN, "FactRecall@5").notes)
    single = [{**row, "fact": str(number)} for number, row in enumerate(ROWS)]
    assert assay.evaluate(single, RUN, "R").notes == []
    chunks = [("d", 0, 200), ("e", 0, 20)]
    assert assay.ceiling(ROWS, chunks, measures="R@1").notes == [
        "judgments: 1 of 2 facts has several excerpts; R@1 counts all of them as evidence, FactRecall needs only one"
    ]


def test_cover_is_a_share():
    for cover in ("0", "1.5"):
        with pytest.raises(assay.UsageError, match=rf"^FactRecall\(cover={cover}\): expected a share$"):
            assay.evaluate(ROWS, RUN, f"FactRecall(cover={cover})")
    with pytest.raises(assay.UsageError, match=r"^FactRecall needs highlighted text, but judgments has none$"):
        assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "FactRecall")


def test_facts_are_kept_where_judgments_are_converted(folder):
    rows = [{**row, "quotation": "1" if row["doc_id"] == "d" else None} for row in ROWS]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for target in ("gold.csv", "gold.parquet", "back.jsonl"):
        done = invoke("convert", "gold.jsonl", "-o", target)
        assert done.exit_code == 0, done.output
        columns = assay.evaluate(target, RUN, "FactRecall")
        # both spans of d are one quotation, of which 40 of 50 are read
        assert columns["FactRecall"] == 0
        assert assay.evaluate(target, RUN, "FactRecall(cover=0.8)")["FactRecall(cover=0.8)"] == 1 / 2
    done = invoke("convert", "gold.jsonl", "--to", "trec", "-o", "gold.qrels")
    assert done.exit_code == 0, done.output
    assert "gold.jsonl: trec cannot represent facts; Assay left them out" in done.stderr


def test_other_facts_are_other_gold_only_where_facts_are_counted(folder):
    other = [{**row, "fact": "A"} for row in ROWS]
    for measure, same in (("R", True), ("FactRecall", False)):
        saved = []
        for number, gold in enumerate((ROWS, other)):
            assay.evaluate(gold, RUN, measure).save(f"{number}.json")
            saved.append(json.loads((folder / f"{number}.json").read_text())["gold"])
        assert (saved[0] == saved[1]) is same


def test_why_shows_what_completes_a_fact():
    shown = json.loads(assay.why(ROWS, RUN, "FactRecall(cover=0.7)").show("json"))["measures"][0]
    assert [row["facts"] for row in shown["rows"]] == [1, 1]
    assert shown["quantities"] == {"Σ facts": 2, "|facts|": 2} and shown["value"] == 1


# Against the second implementation

TEXTS = {"a": "ab  cd ab\n cd ef", "b": "cd ab  cd ef g h", "c": "xx yy ab  cd zz "}
LONG = 16


@st.composite
def spans(draw):
    start = draw(st.integers(0, LONG - 1))
    return draw(st.sampled_from(sorted(TEXTS))), start, draw(st.integers(start + 1, LONG))


gold_rows = st.lists(
    st.tuples(st.sampled_from("12"), spans(), st.sampled_from(["", "f", "g"]), st.sampled_from(["", "", "x"])),
    min_size=1, max_size=7,
).map(lambda rows: [(topic, *span, fact, quotation) for topic, span, fact, quotation in rows])  # fmt: skip
runs = st.fixed_dictionaries({}, optional={topic: st.lists(spans(), min_size=1, max_size=5) for topic in "12"})
UNTIL = [
    {}, {"k": 1}, {"k": 2}, {"chars": 9}, {"chars": 14, "fit": "stop"}, {"chars": 14, "fit": "skip"}, {"tokens": 3},
    {"tokens": 4, "fit": "stop"}, {"tokens": 4, "fit": "skip"}, {"k": 3, "chars": 20, "fit": "skip"},
]  # fmt: skip


def name_of(until, cover):
    limits = [f"cover={cover}"] + [f"{name}={value}" for name, value in until.items() if name != "k"]
    return f"FactRecall({', '.join(limits)})" + (f"@{until['k']}" if "k" in until else "")


@pytest.mark.parametrize("copies", [False, True])
@settings(max_examples=sample(30, 600))
@given(rows=gold_rows, run=runs, cover=st.sampled_from(["1", "0.5", "0.34", "0.9"]))
def test_a_second_implementation_agrees(copies, rows, run, cover):
    if not run or not set(run) & {row[0] for row in rows}:
        return
    if copies and any(not TEXTS[row[1]][row[2] : row[3]].strip() for row in rows):
        # a copy of nothing but whitespace is not looked for
        return
    records = [{name: value for name, value in zip(FIELDS, row, strict=True) if value != ""} for row in rows]
    names = [name_of(until, cover) for until in UNTIL]
    rules = {"documents": TEXTS, "tokenizer": "words", "copies": copies}
    scores = assay.evaluate(records, run, names, **rules)
    for number, topic in enumerate(scores.topics):
        expected = [
            naive.fact_recall(distinct(rows, topic) if copies else rows, run.get(topic, []), topic, TEXTS, cover, copies, **until)
            for until in UNTIL
        ]
        assert scores.values[0, :, number].tolist() == pytest.approx(expected)


def distinct(rows, topic):
    """Where copies count, excerpts of a topic with the same text and nothing to tell them apart are one."""
    seen, kept = set(), []
    for row in rows:
        _, document, start, end, fact, quotation = row
        key = TEXTS[document][start:end], fact, quotation
        if row[0] == topic and key in seen:
            continue
        seen |= {key} if row[0] == topic else set()
        kept.append(row)
    return kept


def test_rows_that_repeat_another_are_noted_because_each_is_a_fact():
    row = {"query_id": "1", "doc_id": "a", "start": 0, "end": 5}
    other = {**row, "start": 7, "end": 9}
    run = {"1": [("a", 0, 5)]}
    documents = {"a": "abcdefghij"}
    shared = "judgments: highlighted spans overlap in 1 judged document; Assay counts each character once"
    scores = assay.evaluate([row, row, row, other], run, ["FactRecall@5"], documents=documents)
    assert scores["FactRecall@5"] == 3 / 4
    assert scores.notes == [
        "judgments: 2 spans repeat another span, for example 0-5 of document a in topic 1; FactRecall counts each as a "
        "further fact; remove repeated rows, or give them the same fact",
        shared,
    ]
    assert assay.evaluate([row, row, other], run, ["R"], documents=documents).notes == [shared]
    facts = [{**row, "fact": "x"}, {**row, "fact": "x"}, {**other, "fact": "y"}]
    assert assay.evaluate(facts, run, ["FactRecall@5"], documents=documents)["FactRecall@5"] == 1 / 2
    assert assay.evaluate(facts, run, ["FactRecall@5"], documents=documents).notes == [shared]
