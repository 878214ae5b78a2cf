"""What was missed and why: by hand, and against a second implementation over sets of characters."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from helpers import naive_facts as naive
from helpers.commands import invoke
from helpers.samples import sample

TEXTS = {
    "d": "".join(f"{number:04d} " for number in range(60)),
    "e": "".join(f"{number:04d} " for number in range(60, 120)),
}


def row(topic, document, start, end, fact=None):
    return {"query_id": topic, "doc_id": document, "start": start, "end": end} | ({"fact": fact} if fact else {})


GOLD = [
    row("none", "e", 0, 20),  # no result is of e
    row("elsewhere", "d", 200, 220),
    row("low", "d", 100, 120),
    row("cut", "d", 30, 60),
    row("ended", "d", 0, 40),
    row("read", "d", 0, 20),
]
RESULTS = [("d", 0, 20), ("d", 20, 60), ("d", 100, 120)]
RUN = dict.fromkeys(("none", "elsewhere", "low", "cut", "read"), RESULTS) | {"ended": [("d", 20, 60)]}
EXPECTED = {
    "none": ("document not returned", None, 0),
    "elsewhere": ("not returned", None, 0),
    "low": ("too low", 3, 0),
    # of 30-60 the budget leaves 30-50, four of six words
    "cut": ("cut", 2, 16 / 24),
    "ended": ("list ended", None, 16 / 32),
}


def causes(found):
    return {each.topic: (each.cause, each.rank, pytest.approx(each.read)) for each in found.rows}


def test_each_cause():
    found = assay.misses(GOLD, RUN, "FactRecall(chars=50)", documents=TEXTS)
    assert causes(found) == EXPECTED
    assert found.counts == {
        "document not returned": 1, "not returned": 1, "too low": 1, "cut": 1, "list ended": 1, "read": 1,
    }  # fmt: skip
    # what is read to two thirds is enough for half
    assert "cut" not in causes(assay.misses(GOLD, RUN, "FactRecall(chars=50, cover=0.5)", documents=TEXTS))


def test_causes_that_count_whitespace_for_want_of_texts_are_noted():
    gold = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 9}]
    run = {"q": [("d", 0, 4), ("e", 0, 4), ("d", 5, 9)]}
    texts = {"d": "four five", "e": "else"}
    found = assay.misses(gold, run, "R@1")
    assert [row.cause for row in found.rows] == ["list ended"]
    assert found.notes == [
        "judgments: without documents, whitespace between chunks counts as text that was missed; "
        "pass documents= to ignore whitespace"
    ]
    found = assay.misses(gold, run, "R@1", documents=texts)
    assert ([row.cause for row in found.rows], found.notes) == (["too low"], [])
    # nothing was missed
    assert assay.misses(gold, {"q": [("d", 0, 9)]}, "R@1").notes == []


def test_what_no_chunk_holds_is_told_first():
    chunks = [("d", 0, 20), ("d", 20, 60), ("d", 100, 120)]
    found = assay.misses(GOLD, RUN, "FactRecall(chars=50)", documents=TEXTS, chunks=chunks)
    assert causes(found) == EXPECTED | {
        "none": ("no chunk", None, 0), "elsewhere": ("no chunk", None, 0),
    }  # fmt: skip
    assert next(iter(found.counts.items())) == ("no chunk", 2)


def test_results_of_other_chunks_are_refused_and_a_few_are_noted():
    chunks = [("d", start, start + 20) for start in range(0, 300, 20)]
    run = {"read": [*chunks[:11], ("d", 5, 20)]}
    found = assay.misses(GOLD, run, documents=TEXTS, chunks=chunks)
    assert "run: 1 of 12 results are not among the 15 chunks; the first is d 5-20" in found.notes
    with pytest.raises(assay.AssayError) as refused:
        assay.misses(GOLD, run, documents=TEXTS, chunks=chunks[:10])
    assert str(refused.value) == (
        "run: 2 of 12 results are not among the 10 chunks of chunks; the first is d 200-220; "
        "expected a run that returns these chunks"
    )


def test_a_whole_result_that_does_not_fit_is_too_low():
    found = causes(assay.misses(GOLD, RUN, "FactRecall(chars=50, fit=stop)", documents=TEXTS))
    assert found["cut"] == ("too low", 2, 0)
    skipped = causes(assay.misses(GOLD, RUN, "FactRecall(chars=50, fit=skip)", documents=TEXTS))
    assert skipped["cut"] == ("too low", 2, 0) and "low" not in skipped


def test_a_row_has_the_text_its_place_and_the_question(folder):
    (folder / "questions.jsonl").write_text('{"query_id": "low", "question": "How low?"}\n')
    gold = [row("low", "d", 100, 120, "A"), row("low", "d", 0, 10, "A"), row("low", "e", 0, 4, "B")]
    found = assay.misses(gold, {"low": [("e", 0, 50), ("d", 90, 130)]}, "R@1", documents=TEXTS, topics_file="questions.jsonl")
    assert found.records() == [{
        "topic": "low", "question": "How low?", "value": pytest.approx(4 / 34), "cause": "too low", "rank": 2, "read": 0.0,
        "document": "d", "start": 100, "end": 120, "fact": "A", "text": "0020 0021 0022 0023 ",
    }]  # fmt: skip
    told = json.loads(found.show("json"))
    assert told["counts"] == {
        "document not returned": 0, "not returned": 0, "too low": 1, "cut": 0, "list ended": 0, "read": 1,
    }  # fmt: skip
    assert told["misses"] == found.records()
    assert found.show("md").splitlines() == [
        "| topic | question | cause | document | fact | text | R@1 | rank | read | start | end |",
        "| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
        "| low | How low? | too low | d | A | 0020 0021 0022 0023 | 0.1176 | 2 | 0.0000 | 100 | 120 |",
        "",
        "run: 1 of 2 facts read; 1 too low; 1 question missed a fact",
    ]


def test_the_questions_that_lost_most_come_first():
    gold = [row("b", "d", 0, 20), row("b", "d", 100, 120), row("a", "d", 0, 20), row("a", "d", 20, 60), row("a", "e", 0, 5)]
    gold += [row("c", "d", 0, 20), row("z", "e", 0, 10)]
    found = assay.misses(gold, dict.fromkeys("abc", RESULTS), "FactRecall@1", documents=TEXTS)
    assert found.questions == ["z", "a", "b"]
    assert [each.topic for each in found.rows] == ["z", "a", "a", "b"]
    assert assay.misses(gold, dict.fromkeys("abc", RESULTS), "FactRecall@1", top=1).questions == ["z"]
    assert found.of == 3


def test_stages_tell_which_of_them_lost_a_fact():
    gold = [row("q", "d", start, start + 10, str(number)) for number, start in enumerate((0, 50, 100, 150, 200))]
    gold.append({"query_id": "q", "doc_id": "unknown", "start": 0, "end": 10, "fact": "x"})
    chunks = [("d", 0, 60), ("d", 100, 160), ("d", 160, 210)]
    candidates, reranked = [("d", 0, 60), ("d", 100, 160)], [("d", 40, 60), ("d", 0, 20)]
    runs = {
        "candidates": {"q": candidates}, "reranked": {"q": reranked}, "prompt": {"q": [("d", 0, 20)]},
    }  # fmt: skip
    found = assay.misses(gold, runs, "FactRecall(chars=100)", stages=True, chunks=chunks, documents=TEXTS)
    assert {each.fact: each.cause for each in found.rows} == {
        "1": "beyond the budget", "2": "reranked away", "3": "reranked away", "4": "not a candidate", "x": "not in the corpus",
    }  # fmt: skip
    assert found.counts == {
        "not in the corpus": 1, "no chunk": 0, "not a candidate": 1, "reranked away": 2, "beyond the budget": 1, "read": 1,
    }  # fmt: skip
    two = assay.misses(gold[:2], {"candidates": {"q": candidates}, "reranked": {"q": reranked}}, "FactRecall@1", stages=True)
    assert {each.fact: each.cause for each in two.rows} == {"0": "beyond the budget"}
    chart = assay.chart(found).to_dict()
    values = next(iter(chart["datasets"].values())) if "datasets" in chart else chart["data"]["values"]
    assert [(each["step"], each["from"], each["to"]) for each in values] == [
        ("all facts", 0, 6), ("not in the corpus", 5, 6), ("no chunk", 5, 5), ("not a candidate", 4, 5),
        ("reranked away", 2, 4), ("beyond the budget", 1, 2), ("read", 0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "earlier", "later"),
    [
        (("prompt", "reranked", "candidates"), "prompt", "reranked"),
        (("reranked", "candidates", "prompt"), "reranked", "candidates"),
        (("candidates", "prompt", "reranked"), "prompt", "reranked"),
    ],
)
def test_stages_in_another_order_are_refused(order, earlier, later):
    lengths = {"candidates": 9, "reranked": 6, "prompt": 3}
    runs = {name: {"q": [("d", start, start + 20) for start in range(0, 20 * lengths[name], 20)]} for name in order}
    with pytest.raises(assay.AssayError) as refused:
        assay.misses([row("q", "d", 0, 20)], runs, stages=True)
    assert str(refused.value) == (
        f"{later} returns results that {earlier} does not have; list the stages from first to last"
    )


def test_stages_may_keep_everything_cut_chunks_or_have_a_stray_result():
    first = [("d", 0, 20), ("d", 20, 60), ("e", 0, 20)]
    for second in (first[::-1], [*first, ("e", 40, 60)], [("d", 0, 10), ("d", 20, 40), ("e", 0, 10), ("e", 10, 20)]):
        found = assay.misses([row("q", "d", 0, 10)], {"first": {"q": first}, "second": {"q": second}}, stages=True)
        assert found.counts["read"] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"runs": [RUN, RUN]}, "misses takes one run, found 2: run 1, run 2; pass stages=True if they are the stages of "
         "one pipeline, in order"),
        ({"measure": ["R@5", "P@5"]}, "misses takes one measure, found 2: R@5, P@5"),
        *(({"judgments": {"low": {"d": 1}}, "runs": {"low": {"d": 1.0}}, "measure": measure},
           "judgments: misses needs highlighted text (judgments with offsets or quotes); use `assay evaluate --per-topic` to "
           "see the value of each topic") for measure in ("AP", "FactRecall@3", None)),
        *(({"measure": measure}, f"{measure} counts documents; misses needs a measure of text, for example R@5")
          for measure in ("Success(unit=document)@5", "bpref(unit=document)")),
        ({"top": 0}, "top=0; expected a number of questions, at least 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_in_one_line(given, message):
    with pytest.raises(assay.AssayError) as refused:
        assay.misses(**({"judgments": GOLD, "runs": RUN} | given))
    assert str(refused.value) == message


def test_the_command_prints_and_draws(folder):
    (folder / "gold.jsonl").write_text("".join(json.dumps(each) + "\n" for each in GOLD))
    lines = [
        json.dumps({**row(topic, document, start, end), "score": -place}) + "\n"
        for topic, results in RUN.items()
        for place, (document, start, end) in enumerate(results)
    ]
    (folder / "run.jsonl").write_text("".join(lines))
    done = invoke("misses", "gold.jsonl", "run.jsonl", "-m", "FactRecall(chars=50)", "--as", "tsv", "--chart", "w.svg")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "topic\tcause\tdocument\tFactRecall(chars=50)\trank\tread\tstart\tend"
    assert (folder / "w.svg").read_text().startswith("<svg")
    one = invoke("misses", "gold.jsonl", "run.jsonl", "--top", "1", "--as", "json", "--quiet")
    assert len(json.loads(one.stdout)["misses"]) == 1
    every = invoke("misses", "gold.jsonl", "run.jsonl", "--all", "--as", "json", "--quiet")
    assert len(json.loads(every.stdout)["misses"]) == 3
    assert invoke("misses", "gold.jsonl", "run.jsonl", "run.jsonl", "--chart", "gold.jsonl").exit_code == 1


# Against the second implementation

SMALL = {"a": "ab  cd ab\n cd ef", "b": "cd ab  cd ef g h"}
LONG = 16


@st.composite
def spans(draw):
    start = draw(st.integers(0, LONG - 1))
    return draw(st.sampled_from(sorted(SMALL))), start, draw(st.integers(start + 1, LONG))


def cause_of(spans, results, cover, until):
    """Why one alternative was not read, and the rank; None where it was."""
    shares = lambda read: naive.share_read(spans, read, SMALL, False)  # noqa: E731
    enough = naive.Fraction(cover)
    if (share := shares(naive.read_by(results, SMALL, **until))) and share >= enough:
        return None
    if not {each[0] for each in results} & {each[0] for each in spans}:
        return "document not returned", None
    if not shares(naive.read_by(results, SMALL)):
        return "not returned", None
    needed = next(
        (k for k in range(1, len(results) + 1) if (all_of_it := shares(naive.read_by(results, SMALL, k=k))) >= enough and all_of_it),
        None,
    )
    if needed is None:
        return "list ended", None
    before = sum(end - start for _, start, end in results[: needed - 1])
    is_begun = "chars" in until and before < until["chars"] and needed <= until.get("k", needed)
    return ("cut" if is_begun else "too low"), needed


@settings(max_examples=sample(30, 500))
@given(
    gold=st.lists(spans(), min_size=1, max_size=4, unique=True),
    results=st.lists(spans(), min_size=1, max_size=5),
    cover=st.sampled_from(["1", "0.5"]),
    until=st.sampled_from([{}, {"k": 1}, {"k": 2}, {"chars": 8}, {"chars": 14}, {"chars": 20, "k": 2}]),
)
def test_a_second_implementation_tells_the_same_causes(gold, results, cover, until):
    gold = [each for each in gold if SMALL[each[0]][each[1] : each[2]].strip()]
    if not gold:
        return
    records = [row("q", *each) for each in gold]
    limits = ", ".join([f"cover={cover}", *(f"chars={until['chars']}" for _ in range("chars" in until))])
    measure = f"FactRecall({limits})" + (f"@{until['k']}" if "k" in until else "")
    found = assay.misses(records, {"q": results}, measure, documents=SMALL)
    told = {(each.document, each.start, each.end): (each.cause, each.rank) for each in found.rows}
    expected = {each: cause for each in gold if (cause := cause_of([each], results, cover, until)) is not None}
    assert told == expected
    assert found.counts["read"] == len(gold) - len(expected)
