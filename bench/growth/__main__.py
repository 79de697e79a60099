"""How cost grows: every page, request and command over a study of a given size, one after another.

Usage: .venv/bin/python -m bench.growth [--judgments 100000 --topics 1000 --runs 30 --depth 10] [--sqlite]
           [--explain] [--parts whole pages requests services exports] [--pages trust progress ...]
       DATABASE_URL=postgres://... .venv/bin/python -m bench.growth

Starts a private PostgreSQL with its own settings (or takes SQLite in a temporary folder), and writes the
study by SQL: its collection, batches and ledger through files and requests would take hours
(`bench.growth.material`). Its rounds, scores and standing are then made by the product. A database that
DATABASE_URL names is left there, and measured as it is if it holds such a study already.

Everything runs in this one process: milliseconds are wall-clock, of its own CPU, and of PostgreSQL's CPU
for it, each of several; rows are those that PostgreSQL fetched from its tables for one such call; memory
is by how much the process grew; KB are of the reply before compression. --explain adds how PostgreSQL
carries out the slowest statement of each; --parts measures some parts alone, --pages the pages whose names
begin so, with the jobs behind them.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from bench.growth import PARTS
from tests import ground


def main() -> None:
    """Print a table in Markdown; progress goes to the other stream."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=100_000)
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument(
        "--depth", type=int, default=10, help="items that a run ranks for a topic, at most 20"
    )
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--pages", nargs="+", default=[], help="beginnings of names; without, every page")
    chosen = parser.parse_args()
    own = os.environ.get("DATABASE_URL", "")
    if not own and not chosen.sqlite:
        from tests.servers import Postgres

        server = Postgres(durable=True)
        server.start()
        server.create("growth")
        own = server.url("growth")
    ground.prepare(own)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from bench.growth import actions, material

    call_command("migrate", verbosity=0)
    wanted = material.Size(chosen.judgments, chosen.topics, chosen.runs, chosen.depth)
    there = material.Study.objects.filter(slug=material.SLUG).exists()
    if not there:
        material.make(wanted, say)
    print(f"\n{connection.vendor}; {wanted}\n")
    print(
        "| what | ms | own CPU, ms | PostgreSQL's | statements | rows read | memory, MiB | KB |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        flush=True,
    )
    plans = []
    for name, cost in actions.all_of(["pages"] if chosen.pages else chosen.parts, tuple(chosen.pages)):
        rows = "" if cost.rows is None else f"{cost.rows:,}"
        counted = f"{cost.statements:,}" if cost.statements else ""
        database = "" if cost.database is None else f"{cost.database:,.0f}"
        times = f"{cost.ms:,.1f} | {cost.cpu:,.1f} | {database}"
        size = "" if cost.size is None else f"{cost.size / 1000:,.0f}"
        print(f"| {name} | {times} | {counted} | {rows} | {cost.grown:.0f} | {size} |", flush=True)
        if chosen.explain and cost.slowest:
            plan = actions.explained(cost.slowest)
            plans.append(f"\n{name}, {cost.slowest_ms:.1f} ms of it: {cost.slowest[:3000]}\n{plan}")
    print("\n".join(plans))


def say(what: str) -> None:
    """Tell what is being done, on the other stream."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    # Started as a module from the repository: the tests' helpers lie beside it.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
