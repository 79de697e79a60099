"""Emulators and a mail server for tests of panels; a study judged in batches of five with two challenges."""

import pytest

from tests.judging.studies import make_study
from tests.panels import emulated, mailing
from tests.panels.prolific_contract import differences


@pytest.fixture(scope="module")
def shared_market(tmp_path_factory):
    """An MTurk emulator for the tests of a file; anyone who moves its clock takes `own_market`."""
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


@pytest.fixture(scope="module")
def shared_prolific(tmp_path_factory):
    """A Prolific emulator for the tests of a file; anyone who moves its clock takes `own_prolific`."""
    with emulated.prolific(tmp_path_factory.mktemp("prolific") / "state") as market:
        yield market


def point_prolific_at(market, settings):
    settings.PROLIFIC_URL, settings.PROLIFIC_TOKEN = f"{market.url}/api/v1", "of-a-test"
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    settings.PANEL_CALLS_A_SECOND = 1000.0
    market.calm()
    return market


@pytest.fixture
def prolific(shared_prolific, settings):
    """The emulator; what is asked of it, and what it replies, is as Prolific documents."""
    before = len(shared_prolific.log())
    yield point_prolific_at(shared_prolific, settings)
    assert differences(shared_prolific.log()[before:]) == []


@pytest.fixture
def own_prolific(settings, tmp_path):
    with emulated.prolific(tmp_path / "prolific") as market:
        yield point_prolific_at(market, settings)
        assert differences(market.log()) == []


@pytest.fixture
def office():
    with mailing.mail_server() as office:
        yield office
