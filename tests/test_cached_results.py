"""Cached results: computed once at a time, found while their data stay the same, and known to workers."""

from importlib import import_module
from pathlib import Path

import pytest
from django.core.cache import cache

from collection.cached_results import CachedResult
from config.celery import app
from tests.makers import make_study

ROOT = Path(__file__).parent.parent


@pytest.fixture
def study(db):
    return make_study()


class Data:
    """Data of a version that a test changes, and the parameters with which something was computed of it."""

    def __init__(self):
        self.version, self.calls = "1", []

    def result(self, name, compute=None):
        return CachedResult(
            name,
            version=lambda _: self.version,
            compute=compute or self.compute,
            is_small=lambda _: True,
        )

    def compute(self, study, progress, *params):
        self.calls.append(params)
        return f"{self.version} {params}"


@pytest.fixture
def data():
    return Data()


def test_a_result_is_cached_by_its_parameters_until_its_data_change(study, data):
    kind = data.result("test-cached")
    assert kind.cached(study, "a") is None
    assert kind.compute(study, "a") == "1 ('a',)" == kind.cached(study, "a")
    assert kind.cached(study, "b") is None
    data.version = "2"
    assert kind.cached(study, "a") is None
    assert kind.latest(study, "a").value == "1 ('a',)"
    assert kind.now(study, "a") == kind.now(study, "a") == "2 ('a',)"
    assert data.calls == [("a",), ("a",)]


def test_a_process_reads_a_result_once_until_another_is_computed_or_the_cache_is_emptied(study):
    kind = CachedResult(
        "test-kept", version=lambda _: "1", compute=lambda *_: object, is_small=lambda _: True
    )
    kind.compute(study)
    first = kind.latest(study)
    assert kind.latest(study) is first
    kind.compute(study)
    second = kind.latest(study)
    assert second is not first
    assert second.at > first.at
    assert kind.latest(study) is second
    cache.clear()
    assert kind.latest(study) is None


def test_it_is_known_how_long_the_last_result_took_whatever_its_parameters(study, monkeypatch):
    moments = iter([100.0, 114.5, 200.0, 203.0])
    monkeypatch.setattr("collection.cached_results.monotonic", lambda: next(moments))
    kind = CachedResult("test-took", version=lambda _: "1", compute=lambda *_: 1, is_small=lambda _: True)
    assert kind.took(study) is None
    kind.compute(study, "a")
    assert kind.took(study) == 14.5
    kind.compute(study, "b")
    assert kind.took(study) == 3.0


def test_data_that_change_during_the_computation_make_the_result_old(study, data):
    def compute(study, progress):
        data.version = "2"

    kind = data.result("test-changes", compute)
    kind.compute(study)
    assert kind.cached(study) is None
    assert kind.latest(study).version == "1"


def test_one_process_computes_at_a_time_and_the_next_one_after_a_failure(study, data):
    seen = []

    def compute(study, progress):
        progress(3, 4)
        seen.append((kind.progress(study), kind.compute(study)))
        raise ValueError("no luck")

    kind = data.result("test-lease", compute)
    for _ in range(2):
        with pytest.raises(ValueError, match="no luck"):
            kind.compute(study)
    assert seen == [((3, 4), None)] * 2
    assert kind.progress(study) is None


def test_a_job_computes_what_was_requested_and_is_not_there(study, data):
    kind = data.result("test-requests")
    kind.compute(study, "a")
    for wanted in ("a", "b", "b", "c"):
        kind.request(study, wanted)
    kind.job(study.pk)
    assert data.calls == [("a",), ("b",), ("c",)]
    data.version = "2"
    kind.job(study.pk)  # nobody has asked again
    assert len(data.calls) == 3


def test_every_cached_result_has_a_job_that_workers_know():
    jobs = [import_module(f"{path.parent.name}.jobs") for path in ROOT.glob("*/jobs.py")]
    known = [kind.name for module in jobs for kind in getattr(module, "RESULTS", [])]
    product = [
        path for path in ROOT.glob("*/**/*.py") if path.parts[len(ROOT.parts)] not in ("tests", ".venv")
    ]
    assert len(set(known)) == sum(path.read_text().count("= CachedResult(") for path in product) == 20
    assert {f"compute.{name}" for name in known} <= set(app.tasks)
