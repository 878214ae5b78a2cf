"""Reading: what means the same is read the same, to the last bit, however it is written, compressed or handed over."""

from __future__ import annotations

import bz2
import csv
import dataclasses
import gzip
import io
import json
import lzma
import os
import random
import re
import sys
import threading
from collections import namedtuple
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import assay
from assay.files import source
from assay.files.source import Source
from assay.reading import lines
from assay.reading.formats.separated import SeparatedRows
from assay.tables.ids import PAD, Ids
from helpers.commands import invoke
from helpers.files import piped, written
from helpers.samples import FULL, in_turn

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEASURES = ["AP", "nDCG", "nDCG@3", "P@5", "RR", "bpref", "R@10", "NumRet", "NumRelRet"]
BLOCKS = [None, 1000, 300, 16] if FULL else [None, 300, 16]
# Ids that are prefixes of each other, that end at, before and behind a word of eight bytes, and that look like something else.
STRANGE = [
    "d", "d1", "d12", "D1", "#5", "d#6", "x" * 7, "x" * 8, "x" * 9, "x" * 16, "x" * 17, "x" * 64, "x" * 65, "x" * 64 + "y",
    "é", "e\u0301", "日本語", "🦊", "\u00a0", "a,b", 'q"q', "'", "0", "00", "1e3", "nan", "-", "{", "\x7f",
]  # fmt: skip
TOPICS = ["7", "07", "12", "t-3", "ü", "y" * 70]


def table(topics, documents, values):
    """Rows of three, each document of a topic at most once, seeded."""
    rng = random.Random(1)
    return [
        (topic, document, rng.choice(values))
        for topic in topics
        for document in rng.sample(documents, len(documents) - 3)
    ]


JUDGED = table(TOPICS, STRANGE, [-1, 0, 0, 0, 1, 2])
RETRIEVED = table([*reversed(TOPICS), "unjudged"], STRANGE, [2.5, 1.5, 1e-3, -0.125, 0.1, 17, 1 / 3])
# The same with ids that are numbers, for tables that have a type for them.
JUDGED_NUMBERS = table([1, 2, 7], list(range(10, 40)), [0, 1, 2])
RETRIEVED_NUMBERS = table([7, 1, 2], list(range(10, 40)), [2.5, 1.5, 1, 0])


def qrels_of(rows) -> str:
    return "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows)


def run_of(rows) -> str:
    return "".join(
        f"{topic} Q0 {document} {rank} {score!r} tag\n" for rank, (topic, document, score) in enumerate(rows, 1)
    )


PLAIN = qrels_of(JUDGED), run_of(RETRIEVED)


def dicts(rows):
    """A dict of dicts, made without Assay."""
    return {topic: {d: v for t, d, v in rows if t == topic} for topic in dict.fromkeys(t for t, _, _ in rows)}


def scored(judgments, run, **options) -> tuple[list[str], bytes]:
    """The topics, and every bit of the values."""
    scores = assay.evaluate(judgments, run, MEASURES, **options)
    return scores.topics, scores.values.tobytes()


EXPECTED = scored(dicts(JUDGED), {"run": dicts(RETRIEVED)})
EXPECTED_NUMBERS = scored(dicts(JUDGED_NUMBERS), {"run": dicts(RETRIEVED_NUMBERS)})


@pytest.fixture
def files(tmp_path):
    """Writes files and gives their paths."""

    def write(*contents: str | bytes) -> list[str]:
        return [written(content, tmp_path / f"{number}.txt") for number, content in enumerate(contents)]

    return write


def test_the_expected_values_are_those_of_an_independent_program():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    theirs = pytrec_eval.RelevanceEvaluator(dicts(JUDGED), {"map", "ndcg"}).evaluate(dicts(RETRIEVED))
    ours = assay.evaluate(dicts(JUDGED), {"run": dicts(RETRIEVED)}, ["AP", "nDCG"])
    for topic in TOPICS:
        assert ours["run", "AP", topic] == pytest.approx(theirs[topic]["map"], abs=1e-12)
        assert ours["run", "nDCG", topic] == pytest.approx(theirs[topic]["ndcg"], abs=1e-12)


