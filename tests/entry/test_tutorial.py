"""The tutorial, and the page for those who come from another tool: every example gives what it says."""

import doctest

import pytest

from tests.ground import ROOT


@pytest.mark.parametrize("page", ["prefir.md", "coming-from.md"])
def test_every_example_gives_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text()
    found = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert len(found.examples) > 10
    assert doctest.DocTestRunner().run(found).failed == 0
