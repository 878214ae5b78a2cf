"""What the best ranking of some chunks reaches, and who lost what: against all rankings, by hand, and on real data."""

import gzip
import json
import re
from itertools import permutations

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from helpers import naive_gold as naive
from helpers.commands import invoke
from helpers.files import parquet, windows, written
from helpers.look_alikes import ChonkieChunk, LangChainDocument, Passage
from helpers.naive_ceilings import iou
from helpers.places import DATA
from helpers.samples import sample

MEASURES = {
    "R@2": (naive.recall, {"k": 2}),
    "P@2": (naive.precision, {"k": 2}),
    "F@1": (naive.f, {"k": 1}),
    "R(chars=7)": (naive.recall, {"chars": 7}),
    "F(chars=9)": (naive.f, {"chars": 9}),
    "IoU@2": (iou, {"k": 2}),
}
FIELDS = ("query_id", "doc_id", "start", "end", "set", "annotator")


@st.composite
def spans(draw):
    start = draw(st.integers(0, 12))
    return draw(st.sampled_from("ab")), start, start + draw(st.integers(1, 8))


gold_rows = st.lists(
    st.tuples(st.sampled_from("12"), spans(), st.sampled_from(["x", "y"]), st.sampled_from(["ann", "bob"])),
    min_size=1, max_size=6,
).map(lambda rows: [(topic, *span, of_set, annotator) for topic, span, of_set, annotator in rows])  # fmt: skip


@pytest.mark.parametrize("overlap", ["paid", "new"])
@pytest.mark.parametrize("annotators", ["mean", "best", "union"])
@settings(max_examples=sample(4, 100))
@given(rows=gold_rows, chunks=st.lists(spans(), min_size=1, max_size=4, unique=True))
def test_no_ranking_surpasses_a_ceiling_and_one_reaches_an_exact_one(overlap, annotators, rows, chunks):
    records = [dict(zip(FIELDS, row, strict=True)) for row in rows]
    if not {row[1] for row in rows} & {chunk[0] for chunk in chunks}:
        return
    table = assay.ceiling(records, chunks, measures=list(MEASURES), overlap=overlap, annotators=annotators)
    rankings = [list(order) for number in range(1, len(chunks) + 1) for order in permutations(chunks, number)]
    exact = {(row["topic"], row["measure"]): row["exact"] for row in table.frame().to_dicts()}
    for name, (measure, options) in MEASURES.items():
        for topic in table.topics:
            tried = max(
                naive.value(measure, rows, {topic: ranking}, topic, annotators, overlap=overlap, **options)
                for ranking in rankings
            )
            assert table[name, topic] >= tried - 1e-12, (name, topic)
            assert not exact[topic, name] or table[name, topic] <= tried + 1e-12, (name, topic)
    if overlap == "paid" and annotators != "mean":
        assert all(exact[topic, name] for topic in table.topics for name in ("R@2", "P@2", "F@1", "IoU@2"))


GOLD = [
    {"query_id": "1", "doc_id": "a", "start": 5, "end": 15},
    {"query_id": "1", "doc_id": "b", "start": 0, "end": 10},
    {"query_id": "2", "doc_id": "a", "start": 18, "end": 30},
]
# a [20, 25) and b [10, ...) are in no chunk
CHUNKS = [("a", 0, 10), ("a", 10, 20), ("a", 25, 40), ("b", 0, 10)]
TEXTS = {"a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN", "b": "0123456789!"}


def test_a_small_case_by_hand():
    table = assay.ceiling(GOLD, CHUNKS, measures=["R@1", "R@2", "R", "P@1", "F@1", "R(chars=12)", "R(chars=15)"])
    # topic 1: chunk b has 10 of 20, those of a 5 each; topic 2: 2 of 12 in a [10, 20), 5 of 12 in a [25, 40)
    assert table["R@1", "1"] == 10 / 20 and table["R@1", "2"] == 5 / 12
    assert table["R@2", "1"] == 15 / 20 and table["R@2", "2"] == 7 / 12
    assert table["R"] == pytest.approx((20 / 20 + 7 / 12) / 2)
    assert table["P@1", "1"] == 1 and table["P@1", "2"] == 5 / 15
    assert table["F@1", "1"] == pytest.approx(2 * 10 / (20 + 10)) and table["F@1", "2"] == pytest.approx(2 * 5 / (12 + 15))
    # b, and the first two characters of a [10, 20); a [25, 30) is read first, and then the beginning of nothing more
    assert table["R(chars=12)", "1"] == 12 / 20 and table["R(chars=12)", "2"] == 5 / 12
    # or a [10, 20) with two, and five of a [25, 40)
    assert table["R(chars=15)", "2"] == 7 / 12
    gold = table.gold
    assert (gold.excerpts, gold.whole, gold.in_pieces, gold.nowhere) == (3, 1, 2, 0)
    assert (gold.characters, gold.in_no_chunk, gold.cut) == (32, 5, 22)
    sizes = table.sizes
    assert (sizes.chunks, sizes.documents, sizes.least, sizes.median, sizes.mean, sizes.most) == (4, 2, 10, 10, 11.25, 15)
    assert sizes.repeated == 0


