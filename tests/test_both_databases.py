"""The guard of what runs on both databases: nothing that depends on the database is tried on SQLite alone."""

import pytest

from tests.both_databases import ELSEWHERE, ON_BOTH, dependent_functions, reached
from tests.ground import ROOT


def test_the_list_names_tests_that_are_there():
    assert [name for name in ON_BOTH if not (ROOT / name).exists()] == []
    assert list(ON_BOTH) == sorted(ON_BOTH)
    assert all("mark.services" in (ROOT / name).read_text() for name in ELSEWHERE.values())


def test_functions_that_depend_on_the_database_are_found():
    found = dependent_functions()
    assert len(found) > 80
    assert {
        "judging/batches/sql_statements/answer.py:store_answer",
        "panels/money.py:post",
        "collection/notices.py:set_watch",
    } <= found


@pytest.mark.guards_both_databases
def test_every_function_that_depends_on_the_database_ran_on_postgresql():
    assert dependent_functions() - reached.functions - ELSEWHERE.keys() == set()
