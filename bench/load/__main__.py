"""How many answers a deployment takes, and how long people wait, with 1, 8, 32 and 128 assessors at once.

Usage: .venv/bin/python -m bench.load [--write] [--assessors 8 32] [--seconds 8] [--rate 50] [--runs 100]
           [--topics 400] [--items 20] [--pictures] [--sqlite] [--seated]

Starts everything itself: a private PostgreSQL with its own settings, Redis, gunicorn, worker and beat as
docker-compose.yml runs them, and the floor, a bare view with one INSERT and one SELECT. For each number of
assessors: a burst of the floor, one of the product, another of the floor; then the ledger is checked.
Prints tables in Markdown, and progress to the other stream; --write puts them into docs/load.md.
Ends with an error where the ledger is not right.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Sequence

from bench import pages
from bench.load import cpu
from bench.load.check import check
from bench.load.crowd import burst, hammer
from bench.load.deployment import Deployments
from bench.load.material import Size
from bench.load.report import Measured, machine, say, tables

FLOOR_CONNECTIONS = 32
WARM_ASSESSORS, WARM_SECONDS = 8, 2.0


def measure(
    place: Deployments,
    assessors: int,
    *,
    seconds: float = 8.0,
    floor_seconds: float = 3.0,
    warm_seconds: float = WARM_SECONDS,
    rate: float = 0.0,
    seated: bool = False,
) -> Measured:
    """One burst over a fresh deployment, between two of the floor."""
    with place.fresh() as stack:
        link, before = place.made.link, os.getloadavg()[0]
        place.rest(stack)
        # Compiled templates, prepared statements, measures: a server has been up for longer than a second.
        warm = asyncio.run(burst(stack.address, link, WARM_ASSESSORS, warm_seconds))
        place.rest(stack)
        first = asyncio.run(hammer(place.floor, FLOOR_CONNECTIONS, floor_seconds))
        roots = place.roots(stack)
        spent, own = cpu.seconds(roots), time.process_time()
        seen = asyncio.run(burst(stack.address, link, assessors, seconds, rate=rate, seated=seated))
        client, load = time.process_time() - own, os.getloadavg()[0]
        trailing = place.rest(stack)
        cost = cpu.since(spent, roots) | {"client": client}
        second = asyncio.run(hammer(place.floor, FLOOR_CONNECTIONS, floor_seconds))
        found = check(stack, [*warm.answers, *seen.answers])
        say(
            f"{assessors} assessors: {seen.rate:.1f} answers/s, floor {first:.0f} and {second:.0f}/s; "
            f"{found}; load average {before:.1f} before, {load:.1f} after"
        )
        return Measured(assessors, seen, (first, second), cost, trailing, (before, load), found)


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="Load on the assessor's path")
    parser.add_argument("--assessors", type=int, nargs="+", metavar="N", help="1 8 32 128; with --sqlite 8")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of a burst of the product")
    parser.add_argument("--floor-seconds", type=float, default=3.0, help="length of a burst of the floor")
    parser.add_argument("--rate", type=float, default=0.0, help="answers a second in all; 0: as many as go")
    parser.add_argument("--seated", action="store_true", help="let everybody begin a batch before the burst")
    for name in ("topics", "items", "runs"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Size, name), help="of the study")
    parser.add_argument("--pictures", action="store_true", help="a study of pictures, which are fetched too")
    parser.add_argument("--sqlite", action="store_true", help="one process over SQLite, as `make run` starts")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/load.md")
    asked = parser.parse_args(words)
    asked.assessors = asked.assessors or ([8] if asked.sqlite else [1, 8, 32, 128])
    return asked


def main() -> None:
    """Measure, then print the tables or write them into the page."""
    asked = parse()
    size = Size(asked.topics, asked.items, asked.runs, asked.pictures)
    say(f"making the study: {size}")
    with Deployments(size, sqlite=asked.sqlite) as place:
        all_measured = [
            measure(
                place,
                n,
                seconds=asked.seconds,
                floor_seconds=asked.floor_seconds,
                rate=asked.rate,
                seated=asked.seated,
            )
            for n in asked.assessors
        ]
        told = machine(place)
    paced = f" Paced at {asked.rate:g} answers/s in all." if asked.rate else ""
    begun = " Everybody had begun a batch before." if asked.seated else ""
    text = f"{told}{paced}{begun}\n\n{tables(all_measured)}"
    if asked.write:
        pages.put("load.md", "python -m bench.load" + " --sqlite" * asked.sqlite, text)
        say("written to docs/load.md")
    else:
        print(text)
    if wrong := [one for one in all_measured if not one.found.right]:
        raise SystemExit("; ".join(f"{one.assessors} assessors: {one.found}" for one in wrong))


if __name__ == "__main__":
    main()
