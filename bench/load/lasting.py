"""Load that lasts: whether anything creeps while people judge for long at a steady pace.

Usage: .venv/bin/python -m bench.load.lasting [--write] [--minutes 20] [--parts 5] [--rate 50]
           [--assessors 40] [--topics 3000] [--items 20] [--runs 4] [--sqlite]

The deployment of `python -m bench.load`, without the floor's bursts. The time is cut into parts of equal
length; each has a line: what people waited for, what it cost, and how much memory and how many messages
there were at its end. What grows from line to line creeps. --write puts the table into docs/load.md.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench import pages
from bench.load import cpu
from bench.load.__main__ import WARM_ASSESSORS, WARM_SECONDS
from bench.load.check import check
from bench.load.crowd import Crowd, burst
from bench.load.deployment import Deployments
from bench.load.material import Size
from bench.load.report import machine, percentiles, say, table
from bench.load.seen import Burst
from tests.stack import Stack

WAITED = ("arrive", "page", "answer", "submit")


@dataclass(frozen=True)
class Part:
    """A part of the time: seconds by step, answers, CPU seconds by group; bytes by group at its end."""

    seconds: Mapping[str, Sequence[float]]
    answers: int
    cpu: Mapping[str, float]
    memory: Mapping[str, int]
    faults: int
    load: float


async def _parts(
    crowd: Crowd, roots: Mapping[str, list[int]], seconds: float, parts: int
) -> tuple[Burst, list[Part]]:
    judging = asyncio.create_task(crowd.judge(seconds))
    await asyncio.sleep(0)
    found = []
    for _ in range(parts):
        met = {step: len(crowd.seen.seconds[step]) for step in WAITED}
        stored, faults, before = len(crowd.seen.stored), crowd.seen.faults.total(), cpu.seconds(roots)
        await asyncio.sleep(seconds / parts)
        found.append(
            Part(
                {step: crowd.seen.seconds[step][met[step] :] for step in WAITED},
                len(crowd.seen.stored) - stored,
                cpu.since(before, roots),
                cpu.memory(roots),
                crowd.seen.faults.total() - faults,
                os.getloadavg()[0],
            )
        )
        say(f"{len(found)} of {parts}: {found[-1].answers} answers")
    return await judging, found


async def last(
    stack: Stack, place: Deployments, assessors: int, rate: float, seconds: float, parts: int
) -> tuple[Burst, list[Part]]:
    """Let people begin their batches, then judge for so long; what each part of the time was like."""
    crowd = Crowd(stack.address, place.made.link, assessors, rate)
    await crowd.sit_down()
    return await _parts(crowd, place.roots(stack), seconds, parts)


def tables(parts: Sequence[Part], minutes: float) -> str:
    """What people waited for and what it cost: a line for each part of the time."""
    each = minutes / len(parts)
    names = [f"{n * each:g}–{(n + 1) * each:g}" for n in range(len(parts))]
    waiting = table(
        ("minutes", "answers/s", *WAITED, "faults", "load average"),
        [
            (
                name, f"{part.answers / (60 * each):.1f}",
                *(percentiles(part.seconds[step], 0.5, 0.95, 0.99) for step in WAITED),
                f"{part.faults}", f"{part.load:.1f}",
            )
            for name, part in zip(names, parts, strict=True)
        ],
    )  # fmt: skip
    groups = list(parts[0].cpu)
    cost = table(
        ("minutes", *groups, *groups),
        [
            (
                name,
                *(f"{1000 * part.cpu[group] / max(1, part.answers):.2f} ms" for group in groups),
                *(f"{part.memory[group] / 1e6:.0f} MB" for group in groups),
            )
            for name, part in zip(names, parts, strict=True)
        ],
    )
    told = "CPU an acknowledged answer, and memory at the end of the part:"
    return f"Milliseconds, p50/p95/p99:\n\n{waiting}\n\n{told}\n\n{cost}"


def main() -> None:
    """Measure, then print the table or write it into the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.load.lasting", description="Load that lasts")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--parts", type=int, default=5, help="of the time, each with a line of its own")
    parser.add_argument("--rate", type=float, default=50.0, help="answers a second in all")
    parser.add_argument("--assessors", type=int, default=40)
    for name, usual in (("topics", 3000), ("items", Size.items), ("runs", Size.runs)):
        parser.add_argument(f"--{name}", type=int, default=usual, help="of the study")
    parser.add_argument("--sqlite", action="store_true", help="one process over SQLite, as `make run` starts")
    parser.add_argument("--write", action="store_true", help="put the table into docs/load.md")
    asked = parser.parse_args()
    size = Size(asked.topics, asked.items, asked.runs)
    say(f"making the study: {size}")
    with Deployments(size, sqlite=asked.sqlite) as place, place.fresh() as stack:
        place.rest(stack)
        warm = asyncio.run(burst(stack.address, place.made.link, WARM_ASSESSORS, WARM_SECONDS))
        seen, parts = asyncio.run(
            last(stack, place, asked.assessors, asked.rate, 60 * asked.minutes, asked.parts)
        )
        trailing = place.rest(stack)
        found = check(stack, [*warm.answers, *seen.answers])
        told = (
            f"{machine(place)} {asked.assessors} assessors, paced at {asked.rate:g} answers/s in all. "
            f"{len(seen.stored):,} answers; {trailing:.0f} s of work left afterwards; ledger: {found}."
        )
    text = f"{told}\n\n{tables(parts, asked.minutes)}"
    if asked.write:
        pages.put("load.md", "python -m bench.load.lasting" + " --sqlite" * asked.sqlite, text)
        say("written to docs/load.md")
    else:
        print(text)
    if not found.right:
        raise SystemExit(str(found))


if __name__ == "__main__":
    main()
