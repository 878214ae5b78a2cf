"""The second implementation of the focused measures, checked by hand, by the official programs, and by what must hold.
"""

from __future__ import annotations

import gzip
import math
from fractions import Fraction

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from helpers import naive_focused as naive
from helpers.places import DATA
from helpers.samples import FULL

EDGE = DATA / "inex" / "expected" / "edge"


def judged(length, *spans, bep=0):
    return {"length": length, "spans": list(spans), "bep": bep}


# By hand. In a, 5..11 are highlighted (7 characters, the spans overlap); in b, 0..2: 10 in all.
# After rank 1: 3 of 8 are relevant; after 2: 3 of 12; after 3 (which goes 2 beyond the end of b): 4 of 22; after 4: 8 of 27.
JUDGMENTS = {
    "1": {"a": judged(20, (5, 10), (8, 12), bep=5), "b": judged(10, (0, 3)), "c": judged(30)},
    "nothing relevant": {"c": judged(30)},
    "not in the run": {"b": judged(10, (0, 3))},
}
RUN = {
    "1": [("a", 0, 8), ("c", 0, 4), ("b", 2, 12), ("a", 8, 13)],
    "nothing relevant": [("c", 0, 4)],
    "not judged": [("a", 0, 8)],
}


@pytest.mark.parametrize(
    ("measure", "arguments", "options", "value"),
    [
        (naive.precision_at, [1], {}, Fraction("3/8")),
        (naive.precision_at, [3], {}, Fraction("4/22")),
        (naive.precision_at, [], {}, Fraction("8/27")),
        (naive.precision_at, [9], {}, Fraction("8/27")),
        (naive.recall_at, [3], {}, Fraction("4/10")),
        (naive.recall_at, [], {}, Fraction("8/10")),
        (naive.f_at, [None, 1], {}, Fraction("16/37")),  # 2·8 / (27 + 10)
        (naive.f_at, [None, 0.5], {}, Fraction("20/59")),  # 1.25·8 / (0.25·10 + 27)
        (
            naive.average_precision,
            [],
            {},
            (Fraction("3/8") + Fraction("4/22") + Fraction("8/27")) / 3 * Fraction("8/10"),
        ),
        (naive.average_precision, [2], {}, Fraction("3/8") * Fraction("3/10")),
        # 7 characters: 0..6 of a; 23: three results and one character of the last
        (naive.precision_at, [], {"chars": 7}, Fraction("2/7")),
        (naive.recall_at, [], {"chars": 7}, Fraction("2/10")),
        (naive.f_at, [None, 1], {"chars": 7}, Fraction("4/17")),
        (naive.precision_at, [], {"chars": 23}, Fraction("5/23")),
        (naive.average_precision, [], {"chars": 23}, (Fraction("3/8") + Fraction("4/22") + Fraction("5/23")) / 3 / 2),
        (naive.precision_at, [], {"chars": 1000}, Fraction("8/27")),
        (naive.iou_at, [], {}, Fraction("8/29")),  # 27 + 10 - 8
        (naive.iou_at, [1], {}, Fraction("3/15")),
        # within 7 characters 2 of 10 are found: 0..6 of a, of which 5 and 6 are relevant
        (naive.recall_area, [7, lambda budget: 1], {}, Fraction("1/10") * 3 / 7),
        (naive.recall_area, [2, lambda budget: 1], {}, Fraction("0")),
        (naive.interpolated_precision, [Fraction("3/10")], {}, Fraction("3/8")),
        (naive.interpolated_precision, [Fraction("31/100")], {}, Fraction("8/27")),
        (naive.interpolated_precision, [Fraction("8/10")], {}, Fraction("8/27")),
        (naive.interpolated_precision, [Fraction("81/100")], {}, Fraction("0")),
        (naive.average_interpolated_precision, [], {}, (31 * Fraction("3/8") + 50 * Fraction("8/27")) / 101),
        # F of a: 7 of 13 returned are 7 of 7 highlighted; of b: 1 of 10 is 1 of 3. The documents stand in the order a, c, b.
        (naive.gp_at, [1, naive.f_score()], {}, Fraction("14/20")),
        (naive.gp_at, [3, naive.f_score()], {}, (Fraction("14/20") + Fraction("2/13")) / 3),
        (naive.gp_at, [5, naive.f_score()], {}, (Fraction("14/20") + Fraction("2/13")) / 5),
        (naive.gp_at, [1, naive.f_score(0.5)], {}, Fraction("35/59")),  # 1.25·7 / (0.25·7 + 13)
        (naive.gr_at, [1], {}, Fraction("1/2")),
        (naive.gr_at, [3], {}, Fraction("1")),
        (naive.agp, [naive.f_score()], {}, (Fraction("14/20") + (Fraction("14/20") + Fraction("2/13")) / 3) / 2),
        # from 0 to 5 in a, from 2 to 0 in b
        (naive.gp_at, [3, naive.bep_score(0.1)], {}, (Fraction("2/7") + Fraction("1/3")) / 3),
        (naive.gp_at, [1, naive.window_score(4)], {}, Fraction("0")),
        (naive.gp_at, [1, naive.window_score(10)], {}, Fraction("5/10")),
        (naive.agp, [naive.window_score(10)], {}, (Fraction("5/10") + (Fraction("5/10") + Fraction("8/10")) / 3) / 2),
        # a: 0..12 has 7 relevant of 13, then 13 and 14 make 8 that are not; b: 2 is relevant, 3..10 are not
        (naive.gp_at, [1, naive.t2i_score(8)], {}, Fraction("7/15")),
        (naive.gp_at, [3, naive.t2i_score(8)], {}, (Fraction("7/15") + Fraction("1/9")) / 3),
        # a: the whole document; b: 2..11, of which 10 and 11 are no text of b, then 0 and 1
        (naive.gp_at, [3, naive.t2i_score(20)], {}, (Fraction("7/20") + Fraction("3/12")) / 3),
        (naive.document_precision_at, [2], {}, Fraction("1/2")),
        (naive.document_precision_at, [5], {}, Fraction("2/5")),
        (naive.document_recall_at, [2], {}, Fraction("1/2")),
        (naive.document_average_precision, [], {}, (1 + Fraction("2/3")) / 2),
        (naive.document_reciprocal_rank, [], {}, Fraction("1")),
    ],
)
def test_worked_by_hand(measure, arguments, options, value):
    assert measure(JUDGMENTS, RUN, "1", *arguments, **options) == value
    for topic in ("nothing relevant", "not in the run", "not judged"):
        assert measure(JUDGMENTS, RUN, topic, *arguments, **options) == 0