def test_what_a_run_lost_is_told_apart():
    run = {"1": [("a", 25, 40), ("a", 0, 10)], "2": [("a", 25, 40)]}
    one, two = assay.ceiling(GOLD, CHUNKS, run, ["R@2", "R(chars=12)"]).records()
    # the best two chunks have 15 of 20 and 7 of 12; the run 5 of 20 and 5 of 12; one document has it all, or two
    assert one["ceiling"] == pytest.approx((15 / 20 + 7 / 12) / 2) and one["is"] == "exact"
    assert one["value"] == pytest.approx((5 / 20 + 5 / 12) / 2)
    # a number of results is no budget
    assert one["list"] == 0
    assert one["retriever"] == pytest.approx((10 / 20 + 2 / 12) / 2)
    assert (one["chunker"], one["budget"]) == (pytest.approx(1 - one["ceiling"]), 0)
    # of 20 characters 12 can be read, of 12 all
    assert two["budget"] == pytest.approx((8 / 20 + 0) / 2)
    assert two["chunker"] == pytest.approx((0 + 7 / 12) / 2)
    for row in (one, two):
        assert sum(row[name] for name in ("value", "retriever", "list", "chunker", "budget")) == pytest.approx(1)


WORDS = {"a": "one two three four five six seven eight", "b": "nine ten eleven twelve thirteen"}
PLACES = {name: [match.span() for match in re.finditer(r"\S+", text)] for name, text in WORDS.items()}


def read_in_tokens(ranking, budget, fit):
    """The characters that a reader of so many words meets; a word is read where it ends."""
    met, left = set(), budget
    for document, start, end in ranking:
        ends = [last for _, last in PLACES[document] if start < last <= end]
        if len(ends) > left:
            if fit == "stop":
                break
            if fit == "skip":
                continue
            return met | {(document, at) for at in range(start, [start, *ends][left])}
        met |= {(document, at) for at in range(start, end)}
        left -= len(ends)
    return met


@st.composite
def words_in_chunks(draw):
    document = draw(st.sampled_from("ab"))
    first = draw(st.integers(0, len(PLACES[document]) - 1))
    last = draw(st.integers(first, len(PLACES[document]) - 1))
    # many a chunk ends within its last word
    return document, PLACES[document][first][0], PLACES[document][last][1] - draw(st.integers(0, 2))


@pytest.mark.parametrize("fit", ["cut", "stop", "skip"])
@settings(max_examples=sample(6, 100))
@given(
    gold=words_in_chunks(),
    chunks=st.lists(words_in_chunks(), min_size=1, max_size=4, unique=True),
    budget=st.integers(1, 8),
)
@example(gold=("b", 0, 4), chunks=[("a", 0, 3), ("b", 0, 8)], budget=2)  # after a chunk without evidence one is cut
def test_no_ranking_surpasses_a_ceiling_in_tokens_and_one_reaches_an_exact_one(fit, gold, chunks, budget):
    document, start, end = gold
    if document not in {chunk[0] for chunk in chunks}:
        return
    records = [{"query_id": "1", "doc_id": document, "start": start, "end": end}]
    names = [f"{name}(tokens={budget}, fit={fit})" for name in "RPF"]
    table = assay.ceiling(records, chunks, measures=names, documents=WORDS, tokenizer="words")
    exact = {row["measure"]: row["exact"] for row in table.frame().to_dicts()}
    relevant = {(document, at) for at in range(start, end)}
    tried = [
        read_in_tokens(order, budget, fit)
        for number in range(1, len(chunks) + 1)
        for order in permutations(chunks, number)
    ]
    most = max(len(met & relevant) for met in tried) / len(relevant)
    assert table[names[0]] >= most - 1e-12
    assert not exact[str(table.measures[0])] or table[names[0]] <= most + 1e-12
    # of stop and skip the best whole chunks are found, and of a cut too where nothing overlaps
    assert fit == "cut" or exact[str(table.measures[0])]
    assert all(value <= 1 + 1e-12 for value in (table[names[1]], table[names[2]]))
    assert table[names[1]] >= max(len(met & relevant) / len(met) for met in tried if met) - 1e-12 if any(tried) else True