# How lines may be written.


def every(number, change, text):
    """The text with every so many lines changed."""
    return "".join(change(line) if n % number == 0 else line for n, line in enumerate(text.splitlines(keepends=True)))


WRITTEN = {
    "as it is": lambda text: text,
    "with tabs": lambda text: text.replace(" ", "\t"),
    "with some tabs": lambda text: every(3, lambda line: line.replace(" ", "\t", 2), text),
    "with repeated blanks": lambda text: text.replace(" ", "   "),
    "with some repeated blanks": lambda text: every(5, lambda line: line.replace(" ", " \t ", 2), text),
    "with leading blanks": lambda text: re.sub("(?m)^", "  ", text.rstrip()) + "\n",
    "with trailing blanks": lambda text: text.replace("\n", " \n"),
    "with a trailing blank at the very end": lambda text: text.rstrip() + " ",
    "with vertical tabs": lambda text: every(4, lambda line: line.replace(" ", "\v", 1), text),
    "with form feeds": lambda text: every(4, lambda line: line.replace(" ", "\f", 1), text),
    "with Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "with line ends of old Macs": lambda text: text.replace("\n", "\r"),
    "with all kinds of line ends": lambda text: every(2, lambda line: line.replace("\n", "\r"), text).replace("\n", "\r\n"),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "without a line end at the end": lambda text: text.rstrip(),
    "with a Windows line end missing at the end": lambda text: text.rstrip().replace("\n", "\r\n"),
    "with comments": lambda text: "# a comment\n" + every(7, lambda line: line + "#\n#1 0 x 1 1 1\n", text) + "# the end",
    "with blank lines": lambda text: "\n\n" + every(6, lambda line: line + "\n \t\n", text) + "\n\n",
    "with a further field": lambda text: text.replace("\n", " more\n"),
    "with many further fields": lambda text: text.replace("\n", " and more  of\tthem\n"),
    "with further fields on some lines": lambda text: every(4, lambda line: line.replace("\n", " more\n"), text),
    "with everything": lambda text: "\ufeff# x\r\n" + every(3, lambda line: f" {line[:-1]}   # more\t\r\n\r\n", text),
}  # fmt: skip


@pytest.fixture(scope="module")
def by_rank(tmp_path_factory):
    """What is expected where ranks break ties."""
    folder = tmp_path_factory.mktemp("plain")
    return scored(*(written(text, folder / name) for name, text in zip("qr", PLAIN, strict=True)), ties="rank")


@pytest.mark.parametrize(("way", "block"), in_turn(WRITTEN, *BLOCKS))
def test_lines_that_mean_the_same_score_the_same(way, block, by_rank, files, monkeypatch):
    change = WRITTEN[way]
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    qrels, run = files(*map(change, PLAIN))
    assert scored(qrels, run) == EXPECTED
    if FULL or block is None:
        assert scored(qrels, run, ties="rank") == by_rank


