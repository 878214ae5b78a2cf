"""INEX's assessments of 2005 to 2007 out of a study: valid by their DTD, with the exhaustivity that assessors gave."""

import random
from io import StringIO
from pathlib import Path

import pytest
from lxml import etree

from assay.assessing.launch import study_of_documents
from assay.documents.lookup import Documents
from assay.reading.read import read_judgments
from assay.studies.export import text_elements
from assay.studies.strokes import Stroke, StudySettings
from assay.studies.study import StudyTopic, new_id, open_study
from helpers.assessing import write_documents
from helpers.commands import invoke
from helpers.samples import sample

# Written from the rules of the exporter: an entry point, passages and elements, or nothing; every attribute is there.
DTD = """
<!ELEMENT assessments (inex_topic, file*)>
<!ATTLIST assessments pool CDATA #REQUIRED topic CDATA #REQUIRED version CDATA #REQUIRED>
<!ELEMENT inex_topic ANY>
<!ATTLIST inex_topic topic_id CDATA #REQUIRED query_type CDATA #IMPLIED ct_no CDATA #IMPLIED>
<!ELEMENT file ((best-entry-point, passage+, element+)?)>
<!ATTLIST file collection CDATA #REQUIRED name CDATA #REQUIRED>
<!ELEMENT best-entry-point EMPTY>
<!ATTLIST best-entry-point path CDATA #REQUIRED>
<!ELEMENT passage EMPTY>
<!ATTLIST passage start CDATA #REQUIRED end CDATA #REQUIRED size CDATA #REQUIRED>
<!ELEMENT element EMPTY>
<!ATTLIST element path CDATA #REQUIRED exhaustivity CDATA #REQUIRED size CDATA #REQUIRED rsize CDATA #REQUIRED>
"""
ARTICLE = "<a><s><p>One two.</p><q>Three.</q></s><s>Four <b>five</b> six.</s></a>"
TEXT = "One two.Three.Four five six."


def judged(strokes, settings):
    """A study of two documents, of which the first gets some strokes and the second nothing; both are done."""
    documents = write_documents(Path("wikipedia"), {"x.xml": ARTICLE, "y.xml": "<a>none</a>"})
    study_of_documents("study.db", [StudyTopic("1", "t")], documents, ["x", "y"], settings)
    with open_study("study.db") as study:
        study.elements_of = lambda name: text_elements(name, documents)
        study.add_assessor("anna")
        study.assign([("1", name, "anna") for name in ("x", "y")])
        first, second = study.assignments()
        study.append(first.id, [*strokes, Stroke(new_id(), "validate")], TEXT)
        study.append(second.id, [Stroke(new_id(), "validate")], "none")
    return documents


def exported():
    done = invoke("convert", "study.db", "--to", "inex", "--documents", "wikipedia", "-o", "out/")
    assert done.exit_code == 0, done.stderr
    return etree.parse("out/1.xml")


def test_the_exhaustivity_that_assessors_gave_is_exported(folder):
    levels = {"/a[1]": "1", "/a[1]/s[1]": "1", "/a[1]/s[1]/p[1]": "?", "/a[1]/s[1]/q[1]": "1"}
    strokes = [Stroke(new_id(), "highlight", 4, 10), Stroke(new_id(), "entry", 4)]
    strokes += [Stroke(new_id(), "exhaustivity", value=f"{level} {path}") for path, level in levels.items()]
    documents = judged(strokes, StudySettings("exhaustivity"))
    found = read_judgments("study.db", documents=documents).elements
    assert dict(zip(found.path, found.exhaustivity.tolist(), strict=True)) == {
        path: -1 if level == "?" else int(level) for path, level in levels.items()
    }
    rows = [(one.get("path"), one.get("exhaustivity"), one.get("size"), one.get("rsize")) for one in exported().iter("element")]
    assert rows == [
        ("/a[1]", "1", "28", "6"), ("/a[1]/s[1]", "1", "14", "6"), ("/a[1]/s[1]/p[1]", "?", "8", "4"), ("/a[1]/s[1]/q[1]", "1", "6", "2")
    ]  # fmt: skip


def test_a_passage_ends_in_the_element_of_its_last_character(folder):
    # "two." ends where <p> does, and "five" where <b> does
    spans = [(4, 8), (19, 23)]
    judged([*(Stroke(new_id(), "highlight", *span) for span in spans), Stroke(new_id(), "entry", 4)], StudySettings())
    assert [(one.get("start"), one.get("end")) for one in exported().iter("passage")] == [
        ("/a[1]/s[1]/p[1]/text()[1].4", "/a[1]/s[1]/p[1]/text()[1].8"),
        ("/a[1]/s[2]/b[1]/text()[1].0", "/a[1]/s[2]/b[1]/text()[1].4"),
    ]
    found = read_judgments("out", documents=Documents("wikipedia", cache=False)).highlights
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == spans


@pytest.mark.parametrize("seed", range(sample(3, 60)))
def test_exported_assessments_are_valid_by_the_dtd(folder, seed):
    rng = random.Random(seed)
    strokes = []
    for _ in range(rng.randint(0, 4)):
        start = rng.randrange(len(TEXT))
        strokes.append(Stroke(new_id(), "highlight", start, rng.randint(start + 1, len(TEXT))))
    if strokes:
        strokes.append(Stroke(new_id(), "entry", rng.randrange(len(TEXT))))
    judged(strokes, StudySettings())
    tree, dtd = exported(), etree.DTD(StringIO(DTD))
    assert dtd.validate(tree), dtd.error_log
    assert [one.get("collection") for one in tree.iter("file")] == ["wikipedia", "wikipedia"]
    # the rules that a DTD cannot state: what is highlighted of an element is no more than all of it
    for one in tree.iter("element"):
        assert 0 < int(one.get("rsize")) <= int(one.get("size"))
        assert one.get("exhaustivity") == "2"
    root = tree.find(".//element[@path='/a[1]']")
    assert (int(root.get("rsize")) if root is not None else 0) == sum(int(one.get("size")) for one in tree.iter("passage"))
