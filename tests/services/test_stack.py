"""The deployment itself: its processes come up, serve, die, and come back."""

import re

import pytest

from tests.servers import postgres, wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services


def swept(log: str) -> bool:
    """Whether a worker took a sweep and finished it in this part of its log."""
    return bool(re.search(r"sweep\[(\S+)\] received.*sweep\[\1\] succeeded", log, re.DOTALL))


def test_web_worker_and_beat_come_up_with_the_commands_of_the_compose_file(stack):
    assert stack.get("/health") == (200, "ok\n")
    wait_until(lambda: swept(stack.log("worker1")), what="a sweep that beat sent and the worker did")


def test_the_health_checks_of_the_compose_file_pass_where_all_is_well_and_fail_where_one_is_killed(new_stack):
    """So does the answer of the web process, when its database is gone."""
    stack = new_stack(WEB_THREADS="2")
    stack.launch("standings")
    stack.launch("live")
    services = ("web", "worker", "standings", "live", "beat")
    # Each is asked until it says so once, and not before it is up: every question starts a process.
    wait_until(lambda: " ready." in stack.fresh_log("standings"), seconds=60, what="standings are ready")
    wait_until(stack.live_listens, what="the stream's process")
    waiting = set(services)

    def healthy() -> bool:
        waiting.difference_update([name for name in waiting if stack.healthy(name)])
        return not waiting

    wait_until(healthy, what="every service is healthy")
    stack.kill9("worker1")
    assert not stack.healthy("worker")
    postgres.drop(stack.database)
    assert stack.get("/health") == (503, "The database does not answer.\n")
    assert not stack.healthy("web")


def test_a_killed_web_process_and_worker_come_back_after_a_restart(stack):
    stack.kill9("web")
    stack.kill9("worker1")
    with pytest.raises(OSError, match="refused"):
        stack.get("/health")
    assert not stack.healthy("web")
    stack.restart("web")
    stack.restart("worker1")
    assert stack.get("/health")[0] == 200
    wait_until(lambda: swept(stack.fresh_log("worker1")), what="a sweep after the restart")


def test_workers_go_on_after_the_database_has_ended_their_connections(stack):
    """As after a restart of PostgreSQL."""

    def sweepers(log: str) -> set[str]:
        return set(re.findall(r"(ForkPoolWorker-\d+)\] Task \S+sweep\[\S+ succeeded", log))

    wait_until(lambda: sweepers(stack.log("worker1")), what="a process of the worker swept")
    before = sweepers(stack.log("worker1"))
    with postgres.connect() as maintenance:
        maintenance.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [stack.database]
        )
    begin = len(stack.log("worker1"))
    wait_until(
        lambda: sweepers(stack.log("worker1")[begin:]) & before,
        seconds=90,
        what="one of those that had a connection sweeps again",
    )


def test_workers_take_tasks_again_after_redis_was_killed(stack):
    """A worker that held a task may end with an error then: compose starts it again, so does the test."""
    stack.wait_until(lambda: swept(stack.log("worker1")), what="a first sweep")
    stack.redis.kill9()
    stack.redis.start()
    seen = len(stack.log("worker1"))
    stack.wait_until(
        lambda: swept(stack.log("worker1")[seen:]), seconds=120, what="a sweep after Redis is back"
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    stack = Stack.embedded(
        tmp_path_factory.mktemp("alone"), SWEEP_SECONDS="0.5", LOG_LEVEL="DEBUG", WEB_LOG_LEVEL="debug"
    ).start()
    yield stack
    stack.stop()


def test_one_process_over_sqlite_serves_alone(alone):
    assert alone.get("/health")[0] == 200
    assert list(alone.processes) == ["web"]


def test_one_process_alone_sweeps_for_itself(alone):
    """A batch whose time is over is given back, although nobody arrives and nothing starts again."""
    alone.python(
        "from judging.batches import answering\n"
        "from tests.makers import invite, make_study, open_study, run_out\n"
        "run_out(answering.arrive(invite(open_study(make_study())).pk))"
    )
    lapsed = "SELECT count(*) FROM judging_assignment WHERE state = 'lapsed'"
    wait_until(lambda: alone.query(lapsed) == [(1,)], what="the sweep")
    assert "Traceback" not in alone.log("web")


def test_no_query_string_is_in_the_log_however_much_it_says(alone):
    """People of panels come with their ids in the address."""
    for path in ("/", "/p/nobody/", "/e/nobody/", "/i/nobody/", "/studies/garden/", "/static/nothing.css"):
        alone.get(f"{path}?participant=5f0verysecret")
    log = alone.log("web")
    assert "[DEBUG]" in log
    assert "verysecret" not in log
