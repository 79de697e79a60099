"""Emulators for the tests of panels, and a study that is judged in batches of five with two challenges."""

import pytest

from tests.judging.studies import make_study
from tests.panels import emulated


@pytest.fixture(scope="module")
def shared_market(tmp_path_factory):
    """An MTurk emulator for the tests of a file; whoever moves its clock takes `own_market`."""
    with emulated.mturk(tmp_path_factory.mktemp("mturk") / "state") as market:
        yield market


def point_at(market, settings):
    settings.MTURK_MODE = "emulator"
    settings.MTURK_EMULATOR_URL, settings.MTURK_EMULATOR_SITE = market.url, market.site
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    settings.PANEL_CALLS_A_SECOND = 1000.0
    market.calm()
    return market


@pytest.fixture
def market(shared_market, settings):
    return point_at(shared_market, settings)


@pytest.fixture
def own_market(settings, tmp_path):
    with emulated.mturk(tmp_path / "mturk") as market:
        yield point_at(market, settings)


@pytest.fixture
def study(db):
    made = make_study(pairs=20, challenges=9)
    made.tasks.update(batch_size=5, batch_challenges=2)
    return made
