"""`assay trec_eval -R prefs`, `-R qrels_prefs`, `-R qrels_jg` and `-Z`: worked examples, and naive code on random
preferences."""

import pickle
import random
import shlex
from itertools import combinations

import pytest

from assay.compat.trec_eval import trec_eval
from assay.compat.trec_measures import Preferred, TopicPreferences
from helpers.files import written
from helpers.random_trec import judgments_of
from helpers.samples import sample


@pytest.fixture
def evaluate(folder):
    """Evaluates two texts with some options: {(measure, topic): printed value}, or the exit status and the complaint.
    """

    def call(options, judgments, run, z_scores=""):
        written(z_scores, "z")
        printed = trec_eval([*shlex.split(options), written(judgments, "judgments"), written(run, "run")])
        if printed.status:
            return printed.status, printed.err
        rows = [line.split("\t") for line in printed.out.decode().splitlines()]
        return {(name.rstrip(), topic): value for name, topic, value in rows}

    return call


def run_of(*documents, topic="1"):
    return "".join(f"{topic} Q0 {name} 1 {-place} t\n" for place, name in enumerate(documents))


# The examples with which trec_eval explains its format, each with the number of preferences it states
EXPLAINED = {
    "u 1 a 3; u 1 b 2; u 1 c 0; u 1 d 6; u 1 e 0; u 1 f 2": 13,
    "u 1 a 3; u 1 b 2; u 1 c 1; u 2 a 2; u 2 b 1; u 2 d 3": 6,
    "u 1 a 3; u 1 b 2; v 1 a 0; v 1 c 6; v 1 d 2; v 2 a 0; v 2 b 8": 5,
    "u 1 a 3; u 1 b 2; u 1 c 1; u 2 b 5; u 2 d 4": 5,
}


@pytest.mark.parametrize(("lines", "count"), EXPLAINED.items())
def test_the_number_of_preferences_is_that_of_the_explanation(evaluate, lines, count):
    # of the second example it says 5, and forgets that d is preferred to c because it is preferred to a
    judgments = "".join(f"1 {line}\n" for line in lines.split("; "))
    found = evaluate("-R prefs -m prefs_num_prefs_poss", judgments, run_of("a"))
    assert found == {("prefs_num_prefs_poss", "all"): str(count)}


def test_a_preference_is_fulfilled_implied_or_out_of_sight(evaluate):
    # a > b stands right, a > c is implied, d > b implied and wrong, e > f out of sight
    judgments = "".join(f"1 {group} 1 {better} 2\n1 {group} 1 {worse} 1\n" for group, better, worse in
                        [("p", "a", "b"), ("q", "a", "c"), ("r", "d", "b"), ("s", "e", "f")])  # fmt: skip
    found = evaluate("-R prefs -m all_prefs", judgments, run_of("x", "a", "b"))
    values = {name.removeprefix("prefs_"): value for (name, _), value in found.items()}
    assert (values["num_prefs_poss"], values["num_prefs_ful"], values["num_prefs_ful_ret"]) == ("4", "2", "1")
    assert (values["simp"], values["simp_imp"], values["simp_ret"]) == ("0.5000", "0.6667", "1.0000")
    assert (values["pair"], values["pair_imp"], values["pair_ret"]) == ("0.5000", "0.6667", "1.0000")
    assert (values["avgjg"], values["avgjg_imp"], values["avgjg_ret"]) == ("0.5000", "0.5000", "0.2500")


def test_groups_may_disagree_and_pairs_are_shared_between_them(evaluate):
    judgments = "1 p 1 a 2\n1 p 1 b 1\n1 q 1 a 2\n1 q 1 b 1\n1 r 1 a 1\n1 r 1 b 2\n1 r 1 c 0\n"
    found = evaluate("-R prefs -m prefs_simp -m prefs_pair -m prefs_avgjg", judgments, run_of("a", "b", "c"))
    assert found == {
        ("prefs_simp", "all"): "0.8000",
        ("prefs_pair", "all"): f"{(2 / 3 + 1 + 1) / 3:.4f}",
        ("prefs_avgjg", "all"): f"{(1 + 1 + 2 / 3) / 3:.4f}",
    }


