"""What open leaderboards cost those who judge, and how late the numbers are that they show.

Usage: .venv/bin/python -m bench.load.watchers [--write] [--watchers 0 200 1000] [--rate 50] [--seconds 20]
           [--assessors 40] [--polls] [--topics 400] [--items 20] [--runs 4]

The deployment of `python -m bench.load`, without a floor's bursts. --rate is that of all answers together;
0 lets assessors go as fast as they can. --write puts the table into docs/load.md.
"""

import argparse
import asyncio
import os
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench import pages
from bench.load.__main__ import WARM_ASSESSORS, WARM_SECONDS
from bench.load.check import Found, check
from bench.load.crowd import Crowd, burst
from bench.load.deployment import Deployments
from bench.load.material import SLUG, Size
from bench.load.report import machine, percentiles, say, table
from bench.load.seen import Burst
from bench.load.watching import Watcher, lags, open_all, shown_in
from tests.stack import Stack

SETTLES = 15.0  # seconds after the burst in which numbers may still come


@dataclass(frozen=True)
class Watched:
    """One burst with so many leaderboards open; `lags` in seconds, `missed` numbers never came."""

    watchers: int
    burst: Burst
    asked: float  # times a second that one of them asked for news
    faults: int
    lags: list[float]
    missed: int
    load: float
    found: Found


async def watched(
    stack: Stack, place: Deployments, watchers: int, assessors: int, seconds: float, rate: float
) -> tuple[Burst, list[Watcher], float]:
    """Let people begin, open the leaderboards, let the people go on; also: news asked for a second.

    Returns when the last number is shown, or did not come.
    """
    crowd = Crowd(stack.address, place.made.link, assessors, rate)
    await crowd.sit_down()
    await asyncio.to_thread(place.rest, stack)
    page, cookie = f"/studies/{SLUG}/leaderboard/", f"sessionid={place.made.session}"
    people = [Watcher(stack.address, page, cookie, streamed=place.live) for _ in range(watchers)]
    following = await open_all(people)
    before = sum(one.asked for one in people)
    seen = await crowd.judge(seconds)
    asked = (sum(one.asked for one in people) - before) / (time.perf_counter() - seen.began)
    counted = len(shown_in(seen))
    until = time.perf_counter() + SETTLES
    while any(one.judgments < one.shown[0][1] + counted for one in people) and time.perf_counter() < until:
        await asyncio.sleep(0.1)
    for task in following:
        task.cancel()
    for result in await asyncio.gather(*following, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return seen, people, asked


def measure(
    place: Deployments,
    watchers: int,
    *,
    assessors: int = 40,
    seconds: float = 20.0,
    rate: float = 50.0,
    warm_seconds: float = WARM_SECONDS,
) -> Watched:
    """One burst over a fresh deployment, with so many leaderboards open."""
    with place.fresh() as stack:
        place.rest(stack)
        warm = asyncio.run(burst(stack.address, place.made.link, WARM_ASSESSORS, warm_seconds))
        place.rest(stack)
        seen, people, asked = asyncio.run(watched(stack, place, watchers, assessors, seconds, rate))
        load = os.getloadavg()[0]
        place.rest(stack)
        found = check(stack, [*warm.answers, *seen.answers])
        waited = [lags(one, shown_in(seen)) for one in people]
        say(f"{watchers} watchers: {seen.rate:.1f} answers/s; {found}; load average {load:.1f} after")
        return Watched(
            watchers,
            seen,
            asked,
            sum(one.faults for one in people),
            [lag for own, _ in waited for lag in own],
            sum(missed for _, missed in waited),
            load,
            found,
        )


def lines(all_watched: Sequence[Watched]) -> str:
    """The table of some bursts."""
    header = (
        "watchers", "answers/s", "answer ms, p50/p99", "lag ms, p50/p95/p99", "never shown",
        "news asked for/s", "without reply", "load average", "ledger",
    )  # fmt: skip
    return table(
        header,
        [
            (
                f"{one.watchers:,}", f"{one.burst.rate:.1f}",
                percentiles(one.burst.seconds["answer"], 0.5, 0.99),
                percentiles(one.lags, 0.5, 0.95, 0.99), f"{one.missed:,}",
                f"{one.asked:.0f}", f"{one.faults:,}", f"{one.load:.1f}", f"{one.found}",
            )
            for one in all_watched
        ],
    )  # fmt: skip


def main() -> None:
    """Measure, then print the table or write it into the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.load.watchers", description="Open leaderboards")
    parser.add_argument("--watchers", type=int, nargs="+", metavar="N", default=[0, 200, 1000])
    parser.add_argument("--assessors", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20.0, help="length of a burst")
    parser.add_argument("--rate", type=float, default=50.0, help="answers a second in all; 0: as many as go")
    for name in ("topics", "items", "runs"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Size, name), help="of the study")
    parser.add_argument("--polls", action="store_true", help="without a stream: each asks once a second")
    parser.add_argument("--write", action="store_true", help="put the table into docs/load.md")
    asked = parser.parse_args()
    # A connection each, here and in the servers, which inherit the limit.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    size = Size(asked.topics, asked.items, asked.runs)
    say(f"making the study: {size}")
    with Deployments(size, live=not asked.polls) as place:
        all_watched = [
            measure(place, n, assessors=asked.assessors, seconds=asked.seconds, rate=asked.rate)
            for n in asked.watchers
        ]
        paced = f"paced at {asked.rate:g} answers/s in all" if asked.rate else "as fast as they can"
        how = "asking once a second" if asked.polls else "told by the stream"
        told = (
            f"{machine(place)} {asked.assessors} assessors, {paced}, for {asked.seconds:g} s; watchers {how}."
        )
    text = f"{told}\n\n{lines(all_watched)}"
    if asked.write:
        pages.put("load.md", "python -m bench.load.watchers", text)
        say("written to docs/load.md")
    else:
        print(text)
    if wrong := [one for one in all_watched if not one.found.right]:
        raise SystemExit("; ".join(f"{one.watchers} watchers: {one.found}" for one in wrong))


if __name__ == "__main__":
    main()
