"""The memory that many long runs take while they are scored, measured in a process of its own.

Usage: python -m bench.measures.memory RUNS TOPICS DEPTH      (prints a line of JSON)
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from . import timing

LIMIT = 2.0  # GB
NOTE = """Runs are added to `Rankings` one at a time, each ranking with strings of its own, as a reader of
files hands them over; a topic has 5,000 docnos in its pool and 200 judged ones. Then all runs are scored by
compatibility, nDCG and PGC (graphs with grade 0). The most memory is the whole process's, Python and the
libraries included, in 10^9 bytes."""


def measure(runs: int, topics: int, depth: int) -> dict[str, float]:
    """Seconds of each step, and the peak of memory in GB, of this process."""
    import numpy as np

    from prefir.measures import PreferenceGraph
    from prefir.measures.rankings import Rankings
    from prefir.measures.scores import score

    rng = np.random.default_rng(7)
    pool, judged = 5 * depth, max(1, depth // 5)
    pools = {
        f"topic-{topic}": np.array([f"MARCO_{topic:03}{at:05}" for at in range(pool)], object)
        for topic in range(topics)
    }
    grades = {
        topic: dict(zip(docnos[:judged], rng.choice(4, judged, p=(0.7, 0.1, 0.1, 0.1)).tolist(), strict=True))
        for topic, docnos in pools.items()
    }
    rankings = Rankings()
    seconds = {"adding": 0.0}
    for run in range(runs):
        found = {
            topic: " ".join(docnos[rng.permutation(pool)[:depth]].tolist()).split()  # new strings
            for topic, docnos in pools.items()
        }
        started = time.perf_counter()
        rankings.add(f"run-{run}", found)
        seconds["adding"] += time.perf_counter() - started
    graphs = {topic: PreferenceGraph.derived(graded, with_zero=True) for topic, graded in grades.items()}
    for name, given in (("compatibility", grades), ("ndcg", grades), ("pgc", graphs)):
        started = time.perf_counter()
        scores = score(name, given, rankings)
        seconds[name] = time.perf_counter() - started
        if not np.isfinite(scores.values).all():
            raise SystemExit(f"{name} has no value for some run and topic")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Kilobytes of 1,024 on Linux, bytes on macOS.
    return seconds | {"peak": peak * (1 if sys.platform == "darwin" else 1024) / 1e9}


def tables(
    report: Callable[[str], None], runs: int = 1000, topics: int = 200, depth: int = 1000
) -> Iterator[timing.Table]:
    """One line. The parent must still be small: a child's peak includes its parent's at the start."""
    report("  making and scoring the runs takes a minute or two")
    arguments = [sys.executable, "-m", "bench.measures.memory", str(runs), str(topics), str(depth)]
    found = json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout)
    row = (
        f"{runs:,} runs x {topics} topics, {depth:,} deep",
        f"{found['peak']:.2f} GB",
        f"under {LIMIT:g} GB: {'met' if found['peak'] < LIMIT else 'missed'}",
        *(timing.written(found[name]) for name in ("adding", "compatibility", "ndcg", "pgc")),
    )
    report("  " + " | ".join(row))
    header = ("what", "most memory", "target", "runs added", "compatibility", "nDCG", "PGC")
    yield timing.Table("Memory", NOTE, header, [row])


if __name__ == "__main__":
    timing.one_core()
    print(json.dumps(measure(*map(int, sys.argv[1:4]))))
