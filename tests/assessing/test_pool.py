"""Pools by every recipe: against the definitions written out plainly, and by hand."""

import random
from collections import Counter

import pytest

import assay
from assay.assessing.people import deal, max_mean, move_to_front, next_assignment
from assay.assessing.pool import by_strata, strata_of, topic_lists
from assay.errors import InputError
from assay.reading.read import read_run
from assay.studies.strokes import Stroke
from assay.studies.study import new_id, open_study
from helpers.commands import invoke, python
from helpers.places import ROOT

RUNS = {
    "a": {"1": ["d1", "d2", "d3", "d4"], "2": ["x", "y"]},
    "b": {"1": ["d2", "d5", "d1", "d6"]},
}
EXAMPLES = [str(ROOT / "examples" / f"{name}.run") for name in ("bm25", "dense", "hybrid")]


def documents(pool, topic="1"):
    return [each.document for each in pool.topics[topic] if each.drawn]


def test_depth_takes_the_first_of_each_run():
    pool = assay.pool(RUNS, depth=2)
    assert sorted(documents(pool)) == ["d1", "d2", "d5"]
    assert sorted(documents(pool, "2")) == ["x", "y"]


def test_budget_goes_round_robin():
    assert set(documents(assay.pool(RUNS, budget=4))) == {"d1", "d2", "d5", "d3"}
    # d1 and d2 are the first of each run, and then d2 comes again, so that d5 is the third
    assert set(documents(assay.pool(RUNS, budget=3))) == {"d1", "d2", "d5"}


def test_fusion_is_ordered_by_the_sum_over_runs():
    rrf = {"d1": 1 / 61 + 1 / 63, "d2": 1 / 62 + 1 / 61, "d3": 1 / 63, "d4": 1 / 64, "d5": 1 / 62, "d6": 1 / 64}
    best = sorted(rrf, key=lambda document: (-rrf[document], document))
    assert documents(assay.pool(RUNS, fusion="rrf", size=6)) == best
    rbp = {"d1": 0.2 + 0.2 * 0.8**2, "d2": 0.2 * 0.8 + 0.2, "d3": 0.2 * 0.64, "d5": 0.2 * 0.8}
    assert documents(assay.pool(RUNS, fusion="rbp", size=4)) == sorted(rbp, key=lambda document: (-rbp[document], document))


def test_combmnz_multiplies_the_sum_of_scores_by_the_number_of_runs():
    runs = {"a": {"1": {"d1": 9.0, "d2": 5.0, "d3": 1.0}}, "b": {"1": {"d3": 2.0, "d2": 1.0}}}
    # d1: 1 x 1; d2: (.5 + 0) x 2; d3: (0 + 1) x 2
    assert documents(assay.pool(runs, fusion="combmnz", size=3)) == ["d3", "d1", "d2"]


