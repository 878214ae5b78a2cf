"""Fusion: the values of a naive computation, what becomes of what runs lack, and what is said and refused."""

import bz2
import gzip
import lzma
import random
from itertools import pairwise, permutations, product

import numpy as np
import pytest

import assay
from assay.errors import InputError, UsageError
from assay.tables.ids import Ids
from assay.tables.run import SpanRun, make_run
from assay.vocabulary import FUSIONS, NORMALISATIONS
from helpers.commands import invoke
from helpers.files import windows, written
from helpers.naive_fusion import document, fused, in_order, loses
from helpers.places import ROOT
from helpers.samples import sample

BY_SCORE = ("combsum", "combmnz", "combanz", "combmed")
WAYS = [(method, None) for method in FUSIONS if method not in BY_SCORE] + list(product(BY_SCORE, NORMALISATIONS))
pytestmark = pytest.mark.usefixtures("folder")
EXAMPLES = [str(ROOT / f"examples/{name}.run") for name in ("bm25", "dense", "hybrid")]


def random_run(rng, results):
    """Some results of some topics; scores are often equal, and sometimes all are."""
    topics = rng.sample(["1", "2", "10", "q", "é"], rng.randint(1, 5))
    scores = rng.choice([[1.5], [-2.0, 0.0, 0.5, 7.0], [rng.uniform(-5, 30) for _ in range(40)]])
    return {
        topic: {result: rng.choice(scores) for result in rng.sample(results, rng.randint(1, len(results)))}
        for topic in topics
    }


def table(run, name="run"):
    """A run of whole documents or of spans."""
    rows = [(topic, result, score) for topic, results in run.items() for result, score in results.items()]
    topics, documents = Ids.of(topic for topic, _, _ in rows), Ids.of(document(result) for _, result, _ in rows)
    spans = [result[1:] for _, result, _ in rows if isinstance(result, tuple)]
    start, end = np.array(spans, np.int64).T if spans else (None, None)
    return make_run(name, topics, documents, score=np.array([score for _, _, score in rows]), start=start, end=end)


def by_topic(run):
    """{topic: {result: score}} of a run, in its order."""
    results = run.document.texts()
    if isinstance(run, SpanRun):
        results = list(zip(results, run.start.tolist(), run.end.tolist(), strict=True))
    lists: dict = {}
    for topic, result, score in zip(run.topic.texts(), results, run.score.tolist(), strict=True):
        lists.setdefault(topic, {})[result] = score
    return lists


def assert_fused_as_naive(runs, method, normalise):
    run = assay.fuse([table(each, f"r{number}") for number, each in enumerate(runs)], method, normalise=normalise)
    lists = by_topic(run)
    expected = fused(runs, method, normalise or "min-max")
    assert lists.keys() == expected.keys()
    for topic, results in lists.items():
        assert results == pytest.approx(expected[topic], rel=1e-9, abs=1e-12)
        assert list(results) == in_order(results)


@pytest.mark.parametrize(("method", "normalise"), WAYS)
def test_documents_are_fused_as_by_a_naive_computation(method, normalise):
    rng = random.Random(f"{method} {normalise}")
    for _ in range(sample(3, 300)):
        names = [rng.choice("abé") + str(number) for number in range(rng.choice([3, 9, 20]))]
        assert_fused_as_naive([random_run(rng, names) for _ in range(rng.randint(1, 5))], method, normalise)


@pytest.mark.parametrize(("method", "normalise"), WAYS)
def test_spans_are_fused_as_by_a_naive_computation_character_by_character(method, normalise):
    rng = random.Random(f"{method} {normalise} spans")
    for _ in range(sample(3, 200)):
        places = [(rng.choice("ab"), *sorted(rng.choices(range(12), k=2))) for _ in range(rng.choice([2, 6, 12]))]
        runs = [random_run(rng, sorted(set(places))) for _ in range(rng.randint(1, 4))]
        assert_fused_as_naive(runs, method, normalise)


