"""Where the public data lie, and the marks of tests that read them; docs/real-data.md says what they are."""

import pytest

from tests.ground import ROOT

DATA = ROOT.parent / "shared" / "data"
needs_data = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.is_dir(), reason="the public data is not in ../shared/data"),
]