def test_a_ceiling_in_tokens_is_exact_also_if_a_chunk_ends_within_a_token():
    # the chunk ends within "three", and costs two words
    gold, chunks = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 10}], [("a", 0, 10)]
    rules = {"documents": WORDS, "tokenizer": "words"}
    measures = ["R(tokens=2)", "R(tokens=3)", "R(tokens=2, fit=stop)", "F(tokens=2)"]
    table = assay.ceiling(gold, chunks, {"1": [("a", 0, 10)]}, measures, **rules)
    assert [(row["value"], row["ceiling"], row["is"]) for row in table.records()] == [(1, 1, "exact")] * 4


def test_a_ceiling_in_tokens_notes_that_words_are_counted():
    gold = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 7}]
    table = assay.ceiling(gold, [("a", 0, 13)], measures="R(tokens=2)", documents=WORDS, tokenizer="words")
    assert table.notes == [
        "judgments: tokens here are words split on whitespace; a language model counts more tokens in the same text; pass "
        "tokenizer= with the tokenizer of a model, or chars:4 for an estimate"
    ]


def test_a_ceiling_in_tokens_by_hand():
    # eight words of 4 + 1 characters in one document; the evidence is words 3 to 6, in two chunks of three words
    text = "abcd " * 8
    gold = [{"query_id": "1", "doc_id": "a", "start": 10, "end": 29}]
    chunks = [("a", 0, 15), ("a", 15, 30), ("a", 30, 40)]
    run = {"1": [("a", 0, 15), ("a", 15, 30)]}
    measures = ["R(tokens=4)", "R(tokens=4, fit=stop)", "R(tokens=4, fit=skip)", "R(tokens=2, fit=stop)", "R(tokens=9)"]
    rows = assay.ceiling(gold, chunks, run, measures, documents={"a": text}, tokenizer="words").records()
    # [15, 29) and no word more of [0, 15), whose first two have none
    assert [row["ceiling"] for row in rows] == [14 / 19, 14 / 19, 14 / 19, 0, 1]
    assert [row["is"] for row in rows] == ["exact"] * 5
    # the run reads [0, 15) and then, with a cut, [15, 19)
    assert [row["value"] for row in rows] == [pytest.approx((5 + 4) / 19), 5 / 19, 5 / 19, 0, 1]
    # four words hold four times the blank before and the word, or one blank less
    assert rows[0]["budget"] == 0 and rows[3]["budget"] == pytest.approx(1 - 10 / 19)
    assert rows[3]["chunker"] == pytest.approx(10 / 19)
    for row in rows:
        assert sum(row[name] for name in ("value", "retriever", "list", "chunker", "budget")) == pytest.approx(1)


TEN = [("a", start, start + 10) for start in range(0, 100, 10)]


def test_what_a_list_lost_by_its_end_is_not_charged_to_the_retriever():
    gold = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 40}]
    runs = {"short": {"1": TEN[:2]}, "bad": {"1": [TEN[9], TEN[0]]}, "long": {"1": [*TEN[4:], *TEN[:4]]}}
    table = assay.ceiling(gold, TEN, runs, ["R(chars=100)", "R@3", "R", "P(chars=100)"])
    lost = {(row["run"], row["measure"]): (row["value"], row["retriever"], row["list"]) for row in table.records()}
    assert lost["short", "R(chars=100)"] == pytest.approx((0.5, 0, 0.5))
    # one of its two chunks could have been another with evidence; more of them would be a longer list
    assert lost["bad", "R(chars=100)"] == pytest.approx((0.25, 0.25, 0.5))
    # a number of results is no budget
    assert lost["short", "R@3"] == pytest.approx((0.5, 0.25, 0))
    # it has as many characters as are asked for
    assert lost["long", "R@3"] == pytest.approx((0, 0.75, 0)) and lost["long", "R(chars=100)"] == pytest.approx((1, 0, 0))
    # without a cut-off a list ends where it ends
    assert lost["short", "R"] == pytest.approx((0.5, 0.5, 0))
    assert lost["short", "P(chars=100)"] == pytest.approx((1, 0, 0))
    # of two topics the list of one is empty
    (half,) = assay.ceiling([*gold, {**gold[0], "query_id": "2"}], TEN, {"1": TEN, "2": []}, "R(chars=100)").records()
    assert (half["value"], half["retriever"], half["list"]) == pytest.approx((0.5, 0, 0.5))


