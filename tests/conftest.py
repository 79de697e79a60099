"""The whole test run: the database under it, options, shared fixtures, the versions really used."""

import gc
import os
import platform
import shutil
import signal
import sqlite3
import threading
import time

import django
import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connection, transaction
from playwright.sync_api import expect, sync_playwright
from whitenoise.middleware import WhiteNoiseMiddleware

import tests.examples  # noqa: F401 - hypothesis's profiles, before any test is read
from config import task_queue
from tests.both_databases import ON_BOTH, reached
from tests.emptying import let_flush_empty_all
from tests.parts import CHROMIUM, DEPLOYMENTS
from tests.servers import find, migrated, postgres
from tests.stack import Stack, migrated_file, migrated_template, used

# Of the live server: without it each response on a kept connection waits 40 ms for the browser's next packet.
WSGIRequestHandler.disable_nagle_algorithm = True
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "client", "admin_client"}


def pytest_configure(config):
    # A run that is told to end ends as at Ctrl-C: servers are stopped, folders removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A shell's background jobs ignore SIGINT, and so would all that is started here: a stop by Ctrl-C, which
    # tests try, would never come to its end.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption(
        "--on-both",
        action="store_true",
        help="run only the tests that touch the database, and of these those that are to run on both",
    )
    parser.addoption(
        "--everything",
        action="store_true",
        help="with --on-both: run every test that touches the database",
    )


def pytest_itemcollected(item):
    """Mark every test that opens a page in Chromium as `services`, and keep them in their folders."""
    if "browser" in getattr(item, "fixturenames", ()):
        if not item.nodeid.startswith((CHROMIUM, DEPLOYMENTS)):
            raise pytest.UsageError(f"{item.nodeid} opens a page in Chromium: move it to {CHROMIUM}")
        item.add_marker("services")


def pytest_collection_modifyitems(config, items):
    _guard_last(config, items)
    if config.getoption("--on-both"):
        every = config.getoption("--everything")
        _choose(config, items, lambda item: _is_on_both(item, every))


def _guard_last(config, items) -> None:
    """The guard looks at what the others did: it comes after them, and only where they all ran."""
    guard = [item for item in items if item.get_closest_marker("guards_both_databases")]
    _choose(config, items, lambda item: item not in guard)
    if config.getoption("--on-both"):
        items += guard


def _is_on_both(item, every: bool) -> bool:
    if item.get_closest_marker("guards_both_databases"):
        return True
    return _touches_database(item) and (every or item.nodeid.startswith(ON_BOTH))


def pytest_collection_finish():
    """What is there by now stays: nobody need look through it again and again for garbage."""
    gc.collect()
    gc.freeze()


def _choose(config, items, wanted) -> None:
    left = [item for item in items if not wanted(item)]
    items[:] = [item for item in items if wanted(item)]
    config.hook.pytest_deselected(items=left)