def test_the_order_of_judging_is_random_by_a_seed_and_does_not_depend_on_other_topics():
    run = {"a": {str(topic): [f"d{number}" for number in range(30)] for topic in range(3)}}
    first, again, other = (documents(assay.pool(run, depth=30, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert sorted(first) == sorted(other)
    assert first != other
    assert documents(assay.pool({"a": {"1": run["a"]["1"]}}, depth=30, seed=1)) == first


def test_strata_draw_a_share_of_each_and_keep_the_chances():
    run = {"a": {"1": [f"d{number:03}" for number in range(1, 101)]}}
    pool = assay.pool(run, strata="1-10:1,11-50:0.2,51-100:0.05")
    drawn = Counter(each.stratum for each in pool.topics["1"] if each.drawn)
    # Python rounds .05 · 50 = 2.5 to the even number
    assert drawn == {1: 10, 2: 8, 3: 2}
    chances = {each.stratum: each.chance for each in pool.topics["1"]}
    assert chances == {1: 1.0, 2: 0.2, 3: 0.04}
    assert len(pool.topics["1"]) == 100


def test_a_document_is_in_the_stratum_of_its_best_rank_and_every_one_can_be_drawn():
    lists = topic_lists(read_run({"1": ["d1", "d2", "d3", "d4"]}))
    strata = strata_of("1-2:0.5,3-4:0.5")
    seen = Counter()
    for seed in range(400):
        sampled = by_strata({"a": lists["1"]}, strata, random.Random(seed))
        assert {each.document: each.stratum for each in sampled} == {"d1": 1, "d2": 1, "d3": 2, "d4": 2}
        seen.update(each.document for each in sampled if each.drawn)
    assert all(150 < count < 250 for count in seen.values())


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({}, "choose one recipe: pass depth=, budget=, fusion= with size=, or strata="),
        ({"depth": 2, "budget": 3}, "choose one recipe: pass depth=, budget=, fusion= with size=, or strata="),
        ({"depth": 0}, "depth is 0; expected 1 or more"),
        ({"fusion": "rrf"}, "fusion= and size= belong together: pass both"),
        ({"fusion": "x", "size": 2}, "unknown fusion 'x'; choose from rrf, combmnz, rbp"),
        ({"strata": "1-5"}, "'1-5' is not a stratum; expected ranks and a rate, for example 11-50:0.2"),
        (
            {"strata": "1-5:1,7-9:0.5"},
            "cannot use the stratum '7-9:0.5': the ranks of each stratum begin where the last one ended (5), and rates "
            "are above 0 up to 1",
        ),
        ({"budget": 5, "live": "mtf"}, "a live order requires a depth; pass depth="),
        ({"depth": 5, "mode": "x"}, "unknown mode 'x'; choose from highlight, exhaustivity, grades, questions"),
    ],
)
def test_a_recipe_that_says_nothing_clear_is_refused(how, what):
    with pytest.raises(assay.UsageError) as error:
        assay.pool(RUNS, **how)
    assert str(error.value) == what


# Live orders, by hand.


def test_move_to_front_follows_a_run_until_a_document_is_not_relevant():
    rankings = [["a", "b", "c"], ["x", "y", "z"]]
    assert move_to_front(rankings, {}) == "a"
    assert move_to_front(rankings, {"a": True}) == "b"
    # the first run is demoted, and the second has its turn
    assert move_to_front(rankings, {"a": True, "b": False}) == "x"
    assert move_to_front(rankings, {"a": True, "b": False, "x": True, "y": True}) == "z"
    # both are demoted once, so that the first comes again
    assert move_to_front(rankings, {"a": True, "b": False, "x": False}) == "c"
    assert move_to_front(rankings, dict.fromkeys("abcxyz", False)) is None


def test_max_mean_takes_the_run_whose_last_document_was_relevant():
    rankings = [["a", "b", "c"], ["x", "y", "z"]]
    assert max_mean(rankings, {}) == "a"
    # (1 + 1) / (1 + 2) of the first run against 1/2 of the second
    assert max_mean(rankings, {"a": True}) == "b"
    # 1/3 against 1/2
    assert max_mean(rankings, {"a": False}) == "x"
    # with a memory of 1 the first run has 2/4, as the second, and comes first
    assert max_mean(rankings, {"a": True, "b": False}, rho=1.0) == "c"
    assert max_mean(rankings, {"a": True, "b": False}, rho=0.0) == "x"


def test_every_document_is_judged_in_the_end_and_relevant_ones_earlier():
    rankings = [[f"r{number}" for number in range(10)], [f"n{number}" for number in range(10)]]
    for order in (move_to_front, max_mean):
        judged = {}
        while (document := order(rankings, judged)) is not None:
            judged[document] = document.startswith("r")
        assert len(judged) == 20
        assert sum(name.startswith("r") for name in list(judged)[:12]) >= 10


def test_a_study_with_a_live_order_asks_for_the_document_that_follows_from_what_was_judged(folder):
    texts = dict.fromkeys(("a1", "a2", "a3", "b1", "b2", "b3"), "text")
    runs = {"a": {"1": ["a1", "a2", "a3"]}, "b": {"1": ["b1", "b2", "b3"]}}
    assay.pool(runs, "study.db", depth=3, live="mtf", documents=texts, mode="grades", grades=(0, 1))
    relevant, order = {"a1", "b1", "b2"}, []
    with open_study("study.db") as study:
        study.add_assessor("anna")
        deal(study)
        while (task := next_assignment(study, "anna", "1")) is not None:
            order.append(task.document)
            grade = str(int(task.document in relevant))
            study.append(task.id, [Stroke(new_id(), "grade", value=grade), Stroke(new_id(), "validate")])
    # a is followed until a2, which demotes it; then b until b3, which demotes it too; a3 is left
    assert order == ["a1", "a2", "b1", "b2", "b3", "a3"]


def judged_in_turn(order, rankings, relevant):
    """The order of judging by a plain simulation: the run that is worth most, the first of equal ones, gives its next document."""
    judged, priority = [], [0] * len(rankings)
    found, count = [0] * len(rankings), [0] * len(rankings)
    while left := [run for run, ranking in enumerate(rankings) if set(ranking) - set(judged)]:
        worth = {run: priority[run] if order == "mtf" else (found[run] + 1) / (count[run] + 2) for run in left}
        run = next(run for run in left if worth[run] == max(worth.values()))
        judged.append(next(document for document in rankings[run] if document not in judged))
        priority[run] -= judged[-1] not in relevant
        # of the past nothing is kept
        found[run], count[run] = judged[-1] in relevant, 1
    return judged


@pytest.mark.parametrize("order", ["mtf", "mm-ns"])
@pytest.mark.parametrize("seed", range(3))
def test_a_live_order_is_that_of_a_plain_simulation(folder, order, seed):
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(25)]
    # names that are not in the order of the alphabet, and lists that are longer than the depth
    runs = {name: rng.sample(documents, 18) for name in ("zeta", "bm25", "alpha")}
    relevant, asked = set(rng.sample(documents, 8)), []
    texts = dict.fromkeys(documents, "text")
    assay.pool({name: {"1": run} for name, run in runs.items()}, "study.db", depth=6, live=order, documents=texts, mode="grades")
    with open_study("study.db") as study:
        study.add_assessor("anna")
        deal(study)
        while (task := next_assignment(study, "anna", "1")) is not None:
            asked.append(task.document)
            grade = str(int(task.document in relevant))
            study.append(task.id, [Stroke(new_id(), "grade", value=grade), Stroke(new_id(), "validate")])
    assert asked == judged_in_turn(order, [run[:6] for run in runs.values()], relevant)


