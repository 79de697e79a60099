"""Fixtures of the browser tests: a study, and the address of somebody who is judging it."""

import pytest

from judging.batches import answering
from tests.judging.studies import invite, make_study


@pytest.fixture
def study():
    return make_study()


@pytest.fixture
def address(live_server, study):
    """The personal address of somebody who has agreed and holds a batch of 13 questions."""
    assessor = invite(study)
    answering.arrive(assessor.pk)
    return f"{live_server.url}/i/{assessor.reference}/"