def test_ranx_fuses_to_the_same_scores():
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    rng = random.Random(13)
    names = [f"d{number}" for number in range(30)]
    # ranx needs the same topics, breaks ties otherwise, and divides by 1e-9 where scores are equal
    runs = [
        {topic: {name: rng.random() for name in rng.sample(names, 12)} for topic in ("1", "2")} for _ in range(4)
    ]
    theirs = {"borda": "bordafuse", "rrf": "rrf", "isr": "isr", "rbc": "rbc", "combsum": "sum", "combmnz": "mnz"}
    theirs |= {"combanz": "anz", "combmed": "med"}
    norms = {"min-max": "min-max", "z": "zmuv", "sum": "sum", "rank": "rank", "none": None}
    for method, normalise in WAYS:
        if method == "condorcet":
            continue
        given = [ranx.Run({topic: dict(results) for topic, results in run.items()}) for run in runs]
        how = {"params": {"phi": 0.9}} if method == "rbc" else {}
        other = ranx.fuse(given, method=theirs[method], norm=norms.get(normalise), **how)
        ours = by_topic(assay.fuse(dict(enumerate(runs)), method, normalise=normalise))
        for topic, results in ours.items():
            assert results == pytest.approx(dict(other[topic]), rel=1e-9)


# Examples by hand


def test_reciprocal_ranks_are_added():
    first, second = {"1": {"a": 9.0, "b": 8.0}}, {"1": {"b": 0.2, "c": 0.1}}
    lists = by_topic(assay.fuse([first, second]))
    assert lists == {"1": {"b": 1 / 61 + 1 / 62, "a": 1 / 61, "c": 1 / 62}}
    assert by_topic(assay.fuse([first, second], k=0))["1"]["b"] == 1.5


def test_what_more_than_half_of_the_runs_prefer_to_all_others_is_first():
    orders = ["abcd", "badc", "bcad"]
    runs = {order: {"1": {name: -place for place, name in enumerate(order)}} for order in orders}
    assert list(by_topic(assay.fuse(runs, "condorcet"))["1"]) == ["b", "a", "c", "d"]


def test_in_a_condorcet_order_no_candidate_loses_against_the_one_above_it():
    rng = random.Random(3)
    for _ in range(sample(8, 500)):
        names = [f"d{number}" for number in range(rng.choice([5, 40]))]
        lists = [rng.sample(names, rng.randint(1, len(names))) for _ in range(rng.randint(2, 6))]
        run = assay.fuse({number: {"1": each} for number, each in enumerate(lists)}, "condorcet")
        order = run.document.texts()
        places = {name: [each.index(name) if name in each else 99 for each in lists] for name in names}
        assert not any(loses(above, below, places) for above, below in pairwise(order))


def test_the_same_chunks_stay_whole_and_of_others_the_common_text_is_a_result():
    one, other = {"1": [("d", 0, 100), ("d", 100, 200)]}, {"1": [("d", 100, 200), ("d", 50, 100)]}
    run = assay.fuse({"one": one, "other": other})
    assert by_topic(run)["1"] == pytest.approx(
        {("d", 100, 200): 1 / 62 + 1 / 61, ("d", 50, 100): 1 / 61 + 1 / 62, ("d", 0, 50): 1 / 61}
    )
    assert run.notes == ("4 results became 3 results that do not overlap; 1 of them is only part of a result",)


def test_elements_of_one_path_are_one_and_ranges_are_others():
    first = "1 Q0 d 1 9 a /article[1]/p[1]\n1 Q0 d 2 8 a /article[1]\n"
    second = "1 Q0 d 1 3 b /article[1]\n1 Q0 d 2 2 b /article[1]/p[1] /article[1]/p[2]\n"
    second += "1 Q0 d 3 1 b /article[1]\n"
    run = assay.fuse([written(first, "a.run"), written(second, "b.run")], "borda")
    assert run.path.texts() == ["/article[1]", "/article[1]/p[1]", "/article[1]/p[1]"]
    assert run.last.texts() == ["", "", "/article[1]/p[2]"]
    # of three, 2 + 3; 3 + 1; 1 + 2 points
    assert run.score.tolist() == [5.0, 4.0, 3.0]
    assert run.notes == ("b: 1 result repeats an earlier result of the topic; Assay keeps the first",)


