"""How Sphinx makes the site; `scripts/docs_site.py` lays its sources out and runs it."""

import re
from typing import Any

import prefir

project, version = "Faceoff", prefir.__version__
copyright, html_theme, html_title = "the authors of Faceoff", "furo", "Faceoff"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
autodoc_member_order, autodoc_typehints, add_module_names = "bysource", "signature", False
python_maximum_signature_line_length = 90
# What a link in a page leads to besides pages: code, which the site does not show.
suppress_warnings = ["myst.header"]


def setup(app: Any) -> None:
    """Have docstrings, which are plain text, read as such."""
    app.connect("autodoc-process-docstring", as_plain_text)


def as_plain_text(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn a docstring into reST: code in backticks stays code, also over two lines; other signs are text."""
    parts = re.split(r"(`[^`]+`)", "\n".join(lines))
    parts[::2] = [re.sub(r"([*_|`\\])", r"\\\1", part) for part in parts[::2]]
    # A letter after code, as of a plural, needs a sign between.
    parts[2::2] = [re.sub(r"^(?=\w)", r"\\ ", part) for part in parts[2::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    lines[:] = "".join(parts).split("\n")