def test_equal_scores_are_ordered_by_document_id_ascending_unlike_in_qrels(evaluate):
    run = "1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n"
    assert evaluate("-R prefs -m prefs_simp", "1 p 1 a 2\n1 p 1 b 1\n", run)["prefs_simp", "all"] == "1.0000"
    assert evaluate("-m recip_rank", "1 0 a 1\n1 0 b 0\n", run)["recip_rank", "all"] == "0.5000"


def test_M_counts_and_J_does_not(evaluate):
    judgments, run = "1 p 1 a 2\n1 p 1 b 1\n", run_of("x", "b", "a")
    for options, value in (("", "0.0000"), ("-M2", "0.0000"), ("-M0", "0.0000"), ("-J", "0.0000")):
        assert evaluate(f"-R prefs {options} -m prefs_simp", judgments, run)["prefs_simp", "all"] == value
    assert (
        evaluate("-R prefs -M2 -m prefs_simp_imp", judgments, run_of("x", "a", "b"))["prefs_simp_imp", "all"]
        == "1.0000"
    )


@pytest.mark.parametrize(
    ("judgments", "complaint"),
    [
        ("1 p 1 a 1\n1 p 1 a 2\n", "topic 1: document a has two levels in a subgroup"),
        ("1 p 1 a 1\n1 p 2 a 0\n", "topic 1: document a has level 0 and another level in a group"),
        ("1 p 1 a 1\n1 p 1 b 2\n1 p 2 a 2\n1 p 2 b 1\n", "topic 1: the preferences of group p contradict one another"),
    ],
)
def test_contradictions_within_a_group_are_status_4(evaluate, judgments, complaint):
    assert evaluate("-R prefs -m prefs", judgments, run_of("a", "b")) == (4, f"trec_eval: {complaint}\n")


def test_a_document_retrieved_twice_is_status_4(evaluate):
    found = evaluate("-R prefs -m prefs", "1 p 1 a 2\n1 p 1 b 1\n", "1 Q0 a 1 2 t\n1 Q0 a 1 1 t\n")
    assert found == (4, "trec_eval: topic 1: document a appears twice\n")


def test_topics_missing_from_the_run_count_with_c(evaluate):
    judgments = "1 p 1 a 2\n1 p 1 b 1\n2 p 1 a 2\n2 p 1 b 1\n"
    nine = evaluate("-R prefs -c -q -m num_q -m prefs_simp", judgments, run_of("a"))
    assert nine == {("prefs_simp", "1"): "1.0000", ("num_q", "all"): "2", ("prefs_simp", "all"): "0.5000"}
    ten = evaluate("--like 10 -R prefs -c -q -m num_q -m prefs_simp", judgments, run_of("a"))
    assert ten == nine | {("prefs_simp", "2"): "0.0000"}


def test_qrels_prefs_takes_each_group_for_a_subgroup_of_its_own(evaluate):
    found = evaluate("-R qrels_prefs -m prefs", "1 p a 2\n1 p b 1\n1 q b 1.5\n1 q c 0.5\n", run_of("a", "c", "b"))
    assert (found["prefs_num_prefs_poss", "all"], found["prefs_simp", "all"]) == ("2", "0.5000")


def test_qrels_jg_averages_over_the_groups_of_each_topic(evaluate):
    judgments = "1 p a 1\n1 p b 1\n1 q a 0\n1 q b 1\n2 p a 1\n"
    found = evaluate("-R qrels_jg -q -m map_avgjg -m P_avgjg.2", judgments, run_of("a", "b") + run_of("a", topic="2"))
    assert (found["map_avgjg", "1"], found["P_avgjg_2", "1"]) == ("0.7500", "0.7500")
    assert (found["map_avgjg", "2"], found["map_avgjg", "all"]) == ("1.0000", "0.8750")
    doubled = evaluate("-R qrels_jg -m map_avgjg", judgments + "1 q a 1\n", run_of("a"))
    assert doubled[0] == 2


