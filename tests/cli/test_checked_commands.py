"""Commands where a model judged and people checked: what they print, and what they refuse in their own words."""

import json

import pytest

from helpers.commands import invoke
from helpers.places import ROOT

FOLDER = ROOT / "examples" / "checked"
MODEL, PEOPLE, BM25, DENSE = (FOLDER / name for name in ("model.qrels", "people.qrels", "bm25.run", "dense.run"))


def test_json_has_all_that_is_known_of_a_corrected_value():
    (record,) = json.loads(invoke("evaluate", MODEL, DENSE, "-m", "P@5", "--checked", PEOPLE, "--as", "json").stdout)
    # derived by hand in docs/model-judges.md
    assert {name: round(value, 4) for name, value in record.items() if isinstance(value, float)} == {
        "value": 0.6295, "low": 0.4607, "high": 0.7982, "model": 0.8533, "people": 0.6, "people_low": 0.4092,
        "people_high": 0.7908, "lambda": 0.5894, "worth": 2.7782, "bias": 0.22,
    }  # fmt: skip
    assert (record["checked"], record["total"], record["judge"]) == (10, 30, "the model is generous: +0.22")


def test_a_comparison_says_what_was_checked():
    told = json.loads(invoke("compare", MODEL, BM25, DENSE, "-m", "P@5", "--checked", PEOPLE, "--as", "json").stdout)
    assert (told["test"], told["checked"]) == ("t", "10 of 30 topics checked by people")
    assert round(told["pairs"][0]["difference"], 4) == 0.1397


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", MODEL, BM25, DENSE, "--checked", PEOPLE, "-m", "P@5", "--test", "sign"),
         "differences corrected by people's judgments have their own t-test; leave out --test sign"),
        (("evaluate", MODEL, BM25, "--checked", PEOPLE, "-m", "P@5", "--topics", "relevant"),
         "people and the model may disagree on which topics have anything relevant; leave out --topics relevant or --checked"),
        (("evaluate", MODEL, BM25, "--checked", PEOPLE, "-m", "GMAP"),
         "GMAP is not an arithmetic mean over topics; people's judgments correct only arithmetic means such as AP; leave out GMAP"),
        (("evaluate", MODEL, BM25, "--checked", PEOPLE, "-m", "P@5", "--engine", "spark"),
         "a cluster cannot correct values by people's judgments; leave out --checked"),
        (("compare", MODEL, BM25, DENSE, "--checked", PEOPLE, "-m", "P@5", "--show", "best"),
         "the chance of being the best comes from resampling topics, but people's judgments correct only means; "
         "leave out --checked, or compare the runs pair by pair"),
    ],
)  # fmt: skip
def test_commands_refuse_in_their_own_words(words, message):
    done = invoke(*words)
    assert (done.stderr, done.exit_code) == (f"{message}\n", 2)


def test_saved_corrected_scores_are_compared_again(tmp_path):
    saved, judged = tmp_path / "saved.json", (MODEL, BM25, DENSE, "-m", "P@5", "--checked", PEOPLE)
    evaluated = invoke("evaluate", *judged, "--save", saved).stdout
    assert invoke("evaluate", "--scores", saved).stdout == evaluated
    assert invoke("compare", "--scores", saved).stdout == invoke("compare", *judged).stdout
    done = invoke("compare", "--scores", saved, "--scores", saved)
    assert (done.stderr, done.exit_code) == (
        f"{saved}: these values are corrected by people's judgments and cannot be combined with others; "
        "evaluate all runs together, and pass --checked\n", 1,
    )  # fmt: skip


