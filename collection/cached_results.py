"""Cached results: figures of a study that take seconds, computed by a job and cached until their data change.

A page shows what is cached. A small result is computed while the page waits; a large one by a job, which runs
once at a time and reports its progress. `web.shared.waiting_pages` does this for pages. The cache has one
result for each set of parameters; results of another edition of the code are not in it
(`config.code_edition`).
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError
from django.utils import timezone

from collection.models import Study
from config.task_queue import began

Result = TypeVar("Result")
# Called with how many topics are done, and how many there are.
Progress = Callable[[int, int], None]

# A lease lasts so long after the last progress: a process that was killed blocks others no longer.
LEASE_SECONDS = 120
# A request that no job has answered by then is dropped, and of more than these the oldest.
REQUEST_SECONDS, MOST_REQUESTS = 600, 10
# Results that a process keeps as they were read last: to read one of 10,000 people takes half a second.
MOST_KEPT = 8


class Computed(NamedTuple, Generic[Result]):
    """A result, the version of its data, and when it was computed."""

    version: str
    at: datetime
    value: Result

    @property
    def stamp(self) -> tuple[str, datetime]:
        """What tells it from other results of the same parameters."""
        return self.version, self.at

    def is_younger(self, seconds: float) -> bool:
        """Tell whether it was computed within the last `seconds`."""
        return timezone.now() - self.at < timedelta(seconds=seconds)


_kept: dict[str, Computed[Any]] = {}


class CachedResult(Generic[Result]):
    """One kind of result. Parameters are positional, and each has a `repr` that says its value.

    name: unique in the product. version: of the data that a study's result rests on. compute: takes the study
    and a function to report progress. is_small: whether a page can wait for the result. days: how long it is
    cached. job_seconds: after which a job is ended.
    """

    def __init__(
        self,
        name: str,
        *,
        version: Callable[[Study], str],
        compute: Callable[..., Result],
        is_small: Callable[[Study], bool],
        days: int = 7,
        lease_seconds: int = LEASE_SECONDS,
        job_seconds: int = settings.CELERY_TASK_TIME_LIMIT,
    ) -> None:
        self.name, self.version, self.is_small = name, version, is_small
        self._compute, self._seconds, self._lease_seconds = compute, days * 86400, lease_seconds

        @shared_task(
            name=f"compute.{name}",
            autoretry_for=(OperationalError,),
            retry_backoff=True,
            time_limit=job_seconds,
            soft_time_limit=job_seconds - 30,
        )
        def job(study_id: int) -> None:
            began(job, study_id)
            self.compute_requested(Study.objects.get(pk=study_id))

        self.job = job

    def latest(self, study: Study, *params: Any) -> Computed[Result] | None:
        """The last computed result, of any version. A process reads it once: leave it as it is."""
        key, stamp = self._key("result", study, params), cache.get(self._key("stamp", study, params))
        kept: Computed[Result] | None = _kept.get(key)
        if kept is not None and stamp == kept.stamp:
            return kept
        found: Computed[Result] | None = cache.get(key)
        if found is not None:
            _kept.pop(key, None)
            _kept[key] = found
            for oldest in list(_kept)[:-MOST_KEPT]:
                _kept.pop(oldest, None)
        return found

    def cached(self, study: Study, *params: Any) -> Result | None:
        """The result of the present data, if it is cached."""
        found = self.latest(study, *params)
        return found.value if found is not None and found.version == self.version(study) else None

    def progress(self, study: Study, *params: Any) -> tuple[int, int] | None:
        """Topics done and topics in all; None if no process computes it."""
        found: tuple[int, int] | None = cache.get(self._key("lease", study, params))
        return found

    def took(self, study: Study) -> float | None:
        """Seconds that the last result of a study took, whatever its parameters; None if none is known."""
        found: float | None = cache.get(self._key("seconds", study))
        return found

    def request(self, study: Study, *params: Any) -> None:
        """Note a requested result, for the job."""
        others = [one for one in self.requested(study) if one != params]
        cache.set(self._key("requests", study), [*others[1 - MOST_REQUESTS :], params], REQUEST_SECONDS)

    def compute_requested(self, study: Study) -> None:
        """Compute the requested results that are not cached."""
        for params in self.requested(study):
            if self.cached(study, *params) is None:
                self.compute(study, *params)
            left = [one for one in self.requested(study) if one != params]
            cache.set(self._key("requests", study), left, REQUEST_SECONDS)

    def compute(self, study: Study, *params: Any) -> Result | None:
        """Compute a result and cache it; None if another process is computing it."""
        found = self.refresh(study, *params)
        return None if found is None else found.value

    def refresh(self, study: Study, *params: Any) -> Computed[Result] | None:
        """As `compute`, with the version and the time of the result."""
        lease = self._key("lease", study, params)

        def report(done: int, of: int) -> None:
            cache.set(lease, (done, of), self._lease_seconds)

        if not cache.add(lease, (0, 0), self._lease_seconds):
            return None
        try:
            # Read before the data: a result is never of an older version than it says.
            version = self.version(study)
            began_at = monotonic()
            found = Computed(version, timezone.now(), self._compute(study, report, *params))
            cache.set(self._key("seconds", study), monotonic() - began_at, self._seconds)
            cache.set(self._key("result", study, params), found, self._seconds)
            cache.set(self._key("stamp", study, params), found.stamp, self._seconds)
        finally:
            cache.delete(lease)
        return found

    def now(self, study: Study, *params: Any) -> Result:
        """The result of the present data, for a file or a figure: cached, else computed now."""
        found = self.cached(study, *params)
        if found is None:
            found = self.compute(study, *params)
        return self._compute(study, lambda *_: None, *params) if found is None else found

    def requested(self, study: Study) -> list[Any]:
        """Parameters of the results that pages wait for."""
        found: list[Any] = cache.get(self._key("requests", study), [])
        return found

    def _key(self, what: str, study: Study, params: tuple[object, ...] = ()) -> str:
        return f"{what}:{self.name}:{study.pk}:{sha256(repr(params).encode()).hexdigest()[:24]}"