@pytest.mark.parametrize("overlap", ["paid", "new"])
@settings(max_examples=sample(5, 200))
@given(
    rows=gold_rows,
    chunks=st.lists(spans(), min_size=1, max_size=4, unique=True),
    number=st.integers(1, 4),
    annotators=st.sampled_from(["mean", "best", "union"]),
)
def test_no_list_as_short_has_more_than_is_left_to_the_retriever(overlap, rows, chunks, number, annotators):
    """Value + retriever is the ceiling of a budget of as many characters as the list has, if it is short."""
    if not {row[1] for row in rows} & {chunk[0] for chunk in chunks}:
        return
    records = [dict(zip(FIELDS, row, strict=True)) for row in rows]
    cuts = {"R@3": (naive.recall, {"k": 3}), "F@3": (naive.f, {"k": 3}), "R(chars=20)": (naive.recall, {"chars": 20}),
            "P(chars=20)": (naive.precision, {"chars": 20}), "IoU(chars=9)": (iou, {"chars": 9})}  # fmt: skip
    own = dict.fromkeys("12", chunks[:number])
    table = assay.ceiling(records, chunks, own, list(cuts), overlap=overlap, annotators=annotators)
    rankings = [list(order) for size in range(len(chunks) + 1) for order in permutations(chunks, size)]
    length = len(naive.read_by(chunks[:number], overlap))
    for row in table.records():
        measure, until = cuts[row["measure"]]
        losses = [row[name] for name in ("retriever", "list", "chunker", "budget")]
        assert sum([row["value"], *losses]) == pytest.approx(1) and min(losses) > -1e-9
        until = until if "k" in until else {"chars": min(until["chars"], length)}
        best = [
            max(naive.value(measure, rows, {topic: order}, topic, annotators, overlap=overlap, **until) for order in rankings)
            for topic in table.topics
        ]
        most = row["value"] + row["retriever"]
        # a chunk that a small budget cuts may be more precise than any whole one; of several gold standards each has the
        # ceiling of the larger budget as a bound of its own, which the values over all do not tell
        if len({row[4:] for row in rows}) > 1 and row["measure"] in ("IoU(chars=9)", "P(chars=20)"):
            continue
        best = [min(value, table[row["measure"], topic]) for value, topic in zip(best, table.topics, strict=True)]
        assert most >= sum(best) / len(best) - 1e-9
        # which cut is the best of chunks that overlap is not tried out, so that the ceiling of a short list may be a bound
        if row["is"] == "exact" and not any(one[1] < other[2] and other[1] < one[2] for one, other in permutations(chunks, 2)):
            assert most <= sum(best) / len(best) + 1e-9


def test_overlap_is_told_and_paid_for_unless_it_is_not():
    chunks, gold = {"a": [(0, 10), (8, 18), (16, 26)]}, [{"query_id": "1", "doc_id": "a", "start": 0, "end": 26}]
    paid, new = (assay.ceiling(gold, chunks, measures=["F"], overlap=policy) for policy in ("paid", "new"))
    assert (paid.sizes.characters, paid.sizes.repeated) == (30, 4)
    # all 26 characters: 30 have to be read for them, or 26; two chunks have 20 of them
    assert paid["F"] == pytest.approx(2 * 26 / (26 + 30)) and new["F"] == 1


LINES = "".join(json.dumps({"doc_id": d, "start": s, "end": e, "text": TEXTS[d][s:e]}) + "\n" for d, s, e in CHUNKS)
ROWS = [{"doc_id": d, "start": s, "end": e} for d, s, e in CHUNKS]
CSV = "doc_id,start,end\n" + "".join(f"{d},{s},{e}\n" for d, s, e in CHUNKS)


@pytest.mark.parametrize(
    "chunks",
    [
        CHUNKS,
        [list(chunk) for chunk in CHUNKS],
        ROWS,
        {"a": [(0, 10), (10, 20), (25, 40)], "b": [(0, 10)]},
        {"a": [ChonkieChunk(TEXTS["a"][s:e], s, e) for s, e in ((0, 10), (10, 20), (25, 40))], "b": [(0, 10)]},
        [Passage(*chunk) for chunk in CHUNKS],
        [LangChainDocument(TEXTS[d][s:e], source=d, start_index=s) for d, s, e in CHUNKS],
        [TEXTS[d][s:e] for d, s, e in CHUNKS],
        {"a": [TEXTS["a"][:10], TEXTS["a"][10:20], TEXTS["a"][25:]], "b": ["0123456789"]},
        [{"text": TEXTS[d][s:e]} for d, s, e in CHUNKS],
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).to_pandas(),
        CHUNKS + CHUNKS[:2],
        {"jsonl": LINES},
        {"jsonl": windows(LINES)},
        {"json": json.dumps(ROWS)},
        {"csv": CSV},
        {"tsv": CSV.replace(",", "\t")},
        {"gz": gzip.compress(LINES.encode())},
        {"parquet": parquet(doc_id=["a", "a", "a", "b"], start=[0, 10, 25, 0], end=[10, 20, 40, 10])},
        {"jsonl": "".join(json.dumps({"text": TEXTS[d][s:e], "page": 1}) + "\n" for d, s, e in CHUNKS)},
    ],
    ids=lambda chunks: type(chunks).__name__,
)
def test_chunks_are_given_in_many_ways(folder, chunks):
    if isinstance(chunks, dict) and len(chunks) == 1:
        ((ending, content),) = chunks.items()
        chunks = written(content, f"chunks.{ending}")
    table = assay.ceiling(GOLD, chunks, measures="R", documents=TEXTS)
    assert table["R"] == pytest.approx((1 + 7 / 12) / 2)
    assert table.sizes.chunks == 4


