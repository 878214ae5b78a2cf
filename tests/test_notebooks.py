"""The notebooks of the examples run, and whatever a cell shows it shows once."""

from __future__ import annotations

import asyncio

import pytest

from helpers.places import EXAMPLES

jupyter_client = pytest.importorskip("jupyter_client")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
# What each table of a notebook is the result of.
TABLES = ("scores", "scores.compare", "scores.table", "scores.correlate", "assay.evaluate")


@pytest.fixture(scope="module")
def kernel():
    """A process that runs all notebooks, one after the other; each begins without the names of the others."""
    manager = jupyter_client.AsyncKernelManager()
    yield manager
    if manager.has_kernel:
        asyncio.run(manager.shutdown_kernel(now=True))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_each_result_once(path, kernel):
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "a notebook is kept without what it showed"
    notebook.cells.append(nbformat.v4.new_code_cell("%reset -f"))
    folder = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, km=kernel, timeout=60, resources=folder).execute()
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
