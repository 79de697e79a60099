"""Extras: whatever may be missing is named, in the package and in what installs it."""

import re
import tomllib

import pytest

from prefir.extras import EXTRAS, require
from tests.ground import ROOT


def test_every_extra_that_a_sentence_names_can_be_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(EXTRAS.values()) <= set(extras)
    assert set(re.findall(r"[\w-]+", extras["all"][0].partition("[")[2])) == set(extras) - {"all"}
    assert project["dependencies"] == ["numpy", "numba"]


def test_every_other_package_is_asked_for_by_its_extra():
    """A package that is imported where it may be missing stands below its `require`."""
    others = re.compile(rf"^ +(?:from|import) ({'|'.join(EXTRAS)})\b", re.M)
    optional = {
        "output.py",
        "distributions.py",
        "sheets.py",
        "parquet.py",
    }  # they go on, or say it themselves
    for path in sorted((ROOT / "prefir").rglob("*.py")):
        text = re.sub(r"^if TYPE_CHECKING:\n(?:(?: +.*)?\n)+", "", path.read_text(), flags=re.M)
        for found in others.finditer(text):
            asked = f'require("{found[1]}")' in text or path.name in optional or path.parent.name == "plots"
            assert asked, f"{path.name}: {found[0].strip()}"


def test_what_is_missing_inside_an_extra_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "networkx.py").write_text("import nothing_of_this\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "networkx", raising=False)
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this"):
        require("networkx")
