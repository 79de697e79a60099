"""The site of all documentation: it builds without a warning, and has every public function."""

import re
from importlib import import_module

import pytest

from scripts.docs_site import PACKAGES, build, public_names

pytestmark = pytest.mark.slow


def test_the_site_has_every_page_and_every_public_name(tmp_path):
    """A link that leads nowhere, or a docstring that cannot be read, fails the build."""
    build(tmp_path)
    assert "prefir in ten minutes" in (tmp_path / "index.html").read_text()
    for package in PACKAGES:
        for module, names in public_names(package):
            page = (tmp_path / "reference" / f"{module}.html").read_text()
            assert {f"{module}.{name}" for name in names} <= set(re.findall(r'id="([\w.]+)"', page)), module
    pictures = re.findall(r'src="(\S+?\.(?:png|jpg))"', (tmp_path / "README.html").read_text())
    assert pictures
    assert all((tmp_path / picture).exists() for picture in pictures)
    assert len(import_module("prefir.measures").__all__) > 150
