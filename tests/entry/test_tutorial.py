"""The tutorial: every example gives what it says."""

import doctest

from tests.ground import ROOT


def test_every_example_of_the_tutorial_gives_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "prefir.md").read_text()
    found = doctest.DocTestParser().get_doctest(text, {}, "prefir.md", "prefir.md", 0)
    assert len(found.examples) > 10
    assert doctest.DocTestRunner().run(found).failed == 0