def _touches_database(item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(fixtures & DATABASE_FIXTURES)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """After a test that loaded public data, PostgreSQL forgets the rows that were rolled back.

    It would do so by itself a minute later; until then every further test reads past 100,000 dead rows.
    """
    done = yield
    # After the last test the database is gone.
    if (
        nextitem
        and item.get_closest_marker("data")
        and _touches_database(item)
        and postgres.process is not None
    ):
        with postgres.connect(str(connection.settings_dict["NAME"])) as maintenance:
            maintenance.execute("VACUUM ANALYZE")
    return done


@pytest.fixture(autouse=True)
def _note_statements(request):
    """Of a run on PostgreSQL: which code sends statements, for the guard (`tests.both_databases`)."""
    if request.config.getoption("--on-both") and reached not in connection.execute_wrappers:
        connection.execute_wrappers.append(reached)


@pytest.fixture(autouse=True)
def _empty_cache():
    """Rows of a test that was rolled back have numbers that the next one's get again."""
    for name in caches.settings:
        caches[name].clear()


@pytest.fixture(autouse=True)
def _no_job_is_left(request):
    """Jobs that pages asked for have ended before the tables are emptied: each could wait for the other."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("live_server")  # so that this ends before it does
    yield
    let_jobs_end()


@pytest.fixture
def alice(db):
    """Alice, who organizes studies."""
    return _logged_in("alice")


@pytest.fixture
def bob(db):
    """Bob, who coordinates studies."""
    return _logged_in("bob")


@pytest.fixture
def charlie(db):
    """Charlie, who has no part in any study."""
    return _logged_in("charlie")


def _logged_in(name):
    from tests.judging.organizing import logged_in  # models, which are not loaded when this file is read

    return logged_in(name)


def let_jobs_end() -> None:
    """Drop the jobs that this process would do in a moment, and wait for those that it does."""
    gatherer = task_queue._gatherer
    with gatherer._lock:
        gatherer._waiting.clear()
        gatherer._timers.clear()
    until = time.monotonic() + 5.0  # a connection that a browser keeps open has nothing to do any more
    while (busy := [one for one in threading.enumerate() if _works(one)]) and time.monotonic() < until:
        for thread in busy:
            if isinstance(thread, threading.Timer):
                thread.cancel()  # one that has begun goes on to its end
            while not thread.is_alive() and thread in threading.enumerate():
                time.sleep(0.01)  # it is being started, and cannot be joined before
            thread.join(timeout=max(0.0, until - time.monotonic()))


def _works(thread: threading.Thread) -> bool:
    """Whether it does a job, or answers a request, which may ask for one."""
    return isinstance(thread, threading.Timer) or "process_request_thread" in thread.name


def on_postgres() -> bool:
    """Whether this run's own database is the private PostgreSQL."""
    return settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """pytest-django calls this just before it makes the test database."""
    if on_postgres():
        postgres.start()
    if migrated() is None:
        return
    name = connection.creation._get_test_db_name()
    if on_postgres():
        postgres.create(name, migrated_template())
    else:
        shutil.copy(migrated_file(), name)


@pytest.fixture(scope="session")
def django_db_keepdb():
    """Whether the test database is there already: a copy of one that the run that started this one made."""
    return migrated() is not None


@pytest.fixture(scope="session", autouse=True)
def _flush():
    """Only within test runs may the ledger be emptied."""
    with pytest.MonkeyPatch.context() as patch:
        let_flush_empty_all(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def _find_static_files_once():
    """Each test client makes the middleware anew, which would look through all static folders again."""
    find, found = WhiteNoiseMiddleware.add_files_from_finders, {}

    def add_files(middleware):
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_files)
        yield


@pytest.fixture(scope="module")
def module_data(django_db_setup, django_db_blocker):
    """Rows made under it stay until the last test of a module; what a test changes is rolled back to them."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def migrated_database():
    """The name of a migrated, empty database of the private PostgreSQL, to copy."""
    return migrated_template()


@pytest.fixture
def new_stack(tmp_path, migrated_database):
    """A function: a deployment of one's own over PostgreSQL and Redis, stopped and removed after the test."""
    stacks: list[Stack] = []

    def make(**options) -> Stack:
        folder = tmp_path / f"stack-{len(stacks)}"
        stack = Stack.over_services(folder, template=migrated_database, **options)
        stacks.append(stack)
        return stack.start()

    yield make
    for stack in stacks:
        stack.stop()


@pytest.fixture
def embedded_stack(tmp_path):
    """One web process over SQLite, as `make run` starts it."""
    stack = Stack.embedded(tmp_path / "embedded").start()
    yield stack
    stack.stop()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, Debian's."""
    # Of a machine that is busy with other tests. What has to be prompt is tried by the page's own clock.
    expect.set_options(timeout=60_000)
    # Playwright's loop runs in this thread; Django would refuse the tests' own queries beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    # No cookie is taken in a frame of another site, as in browsers that block those of third parties.
    flags.append("--test-third-party-cookie-phaseout")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find("chromium-headless-shell"), args=flags)
        used["Chromium"] = browser.version
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A fresh window without cookies, 1280 pixels wide."""
    # Requests of a page with a service worker are not seen by routes.
    context = browser.new_context(viewport={"width": 1280, "height": 800}, service_workers="block")
    context.set_default_timeout(90_000)  # of a machine that is busy with other tests
    yield context.new_page()
    context.close()


def pytest_report_header(config):
    database = "PostgreSQL" if on_postgres() else "SQLite"
    return f"database: {database}; data: {settings.DATA_DIR}"


def pytest_terminal_summary(terminalreporter):
    """Versions that were started and answered in this run, and no others."""
    found = {"Python": platform.python_version(), "Django": django.get_version(), **used}
    if postgres.process is not None:
        found["PostgreSQL"] = postgres.version()
    else:
        found["SQLite"] = sqlite3.sqlite_version
    versions = ", ".join(f"{name} {version}" for name, version in found.items())
    terminalreporter.write_line(f"Really used: {versions}")
    times = os.times()
    own, started = times.user + times.system, times.children_user + times.children_system
    terminalreporter.write_line(f"CPU seconds: {own:.0f}, and {started:.0f} of processes that have ended")