def test_runs_whose_texts_have_more_around_their_passages_are_fused_by_the_passages():
    documents = {"a": "First line of the text.\nSecond line of the text is here.\n"}
    texts = [{"topic": "1", "document": "a", "text": "Title: A\nFirst line of the text.", "score": 1}]
    spans = [{"topic": "1", "document": "a", "start": 0, "end": 23, "score": 1}]
    note = "texts: 1 result has text around a passage; the fused run has only passages, which use up less of a budget"
    for runs in ({"texts": texts, "spans": spans}, {"spans": spans, "texts": texts}, {"texts": texts}):
        run = assay.fuse(runs, documents=documents)
        assert by_topic(run) == {"1": {("a", 0, 23): pytest.approx(len(runs) / 61)}}
        assert set(run.frame().columns) == {"topic", "document", "score", "rank", "start", "end"}
        assert note in run.notes


# What must hold for every method


@pytest.mark.parametrize("method", FUSIONS)
def test_the_order_in_which_runs_are_given_changes_nothing(method):
    rng = random.Random(7)
    runs = {str(number): {"1": {f"d{at}": rng.random() for at in rng.sample(range(30), 20)}} for number in range(4)}
    fusions = [assay.fuse({name: runs[name] for name in order}, method) for order in rng.sample([*permutations(runs)], sample(8, 24))]
    assert len({assay.convert(run, "trec") for run in fusions}) == 1


@pytest.mark.parametrize(("method", "normalise"), WAYS)
def test_one_run_keeps_its_order(method, normalise):
    rng = random.Random(8)
    run = {"1": {f"d{number}": rng.random() for number in range(30)}, "2": {"d": -1.0}}
    alone = assay.fuse({"only": run}, method, normalise=normalise)
    assert [list(results) for results in by_topic(alone).values()] == [in_order(run["1"]), ["d"]]
    assert alone.notes[0] == "only: only one run; fusion keeps its order"


def test_a_fused_run_is_measured_and_shows_itself():
    run = assay.fuse(EXAMPLES, "combmnz")
    scores = assay.evaluate(ROOT / "examples/judgments.qrels", run, "AP")
    assert repr(run) == "<Run combmnz: 6 topics, 44 rows>"
    assert scores["combmnz", "AP"] > 0
    assert run.rank.tolist()[:3] == [1, 2, 3]


def test_blocks_of_topics_are_fused_as_all_at_once(monkeypatch):
    rng = random.Random(9)
    runs = {str(number): {str(topic): {f"d{at}": rng.random() for at in rng.sample(range(30), 20)}
                          for topic in rng.sample(range(20), 15)} for number in range(3)}  # fmt: skip
    at_once = assay.convert(assay.fuse(runs, "combsum"), "trec")
    monkeypatch.setattr("assay.fusing.ranked_lists.BLOCK", 50)
    assert assay.convert(assay.fuse(runs, "combsum"), "trec") == at_once


# What is decided


def test_topics_that_a_run_lacks_are_noted_and_it_adds_nothing_there():
    run = assay.fuse({"a": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "b": {"2": {"d": 1.0}, "3": {"e": 2.0}}})
    assert run.topic.texts() == ["1", "2", "3"]
    assert run.score.tolist() == [1 / 61, 2 / 61, 1 / 61]
    assert run.notes == (
        "a: 1 of 3 topics is missing from the run, so the run adds nothing there: 3",
        "b: 1 of 3 topics is missing from the run, so the run adds nothing there: 1",
    )


