"""Browsers of the people who run studies: Alice organizes, Bob coordinates, Charlie has no part."""

import pytest

from tests.judging.organizing import logged_in


@pytest.fixture
def alice(db):
    """Staff, so that she may make studies."""
    return logged_in("alice", is_staff=True)


@pytest.fixture
def bob(db):
    return logged_in("bob")


@pytest.fixture
def charlie(db):
    return logged_in("charlie")