@pytest.mark.parametrize(
    ("score", "block"),
    in_turn([" 1.25", "+1.25", '"1.25"', ".5", "5.", "1E3", "0.12345678901234567891", "1e23"], None, 40, 100),
)
def test_a_score_of_csv_is_that_of_python_however_it_is_written(score, block, tmp_path, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    given = [f"{100 - row}.{row}" for row in range(30)]
    # within a topic, of which the rows before may have been read as numbers
    given[20] = score
    run = written("query_id,doc_id,score\n" + "".join(f"1,d{row},{each}\n" for row, each in enumerate(given)), tmp_path / "run.csv")
    expected = [float(each.strip(' "')) for each in given]
    assert assay.read_run(run).score.tolist() == expected
    qrels, by_document = {"1": {"d20": 1}}, {f"d{row}": each for row, each in enumerate(expected)}
    assert assay.evaluate(qrels, run, "RR")["RR"] == assay.evaluate(qrels, {"1": by_document}, "RR")["RR"]


@pytest.mark.parametrize(("score", "block"), in_turn(["NaN", "inf", "-Infinity", "1e999"], None, 40, 100))
def test_a_score_of_csv_that_is_not_finite_is_refused_as_it_is_written(score, block, tmp_path, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    rows = "".join(f"1,d{row},{score if row == 20 else 100 - row}\n" for row in range(30))
    run = written(f"query_id,doc_id,score\n{rows}", tmp_path / "run.csv")
    with pytest.raises(assay.InputError, match=re.escape(f"run.csv:22: score '{score}' is ")):
        assay.evaluate({"1": {"d20": 1}}, run, "RR")


PACKED = {
    "gzip": gzip.compress,
    "gzip in two parts": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("block", [None, 300])
@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_compressed_files_score_the_same_whatever_their_names(pack, block, files, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    assert scored(*files(*(pack(text.encode()) for text in PLAIN))) == EXPECTED


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst", "csv", "parquet"])
def test_text_is_read_as_text_whatever_its_name(ending, tmp_path):
    for name, text in zip(("qrels", "run"), PLAIN, strict=True):
        (tmp_path / f"{name}.{ending}").write_text(text, "utf-8")
    assert scored(tmp_path / f"qrels.{ending}", tmp_path / f"run.{ending}") == EXPECTED


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack, files):
    qrels, run = files(*PLAIN)
    outputs = [
        invoke("evaluate", *paths, "--as", "json", "-q", stdin=data)
        for paths, data in (
            ([qrels, run], None),
            ([qrels, "-"], pack(PLAIN[1].encode())),
            (["-", run], pack(PLAIN[0].encode())),
        )
    ]
    values = [[record["value"] for record in json.loads(output.stdout)] for output in outputs]
    assert values[0] == values[1] == values[2] and len(values[0]) > 10


def test_a_standard_input_of_text_only(files, monkeypatch):
    qrels, _ = files(*PLAIN)
    monkeypatch.setattr(sys, "stdin", io.StringIO(PLAIN[1]))
    assert scored(qrels, "-") == EXPECTED


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe(files, tmp_path):
    qrels, _ = files(*PLAIN)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(PLAIN[1], "utf-8"))
    writer.start()
    assert scored(qrels, pipe) == EXPECTED
    writer.join()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd here")
def test_process_substitution(files):
    qrels, _ = files(*PLAIN)
    outlet, inlet = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(inlet, PLAIN[1].encode()), os.close(inlet)))
    writer.start()
    assert scored(qrels, f"/dev/fd/{outlet}") == EXPECTED
    writer.join()
    os.close(outlet)


