"""What loading one large file takes: memory of the process that loads it, and CPU, beside a file's size.

Usage: .venv/bin/python -m bench.loading [--rows 200000 400000 1000000] [--topics 1000]
           [--kinds judgments run items] [--sqlite] [--profile]

Each file goes into a new study by `manage.py load` in a process of its own, over a private PostgreSQL with
its own settings (or SQLite), with a queue that nobody empties: what the file asks to be rescored is no part
of it. Prints a table in Markdown: the process's most memory (VmHWM), its own CPU and the database server's,
each also for a thousand rows. Over SQLite the database's CPU is the process's own.
--profile says where the process's time went instead, by cProfile, which makes it slower.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.load import cpu
from bench.load.report import say
from tests.ground import ROOT, clean_environment, scratch_folder
from tests.servers import Postgres, Redis, die_with_parent

MEMORY = 300  # MB that loading may take, whatever the file's size
ASSESSORS = 500  # labels of the judgments
ITEMS = 100  # of a topic that judgments are about
# Run in a process of its own: what it takes is said by the kernel.
LOAD = """
import django, json, re, sys, time
django.setup()
from django.core.management import call_command
profile, *arguments = sys.argv[1:]
if profile:
    import cProfile, pstats
    watch = cProfile.Profile()
    watch.runcall(call_command, "load", *arguments)
    pstats.Stats(watch, stream=sys.stderr).sort_stats("tottime").print_stats(25)
else:
    call_command("load", *arguments)
most = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
print(json.dumps({"kb": most, "cpu": time.process_time()}))
"""


def judgments(rows: int, topics: int, rng: random.Random) -> Iterator[str]:
    """Judgments by 500 labels of pairs of a topic's items, in no order."""
    for _ in range(rows):
        topic = rng.randrange(topics)
        a, b = rng.sample(range(ITEMS), 2)
        winner = rng.choice((a, b))
        yield f"t{topic:05} d{topic}-{a} d{topic}-{b} d{topic}-{winner} p{rng.randrange(ASSESSORS)}\n"


def run(rows: int, topics: int, rng: random.Random) -> Iterator[str]:
    """A run that ranks as many docnos for each topic, none of them known before."""
    depth = rows // topics
    for topic in range(topics):
        for rank in range(1, depth + 1):
            yield f"t{topic:05} Q0 d{rng.randrange(10**9)}-{rank} {rank} {depth - rank} big\n"


def items(rows: int, topics: int, rng: random.Random) -> Iterator[str]:
    """Passages of 120 characters."""
    for number in range(rows):
        text = f"{rng.getrandbits(450):x}"
        yield json.dumps({"topic": f"t{number % topics:05}", "docno": f"d{number}", "text": text}) + "\n"


KINDS = {"judgments": judgments, "run": run, "items": items}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.loading", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000, 400_000, 1_000_000])
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    lines = []
    for kind in asked.kinds:
        for rows in asked.rows:
            lines.append(measured(kind, rows, asked.topics, sqlite=asked.sqlite, profile=asked.profile))
            say(lines[-1])
    print(f"\n{'SQLite' if asked.sqlite else 'PostgreSQL'}, {asked.topics:,} topics\n")
    print("| file | MB | memory, MB | CPU, s | ms a thousand rows | database, s | ms a thousand rows |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    print("\n".join(lines))


def measured(kind: str, rows: int, topics: int, *, sqlite: bool, profile: bool) -> str:
    """Load one file into a new study; return a line of the table."""
    folder = scratch_folder("loading")
    with ExitStack() as ending:
        redis = Redis()
        redis.start()
        ending.callback(redis.kill9)
        environment = clean_environment() | {
            "FACEOFF_DATA": str(folder / "data"),
            "REDIS_URL": redis.url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        server = None
        if not sqlite:
            server = Postgres(durable=True)
            server.start()
            ending.callback(server.stop)
            server.create("loading")
            environment["DATABASE_URL"] = server.url("loading")

        def python(*arguments: str) -> str:
            return subprocess.run(
                [sys.executable, *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE,
                text=True, preexec_fn=die_with_parent,
            ).stdout  # fmt: skip

        (names := folder / "topics.tsv").write_text(
            "".join(f"t{topic:05}\ttopic {topic}\n" for topic in range(topics))
        )
        with (file := folder / kind).open("w") as out:
            out.writelines(KINDS[kind](rows, topics, random.Random(11)))
        python("manage.py", "migrate", "--verbosity=0")
        python("manage.py", "study", "large", "--title=Large", "--kind=text")
        python("manage.py", "load", "large", "topics", str(names))
        roots = {"server": [server.process.pid]} if server and server.process else {}
        before = cpu.seconds(roots)
        told = python("-c", LOAD, "profile" if profile else "", "large", kind, str(file))
        database = sum(cpu.since(before, roots).values())
        took = json.loads(told.splitlines()[-1])
        megabytes = took["kb"] * 1024 / 1e6
        shares = [f"{took['cpu']:.1f} | {1e6 * took['cpu'] / rows:.0f}"]
        shares.append(f"{database:.1f} | {1e6 * database / rows:.0f}" if server else " | ")
        size = Path(file).stat().st_size / 1e6
        return f"| {rows:,} {kind} | {size:.1f} | {megabytes:.0f} | {' | '.join(shares)} |"


if __name__ == "__main__":
    main()
