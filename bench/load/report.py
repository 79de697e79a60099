"""Tables of what was measured, in Markdown, and what it was measured on."""

import math
import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from bench.load import cpu
from bench.load.check import Found
from bench.load.deployment import Deployments
from bench.load.seen import Burst
from bench.machine import processor
from tests.stack import used

STEPS = ("join", "arrive", "page", "picture", "answer", "submit", "after")
Line = Sequence[str]


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Measured:
    """One burst between two of the floor.

    cpu: seconds by group, from the burst's beginning until all was at rest, `trailing` seconds after it.
    """

    assessors: int
    burst: Burst
    floors: tuple[float, float]
    cpu: dict[str, float]
    trailing: float
    loads: tuple[float, float]
    found: Found

    @property
    def ratio(self) -> float:
        """Answers a second over the floor's replies a second."""
        return 2 * self.burst.rate / sum(self.floors)


def table(header: Line, lines: Sequence[Line]) -> str:
    """A table whose columns stand to the right."""
    rule = ["---:"] * len(header)
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *lines))


def percentiles(seconds: Sequence[float], *parts: float) -> str:
    """Percentiles in whole milliseconds, as "50/95/99"; a dash where there is nothing."""
    if not seconds:
        return "–"
    found = sorted(seconds)
    return "/".join(f"{1000 * found[math.ceil(part * len(found)) - 1]:.0f}" for part in parts)


def machine(place: Deployments) -> str:
    """What it ran on, in general words; after the first burst, since only then Redis has said what it is."""
    services = (
        f"SQLite {sqlite3.sqlite_version}"
        if place.sqlite
        else f"PostgreSQL {place.server.version()}, Redis {used['Redis']}"
    )
    packages = ", ".join(f"{name} {version(name.lower())}" for name in ("Django", "gunicorn"))
    return (
        f"{os.cpu_count()} cores ({processor()}), {platform.system()}, shared by servers, client and all "
        f"else that ran; an fdatasync takes {1000 * cpu.sync_time():.1f} ms. "
        f"Python {platform.python_version()}, {packages}, {services}. {place.size}. "
        f"Web processes x threads: {place.processes} x 8."
    )


def tables(all_measured: Sequence[Measured]) -> str:
    """Throughput, waiting and cost of some bursts."""
    return "\n\n".join([_throughput(all_measured), _waiting(all_measured), _cost(all_measured)])


def _throughput(all_measured: Sequence[Measured]) -> str:
    return table(
        (
            "assessors", "answers/s", "floor/s before, after", "ratio", "load average before, after",
            "5xx", "no reply", "refused", "told that nothing is left", "ledger",
        ),
        [
            (
                f"{one.assessors}", f"{one.burst.rate:.1f}", f"{one.floors[0]:.0f}, {one.floors[1]:.0f}",
                f"{one.ratio:.3f}", f"{one.loads[0]:.1f}, {one.loads[1]:.1f}",
                *(f"{one.burst.faults[name]}" for name in ("5xx", "no reply", "refused")),
                f"{one.burst.nothing}", f"{one.found}",
            )
            for one in all_measured
        ],
    )  # fmt: skip


def _waiting(all_measured: Sequence[Measured]) -> str:
    seen = [step for step in STEPS if any(one.burst.seconds[step] for one in all_measured)]
    heading = "Milliseconds, p50/p95/p99, and how many:"
    lines = [
        (
            f"{one.assessors}",
            *(
                f"{percentiles(one.burst.seconds[step], 0.5, 0.95, 0.99)} ({len(one.burst.seconds[step])})"
                for step in seen
            ),
        )
        for one in all_measured
    ]
    return f"{heading}\n\n{table(('assessors', *seen), lines)}"


def _cost(all_measured: Sequence[Measured]) -> str:
    groups = list(all_measured[0].cpu)
    heading = "CPU, milliseconds an acknowledged answer, with its share of everything before and after it:"
    lines = []
    for one in all_measured:
        stored = len(one.burst.stored) or 1
        own = [1000 * one.cpu[group] / stored for group in groups]
        lines.append(
            (f"{one.assessors}", *(f"{ms:.2f}" for ms in own), f"{sum(own):.2f}", f"{one.trailing:.0f}")
        )
    header = ("assessors", *groups, "together", "seconds of work left after the burst")
    return f"{heading}\n\n{table(header, lines)}"