# Studies out of pools, and judgments out of studies.


def judge_all(path, strokes_of, people=("anna",)):
    """Everyone judges all their documents: what `strokes_of(assignment)` says."""
    with open_study(path) as study:
        for name in people:
            study.add_assessor(name)
        deal(study)
        for one in study.assignments():
            study.append(one.id, [*strokes_of(one), Stroke(new_id(), "validate")])


def test_grades_beside_highlighted_text_are_written_as_qrels(folder):
    texts = dict.fromkeys(("a", "b"), "some text")
    assay.pool({"run": {"1": ["a", "b"]}}, "study.db", depth=2, documents=texts, grades=(0, 1, 2))
    marked = [Stroke(new_id(), "highlight", 0, 4), Stroke(new_id(), "entry", 0), Stroke(new_id(), "grade", value="2")]
    judge_all("study.db", lambda one: marked if one.document == "a" else [Stroke(new_id(), "grade", value="1")])
    assert sorted(assay.convert("study.db", "trec").decode().splitlines()) == ["1 0 a 2", "1 0 b 1"]
    notes = []
    assert sorted(assay.convert("study.db", "fol", notes=notes).decode().splitlines()) == ["1 Q0 a 4 9 0 0:4", "1 Q0 b 0 9"]
    assert notes == ["study.db: the grades of documents do not count beside highlighted text; `assay convert --to trec` writes them"]