@pytest.mark.parametrize(
    ("normalise", "worth", "said"),
    [
        ("min-max", 1.0, "each result counts 1"),
        ("z", 0.0, "each result counts 0"),
        ("sum", 0.5, "each result counts the same"),
    ],
)
def test_equal_scores_are_worth_something_decided(normalise, worth, said):
    runs = {"a": {"1": {"d": 3.0, "e": 3.0}}, "b": {"1": {"f": 2.0, "g": 1.0}}}
    run = assay.fuse(runs, "combanz", normalise=normalise)
    assert by_topic(run)["1"]["d"] == by_topic(run)["1"]["e"] == worth
    assert run.notes == (f"a: all scores are equal in 1 topic; {said}",)


def test_scores_below_0_are_noted_where_the_number_of_runs_counts():
    runs = {"a": {"1": {"d": -1.0, "e": -2.0}}, "b": {"1": {"d": -1.0, "f": -1.5}}}
    run = assay.fuse(runs, "combmnz", normalise="none")
    assert by_topic(run)["1"] == {"f": -1.5, "e": -2.0, "d": -4.0}
    what = "scores below 0 in 1 topic; a result that a run lacks counts 0, which is higher"
    assert run.notes == (f"2 runs (a, b): {what}, and multiplying a negative sum by more runs lowers it",)
    assert assay.fuse(runs, "combsum", normalise="none").notes == (f"2 runs (a, b): {what}",)
    assert assay.fuse(runs, "combmnz").notes == ()
    assert assay.fuse(runs, "combmed", normalise="none").notes == ()


@pytest.mark.parametrize("normalise", ["min-max", "none"])
def test_lists_have_no_scores_that_a_method_could_add(normalise):
    runs = {"a": {"1": [{"doc_id": "d", "score": 9.0}, {"doc_id": "e", "score": 5.0}]}, "b": {"1": {"d": 2.0, "e": 1.0}}}
    instead = "use a method by rank, for example rrf, or pass records with scores"
    assert assay.fuse(runs, "combsum", normalise=normalise).notes == (
        f"a: its lists have ranks, not scores; combsum uses 0, -1, -2, … as scores; {instead}",
    )
    assert assay.fuse(runs, "rrf").notes == ()
    records = [{"topic": "1", **each} for each in runs["a"]["1"]]
    assert assay.fuse({"a": records, "b": runs["b"]}, "combsum", normalise=normalise).notes == ()


RENAME = "rename the ids in one of the runs"


def test_runs_that_share_nothing_only_because_of_the_form_of_their_ids_are_refused():
    bm25 = {topic: {"b01": 3.0, "b02": 2.0} for topic in "12"}
    of_files = {topic: {"corpus/b02.txt": 3.0, "corpus/b01.txt": 2.0} for topic in "12"}
    of_questions = {f"q{topic}": results for topic, results in bm25.items()}
    for other, said in (
        (of_files, "document: the ids differ only in folder and ending ('corpus/b02.txt' vs 'b02')"),
        (of_questions, "topic: the ids differ only in the prefix 'q' ('q1' vs '1')"),
    ):
        with pytest.raises(assay.InputError) as caught:
            assay.fuse({"bm25": bm25, "other": other})
        assert str(caught.value) == f"other and bm25 share no {said}; {RENAME}"
    # these may well be other documents and topics
    apart = {"7": {"d1": 2.0}, "8": {"d2": 1.0}}
    assert len(assay.fuse({"bm25": bm25, "other": apart})) == 6
    assert assay.fuse({"bm25": bm25, "other": {"1": apart["7"], "2": apart["8"]}}).notes == ()


def test_ids_that_have_in_part_another_form_than_those_of_the_first_run_are_noted():
    bm25 = {topic: {"b01": 4.0, "b02": 3.0, "b03": 2.0, "b04": 1.0} for topic in "12"}
    of_files = {"1": {"b01": 2.0, "b02.txt": 1.0}, "2": {"b03.txt": 2.0, "b05": 1.0}}
    why = "2 of them only because of ending: 'b02.txt' vs 'b02'"
    assert assay.fuse({"bm25": bm25, "other": of_files}).notes == (
        f"other: 3 of 4 document ids are not in bm25, {why}; {RENAME}",
    )
    other = {"1": bm25["1"], "q2": bm25["2"]}
    why = "1 of 2 topic ids is not in bm25, 1 of them only because of the prefix 'q': 'q2' vs '2'"
    assert assay.fuse({"bm25": bm25, "other": other}).notes[0] == f"other: {why}; {RENAME}"


