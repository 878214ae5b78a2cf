"""Agreement of the assessors of a study: entry points, documents with suggestions and without, and a chart."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import assay
from assay.assessing.starting import study_of_documents
from assay.studies.strokes import Stroke, StudySettings
from assay.studies.study import StudyTopic, new_id, open_study
from helpers.assessing import write_documents
from helpers.commands import invoke

TEXTS = {"d1": "a" * 100, "d2": "b" * 1000, "d3": "c" * 50}
# passage and entry point of each assessor in each document; None: nothing is relevant
JUDGED = {
    "anna": {"d1": (10, 30, 10), "d2": (0, 100, 0), "d3": None},
    "bob": {"d1": (20, 40, 15), "d2": (0, 100, 300), "d3": (0, 10, 0)},
}


@pytest.fixture
def study(folder):
    documents = write_documents(Path("documents"), TEXTS)
    study_of_documents("study.db", [StudyTopic("1", "t")], documents, list(TEXTS), StudySettings(judges=2))
    with open_study("study.db") as study:
        for name, judged in JUDGED.items():
            study.add_assessor(name)
            study.assign([("1", document, name) for document in TEXTS])
            for one in study.assignments(name):
                given = judged[one.document]
                strokes = []
                if given is not None:
                    strokes = [Stroke(new_id(), "highlight", given[0], given[1]), Stroke(new_id(), "entry", given[2])]
                study.append(one.id, [*strokes, Stroke(new_id(), "validate")], TEXTS[one.document])
    return "study.db"


def test_the_distance_of_entry_points_and_their_nearness(study):
    """Of d3 only one has an entry point. s(x,b) = A L / (A L + d) with A = 0.1: INEX 2007, eq. 8."""
    alike = assay.agreement(study)
    assert alike["entry distance"] == pytest.approx((5 + 300) / 2)
    assert alike["s(x,b)"] == pytest.approx((10 / (10 + 5) + 100 / (100 + 300)) / 2)
    assert alike["F1"] == pytest.approx((2 * 10 / 40 + 1 + 0) / 3)
    assert alike.frame()["entry distance"].to_list()[:2] == [5, 300]
    shown = invoke("agreement", study, "--as", "tsv").stdout.splitlines()[0].split("\t")
    assert shown[-2:] == ["entry distance", "s(x,b)"]
    text = alike.show()
    assert "entry distance is in characters; s(x,b) = 0.1 L / (0.1 L + distance), L the length of the document" in text


def test_documents_with_suggestions_and_without_are_shown_apart(study):
    with open_study(study) as opened:
        (one,) = [each for each in opened.assignments("bob") if each.document == "d2"]
        opened.write(lambda sql: sql.execute("UPDATE assignment SET assisted = 1 WHERE id = ?", [one.id]) and None)
    rows = {tuple(row[:2]): row[2:4] for row in assay.agreement(study).rows()}
    assert rows[("all", "with suggestions")] == [1, 1.0]
    assert rows[("all", "without suggestions")] == [2, pytest.approx(0.25)]
    assert list(rows)[-1] == ("all", "all")


def test_a_chart_has_the_value_of_any_two_annotators(study):
    with open_study(study) as opened:
        opened.add_assessor("carl")
        opened.assign([("1", "d1", "carl")])
        (one,) = opened.assignments("carl")
        strokes = [Stroke(new_id(), "highlight", 10, 30), Stroke(new_id(), "entry", 10), Stroke(new_id(), "validate")]
        opened.append(one.id, strokes, TEXTS["d1"])
    names, square = assay.agreement(study).matrix()
    assert names == ["anna", "bob", "carl"]
    assert square.tolist() == [[1, pytest.approx(0.5), 1], [pytest.approx(0.5), 1, pytest.approx(0.5)], [1, pytest.approx(0.5), 1]]
    done = invoke("agreement", study, "--chart", "agreement.svg")
    assert done.exit_code == 0, done.stderr
    words = ["".join(each.itertext()) for each in ET.parse("agreement.svg").iter() if each.tag.endswith("text")]
    assert {"Inter-annotator agreement", "character F1, mean over documents", "anna", "bob", "carl", "0.50"} <= set(words)


def test_a_chart_of_grades_has_kappa(folder):
    Path("a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d3 1\n1 0 d4 0\n")
    Path("b.qrels").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d3 0\n1 0 d4 0\n")
    assert invoke("agreement", "a.qrels", "b.qrels", "--chart", "agreement.svg").exit_code == 0
    # three of four agree; by chance 1/2 · 1/4 + 1/2 · 3/4
    assert ">0.50<" in Path("agreement.svg").read_text()
    names, square = assay.agreement(["a.qrels", "b.qrels"]).matrix()
    assert (names, square[0, 1]) == (["a.qrels", "b.qrels"], pytest.approx((0.75 - 0.5) / (1 - 0.5)))


def test_names_of_assessors_are_replaced_on_request(study):
    named = invoke("convert", study, "--to", "csv").stdout
    called = invoke("convert", study, "--to", "csv", "--pseudonyms").stdout
    assert "anna" in named
    assert named.replace("anna", "assessor-1").replace("bob", "assessor-2") == called