def test_a_stratified_sample_of_highlighted_text_has_strata_too(folder):
    texts = {f"d{number}": "some text" for number in range(20)}
    runs = {"run": {"1": list(texts)}}
    assay.pool(runs, "study.db", strata="1-4:1,5-20:0.25", documents=texts, judges=2)
    marked = [("highlight", 0, 4), ("entry", 0, None)]
    judge_all(
        "study.db", lambda one: [Stroke(new_id(), *each) for each in marked if one.document in ("d0", "d3", "d7")], ("anna", "bob")
    )
    (folder / "sample.qrels").write_bytes(assay.convert("study.db", "sampled"))
    rows = {line.split()[2]: line.split()[3:] for line in (folder / "sample.qrels").read_text("utf-8").splitlines()}
    assert len(rows) == 20
    assert {name: rows[name] for name in ("d0", "d1", "d2", "d3")} == {"d0": ["1", "1"], "d1": ["1", "0"], "d2": ["1", "0"], "d3": ["1", "1"]}
    assert sum(grade != "-1" for stratum, grade in rows.values() if stratum == "2") == 4
    measures = ["xinfAP", "infNDCG"]
    direct, written = (assay.evaluate(each, runs, measures) for each in ("study.db", "sample.qrels"))
    assert (direct.values == written.values).all()
    note = "study.db: only a sample of the pool was judged; xinfAP and infNDCG estimate their values from it"
    assert note in assay.evaluate("study.db", runs, "R(unit=document)@5").notes


def test_a_format_without_annotators_has_the_main_judgments(folder):
    assay.pool({"run": {"1": ["a"]}}, "study.db", depth=1, documents={"a": "some text"}, judges=2)
    ends = {"anna": 4, "bob": 9}
    judge_all(
        "study.db", lambda one: [Stroke(new_id(), "highlight", 0, ends[one.assessor]), Stroke(new_id(), "entry", 0)], ("anna", "bob")
    )
    notes = []
    assert assay.convert("study.db", "fol", notes=notes) == b"1 Q0 a 4 9 0 0:4\n"
    assert notes == ["study.db: several people judged some documents; these are the judgments of the main assessor of each"]
    assert assay.convert("study.db", "fol", annotators="union") == b"1 Q0 a 9 9 0 0:9\n"


@pytest.mark.parametrize("by", ["main", "majority", "union", "bob"])
@pytest.mark.parametrize("mode", ["highlight", "grades"])
def test_whose_judgments_count_is_chosen_in_an_evaluation_as_in_a_conversion(folder, by, mode):
    texts = dict.fromkeys(("a", "b", "c"), "some longer text")
    assay.pool({"run": {"1": list(texts)}}, "study.db", depth=3, documents=texts, judges=3, mode=mode)
    ends, grades = {"anna": 4, "bob": 9, "eve": 12}, {"anna": "0", "bob": "2", "eve": "1"}

    def strokes_of(one):
        if mode == "grades":
            return [Stroke(new_id(), "grade", value=grades[one.assessor] if one.document != "c" else "0")]
        return [Stroke(new_id(), "highlight", 2, ends[one.assessor]), Stroke(new_id(), "entry", 2)]

    judge_all("study.db", strokes_of, tuple(ends))
    written = assay.convert("study.db", "fol" if mode == "highlight" else "trec", annotators=by)
    (folder / "written.qrels").write_bytes(written)
    runs = {"x": {"1": [("a", 0, 8), ("b", 3, 5)]}, "y": {"1": [("c", 0, 3), ("a", 0, 16)]}} if mode == "highlight" else {
        "x": {"1": ["a", "c", "b"]}, "y": {"1": ["c", "b"]},
    }  # fmt: skip
    measures = ["P@2", "R@2"] if mode == "highlight" else ["nDCG", "AP"]
    direct = assay.evaluate("study.db", runs, measures, annotators=by)
    assert (direct.values == assay.evaluate("written.qrels", runs, measures).values).all()


def test_who_judged_before_gets_nothing_more_to_judge(folder):
    texts = dict.fromkeys(("a", "b"), "some text")
    assay.pool({"run": {"1": ["a", "b"]}}, "study.db", depth=2, documents=texts, judgments={"1": {"a": [(0, 4)]}})
    with open_study("study.db") as study:
        study.add_assessor("me", "organiser")
        deal(study)
        assert [(one.assessor, one.document, one.state) for one in study.assignments()] in (
            [("before", "a", "done"), ("me", "b", "new")], [("me", "b", "new"), ("before", "a", "done")],
        )  # fmt: skip


