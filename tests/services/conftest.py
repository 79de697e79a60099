"""Fixtures of the tests of whole deployments."""

import pytest

from tests.stack import Stack


@pytest.fixture(scope="package")
def stack(tmp_path_factory, migrated_database):
    """A deployment over PostgreSQL and Redis that tests share: make a study of your own in it.

    A test that kills a process starts it again. It ends with these tests: its sweeps would keep a core busy.
    """
    stack = Stack.over_services(tmp_path_factory.mktemp("shared-stack"), template=migrated_database)
    stack.start()
    yield stack
    stack.stop()