def test_documents_stand_in_the_order_of_first_appearance():
    assert naive.document_ranking(JUDGMENTS, RUN, "1") == [("a", True), ("c", False), ("b", True)]
    run = {"1": [("c", 0, 1), ("x", 0, 1), ("b", 5, 5), ("c", 9, 9)]}
    assert naive.document_ranking(JUDGMENTS, run, "1") == [("c", False), ("x", False), ("b", True)]
    assert naive.document_reciprocal_rank(JUDGMENTS, run, "1") == Fraction("1/3")


def test_the_entry_point_is_where_the_first_result_of_the_ranking_starts():
    run = {"1": [("a", 9, 11), ("a", 5, 7)]}
    assert naive.gp_at(JUDGMENTS, run, "1", 1, naive.window_score(8)) == Fraction("4/8")


def test_policies_for_overlap():
    results = [("a", 0, 6), ("a", 4, 8), ("b", 4, 6), ("a", 6, 8), ("a", 3, 3), ("a", 0, 2)]
    with pytest.raises(naive.Overlap, match=r"^a 4 8$"):
        naive.apply_policy(results, "reject")
    assert [positions for _, positions, _ in naive.apply_policy(results, "new")] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7],
        [4, 5],
        [],
        [],
        [],
    ]
    assert [positions for _, positions, _ in naive.apply_policy(results, "paid")] == [
        list(range(*span)) for _, *span in results
    ]
    kept = [("a", list(range(6)), (0, 6)), ("b", [4, 5], (4, 6)), ("a", [6, 7], (6, 8)), ("a", [], (3, 3))]
    assert naive.apply_policy(results, "drop") == kept
    assert naive.apply_policy([result for result in results if result[1:] not in ((4, 8), (0, 2))], "reject") == kept


