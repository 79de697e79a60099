"""The notebooks: each runs from its first cell to its last."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.ground import ROOT
from tests.public_data import DATA

pytestmark = pytest.mark.slow
NOTEBOOKS = ROOT / "docs" / "notebooks"


def runs(name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run a notebook in a kernel of its own; the plain text of what its code cells show, in order."""
    monkeypatch.setenv("PREFIR_DATA", str(DATA))
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    return [
        output["data"].get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    ]


def test_votes_of_twenty_models_are_ranked(monkeypatch):
    shown = runs("votes.ipynb", monkeypatch)
    held, correlation = eval(shown[3])
    assert held >= 17
    assert correlation > 0.8


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the public data is not in ../shared/data")
@pytest.mark.parametrize("name", ["cast.ipynb", "images.ipynb"])
def test_notebooks_on_public_data_run_to_their_end(monkeypatch, name):
    assert len(runs(name, monkeypatch)) >= 4


def test_every_notebook_is_run_and_none_holds_what_it_showed_somewhere():
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == {"votes.ipynb", "cast.ipynb", "images.ipynb"}
    for path in NOTEBOOKS.glob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.outputs for cell in cells if cell.cell_type == "code"), path.name
