"""bench/load measures what it says: on next to nothing its tables come out, and the ledger is found right."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from bench.load import __main__ as load
from bench.load import watchers
from bench.load.deployment import Deployments
from bench.load.material import Size
from bench.load.report import Measured, tables
from bench.load.watchers import Watched
from tests.servers import postgres

pytestmark = [pytest.mark.services, pytest.mark.slow]
T = TypeVar("T", Measured, Watched)
SMALL = Size(topics=6, items=12, runs=2)


@pytest.fixture(scope="module")
def place():
    postgres.start()
    with Deployments(SMALL, server=postgres) as place:
        yield place


def aside(measure: Callable[..., T], *args: Any, **options: Any) -> T:
    """Measure in another thread: in this one, a browser of other tests may have an event loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(measure, *args, **options).result()


def measured_with_answers(measure: Callable[..., T], *args: Any, **options: Any) -> T:
    """The first measurement in which an answer arrived; a busy machine gets longer bursts."""
    for seconds in (2, 10, 50):
        measured = aside(measure, *args, seconds=seconds, **options)
        assert measured.found.right, str(measured.found)
        if measured.burst.acknowledged:
            return measured
    raise AssertionError("no answer arrived in 50 seconds")


def test_two_assessors_judge_between_two_bursts_of_the_floor(place):
    measured = measured_with_answers(load.measure, place, 2, floor_seconds=0.2, warm_seconds=0.5)
    assert not measured.burst.faults
    assert measured.ratio > 0
    assert all(spent >= 0 for spent in measured.cpu.values())
    throughput, waiting, cost = (part for part in tables([measured]).split("\n\n") if part.startswith("|"))
    assert throughput.splitlines()[-1].endswith("| right |")
    assert "answer" in waiting.splitlines()[0]
    assert "worker + beat" in cost.splitlines()[0]


def test_watchers_show_the_answers_and_say_how_late(place):
    watched = measured_with_answers(watchers.measure, place, 2, assessors=2, rate=0, warm_seconds=0.5)
    assert watched.lags
    assert watchers.lines([watched]).splitlines()[-1].startswith("| 2 |")
