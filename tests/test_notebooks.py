"""The notebooks of the examples run, and whatever a cell shows it shows once."""

from __future__ import annotations

import pytest

from helpers.places import EXAMPLES

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
# What each table of a notebook is the result of.
TABLES = ("scores", "scores.compare", "scores.table", "scores.correlate", "assay.evaluate")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_each_result_once(path):
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "a notebook is kept without what it showed"
    client = nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        # an expression has one result, and nothing is printed beside it
        assert [output.output_type for output in cell.outputs] in ([], ["execute_result"]), cell.source
        last = cell.source.splitlines()[-1].partition("(")[0]
        if last in TABLES:
            (output,) = cell.outputs
            assert output.data["text/html"].count("<table") == 1
            assert "<table" not in output.data["text/plain"]


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["chunks", "documents", "loops"]