def test_questions_can_be_pooled_and_start_from_gold(folder):
    runs = {"run": {"q1": ["a", "b"], "q2": ["b"]}}
    gold = [
        {"query_id": "q1", "doc_id": "a", "start": 0, "end": 4, "fact": "2"},
        {"query_id": "q1", "doc_id": "b", "start": 5, "end": 9, "fact": "2"},
    ]
    texts = dict.fromkeys(("a", "b"), "some text")
    assay.pool(runs, "study.db", depth=2, documents=texts, mode="questions", judgments=gold)
    with open_study("study.db") as study:
        for name in ("anna", "bob"):
            study.add_assessor(name)
        deal(study)
        own = {name: {(one.topic, one.document) for one in study.assignments(name)} for name in ("anna", "bob")}
        # whoever has a question has its documents; who judged before has only what they judged
        assert sorted(map(len, own.values())) == [2, 3]
        assert own["anna"] | own["bob"] == {("q1", None), ("q1", "a"), ("q1", "b"), ("q2", None), ("q2", "b")}
        found = [(one.document, passage.fact) for one in study.judgments("before") for passage in one.judgment.passages]
        assert sorted(found) == [("a", "2"), ("b", "2")]


def test_a_study_keeps_recipe_runs_topics_and_what_was_returned(folder):
    documents = str(ROOT / "examples/focused/documents")
    done = invoke(
        "pool", ROOT / "examples/focused/passages.run", ROOT / "examples/focused/elements.run", "--budget", 2, "--seed", 5,
        "--documents", documents, "--topics-file", ROOT / "examples/focused/topics.tsv", "-o", "study.db", "--as", "text",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "4 documents to judge for 2 topics; recipe: budget 2, round robin"
    with open_study("study.db") as study:
        (recipe,) = study.pools()
        assert (recipe["budget"], recipe["seed"], set(recipe["runs"])) == (2, 5, {"passages", "elements"})
        task = study.tasks("1")[0]
        assert {each.run for each in study.support("1", task.document)} <= {"passages", "elements"}
        assert study.topics()[0].title != "1"


def test_judgments_survive_a_study_byte_for_byte(folder):
    qrels = ROOT / "examples/focused/highlights.qrels"
    documents = str(ROOT / "examples/focused/documents")
    assert invoke("pool", "--judgments", qrels, "--documents", documents, "-o", "study.db").exit_code == 0
    assert invoke("convert", "study.db", "--to", "fol").stdout == qrels.read_text("utf-8")
    run = str(ROOT / "examples/focused/passages.run")
    assert (assay.evaluate("study.db", run).values == assay.evaluate(str(qrels), run).values).all()


@pytest.mark.shared("inex")
def test_inex_judgments_survive_a_study_byte_for_byte(folder):
    import gzip

    from helpers.places import DATA

    path = DATA / "inex/inex2009-2010.technion.qrels.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line for line in file if line.split()[0] in ("2009001", "2009002", "2010016")]
    judged = [line.split() for line in lines]
    # the documents are not there; texts of the same length have the same offsets
    texts = {fields[2]: "x" * int(fields[4]) for fields in judged}
    (folder / "some.qrels").write_text("".join(lines), "utf-8")
    assay.pool(None, "study.db", judgments="some.qrels", documents=texts)
    # the file ends its lines as Windows does, and two passages of topic 2010016 have no character
    expected = "".join(" ".join(each for each in fields if not each.endswith(":0")) + "\n" for fields in judged)
    assert assay.convert("study.db", "fol").decode() == expected


def test_a_study_that_starts_from_grades_asks_for_grades(folder):
    qrels, run = ROOT / "examples/judgments.qrels", str(ROOT / "examples/bm25.run")
    words = ["pool", "--judgments", qrels, "--documents", ROOT / "examples/documents.jsonl", "-o", "study.db"]
    for mode in ("highlight", "exhaustivity", "questions"):
        refused = invoke(*words, "--mode", mode)
        assert (refused.exit_code, refused.stderr) == (
            1,
            f"{qrels}: these judgments have no highlighted text; pass --mode grades to start from their grades of documents\n",
        )
    assert invoke(*words).stderr == f"note: {qrels} has grades of documents, so people will grade documents\n"
    # a negative grade says that nobody judged the document
    judged = [line for line in qrels.read_text("utf-8").splitlines() if not line.endswith("-1")]
    assert sorted(assay.convert("study.db", "trec").decode().splitlines()) == sorted(judged)
    measures = ["AP", "nDCG"]
    assert (assay.evaluate("study.db", run, measures).values == assay.evaluate(str(qrels), run, measures).values).all()


def test_a_study_has_the_grades_of_the_judgments_it_starts_from(folder):
    judged, texts = {"1": {"a": 4, "b": 1}}, dict.fromkeys("ab", "text")
    assay.pool(None, "study.db", judgments=judged, documents=texts)
    with open_study("study.db") as study:
        assert study.settings.grades == (0, 1, 2, 4)
    assert assay.convert("study.db", "trec") == b"1 0 a 4\n1 0 b 1\n"
    with pytest.raises(InputError) as error:
        assay.pool(None, "other.db", judgments={"1": {"a": 0.5}}, documents=texts)
    assert str(error.value) == "judgments: the grade 0.5 is not a whole number, which a study needs"
    assert not (folder / "other.db").exists()


def test_assessments_of_inex_are_read_back_to_the_same_numbers(folder):
    qrels, documents = str(ROOT / "examples/focused/highlights.qrels"), str(ROOT / "examples/focused/documents")
    assert invoke("convert", qrels, "--to", "inex", "--documents", documents, "-o", "out/").exit_code == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["1.xml", "2.xml"]
    run = str(ROOT / "examples/focused/elements.run")
    measures = ["AiP", "R@3", "P@1", "gP@2"]
    before, after = (assay.evaluate(each, run, measures, documents=documents) for each in (qrels, "out"))
    assert (before.values == after.values).all()
    # every element that meets a passage has its size and what is highlighted of it
    graded = assay.evaluate("out", run, ["nxCG@5", "CG(quant=gen)@5"], documents=documents)
    assert graded.values[0].max() > 0
    refused = invoke("convert", qrels, "--to", "inex", "--documents", documents)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"{qrels}: there are 2 topics, but a file of INEX assessments has one; write to a folder instead\n"
    )


