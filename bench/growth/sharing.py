"""Sharing long work: how long whole rescoring and rebuilding take with the help of 0, 1, 2 workers.

Usage: .venv/bin/python -m bench.growth.sharing [--judgments 100000 --topics 1000 --runs 30 --depth 5]
           [--workers 0 1 2]

The study of `python -m bench.growth`, over a private PostgreSQL and Redis; each worker has the two children
of docker-compose.yml. Each command is run by itself and works too, so with one worker three processes share
the topics. Prints a table in Markdown: seconds, and CPU seconds of the command, the workers and PostgreSQL.
"""

import argparse
import resource
import time
from pathlib import Path

from bench.load import cpu
from bench.load.report import say, table
from tests.ground import scratch_folder
from tests.servers import Postgres, Redis
from tests.stack import Stack, command_of

MADE = "growth_made"
SLUG = "growth"
MAKE = """
from bench.growth import material
material.make(material.Size({judgments}, {topics}, {runs}, {depth}), lambda what: None)
"""
COMMANDS = ("rescore", "rebuild_rounds", "rebuild")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth.sharing", description="Sharing long work")
    for name, usual in (("judgments", 100_000), ("topics", 1_000), ("runs", 30), ("depth", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual, help="of the study")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2])
    asked = parser.parse_args()
    folder, server = scratch_folder("sharing"), Postgres(durable=True)
    server.start()
    try:
        make(folder / "made", server, asked)
        lines = [line for workers in asked.workers for line in measure(folder, server, workers)]
    finally:
        server.stop()
    header = ("command", "workers", "seconds", "CPU s: command", "workers", "PostgreSQL")
    print(table(header, lines))


def make(folder: Path, server: Postgres, asked: argparse.Namespace) -> None:
    """Write the study into a database that is copied for each measurement."""
    server.create(MADE)
    redis = Redis(command_of("redis"))
    maker = Stack(folder, database=MADE, redis=redis, workers=0, server=server)
    redis.start()
    try:
        maker.manage("migrate", "--verbosity=0")
        say("making the study")
        maker.python(MAKE.format(**vars(asked)))
    finally:
        redis.kill9()
    with server.connect(MADE) as connection:
        connection.execute("VACUUM (ANALYZE)")


def measure(folder: Path, server: Postgres, workers: int) -> list[list[str]]:
    """Run each command over a fresh copy with so many workers; a line of the table for each."""
    place = folder / f"{workers}-workers"
    stack = Stack.over_services(place, template=MADE, workers=workers, server=server, SWEEP_SECONDS="600")
    lines = []
    try:
        stack.start()
        assert server.process is not None
        roots = {
            "workers": [stack.processes[name].pid for name in stack.services if name.startswith("worker")],
            "PostgreSQL": [server.process.pid],
        }
        cpu.rest(roots)
        for command in COMMANDS:
            spent, own, began = cpu.seconds(roots), _children(), time.perf_counter()
            stack.manage(command, SLUG)
            seconds, own = time.perf_counter() - began, _children() - own
            used = cpu.since(spent, roots)
            parts = (seconds, own, used["workers"], used["PostgreSQL"])
            lines.append([command, f"{workers}", *(f"{part:.1f}" for part in parts)])
            say(" | ".join(lines[-1]))
            cpu.rest(roots)
    finally:
        stack.stop()
    return lines


def _children() -> float:
    """CPU seconds of the commands that have been run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