def test_what_was_seen_counts_neither_as_text_nor_as_relevant():
    run = {"1": [("a", 0, 8), ("a", 4, 9), ("a", 5, 7)]}
    assert naive.precision_at(JUDGMENTS, run, "1", policy="new") == Fraction("4/9")
    assert naive.precision_at(JUDGMENTS, run, "1", policy="drop") == Fraction("3/8")
    assert naive.average_precision(JUDGMENTS, run, "1", policy="new") == (
        Fraction("3/8") + Fraction("4/9")
    ) / 2 * Fraction("4/10")
    assert naive.agp(JUDGMENTS, run, "1", naive.f_score(), policy="new") == Fraction("8/16") / 2
    with pytest.raises(naive.Overlap):
        naive.agp(JUDGMENTS, run, "1", naive.f_score())


def test_what_it_costs_to_read():
    run = {"1": [("a", 0, 8), ("a", 4, 9), ("a", 5, 7)]}
    assert naive.size_at(JUDGMENTS, run, "1", policy="paid") == 15
    assert naive.size_at(JUDGMENTS, run, "1", policy="new") == 9
    for policy in ("paid", "new"):
        assert naive.redundancy_at(JUDGMENTS, run, "1", policy=policy) == Fraction("6/15")
        assert naive.redundancy_at(JUDGMENTS, run, "1", 1, policy=policy) == 0
    # within 9 characters one is read again; where it is passed over, four are before the ninth, and what follows is not met
    assert naive.redundancy_at(JUDGMENTS, run, "1", chars=9, policy="paid") == Fraction("1/9")
    assert naive.redundancy_at(JUDGMENTS, run, "1", chars=9, policy="new") == Fraction("4/13")
    # 4 of 10 are found with character 8, which is the thirteenth, or the ninth that is new
    assert naive.budget_for(JUDGMENTS, run, "1", Fraction("4/10"), policy="paid") == 13
    assert naive.budget_for(JUDGMENTS, run, "1", Fraction("4/10"), policy="new") == 9
    assert naive.budget_for(JUDGMENTS, run, "1", Fraction("1/10"), policy="paid") == 6
    assert naive.budget_for(JUDGMENTS, run, "1", Fraction("41/100"), policy="paid") == math.inf
    assert naive.budget_for(JUDGMENTS, run, "nothing relevant", Fraction("1/10"), policy="paid") == math.inf


def test_what_is_read_again_counts_as_read_and_gains_nothing():
    run = {"1": [("a", 0, 8), ("a", 4, 9), ("a", 5, 7)]}
    paid = {"policy": "paid"}
    assert naive.precision_at(JUDGMENTS, run, "1", **paid) == Fraction("4/15")
    assert naive.recall_at(JUDGMENTS, run, "1", **paid) == Fraction("4/10")
    # 12 characters: 0..7 and again 4..7, of which 5..7 are relevant
    assert naive.precision_at(JUDGMENTS, run, "1", chars=12, **paid) == Fraction("3/12")
    assert naive.precision_at(JUDGMENTS, run, "1", chars=13, **paid) == Fraction("4/13")
    assert naive.average_precision(JUDGMENTS, run, "1", **paid) == (Fraction("3/8") + Fraction("4/13")) / 2 * Fraction(
        "4/10"
    )
    # 4 of 15 characters read of a are 4 of its 7
    assert naive.agp(JUDGMENTS, run, "1", naive.f_score(), **paid) == Fraction("8/22") / 2


