"""The command `prefir` beside other programs, each from its start to its end, as a shell sees them.

Usage: python -m bench.measures.shell FOLDER      (writes the files that are measured into a folder)
"""

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import timing

SCRIPT = str(Path(__file__).with_name("by_pytrec_eval.py"))
ROUNDS = 5
TOPICS, DEPTH, RUNS = 158, 100, 40
LINES = 5_000_000
ENOUGH = 30.0  # seconds after which a case has had rounds enough
NOTE = """Seconds of CPU (user and system) and the most memory, in 10^6 bytes, of whole processes, which read
files, measure and print means; the least of {rounds} rounds in turns, or of those that fill half a minute.
`script` is bench/measures/by_pytrec_eval.py, what a user of pytrec_eval writes: means are over the topics
of the run, as those of trec_eval and `prefir` are. In ir_measures a judged topic that the run lacks counts
0, and so beside it in `prefir -c`. Means agree, to the digits that are printed, before anything is said.
Compiled code, which of these only PGC has, is on disk. Runs have {topics} topics, {depth} deep, unless more
is said."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command line; name: how the table calls it."""

    name: str
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the table. at_least: the ratio of the peer's CPU to ours that was wanted.

    same: whether both print the same means.
    """

    what: str
    ours: Program
    peer: Program
    module: str
    at_least: float | None = None
    same: bool = True


@dataclass(frozen=True, slots=True)
class Used:
    """What a process used, and the last number of each line that it printed."""

    cpu: float
    peak: float
    numbers: list[str]


def write_files(folder: Path, topics: int, depth: int, runs: int, lines: int) -> None:
    """Write qrels and runs of a made-up track, short and long, and qrels of many lines with a run."""
    import random

    from . import inputs

    track = inputs.track(inputs.Size(runs=runs, depth=10 * depth))
    with (folder / "qrels").open("w") as file:
        for topic, grades in track.grades.items():
            file.writelines(f"{topic} 0 {docno} {grade}\n" for docno, grade in grades.items())
    for run, rankings in track.runs.items():
        short = {topic: rankings[topic][:depth] for topic in list(rankings)[:topics]}
        (folder / run).write_text(_text(run, short))
        with gzip.open(folder / f"{run}.gz", "wt", 1) as packed:
            packed.write(_text(run, rankings))
    rng = random.Random(5)
    pooled = 1000
    ranked: dict[str, list[str]] = {}
    with (folder / "many").open("w") as file:
        for number in range(max(1, lines // pooled)):
            topic, docnos = str(number), [f"MARCO_D{at:07}" for at in rng.sample(range(10**7), pooled)]
            file.writelines(f"{topic} 0 {docno} {rng.choice((0, 0, 0, 1, 2, 3))}\n" for docno in docnos)
            if number < topics:
                ranked[topic] = docnos[:depth]
    (folder / "of-many").write_text(_text("of-many", ranked))


def _text(run: str, rankings: Mapping[str, Sequence[str]]) -> str:
    return "".join(
        f"{topic} Q0 {docno} {rank} {1000 - rank:.4f} {run}\n"
        for topic, docnos in rankings.items()
        for rank, docno in enumerate(docnos, 1)
    )


def cases(folder: Path) -> list[Case]:
    """Lines of the table, for files in a folder."""
    qrels, many = str(folder / "qrels"), str(folder / "many")
    every = [str(path) for path in sorted(folder.glob("run-??"))]
    packed = [str(path) for path in sorted(folder.glob("run-??.gz"))]
    of_many, runs = str(folder / "of-many"), f"{len(every)} run{'s' * (len(every) > 1)}"
    lines = f"{many_lines(Path(many)):,} lines of grades"

    def ours(*words: str) -> Program:
        return Program(f"`prefir {words[0]}`", (sys.executable, "-m", "prefir", *words))

    def present(measure: str, *words: str) -> Program:
        """The means that the script takes: over the topics that a run has."""
        return ours(measure, "--present-only", *words)

    def script(*paths: str) -> Program:
        return Program("pytrec_eval, script", (sys.executable, SCRIPT, *paths))

    def peer(measure: str, *paths: str) -> Program:
        return Program(f"`ir_measures {measure}`", (sys.executable, "-m", "ir_measures", *paths, measure))

    one, ndcg = every[0], "nDCG"
    return [
        Case("nDCG, 1 run", ours("ndcg", qrels, one), peer(ndcg, qrels, one), "ir_measures", 1),
        Case("nDCG, 1 run", present("ndcg", qrels, one), script(qrels, one), "pytrec_eval"),
        Case(
            "compatibility, 1 run",
            ours("compatibility", "--depth", str(DEPTH), qrels, one),  # as deep as theirs goes
            peer("Compat(p=0.95)", qrels, one),
            "ir_measures",
            1,
        ),
        Case(
            "PGC, 1 run",
            present("pgc", "--from-qrels", qrels, one),
            script(qrels, one),
            "pytrec_eval",
            None,
            False,
        ),
        Case(
            f"nDCG, {runs}",
            ours("ndcg", "--present-only", qrels, *every),
            script(qrels, *every),
            "pytrec_eval",
            1,
        ),
        Case(
            f"PGC, {runs} 1,000 deep, gzipped, beside nDCG of {DEPTH} deep, plain",
            present("pgc", "--from-qrels", qrels, *packed),
            script(qrels, *every),
            "pytrec_eval",
            None,
            False,
        ),
        Case(
            f"nDCG, {lines}",
            ours("ndcg", "--present-only", many, of_many),
            script(many, of_many),
            "pytrec_eval",
            1,
        ),
        Case(f"nDCG, {lines}", ours("ndcg", many, of_many), peer(ndcg, many, of_many), "ir_measures", 1),
    ]


def many_lines(path: Path) -> int:
    """Count the lines of a file."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


