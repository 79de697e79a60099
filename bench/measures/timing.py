"""Timing calls against each other on one core, and the table that comes of it."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

THREADS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
ROUND = 0.05  # seconds that one round of a fast call fills
ENOUGH = 4.0  # seconds after which a case has had rounds enough


def one_core() -> None:
    """Keep this process and its libraries to one core; to be called before numpy is imported."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if hasattr(os, "sched_setaffinity"):
        # Not the first one where there are more: interrupts tend to go there.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def missing(modules: Sequence[str]) -> list[str]:
    """Which of the modules are not installed."""
    return [module for module in modules if find_spec(module) is None]


@dataclass(frozen=True, slots=True)
class Call:
    """Something to time: what stands in the timed part, in words, and the function that is it."""

    timed: str
    run: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a table: a call of ours, and a peer's beside it, or what a peer would need.

    wanted: the least ratio or the most seconds, as `at_least` and `within` say. same: whether two results
    say the same, where both measure the same. each: how many a call does, to show the time of one.
    """

    what: str
    ours: Call
    peer: Call | str = ""
    at_least: float | None = None
    within: float | None = None
    same: Callable[[Any, Any], bool] | None = None
    each: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, a few words on how to read it, and lines of as many cells as the header has."""

    title: str
    note: str
    header: tuple[str, ...]
    lines: list[tuple[str, ...]]

    def markdown(self) -> str:
        """The table as docs/speed.md holds it; its first column, and those of words, to the left."""
        words = ("timed", "target")
        rule = ["---" if not at or name.startswith(words) else "---:" for at, name in enumerate(self.header)]
        cells = (self.header, rule, *self.lines)
        rows = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([f"## {self.title}", "", self.note, "", *rows])


def best(*calls: Call, rounds: int = 7) -> list[float]:
    """Seconds of one run of each call: the best of several rounds, in which the calls take turns.

    Each must have run before, which compiles it. A round repeats a fast call until its clock can be trusted.
    Rounds end early where the calls are slow, but each call is timed twice at least.
    """
    gc.collect()
    fastest = [_seconds(call, 1) for call in calls]
    counts = [max(1, int(ROUND / max(seconds, 1e-7))) for seconds in fastest]
    started = time.perf_counter()
    for _ in range(rounds):
        for at, (call, count) in enumerate(zip(calls, counts, strict=True)):
            fastest[at] = min(fastest[at], _seconds(call, count))
        if time.perf_counter() - started > ENOUGH:
            break
    return fastest


def _seconds(call: Call, count: int) -> float:
    run = call.run
    gc.disable()  # as timeit does: whose garbage is collected when would be a matter of luck
    try:
        started = time.perf_counter()
        for _ in range(count):
            run()
        return (time.perf_counter() - started) / count
    finally:
        gc.enable()


HEADER = ("what", "timed: ours", "ours", "timed: peer", "peer", "peer / ours", "target")


def line(case: Case) -> tuple[str, ...]:
    """A case's line under `HEADER`. Raises SystemExit where the two results disagree."""
    result = case.ours.run()
    if isinstance(case.peer, str):
        (ours,) = best(case.ours)
        beside = (case.peer, "", "")
        ratio = None
    else:
        theirs_result = case.peer.run()
        if case.same and not case.same(result, theirs_result):
            raise SystemExit(f"{case.what}: ours and the peer's values disagree")
        ours, theirs = best(case.ours, case.peer)
        ratio = theirs / ours
        beside = (case.peer.timed, written(theirs / case.each), f"{ratio:.3g}")
    return (case.what, case.ours.timed, written(ours / case.each), *beside, _verdict(case, ours, ratio))


def _verdict(case: Case, ours: float, ratio: float | None) -> str:
    if case.at_least is not None:
        met = "not measured" if ratio is None else "met" if ratio >= case.at_least else "missed"
        return f"at least {case.at_least:g}: {met}"
    if case.within is not None:
        return f"under {written(case.within)}: {'met' if ours / case.each < case.within else 'missed'}"
    return ""


def lines(cases: Iterator[Case], report: Callable[[str], None]) -> list[tuple[str, ...]]:
    """The lines of several cases, each reported as soon as it is there."""
    made = []
    for case in cases:
        made.append(line(case))
        report("  " + " | ".join(cell for cell in made[-1] if cell))
    return made


def written(seconds: float) -> str:
    """A time with three digits, in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
