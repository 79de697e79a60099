"""The deployment itself: its processes come up, serve, die, and come back."""

import pytest

from tests.servers import wait_until

pytestmark = pytest.mark.services


def test_web_workers_and_beat_come_up_with_the_commands_of_the_compose_file(stack):
    assert stack.get("/health") == (200, "ok\n")


def test_a_killed_web_process_serves_again_after_its_restart(new_stack):
    stack = new_stack()
    stack.kill9("web")
    with pytest.raises(OSError, match="refused"):
        stack.get("/health")
    stack.restart("web")
    assert stack.get("/health")[0] == 200


def test_a_killed_worker_takes_tasks_again_after_its_restart(new_stack):
    """Beat sends a sweep every second; the worker's log shows that it is run."""
    stack = new_stack()
    stack.kill9("worker1")
    stack.restart("worker1")
    wait_until(
        lambda: "tournament.tasks.sweep" in stack.fresh_log("worker1"), what="a sweep after the restart"
    )


def test_workers_take_tasks_again_after_redis_was_killed(new_stack):
    """A worker that held a task may end with an error then: compose starts it again, so does the test."""
    stack = new_stack()
    stack.redis.kill9()
    stack.redis.start()
    seen = len(stack.log("worker1"))
    stack.wait_until(lambda: "sweep[" in stack.log("worker1")[seen:], what="a sweep after Redis is back")


def test_one_process_over_sqlite_serves_alone(embedded_stack):
    assert embedded_stack.get("/health")[0] == 200
    assert list(embedded_stack.processes) == ["web"]
