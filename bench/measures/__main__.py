"""How fast the measures are, beside other libraries, in one run on one core.

Usage: .venv/bin/python -m bench.measures [--write] [shell] [memory] [graphs] [tracks] [distances]

Prints tables in Markdown, and progress to the other stream. All five groups unless some are named.
--write puts the tables into docs/speed.md. Peers: .venv/bin/pip install -r bench/requirements.txt
"""

from . import timing

timing.one_core()  # before anything imports numpy

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version

from bench import pages
from bench.machine import processor

PEERS = {
    "igraph": "igraph",
    "ranx": "ranx",
    "ir_measures": "ir-measures",
    "pytrec_eval": "pytrec-eval-terrier",
}
GROUPS = ("shell", "memory", "graphs", "tracks", "distances")


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)


def machine() -> str:
    """What it ran on, in general words."""
    names = ["numpy", "numba", *(name for module, name in PEERS.items() if not timing.missing([module]))]
    libraries = ", ".join(f"{name} {version(name)}" for name in names)
    return (
        f"One of {os.cpu_count()} cores ({processor()}), {platform.system()}; "
        f"Python {platform.python_version()}, {libraries}."
    )


def tables(groups: list[str]) -> Iterator[timing.Table]:
    """The tables of some groups."""
    from . import memory, shell

    # First, while this process is small: what it holds would count as the child's.
    if "shell" in groups:
        say("shell")
        yield from shell.tables(say)
    if "memory" in groups:
        say("memory")
        yield from memory.tables(say)
    from . import distances, graphs, inputs, tracks

    for name, group in (("graphs", graphs), ("tracks", tracks), ("distances", distances)):
        if name in groups:
            say(name)
            yield from group.tables(inputs.Size(), say)


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures", description="Speed of the measures")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"of {', '.join(GROUPS)}; all by default")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/speed.md")
    asked = parser.parse_args()
    unknown = set(asked.groups) - set(GROUPS)
    if unknown:
        parser.error(f"there is no group {unknown.pop()!r}; there are {', '.join(GROUPS)}")
    if asked.write and asked.groups:
        parser.error("--write writes the whole page, so it takes no group")
    lacking = [name for module, name in PEERS.items() if timing.missing([module])]
    if lacking:
        say(f"missing, so not measured: {', '.join(lacking)}; pip install -r bench/requirements.txt")
    text = "\n\n".join([machine(), *(table.markdown() for table in tables(asked.groups or list(GROUPS)))])
    if not asked.write:
        print(text)
        return
    pages.put("speed.md", "python -m bench.measures", text)
    say("written to docs/speed.md")


if __name__ == "__main__":
    main()
