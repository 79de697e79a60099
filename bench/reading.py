"""How long a run takes to read: all lines at once, as plain runs are, and line by line, as any other is.

Usage: python -m bench.reading

Two runs are made up: 173 topics and 1,000 topics, 1,000 docnos each. The ratio is that of the two times,
taken in turns in one process on one core.
"""

from bench.measures import timing

timing.one_core()  # before anything imports numpy

import random
from functools import partial

from prefir.formats import Known, RunRecord, read_run
from prefir.formats.columns import Columns

DEPTH = 1000


def made_up(topics: int) -> bytes:
    """A run in TREC format, best first; scores with six decimals, a few of them equal."""
    rng = random.Random(4)
    lines = []
    for topic in range(topics):
        scores = sorted((rng.uniform(1, 30) for _ in range(DEPTH)), reverse=True)
        for rank, score in enumerate(scores, 1):
            lines.append(f"{topic} Q0 MARCO_{rng.randrange(10**7)}_{rank} {rank} {score:.6f} bm25\n")
    return "".join(lines).encode()


def line_by_line(data: bytes, known: Known) -> RunRecord:
    """Read a run as if it were no plain one."""
    usual = Columns.of
    Columns.of = lambda *_: None  # type: ignore[method-assign]
    try:
        return read_run("run", data, known)
    finally:
        Columns.of = usual  # type: ignore[method-assign]


def main() -> None:
    """Print a line for each size."""
    print("| topics | lines | at once, s | line by line, s | ratio |\n| ---: | ---: | ---: | ---: | ---: |")
    for topics in (173, 1000):
        data, known = made_up(topics), Known(topics={str(topic) for topic in range(topics)})
        at_once = timing.Call("read_run", partial(read_run, "run", data, known))
        lines = timing.Call("line by line", partial(line_by_line, data, known))
        if at_once.run() != lines.run():
            raise SystemExit("The two ways disagree.")
        fast, slow = timing.best(at_once, lines)
        print(f"| {topics:,} | {topics * DEPTH:,} | {fast:.2f} | {slow:.2f} | {slow / fast:.1f} |")


if __name__ == "__main__":
    main()