def test_grades_of_a_stratified_sample_are_exported_with_their_strata(folder):
    texts = {f"d{number}": "text" for number in range(40)}
    runs = {"a": {"1": list(texts)}}
    judged = {"1": {name: int(number % 3 == 0) for number, name in enumerate(texts)}}
    pool = assay.pool(runs, "study.db", strata="1-10:1,11-40:0.5", documents=texts, judgments=judged, mode="grades", grades=(0, 1))
    rows = [line.split() for line in assay.convert("study.db", "sampled").decode().splitlines()]
    drawn = {each.document: each.drawn for each in pool.topics["1"]}
    assert {row[2]: (row[3], row[4]) for row in rows} == {
        name: ("1" if number < 10 else "2", str(judged["1"][name]) if drawn[name] else "-1")
        for number, name in enumerate(texts)
    }


# Bias of a pool.


def test_a_run_loses_the_documents_that_only_it_found():
    judgments = {"1": {"r1": 1, "r2": 1, "r3": 1, "n1": 0, "n2": 0}}
    runs = {"old": {"1": ["r1", "n1", "r2"]}, "new": {"1": ["r3", "r1", "n2"]}}
    bias = assay.pool_bias(judgments, runs, depth=3)
    told = {each.name: each for each in bias.left_out}
    # old: r1 at 1, r2 at 3 of 3 relevant; without r2 and n1 one of two relevant, at rank 1
    assert told["old"].value == pytest.approx((1 + 2 / 3) / 3)
    assert told["old"].without == pytest.approx(1 / 2)
    assert told["old"].unique == 1
    # all three documents of old are judged, and what follows is not known: 0.8³ is left
    assert (told["old"].judged, told["old"].residual) == pytest.approx((1, 0.8**3))
    # new: r3 and r1 of 3; without r3 r1 at rank 2 of 2 relevant
    assert told["new"].value == pytest.approx((1 + 1) / 3)
    assert told["new"].without == pytest.approx(0.5 / 2)
    assert (told["new"].place, told["new"].place_without) == (1, 2)
    # r1 and r3 are found at depth 1, r2 at depth 3
    assert bias.new_relevant == [2, 0, 1]