def test_the_same_judgments_twice_are_bad_input():
    done = invoke("evaluate", MODEL, BM25, "--checked", MODEL, "-m", "P@5")
    assert (done.stderr, done.exit_code) == (
        f"{MODEL}: these judgments are the same as {MODEL}; pass --checked with the judgments of people, not of the model\n", 1,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_swapped_judgments_are_bad_input(command):
    done = invoke(command, PEOPLE, BM25, DENSE, "--checked", MODEL, "-m", "P@5")
    assert (done.stderr, done.exit_code) == (
        f"{MODEL}: 30 topics judged here, but only 10 in {PEOPLE}; are the two swapped? pass the model's judgments first, and "
        "those of people as --checked\n", 1,
    )  # fmt: skip


def test_a_run_from_standard_input_cannot_be_read_for_both():
    done = invoke("evaluate", MODEL, "-", "--checked", PEOPLE, "-m", "P@5", stdin=BM25.read_bytes())
    assert (done.stderr, done.exit_code) == ("standard input can be read only once\n", 2)


def test_latex_has_no_letter_that_it_cannot_set():
    shown = invoke("evaluate", MODEL, BM25, "--checked", PEOPLE, "-m", "P@5", "--as", "latex").stdout
    assert "λ" not in shown
    assert r"$\lambda$" in shown


# What people should judge.

DRAW = ("pool", BM25, DENSE, "--judgments", MODEL)


def test_a_draw_tells_its_chances_in_every_layout(tmp_path):
    file = tmp_path / "people.qrels"
    shown = invoke(*DRAW, "--check", 12, "-m", "P@5", "--seed", 3, "--as", "text", "-o", file).stdout
    lines = file.read_text().splitlines()
    assert len({line.split()[0] for line in lines}) == 12
    told = f"drew 12 of 30 topics (chance 0.4); {len(lines)} documents to judge; seed 3"
    assert shown.endswith(f" {told}\n")
    assert invoke(*DRAW, "--check", 12, "-m", "P@5", "--seed", 3, "--as", "json").stderr == f"note: {told}\n"


def test_a_draw_of_pairs_shows_its_strata():
    assert invoke(*DRAW, "--check-pairs", 60, "-m", "P@5", "--as", "text").stdout == (
        "stratum   of        pairs   drawn   chance\n"
        "──────────────────────────────────────────\n"
        "1         grade 0      44      12   0.2727\n"
        "2         grade 1     169      48   0.2840\n\n"
        "drew 12 of 44 pairs of grade 0 (chance 0.2727), 48 of 169 pairs of grade 1 (chance 0.284); seed 0\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--check", 12, "--budget", 3),
         "--budget does not apply with --check, which takes the first --depth results of each run"),
        (("--check", 12, "--mode", "highlight"),
         "--mode does not apply with --check, which takes the first --depth results of each run"),
        (("--check", 12, "--check-pairs", 20), "people check either topics or pairs; leave out --check or --check-pairs"),
        (("--depth", 5, "-m", "P@5"), "--measure requires --check"),
    ],
)  # fmt: skip
def test_a_draw_ignores_no_option(words, message):
    done = invoke(*DRAW, *words)
    assert (done.stderr, done.exit_code) == (f"{message}\n", 2)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda saved: saved["runs"][0].pop("model"), "model is missing, or has the wrong type"),
        (lambda saved: saved["runs"][0].pop("people"), "people is missing, or has the wrong type"),
        (lambda saved: saved["runs"][0]["people"][0].pop(), "run bm25 does not have 1 x 30 people"),
        (lambda saved: saved.update(pairs={"stratum": [], "sizes": [3]}), "stratum is not a list of numbers"),
        (lambda saved: saved.update(pairs={"stratum": [0, 0], "sizes": [1]}), "the checked pairs do not fit their strata"),
    ],
)
def test_a_file_of_corrected_scores_that_was_damaged_is_refused(change, what, tmp_path):
    import assay
    from assay.errors import InputError

    invoke("evaluate", MODEL, BM25, "--checked", PEOPLE, "-m", "P@5", "--save", tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text())
    assert saved["form"] == 2
    change(saved)
    (tmp_path / "saved.json").write_text(json.dumps(saved))
    with pytest.raises(InputError) as error:
        assay.read_scores(tmp_path / "saved.json")
    assert str(error.value) == f"{tmp_path}/saved.json: {what}; expected scores that scores.save() wrote"


def test_scores_that_nobody_checked_are_saved_as_before(tmp_path):
    invoke("evaluate", MODEL, BM25, "-m", "P@5", "--save", tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text())
    assert saved["form"] == 1
    assert set(saved["runs"][0]) == {"run", "missing", "values"}
