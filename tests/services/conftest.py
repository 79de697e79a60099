"""Fixtures of the tests of whole deployments."""

from pathlib import Path

import pytest

from tests.stack import Stack

HERE = Path(__file__).parent
SHARED = pytest.StashKey[Stack]()


@pytest.fixture(scope="package")
def stack(request, tmp_path_factory, migrated_database):
    """A deployment over PostgreSQL and Redis that tests share: make a study of your own in it.

    A test that kills a process starts it again.
    """
    stack = Stack.over_services(tmp_path_factory.mktemp("shared-stack"), template=migrated_database)
    request.config.stash[SHARED] = stack
    yield stack.start()
    _stop_shared(request.config)


def pytest_collection_modifyitems(items):
    """Put the tests that share a deployment first: its sweeps take a twentieth of a core."""
    items.sort(key=lambda item: not (item.path.parent == HERE and "stack" in item.fixturenames))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Stop it after the last module with a test that shares it: by then no fixture needs it."""
    done = yield
    if nextitem is None or (nextitem.path != item.path and "stack" not in nextitem.fixturenames):
        _stop_shared(item.config)
    return done


def _stop_shared(config) -> None:
    if stack := config.stash.get(SHARED, None):
        del config.stash[SHARED]
        stack.stop()