def test_columns_of_chunks_can_be_told(folder):
    written("".join(f"1\t{n}\t{d}\t{s}\t{e}\t{-n}\n" for n, (d, s, e) in enumerate(CHUNKS, 1)), "run.tsv")
    chunks = written(CSV.replace("doc_id,start,end", "paper,at,stop"), "chunks.csv")
    told = {"document": "paper", "start": "at", "end": "stop"}
    table = assay.ceiling(GOLD, chunks, "run.tsv", "R", columns=told)
    assert table["R", "1"] == 1
    frame = pl.DataFrame({"query_id": ["1"], "doc_id": ["b"], "start": [0], "end": [10], "score": [1.0]})
    for runs in (frame, frame.to_pandas()):
        assert assay.ceiling(GOLD, CHUNKS, runs, "R").records()[0]["value"] == 10 / 20 / 2


def test_whitespace_can_be_left_out():
    documents, gold = {"a": "one two three"}, [{"query_id": "1", "doc_id": "a", "start": 0, "end": 13}]
    chunks = {"a": ["one", "two", "three"]}
    assert assay.ceiling(gold, chunks, measures="R", documents=documents)["R"] == 11 / 13
    table = assay.ceiling(gold, chunks, measures="R", documents=documents, whitespace="ignore")
    assert table["R"] == 1 and table.gold.in_no_chunk == 0
    assert table.notes[-1] == "judgments: whitespace is not counted: the highlighted spans have 11 characters instead of 13"


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([], "chunks: the input is empty; expected chunks"),
        ("", "chunks.jsonl: the input is empty; expected chunks"),
        ('{"doc_id": "a", "start": 3}\n',
         "chunks.jsonl:1: end is missing"),
        ('{"text": "x"}\n{"text": " "}\n', "chunks.jsonl:2: the text is only whitespace, which cannot be located; leave it out"),
        ('{"doc_id": "a", "start": 9, "end": 3}\n', "chunks.jsonl:1: start 9 is after end 3"),
        ([("a", 9, 3)], "chunks: chunk 1: start 9 is after end 3"),
        ([("a", 0, 4), ("a", 4, 4)], "chunks: chunk 2: the text from 4 to 4 is empty; expected at least one character"),
        ('{"text": "x"}\n',
         "chunks.jsonl: no usable offsets for 1 of 1 chunk (1 without a start), first in line 1: 'x'; pass documents= to locate their texts"),
        ("1\t1\ta\t0\t10\t0.5\n2\t1\ta\t0\t10\t0.5\n",
         "chunks.jsonl:1: none of the columns is known: 1 (column 1), 1 (column 2), a, 0, 10, …; expected all chunks of a corpus, with columns such as doc_id, start and end, or text"),
        ([("docs/a.md", 0, 10)],
         "chunks and judgments share no document: docs/a.md vs a, b; perhaps the ids differ only in folder and ending ('docs/a.md' vs 'a')"),
        ({"a": 3}, "chunks: the chunks of document a are 3; expected a list of chunks"),
        ([3], "chunks: chunk 1: the chunk has no offsets and no text; expected a document, start and end, or a text"),
    ],
)  # fmt: skip
def test_bad_chunks_are_refused_in_one_line(folder, chunks, message):
    with pytest.raises(assay.InputError) as refused:
        assay.ceiling(GOLD, written(chunks, "chunks.jsonl") if isinstance(chunks, str) else chunks)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"measures": "AiP"}, "AiP has no ceiling; use R, P, F or IoU of text, for example R@5 or F(chars=2000)"),
        ({"measures": "R(unit=document)@5"},
         "R(unit=document)@5 has no ceiling; use R, P, F or IoU of text, for example R@5 or F(chars=2000)"),
        ({"measures": "R(tokens=5)"}, "R(tokens=5) counts tokens; pass tokenizer=, for example words, and pass documents="),
        ({"overlap": "drop"},
         "overlap=drop drops or refuses results; a ceiling needs rankings with overlapping chunks: choose from paid, new"),
        ({"runs": {"1": [("a", 0, 11)]}},
         "run: 1 of 1 result are not among the 4 chunks of chunks; the first is a 0-11; expected a run that returns these chunks"),
        ({"runs": {"1": ["a"]}},
         "chunks: the chunks have no ids, but run returns ids; expected a column chunk_id or id; if another column has the ids, pass columns=, for example chunk=key"),
        ({"judgments": {"1": {"a": 1}}},
         "judgments: these judgments have no highlighted text; a ceiling needs spans"),
    ],
)  # fmt: skip
def test_what_has_no_ceiling_is_refused_in_one_line(given, message):
    with pytest.raises(assay.AssayError) as refused:
        assay.ceiling(given.pop("judgments", GOLD), CHUNKS, **given)
    assert str(refused.value) == message