@pytest.mark.parametrize(("seed", "block"), in_turn(range(3), *BLOCKS))
def test_the_order_of_lines_and_the_size_of_blocks_do_not_matter(seed, block, files, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    shuffled = [text.splitlines(keepends=True) for text in PLAIN]
    for rows in shuffled:
        random.Random(seed).shuffle(rows)
    assert scored(*files(*map("".join, shuffled))) == EXPECTED


@pytest.mark.parametrize("block", BLOCKS)
def test_only_a_few_topics_scattered(block, files, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    first, *rest = PLAIN[1].splitlines(keepends=True)
    assert scored(*files(PLAIN[0], "".join([*rest, first]))) == EXPECTED


def test_many_blocks_are_read_in_their_order(files, monkeypatch):
    monkeypatch.setattr(source, "BLOCK", 300)
    path = files(PLAIN[1])[0]
    assert len(list(lines.topic_blocks(Source(path)))) > 3
    run = assay.read_run(path)
    assert list(zip(run.topic.texts(), run.document.texts(), run.score.tolist(), strict=True)) == RETRIEVED
    assert run.rank.tolist() == list(range(1, len(RETRIEVED) + 1))


def naive_ap(order, grades):
    hits = [grades.get(document, 0) > 0 for document in order]
    return sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit) / sum(
        grade > 0 for grade in grades.values()
    )


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("ties", "order"),
    [
        ("docno", lambda rows: sorted(rows, key=lambda row: (row[3], row[1].encode()), reverse=True)),
        ("input", lambda rows: sorted(rows, key=lambda row: -row[3])),
        ("rank", lambda rows: sorted(rows, key=lambda row: (-row[3], row[2]))),
    ],
)
def test_ties_are_broken_as_asked(ties, order, block, files, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    rng = random.Random(2)
    rows = [(topic, document, rng.randrange(10**9), score) for topic, document, score in RETRIEVED]
    rng.shuffle(rows)
    run = "".join(f"{topic} Q0 {document} {rank} {score!r} t\n" for topic, document, rank, score in rows)
    qrels, path = files(PLAIN[0], run)
    scores = assay.evaluate(qrels, {"run": path}, "AP", ties=ties)
    for topic, grades in dicts(JUDGED).items():
        found = [document for _, document, _, _ in order([row for row in rows if row[0] == topic])]
        assert scores["run", "AP", topic] == pytest.approx(naive_ap(found, grades), abs=1e-12)


SMALL = {
    "one result": ("1 0 d1 1\n", "1 Q0 d1 1 1 t\n", 1),
    "negative scores": ("1 0 d1 1\n", "1 Q0 d1 1 -1e308 t\n1 Q0 d2 1 -1e-320 t\n", 1 / 2),
    "equal scores": ("1 0 d1 1\n", "1 Q0 d3 1 0 t\n1 Q0 d1 2 -0 t\n1 Q0 d2 3 0e5 t\n", 1 / 3),
    "scores that differ in the last digit": ("1 0 a 1\n", "1 Q0 a 1 0.30000000000000004 t\n1 Q0 b 1 0.3 t\n", 1),
    "huge ranks": ("1 0 d1 1\n", f"1 Q0 d1 {'9' * 99} 1 t\n1 Q0 d2 -7 2 t\n", 1 / 2),
    "a topic without results": ("1 0 d1 1\n2 0 d1 1\n", "1 Q0 d1 1 1 t\n", 1 / 2),
    "results without judgments": ("1 0 d1 1\n", "1 Q0 x 1 3 t\n2 Q0 d1 1 1 t\n1 Q0 d1 1 1 t\n", 1 / 2),
    "nothing relevant": ("1 0 d1 0\n", "1 Q0 d1 1 1 t\n", 0),
    "weird letters": ("\u202e 0 \ufeff 1\n", "\u202e Q0 \u200b 1 2 t\n\u202e Q0 \ufeff 1 1 t\n", 1 / 2),
    "a topic of many digits": (f"{'1' * 5000} 0 d 1\n2 0 d 1\n", f"{'1' * 5000} Q0 d 1 1 t\n", 1 / 2),
}


@pytest.mark.parametrize(("qrels", "run", "value"), SMALL.values(), ids=SMALL)
def test_small_and_odd_files(qrels, run, value, files):
    judged, path = files(qrels, run)
    assert assay.evaluate(judged, {"run": path}, "AP")["run", "AP"] == value
    result = invoke("evaluate", judged, path, "-q", "--quiet", "-m", "AP")
    assert (result.exit_code, result.stderr) == (0, "")


def test_control_characters_belong_to_ids(files):
    qrels, run = (text.replace("d12", "d\x01\x1f2").replace("d#6", "\x1c") for text in PLAIN)
    assert qrels != PLAIN[0]
    assert scored(*files(qrels, run), ties="input") == scored(*files(*PLAIN), ties="input")


# Tables with names.

NAMED = [("topic", "document", "score", "grade"), ("Query_ID", "DocNo", "SIM", "Relevance"), ("qid", "docid", "score", "label"),
         ("query-id", "corpus-id", "score", "score")]  # fmt: skip
FIELDS = pytest.mark.parametrize(("topic", "document", "score", "grade"), NAMED)


def separated(rows, names, delimiter=",", **options) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", **options).writerows([names, *rows])
    return out.getvalue()


QUOTED = [{}, {"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}]
CHANGED = {
    "as it is": str,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "old Mac": lambda text: text.replace("\n", "\r"),
    "mark": lambda text: "\ufeff" + text,
    "no end": str.rstrip,
    "blank lines": lambda text: "\n" + every(5, lambda line: line + "\n  \n", text) + "\n\n",
}


@FIELDS
@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("options", QUOTED, ids=["few quotes", "all quoted", "texts quoted"])
def test_csv_and_tsv(topic, document, score, grade, delimiter, options, files):
    qrels = separated(JUDGED, (topic, document, grade), delimiter, **options)
    run = separated(RETRIEVED, (topic, document, score), delimiter, **options)
    for change in CHANGED.values() if FULL or topic == "topic" else [str]:
        assert scored(*files(change(qrels), change(run))) == EXPECTED


def test_csv_with_blanks_and_with_columns_that_are_not_used(files):
    qrels = separated([("x", t, f"  {d}\t", "", g) for t, d, g in JUDGED], ("", "query", "docno", "", "rel"))
    run = separated(
        [(f" {s} ", f" {d}", t, None, "x") for t, d, s in RETRIEVED], (" score", "docno ", "query", "text", "rank")
    )
    assert scored(*files(qrels, run)) == EXPECTED


@pytest.mark.parametrize("text", ['1, "d 1", 2\n', '"1","d 1","2"\n', "1,d 1,2", '1,"d 1",2,\n', "1,d 1,+2.0e0,4\n"])
def test_a_row_of_csv(text, files):
    run = assay.read_run(*files("topic,document,score,more\n" + text))
    assert (run.topic.texts(), run.document.texts(), run.score.tolist()) == (["1"], ["d 1"], [2.0])


def test_a_quoted_line_end_belongs_to_the_id(files):
    run = assay.read_run(*files('topic,document,score\n1,"d\n1",2\n1,"say ""d""",1\n'))
    assert run.document.texts() == ["d\n1", 'say "d"']


QUOTES = ['"a,b"', '"a\nb"', '"say ""x"""', ' "q"', '  "q"', '"q" ', 'in"side', '"']
CELLS = st.sampled_from(["1", "d", "é", "", " ", "2.5", " 7 ", *QUOTES])


def told(read):
    """What a reader gives, or what it refuses."""
    try:
        return read()
    except assay.InputError as error:
        return str(error)


@example(rows=[['in"side'], [], ['"q" ']], end="\n", block=1)
@given(
    st.lists(st.lists(CELLS, max_size=4), max_size=5),
    st.sampled_from(["\n", "\n\n", "\n \n", "\r\n"]),
    st.sampled_from([1, 7, 50, 1000]),
)
@example([['in"side'], [], ['"q" ']], "\n", 1)
def test_csv_is_read_at_once_as_row_by_row(rows, end, block):
    text = "topic,document,score,more" + end + "".join(",".join(row) + end for row in rows)
    with patch.object(source, "BLOCK", block):
        table = SeparatedRows(piped(text), ",", (), {})
        at_once = told(lambda: pl.concat(list(table.frames(table.names))).fill_null("").rows())
        one_by_one = told(lambda: list(table.one_by_one(table.values())))
        if isinstance(one_by_one, str) or isinstance(at_once, str):
            assert at_once == one_by_one
            return
        # a further value that is missing, and not used, is null in one and empty in the other
        assert at_once == [tuple(value or "" for value in row) for _, row in one_by_one]
        assert [table.line(row) for row in range(len(at_once))] == [line for line, _ in one_by_one]


def objects(rows, names) -> str:
    return "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=row[1] == "é") + "\n" for row in rows)


@FIELDS
def test_jsonl(topic, document, score, grade, files):
    qrels, run = objects(JUDGED, (topic, document, grade)), objects(RETRIEVED, (topic, document, score))
    for change in CHANGED.values():
        assert scored(*files(change(qrels), change(run))) == EXPECTED


def test_jsonl_with_ids_that_are_numbers_and_texts(files):
    names = ("topic", "document", "score")
    numbers_and_texts = [
        (str(t) if n % 2 else t, float(d) if n % 3 else d, s) for n, (t, d, s) in enumerate(RETRIEVED_NUMBERS)
    ]
    assert scored(*files(qrels_of(JUDGED_NUMBERS), objects(numbers_and_texts, names))) == EXPECTED_NUMBERS
    # a line that polars does not read, so that all are read one by one
    numbers_and_texts[0] = *numbers_and_texts[0][:2], str(numbers_and_texts[0][2])
    text = objects(numbers_and_texts, names).replace("}", ', "more": NaN}', 1)
    assert scored(*files(qrels_of(JUDGED_NUMBERS), text)) == EXPECTED_NUMBERS


@FIELDS
def test_parquet(topic, document, score, grade, tmp_path):
    pl.DataFrame(JUDGED, (topic, document, grade), orient="row").write_parquet(tmp_path / "qrels")
    pl.DataFrame(RETRIEVED, (topic, document, score), orient="row", strict=False).write_parquet(tmp_path / "run")
    assert scored(tmp_path / "qrels", tmp_path / "run") == EXPECTED


def test_a_table_with_ranks_only_is_in_their_order(files):
    run = separated([(t, d, n) for n, (t, d, _) in enumerate(RETRIEVED)], ("topic", "document", "rank"))
    by_input = run_of([(t, d, 1) for t, d, _ in RETRIEVED])
    qrels, ranked, tied = files(PLAIN[0], run, by_input)
    assert scored(qrels, ranked) == scored(qrels, tied, ties="input")


def test_the_format_can_be_told(files):
    names = ("topic", "document", "score")
    qrels, run = files(separated(JUDGED, ("topic", "document", "grade")), separated(RETRIEVED, names))
    assert scored(qrels, run, format="csv") == EXPECTED


# Objects in memory.

Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])


@dataclasses.dataclass
class Judgment:
    """A record as ir_datasets has them."""

    query_id: str
    doc_id: str
    relevance: int


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """A record with slots."""

    qid: str
    docno: str
    score: float


def frame(rows, value):
    return pl.DataFrame(rows, ("topic", "document", value), orient="row", strict=False)


IN_MEMORY = {
    "dicts": lambda rows, value: dicts(rows),
    "tuples": lambda rows, value: list(rows),
    "lists": lambda rows, value: [list(row) for row in rows],
    "a generator": lambda rows, value: (row for row in rows),
    "dicts as records": lambda rows, value: ({"query_id": t, "docid": d, value: v, "more": None} for t, d, v in rows),
    "namedtuples": lambda rows, value: [Qrel(*row, "0") if value == "grade" else ScoredDoc(*row) for row in rows],
    "dataclasses": lambda rows, value: [(Judgment if value == "grade" else Result)(*row) for row in rows],
    "polars": frame,
    "polars, lazy": lambda rows, value: frame(rows, value).lazy(),
    "polars, categories": lambda rows, value: frame(rows, value).cast({"topic": pl.Categorical, "document": pl.Categorical}),
    "polars, numbers as text": lambda rows, value: frame(rows, value).cast({value: pl.String}),
    "pandas": lambda rows, value: pd.DataFrame(rows, columns=["qid", "docno", value]),
    "pandas, objects": lambda rows, value: pd.DataFrame(rows, columns=["qid", "docno", value], dtype=object),
    "pandas, strings": lambda rows, value: pd.DataFrame(rows, columns=["qid", "docno", value]).astype({"qid": "string"}),
    "pandas, categories": lambda rows, value: pd.DataFrame(rows, columns=["qid", "docno", value]).astype({"docno": "category"}),
    "pandas, an index": lambda rows, value: pd.DataFrame(rows, columns=["qid", "docno", value], index=[*range(5, 5 + len(rows))]),
    "Arrow": lambda rows, value: frame(rows, value).to_arrow(),
    "Arrow, a batch": lambda rows, value: frame(rows, value).to_arrow().combine_chunks().to_batches()[0],
    "Arrow, a dictionary": lambda rows, value: pa.table(
        {name: pa.array(column).dictionary_encode() if name != value else column
         for name, column in zip(("topic", "document", value), zip(*rows, strict=True), strict=True)}
    ),
}  # fmt: skip


AS_TEXT = [IN_MEMORY["polars, categories"], IN_MEMORY["pandas, strings"]]


@pytest.mark.parametrize("make", IN_MEMORY.values(), ids=IN_MEMORY)
def test_objects_in_memory_score_the_same(make):
    assert scored(make(JUDGED, "grade"), {"run": make(RETRIEVED, "score")}) == EXPECTED


@pytest.mark.parametrize("make", IN_MEMORY.values(), ids=IN_MEMORY)
@pytest.mark.parametrize("kind", [int, float, str, np.int32, np.float64])
def test_seven_is_seven_whatever_its_type(make, kind):
    if make in AS_TEXT and kind is not str:
        pytest.skip("its ids are texts")
    judged, retrieved = ([(kind(t), kind(d), v) for t, d, v in rows] for rows in (JUDGED_NUMBERS, RETRIEVED_NUMBERS))
    assert scored(make(judged, "grade"), {"run": dicts(RETRIEVED_NUMBERS)}) == EXPECTED_NUMBERS
    assert scored(dicts(JUDGED_NUMBERS), {"run": make(retrieved, "score")}) == EXPECTED_NUMBERS


def test_pandas_ids_of_several_types_in_one_column():
    rows = [(str(t) if n % 2 else t, float(d) if n % 3 else str(d), v) for n, (t, d, v) in enumerate(RETRIEVED_NUMBERS)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    assert scored(dicts(JUDGED_NUMBERS), {"run": run}) == EXPECTED_NUMBERS


@pytest.mark.parametrize("document, what", [
    (" ", "document is missing"), ("\n", "document is missing"), ("\ud800", r"document '\ud800' contains a lone surrogate, which is not valid Unicode"),
])  # fmt: skip
def test_a_dict_of_dicts_has_ids_as_records_have(document, what):
    good = {"1": {"d": 1}}
    for run, judgments in (({"1": {document: 1, "d": 2}}, good), (good, {"1": {document: 1, "d": 2}})):
        with pytest.raises(assay.InputError) as of_dict:
            assay.evaluate(judgments, {"run": run}, "AP")
        name = "run" if run is not good else "judgments"
        as_records = [("1", document, 1), ("1", "d", 2)]
        with pytest.raises(assay.InputError) as of_records:
            assay.evaluate(judgments if judgments is good else as_records, {"run": run if run is good else as_records}, "AP")
        assert str(of_records.value) == f"{name}: record 1: {what}"
        assert str(of_dict.value).startswith(f"{name}: topic 1, ") and str(of_dict.value).endswith(f": {what}")
    with pytest.raises(assay.InputError, match=r"^run: topic is missing$"):
        assay.evaluate(good, {"run": {" ": {"d": 1}}}, "AP")


def test_tables_are_read_once_and_can_be_used_again(files):
    qrels, run = files(*PLAIN)
    judgments, table = assay.read_judgments(qrels), assay.read_run(run, name="bm25")
    assert table.name == "bm25" and len(table) == len(RETRIEVED) and len(judgments) == len(JUDGED)
    assert scored(judgments, table) == scored(judgments, table) == EXPECTED


def test_ids_read_from_a_file_are_those_of_its_texts(files):
    run = assay.read_run(*files(PLAIN[1]))
    again = Ids.of([document for _, document, _ in RETRIEVED])
    assert run.document.same(again).all() and (run.document.keys() == again.keys()).all()
    assert again.buffer.startswith(PAD) and again.buffer.endswith(PAD)


def test_paths_may_be_of_any_kind(files):
    qrels, run = map(Path, files(*PLAIN))
    assert scored(qrels, [run]) == scored(str(qrels), {"run": str(run)}) == EXPECTED


@pytest.mark.parametrize("topic", ['["', '{"', '["1"', "[", "[[1"])
def test_a_topic_may_begin_as_json_does(tmp_path, topic):
    (tmp_path / "q").write_text(f"{topic} 0 d 1\n")
    (tmp_path / "r").write_text(f"{topic} Q0 d 1 2.0 t\n")
    assert assay.evaluate(tmp_path / "q", tmp_path / "r", ["AP"])["AP", topic] == 1


def test_a_rank_that_is_no_number_is_ignored_after_the_first_lines_beside_a_tag_of_two_words(tmp_path):
    first_lines = f"#{'x' * source.HEAD}\n"
    run = written(first_lines + "1 Q0 d1 - 4 tag\n1 Q0 d2 2 5 two words\n", tmp_path / "r")
    assert assay.evaluate({"1": {"d1": 1}}, run, ["RR"])["RR"] == 0.5