@pytest.mark.parametrize("method", ["rrf", "combsum"])
def test_scores_that_rise_down_every_list_are_noted(method):
    distances = "".join(f"1 Q0 d{rank} {rank} 0.{rank} t\n" for rank in range(1, 6))
    written(distances, "faiss.run")
    written(distances.replace("0.", "-0."), "bm25.run")
    assert assay.fuse(["faiss.run", "bm25.run"], method).notes == (
        "faiss: scores rise down the list in all 1 topic with 5 or more results; Assay ranks the highest score first; "
        "if these are distances, negate them",
    )


def test_ranks_that_tell_another_order_than_scores_become_scores():
    first = "1 Q0 d 1 1 a /article[1]/p[1]\n1 Q0 d 2 8 a /article[1]\n"
    run = assay.fuse([written(first, "a.run")], "combsum")
    assert run.path.texts() == ["/article[1]/p[1]", "/article[1]"]
    assert "a: scores and ranks disagree in 1 topic; Assay wrote scores that follow the ranks" in run.notes


def test_documents_elements_and_spans_are_fused_where_the_documents_tell_characters():
    documents = {"d": "Gold is heavy.", "e": "Tin"}
    run = assay.fuse({"a": {"1": {"d": 2.0, "e": 1.0}}, "b": {"1": [("d", 0, 4)]}}, documents=documents)
    assert list(by_topic(run)["1"]) == [("d", 0, 4), ("d", 4, 14), ("e", 0, 3)]


# What is refused


@pytest.mark.parametrize(
    ("runs", "how", "error", "what"),
    [
        ([{"1": {"d": 1.0}}], {"method": "sum"}, UsageError,
         f"unknown fusion method 'sum'; choose from {', '.join(FUSIONS)}"),
        ([{"1": {"d": 1.0}}], {"method": "combsum", "normalise": "max"}, UsageError,
         "unknown normalisation 'max'; choose from min-max, z, sum, rank, none"),
        ([{"1": {"d": 1.0}}], {"normalise": "z"}, UsageError,
         "rrf uses ranks; scores are normalised only for combsum, combmnz, combanz, combmed"),
        ([{"1": {"d": 1.0}}], {"p": 0.5}, UsageError, "p is a parameter of rbc, not of rrf"),
        ([{"1": {"d": 1.0}}], {"k": -1}, UsageError, "k is -1; expected a number, at least 0"),
        ([{"1": {"d": 1.0}}], {"method": "rbc", "p": 1}, UsageError, "p is 1; expected a number between 0 and 1"),
        ([], {}, UsageError, "no run was given; pass at least one"),
        ([{"1": {"d": 1.0}}, {"1": [("d", 0, 4)]}], {}, InputError,
         "run 1 returns whole documents and run 2 returns spans; fused runs must return the same kind of results; pass documents= to fuse all of them as spans of text"),
        ([{"1": {"d": 1e308}}, {"1": {"d": 1e308}}], {"method": "combsum", "normalise": "none"}, InputError,
         "scores are too large to add; pass normalise=rank"),
        ([{"1": {"d": 1e308, "e": -1e308, "f": 0}}], {"method": "combsum"}, InputError,
         "scores are too large for min-max normalisation; pass normalise=rank"),
        ([{"1": {"d": 2.0, "e": 1.0, "f": -1e300}}], {"method": "combsum", "normalise": "z"}, InputError,
         "scores are too large for z normalisation; pass normalise=rank"),
    ],
)  # fmt: skip
def test_what_cannot_be_fused_is_refused(runs, how, error, what):
    with pytest.raises(error) as refused:
        assay.fuse(runs, **how)
    assert str(refused.value) == what