# The second result touches both gold passages of d, 5 characters of each; the first only ends where one begins.
GENOMICS = {"1": [("d", 0, 10), ("d", 15, 35), ("d", 18, 22), ("e", 0, 1)]}


@pytest.mark.parametrize(
    ("gold", "value"),
    [
        ([(10, 20), (30, 40)], (Fraction("5/30") + Fraction("7/34") + Fraction("8/35")) / (3 + 1)),
        ([(30, 40), (10, 20)], (Fraction("5/30") + Fraction("7/34") + Fraction("8/35")) / 3),
        ([(16, 20), (30, 40)], (Fraction("4/30") + Fraction("6/34") + Fraction("7/35")) / (3 + 1)),
        ([(30, 40), (50, 60), (50, 60)], (Fraction("5/30") + Fraction("6/35")) / (2 + 1)),
    ],
)
def test_a_result_belongs_to_the_first_gold_passage_it_touches(gold, value):
    assert naive.passage({"1": {"d": judged(60, *gold), "e": judged(5, (0, 5))}}, GENOMICS, "1") == value


def test_relevant_characters_count_once_and_others_each_time():
    judgments = {"1": {"d": judged(60, (10, 20), (30, 40)), "e": judged(5, (0, 5))}, "2": {"e": judged(5)}}
    found = [*(n / (10 + n) for n in range(1, 6)), *(n / (20 + n) for n in range(6, 11)), 11 / 33]
    assert naive.passage2(judgments, GENOMICS, "1") == pytest.approx(sum(found) / 25, rel=1e-15)
    assert naive.passage2(judgments, GENOMICS, "2") == naive.passage(judgments, GENOMICS, "2") == 0


# The official programs


def rows(path):
    """The fields of each line."""
    data = path.read_bytes()
    return [
        line.decode("latin-1").split()
        for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
    ]


def fol_judgments(name):
    judgments = {}
    for topic, _, document, _, length, *rest in rows(EDGE / name):
        spans = [
            (int(offset), int(offset) + int(long)) for offset, long in (passage.split(":") for passage in rest[1:])
        ]
        judgments.setdefault(topic, {})[document] = judged(int(length), *spans, bep=int(rest[0]) if rest else 0)
    return judgments


def fol_run(name):
    run = {}
    for topic, _, document, _, _, _, offset, length in rows(EDGE / name):
        run.setdefault(topic, []).append((document, int(offset), int(offset) + int(length)))
    return run


def observed(command):
    """What the official program printed, as {(name, topic): value}."""
    of_command = (EDGE / "observed.txt").read_text().split(f"## java -jar inex_eval.jar {command}\n")[1].split("##")[0]
    return {(name, topic): float(value) for name, topic, value in map(str.split, of_command.splitlines()[1:-1])}


LEVELS = {f"iP[{x}]": (naive.interpolated_precision, Fraction(x)) for x in ("0.00", "0.01", "0.05", "0.10")}
WHOLE = {"char_prec": (naive.precision_at,), "char_rec": (naive.recall_at,), "char_f1": (naive.f_at,)}
TEXT = {**WHOLE, **LEVELS, "AiP": (naive.average_interpolated_precision,)}


def in_context(score):
    """gP only as far as three documents go: beyond, the official program repeats its last value."""
    recall = {f"gR[{r}]": (naive.gr_at, r) for r in (1, 2, 3, 50)}
    return {"AgP": (naive.agp, score), **recall, **{f"gP[{r}]": (naive.gp_at, r, score) for r in (1, 2, 3)}}