def use(program: Program) -> Used:
    """Run a program to its end. Raises SystemExit where it fails."""
    # Installed programs have their bytecode; ours here gets it in the first round.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as told:
        process = subprocess.Popen(program.words, stdout=out, stderr=told, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        told.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(program.words)}\n{told.read().decode()}")
        numbers = [line.split()[-1] for line in out.read().decode().splitlines()]
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Used(usage.ru_utime + usage.ru_stime, peak, numbers)


def agree(ours: Used, theirs: Used) -> bool:
    """Whether two programs print the same means, to the digits of the one that prints fewer."""
    pairs = list(zip(ours.numbers, theirs.numbers, strict=True))
    return all(
        abs(float(a) - float(b)) <= max(0.51 * 10.0 ** -min(_digits(a), _digits(b)), 1e-9) for a, b in pairs
    )


def _digits(number: str) -> int:
    return len(number.partition(".")[2])


def line(case: Case, rounds: int = ROUNDS) -> tuple[str, ...]:
    """A case's line. Raises SystemExit where the means differ."""
    wanted = f"at least {case.at_least:g}" if case.at_least else ""
    ours = [use(case.ours)]
    if timing.missing([case.module]):
        return (
            case.what,
            case.ours.name,
            f"{ours[0].cpu:.2f} s",
            f"{ours[0].peak:.0f} MB",
            f"{case.module} is missing",
            "",
            "",
            "",
            wanted and f"{wanted}: not measured",
        )
    theirs = [use(case.peer)]
    if case.same and not agree(ours[0], theirs[0]):
        raise SystemExit(f"{case.what}: {ours[0].numbers} and {theirs[0].numbers} disagree")
    started = time.perf_counter()
    for _ in range(rounds):
        ours.append(use(case.ours))
        theirs.append(use(case.peer))
        if time.perf_counter() - started > ENOUGH:
            break
    cpu, other = (min(used.cpu for used in each) for each in (ours, theirs))
    peak, others = (min(used.peak for used in each) for each in (ours, theirs))
    verdict = f"{wanted}: {'met' if other / cpu >= (case.at_least or 0) else 'missed'}" if wanted else ""
    return (
        case.what,
        case.ours.name,
        f"{cpu:.2f} s",
        f"{peak:.0f} MB",
        case.peer.name,
        f"{other:.2f} s",
        f"{others:.0f} MB",
        f"{other / cpu:.3g}",
        verdict,
    )


HEADER = ("what", "timed: ours", "CPU", "memory", "timed: peer", "CPU", "memory", "peer / ours", "target")


def tables(report: Callable[[str], None]) -> Iterator[timing.Table]:
    """The table. The parent must still be small: a child's peak includes its parent's at the start."""
    with tempfile.TemporaryDirectory() as name:
        report("  making files")
        subprocess.run([sys.executable, "-m", "bench.measures.shell", name], check=True)
        rows = []
        for case in cases(Path(name)):
            rows.append(line(case))
            report("  " + " | ".join(cell for cell in rows[-1] if cell))
    yield timing.Table(
        "From the shell", NOTE.format(rounds=ROUNDS + 1, topics=TOPICS, depth=DEPTH), HEADER, rows
    )


if __name__ == "__main__":
    write_files(Path(sys.argv[1]), TOPICS, DEPTH, RUNS, LINES)