# The command


def test_the_command_writes_a_run_and_says_what_was_decided(tmp_path):
    done = invoke("fuse", *EXAMPLES, "-o", str(tmp_path / "fused.run"))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "note: dense: 1 of 6 topics is missing from the run, so the run adds nothing there: 3",
        "note: 2 runs (bm25, hybrid): tied scores in 2 to 3 topics; Assay breaks ties by document id",
    ]
    lines = (tmp_path / "fused.run").read_text("utf-8").splitlines()
    assert lines[0] == f"1 Q0 b01 1 {1 / 63 + 1 / 61 + 1 / 61} rrf"
    assert (tmp_path / "fused.run").read_bytes() == assay.convert(assay.fuse(EXAMPLES), "trec")


@pytest.mark.parametrize("to", ["trec", "csv", "tsv", "jsonl", "parquet"])
def test_a_fused_run_is_written_in_any_format_and_read_as_the_same(to):
    done = invoke("fuse", *EXAMPLES, "--to", to, "-o", "fused", "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert by_topic(assay.read_run("fused")) == by_topic(assay.fuse(EXAMPLES))


@pytest.mark.parametrize(
    ("name", "to"),
    [("x.csv", "csv"), ("x.tsv", "tsv"), ("x.JSONL", "jsonl"), ("x.parquet", "parquet"), ("x.run", "trec"), ("x.csv.gz", "csv"),
     ("x.run.bz2", "trec"), ("x.jsonl.xz", "jsonl"), ("x.zst", "trec")],
)  # fmt: skip
def test_the_ending_of_the_output_tells_the_format_and_the_compression(tmp_path, name, to):
    output, converted = tmp_path / name, tmp_path / f"converted-{name}"
    assert invoke("fuse", *EXAMPLES, "-o", str(output), "--quiet").exit_code == 0
    whole = assay.convert(assay.fuse(EXAMPLES), to)
    opened = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}.get(output.suffix)
    if opened:
        assert opened(output.read_bytes()) == whole
    assert by_topic(assay.read_run(output)) == by_topic(assay.fuse(EXAMPLES))
    done = invoke("convert", EXAMPLES[0], "-o", str(converted), *(["--to", "trec"] if to == "trec" else []))
    assert done.exit_code == 0
    assert by_topic(assay.read_run(converted)) == by_topic(assay.read_run(EXAMPLES[0]))