@pytest.mark.shared("inex")
@pytest.mark.parametrize(
    ("command", "topics", "measures", "options"),
    [
        ("-f -q -c tiny.qrels focused.run", ["101", "102", "103"], TEXT, {}),
        ("-f -q tiny.qrels zero_length.run", ["101"], TEXT, {}),
        ("-t -q tiny.qrels thorough_relevant_overlap.run", ["101"], TEXT, {"policy": "new"}),
        ("-r -q -c tiny.qrels ric.run", ["101", "103"], in_context(naive.f_score(0.25)), {}),
        ("-i -q tiny.qrels ric.run", ["101"], in_context(naive.t2i_score(300)), {}),
        ("-b -q tiny.qrels bic.run", ["101"], in_context(naive.window_score(500)), {}),
    ],
)
def test_values_are_those_of_inex_eval(command, topics, measures, options):
    qrels, results = command.split()[-2:]
    judgments, run, values = fol_judgments(qrels), fol_run(results), observed(command)
    for topic in topics:
        for name, (measure, *arguments) in measures.items():
            theirs, more = values[name, topic], {} if measure is naive.gr_at else options
            ours = measure(judgments, run, topic, *arguments, **more)
            # where nothing is relevant the official program divides 0 by 0
            assert float(ours) == pytest.approx(0 if math.isnan(theirs) else theirs, rel=1e-13), (name, topic)


@pytest.mark.shared("inex")
def test_where_inex_eval_departs_from_the_definitions():
    judgments = fol_judgments("tiny.qrels")
    # it counts the 500 characters of d2, which has nothing relevant, a second time
    again = fol_run("thorough_nonrel_overlap.run")
    assert naive.precision_at(judgments, again, "101", policy="new") == Fraction("100/600")
    # it computes that 29 of 100 is less than 0.29
    exact = fol_judgments("float.qrels"), fol_run("float29.run"), "1"
    assert naive.average_interpolated_precision(*exact) == Fraction("30/101")
    for name in ("focused_overlap.run", "focused_contained.run"):
        with pytest.raises(naive.Overlap):
            naive.precision_at(judgments, fol_run(name), "101")


@pytest.mark.shared("genomics-2007")
@pytest.mark.parametrize("number", ["01", "02", "03"] if FULL else ["01"])
def test_values_are_those_of_trec_genomics(number):
    folder, judgments, ranked, official = DATA / "genomics-2007", {}, {}, {}
    for topic, document, offset, length, *_ in rows(folder / "trecgen2007.gold.standard.tsv.gz"):
        span = int(offset), int(offset) + int(length)
        judgments.setdefault(topic, {}).setdefault(document, judged(0))["spans"].append(span)
    for topic, document, rank, _, offset, length, _ in rows(folder / f"york-experimental-{number}.run.gz"):
        ranked.setdefault(topic, []).append((int(rank), document, int(offset), int(length)))
    run = {
        topic: [(d, offset, offset + length) for _, d, offset, length in sorted(found)]
        for topic, found in ranked.items()
    }
    for _, measure, topic, score in rows(folder / f"york-experimental-{number}.official-score.tsv")[1:]:
        official.setdefault(measure, {})[topic] = score
    measures = {"DOCUMENT": naive.document_average_precision, "PASSAGE": naive.passage, "PASSAGE2": naive.passage2}
    for name, measure in measures.items():
        values = {topic: float(measure(judgments, run, topic)) for topic in judgments}
        values["MAP"] = sum(values.values()) / len(values)
        assert {topic: f"{value:.8f}" for topic, value in values.items()} == official[name]


# What must hold

POLICIES = ("paid", "reject", "new", "drop")
SCORES = [naive.f_score(0.25), naive.bep_score(), naive.window_score(10), naive.t2i_score(5)]
ALL = [(naive.f_at,), (naive.average_precision,), (naive.average_interpolated_precision,)]
ALL += [(naive.agp, score) for score in SCORES] + [(naive.gp_at, 2, score) for score in SCORES]