def test_z_scores_are_deviations_from_the_mean(evaluate):
    judgments, run = "1 0 a 1\n2 0 a 1\n", run_of("a") + run_of("b", "a", topic="2")
    reference = "1 map .5 .25\n1 num_ret 1 0\n2 num_ret 1 0\n2 map .5 0\n"
    found = evaluate("-Z z -q -m map -m num_ret -m num_q -m runid -m relstring", judgments, run, reference)
    assert found == {
        ("Znum_ret", "1"): "0.0000",
        ("Zmap", "1"): "2.0000",
        ("relstring", "1"): "'1'",
        ("Znum_ret", "2"): "-1000000.0000",
        ("Zmap", "2"): "0.0000",
        ("relstring", "2"): "'-1'",
        ("runid", "all"): "t",
        ("Znum_q", "all"): "2.0000",
        ("Znum_ret", "all"): "-1000000.0000",
        ("Zmap", "all"): "1.0000",
    }


def test_a_file_of_z_scores_that_cannot_be_read_is_status_255(evaluate):
    status, complaint = evaluate("-Z z", "1 0 a 1\n", run_of("a"), "1 map 0\n")
    assert status == 255
    assert complaint == "trec_eval: z:1: expected 4 fields (topic measure mean deviation), found 3: '1 map 0'\n"


# Naive code


def naive_preferences(lines):
    """The preferences of a group as pairs, each as often as it counts."""
    subgroups = {line.subgroup for line in lines}
    pairs = [(x.document, y.document) for x in lines for y in lines if x.subgroup == y.subgroup and x.level > y.level]
    if len(subgroups) == 1:
        return pairs
    known = set(pairs)
    while further := {(x, z) for x, y in known for same, z in known if same == y and x != z} - known:
        known |= further
    return sorted(known)


def naive(lines, ranked):
    """The measures of a topic, counted pair by pair."""
    place = {name: rank for rank, name in enumerate(ranked)}
    groups = [
        naive_preferences([line for line in lines if line.group == group]) for group in sorted({x.group for x in lines})
    ]

    def count(pairs, scope):
        kept = [
            pair
            for pair in pairs
            if sum(name in place for name in pair) >= {"retrieved": 2, "implied": 1, "all": 0}[scope]
        ]
        return sum(x in place and place[x] < place.get(y, len(place)) for x, y in kept), len(kept)

    values = {}
    for scope in ("retrieved", "implied", "all"):
        done, possible = map(sum, zip(*(count(pairs, scope) for pairs in groups), strict=True))
        shares = [done / possible if possible else 0 for done, possible in (count(pairs, scope) for pairs in groups)]
        everything = [pair for pairs in groups for pair in pairs]
        about = []
        for x, y in combinations(sorted({line.document for line in lines}), 2):
            done_here, possible_here = count([pair for pair in everything if set(pair) == {x, y}], scope)
            about += [done_here / possible_here] if possible_here else []
        values[scope] = (done, possible, sum(shares) / len(shares), sum(about) / len(about) if about else 0)
    return values


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs"])
def test_preferences_are_counted_as_naive_code_does(form):
    from assay.compat import trec_measures as columns
    from assay.compat.trec_files import Refused

    compared = 0
    for seed in range(sample(36, 2000)):
        rng = random.Random(f"{form} {seed}")
        documents = [f"d{number}" for number in range(rng.choice([3, 8, 14]))]
        rows = judgments_of(rng, form, "1", documents, 3)
        lines = [Preferred(row[1], row[2] if form == "prefs" else "0", row[-2], float(row[-1])) for row in rows]
        ranked = rng.sample(documents, rng.randint(0, len(documents)))
        try:
            topic = TopicPreferences.of(lines, ranked)
        except Refused:
            continue
        for scope, (done, possible, over_groups, over_pairs) in naive(lines, ranked).items():
            assert topic.fulfilled(scope) == (done, possible)
            assert columns.over_groups(scope)([topic])[0] == pytest.approx(over_groups, abs=1e-12)
            assert columns.over_pairs(scope)([topic])[0] == pytest.approx(over_pairs, abs=1e-12)
            compared += 1
    assert compared > 100


def test_what_is_refused_can_be_told_to_another_process():
    from assay.compat.trec_files import Refused

    told = pickle.loads(pickle.dumps(Refused(4, "document é stands twice")))
    assert (type(told), told.status, str(told)) == (Refused, 4, "document é stands twice")