def test_notes_tell_what_is_not_as_it_seems():
    spans = [{**row, "grade": 1} for row in [*GOLD, {"query_id": "3", "doc_id": "c", "start": 0, "end": 4}]]
    spans.append({"query_id": "4", "doc_id": "a", "start": 0, "end": 4, "grade": 0})
    run = {"1": [*CHUNKS, ("a", 0, 11)], "2": CHUNKS, "3": CHUNKS}
    notes = assay.ceiling(spans, CHUNKS, run, "R@1").notes
    assert notes[0] == "run: 1 of 13 results are not among the 4 chunks, so values may exceed the ceiling; the first is a 0-11"
    assert notes[1] == "chunks: 1 of 3 documents with evidence have no chunk: c"
    barren = "judgments: 1 of 4 topics has nothing relevant and has a ceiling of 0: 4"
    assert barren in assay.ceiling(spans, CHUNKS).notes
    # over four topics, or over the three that have gold
    everything, relevant = (assay.ceiling(spans, CHUNKS, measures="R", topics=topics)["R"] for topics in ("judged", "relevant"))
    assert (everything * 4, relevant * 3) == pytest.approx((1 + 7 / 12, 1 + 7 / 12))


def test_the_command_prints_tables_and_facts(folder):
    written("".join(json.dumps(row) + "\n" for row in GOLD), "gold.jsonl")
    written(LINES, "chunks.jsonl")
    written("".join(f"1\t{n}\t{d}\t{s}\t{e}\t{-n}\n" for n, (d, s, e) in enumerate(CHUNKS, 1)), "some.tsv")
    done = invoke("ceiling", "gold.jsonl", "chunks.jsonl", "-m", "R@1,P@1", "--as", "text")
    assert done.exit_code == 0
    assert done.stdout == """\
chunks    4 of 2 documents, 10 to 15 characters (median 10, mean 11.2); chunks do not overlap
excerpts  3: 1 in one chunk, 2 (66.7%) split over several chunks, 0 in no chunk
gold      32 characters, 5 of them (15.6%) in no chunk; 68.8% of the evidence lies in excerpts that no single chunk contains

measure   is      ceiling
─────────────────────────
R@1       exact    0.4583
P@1       exact    0.6667

ceiling: the best that any ranking of these chunks can reach, mean over topics
"""
    done = invoke("ceiling", "gold.jsonl", "chunks.jsonl", "some.tsv", "-m", "R@1", "--as", "csv", "--quiet")
    assert done.stdout.splitlines()[0] == "run,measure,is,ceiling,value,retriever,list,chunker,budget"
    assert done.stderr == ""
    whole = json.loads(invoke("ceiling", "gold.jsonl", "chunks.jsonl", "--as", "json").stdout)
    assert [row["measure"] for row in whole["ceilings"]][:4] == ["R@1", "P@1", "F@1", "R@5"]
    for layout in ("md", "latex", "html", "tsv"):
        assert "R@1" in invoke("ceiling", "gold.jsonl", "chunks.jsonl", "--as", layout).stdout


def test_a_bound_is_said_to_be_one():
    gold = [{"query_id": "1", "doc_id": "a", "start": 2, "end": 19}]
    chunks = [("a", 0, 10), ("a", 5, 15), ("a", 10, 20)]
    table = assay.ceiling(gold, chunks, measures=["R@2", "R(chars=12)"], overlap="new")
    assert [row["is"] for row in table.records()] == ["exact", "at most"]
    tried = max(
        naive.recall(list(order), {("a", at) for at in range(2, 19)}, "new", chars=12)
        for number in (1, 2, 3) for order in permutations(chunks, number)
    )  # fmt: skip
    assert table["R(chars=12)"] >= tried
    assert table.notes[-1] == (
        "the ceiling is only an upper bound in some of 1 topic: R(chars=12) in 1"
    )


CHROMA = DATA / "spans/chroma-chunking-eval"


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_a_run_of_real_data_is_never_above_its_ceiling():
    """The chunks that a run returned stand for all; on no question it may surpass the best ranking of them."""
    run = CHROMA / "runs/bm25-rec800-400.tsv"
    lines = [line.split("\t") for line in run.read_text("utf-8").splitlines()]
    chunks = sorted({(fields[2], int(fields[3]), int(fields[4])) for fields in lines})
    table = assay.ceiling(CHROMA / "gold.jsonl", chunks, run, ["R@1", "R@5", "F@5", "R(chars=1000)", "P(chars=1000)"])
    frame = table.frame()
    assert len(frame) == 472 * 5
    assert frame.filter(pl.col("value") > pl.col("ceiling") + 1e-12).is_empty()


