"""How long assessors wait while files are imported, where one process over SQLite does everything.

Usage: .venv/bin/python -m bench.importing [--lines 500000] [--assessors 8] [--rate 0]

Assessors judge without think time (or at so many answers a second in all) while, one after another, an
organizer's page is sent a run of so many lines, most of them about new docnos, and a JSON file of half a
megabyte: one line, an object of 40,000 keys of which the last is given twice. Prints a table in Markdown of
what assessors met before, beside and after each file, and of the answers that were refused or lost.
"""

import argparse
import asyncio
import os
import random
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bench.load.check import check
from bench.load.crowd import Crowd
from bench.load.deployment import Deployments
from bench.load.material import SLUG, Size
from bench.load.report import percentiles, say
from bench.load.seen import Burst
from tests.stack import Stack

CALM = 8.0  # seconds without a file, before the first
LONGEST = 1800.0
OTHER = "other"  # a study whose judging is not open: into others no passages are loaded
STATE = "SELECT state, summary, problem_count FROM collection_import ORDER BY id DESC LIMIT 1"


def run_of(lines: int, topics: int) -> bytes:
    """A run of so many lines over the made study's topics, best first."""
    rng = random.Random(5)
    depth = lines // topics
    return "".join(
        f"t{topic:04} Q0 d{rng.randrange(10**8)}-{rank} {rank} {1000 - rank * 0.25:.2f} big\n"
        for topic in range(1, topics + 1)
        for rank in range(1, depth + 1)
    ).encode()


def hostile(keys: int = 40_000) -> bytes:
    """One line of JSON with so many keys, the last given twice."""
    return ("{" + ", ".join(f'"k{key}":1' for key in [*range(keys), keys - 1]) + "}\n").encode()


def organizer(stack: Stack) -> str:
    """Make a second study, and an organizer of both; return the session of their browser."""
    return stack.python(
        f"""
from django.contrib.auth import get_user_model, login
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.http import HttpRequest
from collection.models import Membership, Study
call_command("study", {OTHER!r}, title="Other", kind="text", verbosity=0)
user = get_user_model().objects.create_user("bench-organizer")
for study in Study.objects.all():
    Membership.objects.create(study=study, user=user, role="organizer")
request = HttpRequest()
request.session = SessionStore()
login(request, user, backend="django.contrib.auth.backends.ModelBackend")
request.session.save()
print(request.session.session_key)
"""
    ).splitlines()[-1]


def send(stack: Stack, session: str, slug: str, kind: str, content: bytes) -> None:
    """Post a file as the page's form does."""
    token, edge = secrets.token_hex(16), secrets.token_hex(8)
    fields = {"csrfmiddlewaretoken": token, "kind": kind}
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="bench.{kind}"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={edge}",
        "Cookie": f"sessionid={session}; csrftoken={token}",
    }
    request = urllib.request.Request(f"{stack.address}/studies/{slug}/load/", body, headers)
    with urllib.request.urlopen(request, timeout=300) as reply:
        reply.read()


def load(stack: Stack, session: str, slug: str, kind: str, content: bytes) -> str:
    """Send a file and wait until it is loaded or refused; return what came of it."""
    send(stack, session, slug, kind, content)
    while True:
        [(state, summary, problems)] = stack.query(STATE)
        if state in ("done", "refused"):
            return str(summary) if state == "done" else f"refused, {problems} problems"
        time.sleep(0.5)


async def beside(
    stack: Stack, link: str, assessors: int, rate: float, do: Callable[[], str]
) -> tuple[Burst, str]:
    """Let assessors judge until a thread has done something; return what they met, and its result."""
    crowd = Crowd(stack.address, link, assessors, rate)
    judging = asyncio.create_task(crowd.judge(LONGEST))
    said = await asyncio.to_thread(do)
    crowd.seen.until = time.perf_counter()
    return await judging, said


@contextmanager
def deployment(size: Size) -> Iterator[tuple[Stack, str]]:
    """One process over SQLite with a made study, and the path of its open link."""
    with Deployments(size, sqlite=True) as place, place.fresh() as stack:
        yield stack, place.made.link


def row(what: str, seen: Burst, said: str) -> str:
    """A line of the table."""
    waits = seen.seconds["answer"]
    faults = ", ".join(f"{count} x {fault}" for fault, count in seen.faults.items()) or "none"
    took = seen.until - seen.began
    told = percentiles(waits, 0.5, 0.99, 1.0)
    return f"| {what} | {took:.0f} | {seen.rate:.1f} | {told} | {faults} | {said} |"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.importing", description="Imports beside assessors")
    parser.add_argument("--lines", type=int, default=500_000, help="of the run")
    parser.add_argument("--topics", type=int, default=Size.topics, help="of the study")
    parser.add_argument("--assessors", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0.0, help="answers a second in all; 0: as many as go")
    asked = parser.parse_args()
    size = Size(asked.topics)
    files = {
        f"run of {asked.lines:,} lines": (SLUG, "run", run_of(asked.lines, size.topics)),
        "hostile JSON": (OTHER, "items", hostile()),
    }
    say(f"making the study: {size}")
    with deployment(size) as (stack, link):
        session = organizer(stack)
        lines, answers = [], []

        def measure(what: str, do: Callable[[], str]) -> None:
            seen, said = asyncio.run(beside(stack, link, asked.assessors, asked.rate, do))
            answers.extend(seen.answers)
            lines.append(row(what, seen, said))
            say(lines[-1])

        measure("none", lambda: time.sleep(CALM) or "")  # type: ignore[func-returns-value]
        for name, (slug, kind, content) in files.items():
            measure(
                f"{name}, {len(content) / 1e6:.1f} MB",
                lambda slug=slug, kind=kind, content=content: load(stack, session, slug, kind, content),  # type: ignore[misc]
            )
        measure("none", lambda: time.sleep(CALM) or "")  # type: ignore[func-returns-value]
        found = check(stack, answers)
    print(f"{asked.assessors} assessors; load average {os.getloadavg()[0]:.1f}; ledger {found}.\n")
    print("| file | s | answers/s | answer, ms: p50/p99/slowest | faults | what came of it |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
