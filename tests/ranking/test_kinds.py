"""The kinds of judgments: what is measured by default, on which kind a measure is computed, and what is loaded for it.
"""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import assay
from assay.evaluation.measuring import counted_kind
from assay.measures.notation import parse
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, TEXT, kinds_of
from assay.tables.judgments import HighlightElementJudgments, Highlights
from helpers.places import EXAMPLES

GRADED = EXAMPLES / "graded" / "2003"
FILES = {
    EXAMPLES / "judgments.qrels": (DOCUMENTS,),
    EXAMPLES / "focused" / "highlights.qrels": (TEXT, DOCUMENTS),
    GRADED / "assessments.xml": (ELEMENTS, DOCUMENTS),
}


def elements_and_text():
    """Assessed elements whose documents have highlighted text too, if only none."""
    judged = assay.read_judgments(GRADED / "assessments.xml")
    none, unknown = np.zeros(0, np.int64), np.full(len(judged), -1)
    highlights = Highlights(none, none, none, unknown, unknown, unknown)
    return HighlightElementJudgments(**vars(judged), highlights=highlights)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_judgments_are_of_the_kinds_that_are_in_them(file):
    assert kinds_of(assay.read_judgments(file)) == FILES[file]


def test_judgments_may_be_of_all_kinds():
    assert kinds_of(elements_and_text()) == (TEXT, ELEMENTS, DOCUMENTS)


@pytest.mark.parametrize(
    ("measure", "judged", "kind"),
    [
        ("AP", (DOCUMENTS,), DOCUMENTS),
        ("AP", (TEXT, DOCUMENTS), TEXT),
        ("AP(unit=document)", (TEXT, DOCUMENTS), DOCUMENTS),
        ("nxCG@10", (TEXT, ELEMENTS, DOCUMENTS), ELEMENTS),
        ("Q", (DOCUMENTS,), DOCUMENTS),
        ("Q", (TEXT, ELEMENTS, DOCUMENTS), ELEMENTS),
    ],
)
def test_a_measure_counts_the_finest_kind_that_it_can(measure, judged, kind):
    assert counted_kind(parse(measure), judged) is kind


def test_elements_are_measured_beside_highlighted_text():
    measures, files = ["Q(overlap=off)", "nxCG(overlap=off)@10"], {"documents": GRADED / "documents"}
    alone = assay.evaluate(GRADED / "assessments.xml", GRADED / "Sys1.run", measures, **files)
    beside = assay.evaluate(elements_and_text(), GRADED / "Sys1.run", measures, **files)
    assert beside.values.tolist() == alone.values.tolist()


def test_whole_documents_load_nothing_that_only_parts_need():
    code = (
        "import sys, assay; assay.evaluate(sys.argv[1], sys.argv[2]);"
        "print([name for name in sys.modules if name.startswith('assay.ranking.') and ('text' in name or 'element' in name)])"
    )
    files = [str(EXAMPLES / "judgments.qrels"), str(EXAMPLES / "bm25.run")]
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_text_loads_nothing_that_only_elements_need():
    code = (
        "import sys, assay; assay.evaluate({'q': [('d', 0, 9)]}, {'q': [('d', 5, 12)]}, 'R@5');"
        "print([name for name in sys.modules if name.startswith('assay.ranking.element')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_kind_is_the_same_object_in_another_process():
    assert pickle.loads(pickle.dumps(TEXT)) is TEXT