def test_a_bias_loads_altair_only_to_draw():
    code = "import sys, assay; bias = assay.pool_bias({'1': {'a': 1}}, {'x': {'1': ['a']}, 'y': {'1': ['b']}}); "
    code += "bias.show(); print('altair' in sys.modules); bias.chart(); print('altair' in sys.modules)"
    assert python("-c", code).stdout == "False\nTrue\n"


def test_groups_of_runs_are_left_out_together():
    judgments = {"1": {"r1": 1, "r2": 1}}
    runs = {"a": {"1": ["r1"]}, "b": {"1": ["r1"]}, "c": {"1": ["r2"]}}
    bias = assay.pool_bias(judgments, runs, depth=5, groups={"a": "ab", "b": "ab"})
    told = {(each.name, each.group): each for each in bias.left_out}
    assert told["a", False].unique == 0
    assert told["ab", True].unique == 1
    assert told["ab", True].without == 0


def test_the_command_shows_the_bias_and_draws_the_depths(folder):
    done = invoke("pool-bias", ROOT / "examples/judgments.qrels", *EXAMPLES, "--depth", 5, "--group", "bm25=x", "-o", "depth.svg", "--as", "text")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == ["left", "out", "is", "unique", "relevant", "Judged@10", "RBPresidual", "value", "without", "change", "place", "place", "without", "tau"]
    assert (folder / "depth.svg").read_text("utf-8").startswith("<svg")


def test_topics_that_people_should_check_are_drawn_with_the_interval_to_expect(folder):
    example = ROOT / "examples/checked"
    words = ("pool", *sorted(map(str, example.glob("*.run"))), "--judgments", example / "model.qrels", "--check", 12, "-m", "P@5")
    done = invoke(*words, "-o", "people.qrels", "--as", "text")
    assert done.exit_code == 0, done.stderr
    rows = [line.split() for line in (folder / "people.qrels").read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {4}
    assert {row[3] for row in rows} == {"?"}
    assert len({row[0] for row in rows}) == 12
    assert [line.split()[:2] for line in done.stdout.splitlines()[2:4]] == [["P@5", "10"], ["P@5", "20"]]
    assert invoke(*words, "-o", "again.qrels").exit_code == 0
    assert (folder / "again.qrels").read_bytes() == (folder / "people.qrels").read_bytes()
    refused = invoke("pool", "--check", 12, *words[1:2])
    assert refused.exit_code != 0
    assert refused.stderr == "--check draws from the judgments of a model; pass --judgments and the runs\n"


def test_runs_whose_ids_differ_only_in_their_form_are_refused_or_noted():
    runs = {"a": RUNS["a"], "b": {"1": ["texts/d1.txt", "texts/d3.txt", "texts/d4.txt"], "2": ["texts/x.txt"]}}
    rename = "'texts/d1.txt' vs 'd1'"
    with pytest.raises(InputError) as error:
        assay.pool(runs, depth=2)
    assert str(error.value) == f"b and a share no document: the ids differ only in folder and ending ({rename}); rename the ids in one of the runs"
    runs["b"]["1"][1:] = ["d2", "texts/d3.txt"]
    assert assay.pool(runs, depth=2).notes[0].startswith("b: 3 of 4 document ids are not in a, 3 of them only because of folder and ending: ")
