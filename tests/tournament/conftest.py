"""A study for tests of rounds."""

import pytest

from collection.changes import judgments_changed
from tests.makers import make_study


@pytest.fixture
def study():
    """One topic of 8 items: a reduction round of 12 pairs (3 meetings each) before a final of 4 or fewer."""
    return make_study(
        items=8, final_size=4, pairings=3, batch_pairs=12, batch_challenges=0, judgments_per_pair=1
    )


@pytest.fixture
def unscored(monkeypatch):
    """Nobody scores: where jobs follow each answer at once, that takes longer than the answers themselves."""
    kept = [one for one in judgments_changed.receivers if one[0][0] != "scoring"]
    assert len(kept) == len(judgments_changed.receivers) - 1
    monkeypatch.setattr(judgments_changed, "receivers", kept)
