"""Scores that are saved and read again, and the fingerprints of what they were made of."""

import json
import pickle

import numpy as np
import pytest

import assay
from assay.errors import InputError, UsageError
from helpers.files import written

GOLD = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.5, "d4": 1}, "q2": {"d3": 2, "d9": 1, "d1": 0.5}}
SPANS = '{"topic": "q", "document": "d", "start": 4, "end": 9}\n{"topic": "q", "document": "e", "start": 0, "end": 3}\n'
CHUNKS = '{"topic": "q", "document": "d", "start": 0, "end": 6, "score": 1}\n'
TEXTS = {"d": "Rye keeps long.", "e": "Oat bread."}


def scores(**rules):
    return assay.evaluate(GOLD, {"a": RUN, "b": {"q2": {"d1": 1}}}, ["AP", "nDCG(dcg=exp)@10", "R@1"], **rules)


def test_what_is_saved_is_read_again_in_full_precision(folder):
    before = scores(by={"q1": "bread", "q2": "cake"})
    before.values[0, 0, 0] = 1 / 3 + 1e-16
    before.values[1, 1] = np.nan, np.inf
    before.save("scores.json")
    after = assay.read_scores("scores.json")
    assert np.array_equal(after.values, before.values, equal_nan=True)
    assert (after.systems, after.measures, after.topics) == (before.systems, before.measures, before.topics)
    assert after.groups == before.groups
    assert after.missing == {"a": [], "b": ["q1"]}
    assert after.made_of() == before.made_of()
    after.save("again.json")
    assert (folder / "again.json").read_bytes() == (folder / "scores.json").read_bytes()


def test_measures_are_saved_with_all_parameters_their_unit_and_version(folder):
    scores().save("scores.json")
    told = json.loads((folder / "scores.json").read_text("utf-8"))
    assert told["measures"][1] == {
        "name": "nDCG(dcg=exp)@10",
        "unit": "documents",
        "version": "1",
        "parameters": {"dcg": "exp", "b": "2", "gains": "", "k": "10", "unit": ""},
    }
    assert told["program"] == assay.__version__


def gold_of(judgments, run=CHUNKS, **rules) -> str:
    return assay.evaluate(judgments, run, "R@5", **rules).made_of().gold


def test_the_fingerprint_of_gold_is_that_of_what_it_tells_not_of_the_file(folder):
    run = written(CHUNKS, "run.jsonl")
    lines = SPANS.splitlines(keepends=True)
    same = [
        written(SPANS, "a.jsonl"),
        written("".join(reversed(lines)), "b.jsonl"),
        written("topic,document,start,end\nq,e,0,3\nq,d,4,9\n", "c.csv"),
        written(SPANS.replace("\n", "\r\n"), "d.jsonl"),
        [json.loads(line) for line in lines],
    ]
    assert len({gold_of(judgments, run) for judgments in same}) == 1


@pytest.mark.parametrize(
    "other",
    [
        SPANS.replace("4", "3"),
        SPANS.replace('"q"', '"p"', 1),
        SPANS.replace('"e"', '"f"'),
        SPANS.splitlines(keepends=True)[0],
        SPANS + SPANS.splitlines(keepends=True)[0],
        SPANS.replace("9}", '9, "set": "1"}').replace("3}", '3, "set": "2"}'),
        SPANS.replace("}", ', "annotator": "A"}'),
        SPANS.replace("9}", '9, "subtopic": "1"}').replace("3}", '3, "subtopic": "2"}'),
    ],
)
def test_the_fingerprint_of_gold_changes_with_anything_it_tells(folder, other):
    run = written('{"topic": "p", "document": "d", "start": 0, "end": 6, "score": 1}\n' + CHUNKS, "run.jsonl")
    gold = written(SPANS, "a.jsonl")
    assert gold_of(gold, run) != gold_of(written(other, "other"), run)


@pytest.mark.parametrize("other", ["1 1 d 1\n1 3 d 2\n", "1 1 d 1\n1 2 d 1\n", "1 1 d 1\n1 2 d 1.5\n"])
def test_the_fingerprint_of_subtopics_changes_with_what_they_tell(folder, other):
    run = written("1 Q0 d 1 1 t\n", "run")
    told = [written(content, name) for name, content in (("a", "1 1 d 1\n1 2 d 2\n"), ("b", other))]
    assert len({assay.evaluate(gold, run, "StRecall@5").made_of().gold for gold in told}) == 2


def test_the_fingerprint_of_a_sample_has_its_strata(folder):
    run = written("1 Q0 d 1 1 t\n", "run")
    told = [written(f"1 0 d {stratum} 1\n1 0 e 2 -1\n1 0 f 2 0\n", stratum) for stratum in ("1", "2")]
    told = [assay.read_judgments(gold, format="sampled") for gold in told]
    assert len({assay.evaluate(gold, run, "xinfAP").made_of().gold for gold in told}) == 2


def test_the_fingerprint_of_documents_is_that_of_their_texts(folder):
    rows = [json.loads(line) for line in SPANS.splitlines()], [json.loads(CHUNKS)]
    for name, text in TEXTS.items():
        written(text, f"texts/{name}.txt")
    written(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in reversed(TEXTS.items())), "texts.jsonl"
    )

    def of(documents):
        return assay.evaluate(*rows, "R@5", documents=documents).made_of().documents

    assert of(TEXTS) == of("texts") == of("texts.jsonl")
    assert of(TEXTS) != of(TEXTS | {"f": "more"})
    assert of(TEXTS) != of(TEXTS | {"e": "Oat bread!"})
    assert of(None) is None