@given(naive.cases(overlapping=False, overlapping_judgments=False))
def test_without_overlap_all_policies_are_one(case):
    judgments, run = case
    for topic in judgments:
        assert naive.trel(judgments, topic) == sum(
            end - start for d in judgments[topic].values() for start, end in d["spans"]
        )
        for measure, *arguments in ALL:
            assert len({measure(judgments, run, topic, *arguments, policy=policy) for policy in POLICIES}) == 1


@given(naive.cases(), st.integers(0, 60))
def test_a_budget_reads_the_new_characters_one_after_the_other(case, chars):
    judgments, run = case
    for topic in run:
        stream = list(dict.fromkeys((document, at) for document, start, end in run[topic] for at in range(start, end)))[
            :chars
        ]
        marked = {
            (d, at) for d in judgments[topic] for start, end in judgments[topic][d]["spans"] for at in range(start, end)
        }
        hits = sum(character in marked for character in stream)
        assert naive.precision_at(judgments, run, topic, chars=chars, policy="new") * len(stream) == hits
        assert naive.recall_at(judgments, run, topic, chars=chars, policy="new") * len(marked) == hits


@given(naive.cases(), st.integers(0, 60))
def test_a_budget_that_is_paid_reads_all_characters_one_after_the_other(case, chars):
    judgments, run = case
    for topic in run:
        stream = [(document, at) for document, start, end in run[topic] for at in range(start, end)][:chars]
        marked = {
            (d, at) for d in judgments[topic] for start, end in judgments[topic][d]["spans"] for at in range(start, end)
        }
        hits = len(marked.intersection(stream))
        assert naive.precision_at(judgments, run, topic, chars=chars, policy="paid") * len(stream) == hits
        assert naive.recall_at(judgments, run, topic, chars=chars, policy="paid") * len(marked) == hits


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.booleans(), min_size=1),
    st.permutations("abcdefgh"),
    st.integers(1, 8),
)
def test_documents_of_one_character_are_plain_document_retrieval(relevant, order, r):
    case = (
        {"1": {d: judged(1, *[(0, 1)] * hit) for d, hit in relevant.items()}},
        {"1": [(d, 0, 1) for d in order[:6]]},
        "1",
    )
    hits = [relevant.get(document, False) for document in order[:6]]
    ap = math.fsum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / max(1, sum(relevant.values()))
    assert naive.precision_at(*case, r) == Fraction(sum(hits[:r]), min(r, 6))
    assert naive.document_precision_at(*case, r) == Fraction(sum(hits[:r]), r)
    everywhere = {naive.average_precision(*case), naive.document_average_precision(*case), naive.passage(*case)}
    everywhere |= {naive.agp(*case, score) for score in SCORES}
    assert len(everywhere) == 1
    assert float(everywhere.pop()) == pytest.approx(ap, rel=1e-14)
    assert naive.passage2(*case) == pytest.approx(ap, rel=1e-14)


@pytest.mark.parametrize(
    "wanted",
    [
        lambda judgments, run: len(run) < len(judgments),
        lambda judgments, run: any(not naive.relevant_documents(judgments, topic) for topic in run),
        lambda judgments, run: any(d not in judgments[topic] for topic in run for d, _, _ in run[topic]),
        lambda judgments, run: any(start == end for topic in run for _, start, end in run[topic]),
        lambda judgments, run: any(
            end > judgments[t][d]["length"] for t in run for d, _, end in run[t] if d in judgments[t]
        ),
        lambda judgments, run: any(naive.disjoint(run[topic]) != run[topic] for topic in run),
        lambda judgments, run: any(naive.recall_at(judgments, run, topic, policy="new") == 1 for topic in run),
    ],
)
def test_random_cases_have_whatever_may_happen(wanted):
    assert find(
        naive.cases(), lambda case: wanted(*case), settings=settings(phases=[Phase.generate], max_examples=1000)
    )