OR_ENDINGS = ", or -o FILE with one of the endings .csv, .tsv, .jsonl, .parquet"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["convert", "a.run", "--to", "trec", "-o", "x.csv"], "x.csv: the ending .csv means csv, but --to says trec; change one of them"),
        (["fuse", "a.run", "--to", "jsonl", "-o", "x.tsv.gz"], "x.tsv.gz: the ending .tsv means tsv, but --to says jsonl; change one of them"),
        (["convert", "a.run", "-o", "x.txt"], f"x.txt: the ending .txt does not name a format; pass --to trec{OR_ENDINGS}"),
        (["convert", "a.run", "-o", "x.run.gz"], f"x.run.gz: the ending .run does not name a format; pass --to trec{OR_ENDINGS}"),
        (["convert", "parts.jsonl", "-o", "x.run"], f"x.run: the ending .run does not name a format; pass --to spans{OR_ENDINGS}"),
        (["convert", "gold.jsonl", "-o", "x.qrels"], f"x.qrels: the ending .qrels does not name a format; pass --to fol{OR_ENDINGS}"),
        (["convert", "q.qrels"], f"no format to write; pass --to trec{OR_ENDINGS}"),
    ],
)  # fmt: skip
def test_an_ending_that_tells_another_format_than_was_asked_for_is_refused(words, said):
    written("1 Q0 d 1 1 x\n", "a.run")
    written("1 0 d 1\n", "q.qrels")
    place = '{"query_id": "1", "doc_id": "d", "start": 0, "end": 4'
    written(place + ', "score": 1}\n', "parts.jsonl")
    written(place + "}\n", "gold.jsonl")
    done = invoke(*words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", said + "\n")


@pytest.mark.parametrize(("duplicates", "order"), [("first", "a b"), ("best", "b a")])
def test_a_document_that_stands_in_a_topic_again_is_fused_once(duplicates, order):
    twice = [("1", "a", 3.0), ("1", "b", 2.0), ("1", "b", 9.0)]
    one_run = assay.fuse({"x": twice, "y": twice}, duplicates=duplicates)
    assert list(by_topic(one_run)["1"]) == order.split()
    which = {"first": "Assay keeps the first", "best": "Assay keeps the one with the best score"}[duplicates]
    assert one_run.notes == (
        f"2 runs (x, y): 1 result repeats a document of the same topic; {which}",
    )
    path = written("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 b 3 9 x\n", "chunks.run")
    done = invoke("fuse", path, "--duplicates", duplicates, "--quiet")
    assert [line.split()[2] for line in done.stdout.splitlines()] == order.split()
    with pytest.raises(UsageError) as refused:
        assay.fuse([twice], duplicates="last")
    assert str(refused.value) == "unknown value 'last' of duplicates; choose from refuse, first, best"


@pytest.mark.parametrize("method", ["borda", "condorcet"])
def test_methods_that_place_everything_say_so_of_topics_that_a_run_lacks(method):
    one_run = assay.fuse({"a": {"1": {"d": 1}, "2": {"d": 1, "e": 2}}, "b": {"1": {"d": 1}}}, method)
    assert one_run.notes == ("b: 1 of 2 topics is missing from the run, so the run ranks all results equal there: 2",)


def test_spans_are_written_as_spans_by_default():
    one = written("topic\tdoc_id\tstart\tend\tscore\n1\td\t0\t8\t1\n", "a.tsv")
    other = written(windows("topic\tdoc_id\tstart\tend\tscore\n1\td\t4\t8\t1\n"), "b.tsv")
    done = invoke("fuse", one, other, "--quiet")
    run = assay.read_run(written(done.stdout, "fused"))
    assert list(by_topic(run)["1"]) == [("d", 4, 8), ("d", 0, 4)]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["a.run", "none.run"], 1, "none.run: no such file"),
        (["a.run", "empty.run"], 1, "empty.run: the input is empty; expected a run"),
        (["a.run", "twice.run"], 1, "twice.run:2: document d is retrieved twice for topic 1 (first on line 1); "
         "pass --duplicates first or --duplicates best to keep one"),
        (["a.run", "a.run"], 2, "run a.run was given twice"),
        (["a.run", "spans.tsv"], 1,
         "a returns whole documents and spans returns spans; fused runs must return the same kind of results; "
         "pass --documents to fuse all of them as spans of text"),
        (["a.run", "-o", "a.run"], 1, "a.run: the output is the same file as the input a.run; choose another file"),
    ],
)  # fmt: skip
def test_the_command_refuses_in_a_line(words, status, said):
    written("1 Q0 d 1 1 x\n", "a.run")
    written("", "empty.run")
    written("1 Q0 d 1 2 x\n1 Q0 d 2 1 x\n", "twice.run")
    written("topic\tdoc_id\tstart\tend\tscore\n1\td\t0\t8\t1\n", "spans.tsv")
    done = invoke("fuse", *words)
    assert (done.exit_code, done.stdout, done.stderr) == (status, "", said + "\n")


def test_chunks_without_offsets_count_as_documents_at_their_best_result():
    chunks = [("a", "one", 3), ("b", "two", 2), ("a", "three", 1)]
    run = [{"topic": "1", "document": name, "text": text, "score": score} for name, text, score in chunks]
    fused = assay.fuse({"chunks": run, "documents": {"1": {"b": 9.0}}}, "rrf")
    assert by_topic(fused) == {"1": {"b": 1 / 62 + 1 / 61, "a": 1 / 61}}
    assert "chunks: 1 result repeats a document of the same topic; Assay counts each document at its first result" in fused.notes