def test_scores_go_to_another_process_with_what_they_were_made_of():
    rows = [json.loads(line) for line in SPANS.splitlines()], [json.loads(CHUNKS)]
    before = assay.evaluate(*rows, "R@5", documents=TEXTS)
    after = pickle.loads(pickle.dumps(before))
    assert np.array_equal(after.values, before.values)
    assert after.made_of() == before.made_of()


def test_the_rules_are_told():
    rules = scores(ties="input", depth=5).made_of().rules
    assert (rules["ties"], rules["depth"], rules["topics"], rules["overlap"]) == ("input", 5, "judged", "paid")


def test_a_tokenizer_is_told_by_its_name_or_its_content(folder):
    def words(text):
        return [(0, len(text))]

    rows = [json.loads(line) for line in SPANS.splitlines()], [json.loads(CHUNKS)]
    given = {"words": "words", words: f"{__name__}.test_a_tokenizer_is_told_by_its_name_or_its_content.<locals>.words"}
    for tokenizer, name in given.items():
        scores = assay.evaluate(*rows, "R(unit=token)@5", documents=TEXTS, tokenizer=tokenizer)
        assert scores.made_of().rules["tokenizer"] == name
        assert scores.made_of().measures[0].unit == "tokens"


def test_a_flat_dict_has_names_that_mlflow_and_weights_and_biases_take():
    assert scores().to_dict() == {
        f"{run}/{name}": scores()[run, measure]
        for run in ("a", "b")
        for name, measure in (("AP", "AP"), ("nDCG_dcg_exp_at_10", "nDCG(dcg=exp)@10"), ("R_at_1", "R@1"))
    }
    assert list(assay.evaluate(GOLD, RUN, ["AP", "IPrec@0.1"]).to_dict()) == ["AP", "IPrec_at_0.1"]


def test_names_that_would_be_one_are_refused():
    with pytest.raises(UsageError) as error:
        assay.evaluate(GOLD, {"a b": RUN, "a,b": RUN}, "AP").to_dict()
    assert str(error.value) == "two values would both get the name a_b/AP; use letters and digits in names of runs"


EXPECTED = "expected scores that scores.save() wrote"
SAVED = {
    "assay": "scores",
    "form": 1,
    "program": "0.1.0",
    "gold": "x",
    "documents": None,
    "rules": {},
    "measures": [{"name": "AP", "unit": "documents", "version": "1", "parameters": {}}],
    "topics": ["1", "2"],
    "runs": [{"run": "a", "missing": [], "values": [[0.5, 1]]}],
}


def test_a_file_like_this_is_read(folder):
    assert assay.read_scores(written(json.dumps(SAVED), "s.json"))["AP"] == 0.75


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"assay": ', f"the file is not JSON; {EXPECTED}"),
        ('{"assay": ' + "[" * 100_000, f"the file is not JSON; {EXPECTED}"),
        ('{"assay": 1}', f"the file has no scores; {EXPECTED}"),
        (SAVED | {"form": 3}, f"the file has form '3'; this version of Assay reads forms 1 and 2; {EXPECTED}"),
        (SAVED | {"gold": 5}, f"gold is missing, or has the wrong type; {EXPECTED}"),
        (SAVED | {"documents": 5}, f"documents is not a string; {EXPECTED}"),
        (SAVED | {"topics": ["1", "1"]}, f"topics is not a list of strings that are all different; {EXPECTED}"),
        (SAVED | {"topics": ["1"]}, f"run a does not have 1 x 1 values; {EXPECTED}"),
        (SAVED | {"measures": []}, f"the file has no measures; {EXPECTED}"),
        (
            SAVED | {"measures": SAVED["measures"] * 2},
            f"a measure occurs twice, or is not written as Assay writes it; {EXPECTED}",
        ),
        (SAVED | {"runs": []}, f"a run occurs twice, or there is no run; {EXPECTED}"),
        (SAVED | {"runs": [{"run": "a", "missing": [], "values": [[0.5, "x"]]}]}, f"'x' is not a value; {EXPECTED}"),
        (
            SAVED | {"runs": [{"run": "a", "missing": [], "values": [[0.5, float("nan")]]}]},
            f"'nan' is not a value; {EXPECTED}",
        ),
        (
            SAVED | {"runs": [{"run": "a", "missing": [], "values": [[0.5, 10**400]]}]},
            f"'1{'0' * 58}…' is not a value; {EXPECTED}",
        ),
        (SAVED | {"groups": {"name": "x", "of_topic": []}}, f"not every topic has a group; {EXPECTED}"),
        (
            SAVED | {"measures": [SAVED["measures"][0] | {"name": "Fluffiness"}]},
            "unknown measure 'Fluffiness'; `assay measures` lists all; define your own measures before you load scores",
        ),
    ],
)
def test_a_file_that_is_not_what_was_saved_is_refused(folder, content, what):
    path = written(content if isinstance(content, str) else json.dumps(content), "s.json")
    with pytest.raises(InputError) as error:
        assay.read_scores(path)
    assert str(error.value) == f"s.json: {what}"


def test_a_file_that_is_not_there_is_refused(folder):
    with pytest.raises(InputError, match=r"^s.json: no such file$"):
        assay.read_scores("s.json")