TWICE = {"a": "The bridge opened in 1911. It has nine arches.", "b": "Once more: The bridge opened in 1911. So it is."}


def test_a_chunk_with_a_copy_of_the_gold_counts_where_copies_do():
    gold, chunks = {"1": [("a", 0, 26)]}, [("a", 0, 13), ("a", 13, 46), ("b", 11, 37)]
    without = assay.ceiling(gold, chunks, None, ["R@1", "P@1"], documents=TWICE)
    assert (without["R@1"], without["P@1"]) == (0.5, 1)
    with_copies = assay.ceiling(gold, chunks, {"1": [("b", 11, 37)]}, ["R@1", "R@2", "F@3"], documents=TWICE, copies=True)
    assert [row["ceiling"] for row in with_copies.records()] == [1, 1, 1]
    assert with_copies.scores["R@1"] == 1
    # what is told of gold and chunks is of the gold as it was given
    assert (with_copies.gold.excerpts, with_copies.gold.in_pieces) == (1, 1)
    assert with_copies.notes == [
        "judgments: 1 of 1 excerpt has copies elsewhere in the documents (1 with 1); a copy counts like its excerpt",
        "the ceiling is only an upper bound in some of 1 topic: R@1 in 1, R@2 in 1, F@3 in 1",
    ]


@settings(max_examples=sample(8, 300))
@given(data=st.data())
def test_no_run_surpasses_the_ceiling_with_copies(data):
    texts = {name: data.draw(st.text("ab ", min_size=4, max_size=14)) for name in "xyz"}

    def spans(most):
        place = st.tuples(st.sampled_from("xyz"), st.integers(0, 3), st.integers(1, 6))
        inside = place.map(lambda each: (each[0], each[1], min(each[1] + each[2], len(texts[each[0]]))))
        return st.lists(inside, min_size=1, max_size=most, unique=True)

    gold, further = data.draw(spans(3)), data.draw(spans(4))
    chunks = list(dict.fromkeys([*further, *((name, 0, 4) for name in texts)]))
    run = data.draw(st.permutations(chunks))
    names = ["R@1", "R@2", "P@2", "F@2", "IoU@2", "R(chars=4)", "F(chars=4)"]
    table = assay.ceiling({"1": gold}, chunks, {"1": run}, names, documents=texts, copies=True)
    for row in table.records():
        assert row["value"] <= row["ceiling"] + 1e-12 <= 1 + 1e-9, row


def test_chunks_by_document_may_be_a_json_file(folder):
    gold = {"1": [("a", 0, 26)]}
    for chunks in ({"a": [[0, 13], [13, 26]]}, {"a": ["The bridge", "opened in 1911."]}):
        path = written(json.dumps(chunks), "chunks.json")
        by_file = assay.ceiling(gold, path, None, ["R@1", "R@2"], documents=TWICE)
        in_memory = assay.ceiling(gold, chunks, None, ["R@1", "R@2"], documents=TWICE)
        assert by_file.records() == in_memory.records()


@pytest.mark.parametrize("as_records", [False, True])
def test_a_chunk_of_a_document_that_is_not_there_is_refused(as_records):
    spans = [("a", 0, 5), ("zz", 3, 6)]
    chunks = [dict(zip(("doc_id", "start", "end"), span, strict=True)) for span in spans] if as_records else spans
    with pytest.raises(assay.InputError, match=r"^chunks: chunk 2: document 'zz' is not in documents; expected a document that is there"):
        assay.ceiling({"q": [("a", 0, 5)]}, chunks, measures=["R@1"], documents={"a": "It has nine arches."})


SMALL, LARGE = [("a", 0, 10), ("a", 10, 20)], [("a", 0, 20)]
OF_ALL = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 20}]
BOTH_RUNS = {"small": {"1": SMALL[:1]}, "large": {"1": LARGE}}


def test_runs_of_different_chunks_are_measured_against_their_own():
    table = assay.ceiling(OF_ALL, {"small": SMALL, "large": LARGE}, BOTH_RUNS, ["R@1"])
    small, large = table.records()
    assert (small["run"], small["ceiling"], small["value"], small["retriever"], small["chunker"]) == ("small", 0.5, 0.5, 0, 0.5)
    assert (large["run"], large["ceiling"], large["value"]) == ("large", 1, 1)
    assert table.of_run("small")["R@1"] == 0.5 and table.of_run("large")["R@1"] == 1
    assert (table.of_run("small").sizes.chunks, table.of_run("large").sizes.chunks) == (2, 1)
    assert table.frame()["ceiling"].to_list() == [0.5, 1]
    assert "small:\nchunks    2 of 1 document, " in table.show() and "\nlarge:\nchunks    1 of 1 document, " in table.show()
    assert json.loads(table.show("json"))["chunks"]["large"]["chunks"] == 1
    for ask in (lambda: table["R@1"], lambda: table.gold, table.facts):
        with pytest.raises(assay.UsageError) as refused:
            ask()
        assert str(refused.value) == "each run has its own chunks; choose a run with of_run(name): small, large"
    with pytest.raises(assay.UsageError, match=r"^no run 'none'; choose from small, large$"):
        table.of_run("none")
    # one list for both is one chunking
    assert [row["ceiling"] for row in assay.ceiling(OF_ALL, SMALL + LARGE, BOTH_RUNS, "R@1").records()] == [1, 1]


def test_chunks_of_each_run_may_be_files(folder):
    for name, chunks in (("small", SMALL), ("large", LARGE)):
        written("".join(json.dumps({"doc_id": d, "start": s, "end": e}) + "\n" for d, s, e in chunks), f"{name}.jsonl")
    files = {"small": "small.jsonl", "large": "large.jsonl"}
    assert [row["ceiling"] for row in assay.ceiling(OF_ALL, files, BOTH_RUNS, "R@1").records()] == [0.5, 1]


BY_NAME = "expected a dict by document id, a dict by run name, or one list of all chunks"


@pytest.mark.parametrize(
    ("chunks", "runs", "message"),
    [
        ({"small": SMALL}, BOTH_RUNS,
         "no chunks for run 'large'; expected chunks for each run, or one list for all runs"),
        ({"small": SMALL, "other": LARGE}, BOTH_RUNS,
         "chunks= has chunks for an unknown run 'other'; choose from small, large"),
        ({"small": SMALL, "large": LARGE}, None, f"chunks: 'small' and 'large' both have chunks of document a; {BY_NAME}"),
        ({"small": SMALL, "large": LARGE}, {"run": {"1": LARGE}},
         f"chunks: 'small' and 'large' both have chunks of document a; {BY_NAME}"),
        ({"small": [*SMALL, ("b", 0, 5)]}, None, f"chunks: 'small' has chunks of several documents (a, b); {BY_NAME}"),
        ({"a": [(0, 20)]}, {"a": {"1": LARGE}},
         "chunks= has chunks for 'a', which names both a run and a document; rename the run, or pass one list of all chunks"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked", ["ceiling", "report"])
def test_chunks_by_names_that_could_be_runs_or_documents_are_refused(folder, asked, chunks, runs, message):
    if asked == "report" and (runs is None or message.startswith("no chunks")):
        # a report needs runs, and tells of those whose chunks it knows
        return
    with pytest.raises(assay.AssayError) as refused:
        if asked == "ceiling":
            assay.ceiling(OF_ALL, chunks, runs, "R@1")
        else:
            assay.report(OF_ALL, runs, "report.html", "R@1", chunks=chunks)
    assert str(refused.value) == message


def test_chunks_of_a_document_by_another_of_its_names_are_not_those_of_a_chunking():
    documents = {"a": "0123456789" * 2, "b": "x" * 20}
    chunks = {"first": [{"source": "a", "text": "0123456789"}], "b": [(0, 20)]}
    assert assay.ceiling(OF_ALL, chunks, None, "R@1", documents=documents).sizes.documents == 2


def test_text_around_the_passages_of_chunks_makes_a_ceiling_within_a_budget_a_bound():
    text = "The ferry to the island leaves at nine from the old pier. " * 3 + "Tickets are sold on board, in coins only, by the mate."
    gold = [{"query_id": "1", "doc_id": "a", "quote": "Tickets are sold on board, in coins only"}]
    plain = [{"doc_id": "a", "text": text[174:]}]
    around = [{"doc_id": "a", "text": "About tickets and money.\n" + text[174:]}]
    for chunks, said in ((plain, ["exact", "exact", "exact"]), (around, ["exact", "at most", "at most"])):
        table = assay.ceiling(gold, chunks, measures=["R@1", "R(chars=30)", "P@1"], documents={"a": text})
        assert [row["is"] for row in table.records()] == said


def test_a_run_is_not_taken_for_the_chunks_of_a_corpus(folder):
    gold, run = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 9}], [{"query_id": "1", "doc_id": "a", "start": 0, "end": 5, "score": 1}]
    path = written("".join(json.dumps(row) + "\n" for row in run), "run.jsonl")
    what = "this looks like a run, because it has the columns query_id and score"
    expected = "expected all chunks of the corpus, whether or not a system returned them"
    for chunks, label in ((run, "chunks"), (pl.DataFrame(run), "chunks"), (path, "run.jsonl")):
        for use in (lambda: assay.ceiling(gold, chunks, run, "R@5"), lambda: assay.misses(gold, run, "R@5", chunks=chunks)):  # noqa: B023
            with pytest.raises(assay.InputError) as refused:
                use()
            assert str(refused.value) == f"{label}: {what}; {expected}"
