"""The parts of `make test`, and the program that runs them: `python -m tests.parts [--everything]`.

One queue, longest part first. More parts run at a time than the machine has cores, because tests of services
often wait: for other processes, for browsers, for sweeps. A few tests that failed run once more when all
parts have ended, and those that pass then are named: decision 44 says why.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.both_databases import ON_BOTH
from tests.ground import ROOT, clean_environment, prepare, scratch_folder
from tests.servers import die_with_parent
from tests.stack import migrate_for_all

PYTEST = (sys.executable, "-m", "pytest", "--quiet")
AT_ONCE = (os.cpu_count() or 1) + 2
# More failures than this have one cause, and it is not that the machine was busy.
FEW = 5
SERVICES = ("-m", "services")
NO_SERVICES = ("-m", "not services")
ON_SQLITE = (*NO_SERVICES, "--ds=tests.on_sqlite")
# The product's part of a property is the same on either database, and SQLite tries all examples.
ON_POSTGRES = (*NO_SERVICES, "--on-both", "--hypothesis-profile=quick")
CHROMIUM = "tests/browser/"
DEPLOYMENTS = "tests/services/"
GUARD = "tests/test_both_databases.py"
OTHER_ROOMS = ("tests/web/", "tests/panels/", "tests/scoring/", "tests/tournament/")
# Deployments that are killed, loaded and measured for minutes.
LONG_DEPLOYMENTS = ("test_chaos", "test_kills", "test_killed", "test_load")


@dataclass(frozen=True)
class Part:
    """Tests of one run of pytest, or another command.

    name: the heading of its results. options: for pytest. paths: files of tests, relative to the root.
    """

    name: str
    options: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    command: tuple[str, ...] = PYTEST

    @property
    def arguments(self) -> list[str]:
        """The command line."""
        return [*self.command, *self.options, *self.paths]


@cache
def files_of_tests() -> tuple[str, ...]:
    """Every file of tests, relative to the root."""
    return tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").rglob("test_*.py")))


def needs_services(name: str) -> bool:
    """Whether a file has tests marked `services`: the part without services reads it too, for its others."""
    return name.startswith(CHROMIUM) or "mark.services" in (ROOT / name).read_text()


def parts(everything: bool = False) -> list[Part]:
    """All parts, longest first. everything: run all tests that touch the database on both databases."""
    with_services = [name for name in files_of_tests() if needs_services(name)]
    deployments = [name for name in with_services if name.startswith(DEPLOYMENTS)]
    long = [name for name in deployments if Path(name).stem in LONG_DEPLOYMENTS]
    chromium = [name for name in with_services if name.startswith(CHROMIUM)]
    others = [name for name in with_services if name not in {*deployments, *chromium}]
    judging = [name for name in files_of_tests() if name.startswith("tests/judging/")]
    rooms = [name for name in files_of_tests() if name.startswith(OTHER_ROOMS)]
    rest = [name for name in files_of_tests() if name not in {*judging, *rooms}]
    guarded = (*(files_of_tests() if everything else ON_BOTH), GUARD)
    all_on_both = ("--everything",) if everything else ()
    return [
        Part("deployments that are killed, loaded and measured", SERVICES, tuple(long)),
        Part("judging, on SQLite", ON_SQLITE, tuple(judging)),
        Part("pages, panels, scoring and tournaments, on SQLite", ON_SQLITE, tuple(rooms)),
        Part("pages in Chromium, every second file", SERVICES, tuple(chromium[::2])),
        Part("pages in Chromium, the other files", SERVICES, tuple(chromium[1::2])),
        Part("everything else without services, on SQLite", ON_SQLITE, tuple(rest)),
        Part("other deployments", SERVICES, tuple(name for name in deployments if name not in long)),
        Part("what depends on the database, on PostgreSQL", (*ON_POSTGRES, *all_on_both), guarded),
        Part("panels' emulators and other services", SERVICES, tuple(others)),
        Part("style, types and migrations", command=("scripts/lint",)),
    ]


@dataclass(frozen=True)
class Result:
    """A part that has ended. seconds: on the clock; cpu: of the part and the processes that it waited for."""

    part: Part
    status: int
    seconds: float
    cpu: float
    log: Path

    @property
    def failed_tests(self) -> list[str]:
        """The tests that failed in a run of pytest that reached its end; of any other part, none."""
        found = self.log.parent / "v" / "cache" / "lastfailed"
        return sorted(json.loads(found.read_text())) if self.status == 1 and found.exists() else []

    def __str__(self) -> str:
        word = "failed" if self.status else "passed"
        return f"{self.part.name}: {word} in {self.seconds:.0f} s, {self.cpu:.0f} CPU seconds"


class Runner:
    """Runs commands as processes of its own, several at a time."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        # Read here, and not by each thread: Python 3.11 cannot parse files in several threads at a time.
        self.environment = clean_environment()

    def run(self, part: Part) -> Result:
        """Run a part to its end."""
        return self._run(part, scratch_folder("part") / "log")

    def run_again(self, failed: Result) -> Result:
        """Run only the tests of a part that failed."""
        last = Part(failed.part.name, (*failed.part.options, "--last-failed"), failed.part.paths)
        return self._run(last, failed.log.with_name("log-again"))

    def _run(self, part: Part, log: Path) -> Result:
        began = time.monotonic()
        cache = ("-o", f"cache_dir={log.parent}") if part.command == PYTEST else ()
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*part.arguments, *cache],
                cwd=ROOT, env=self.environment, stdout=file, stderr=file, preexec_fn=die_with_parent,
            )  # fmt: skip
        self.processes.append(process)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        return Result(part, process.returncode, time.monotonic() - began, cpu, log)

    def run_all(self, wanted: Iterable[Part], show: Callable[[Result], None]) -> list[Result]:
        """Run parts in order, AT_ONCE at a time, and show each as it ends. Ctrl-C ends those that run."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            running = [pool.submit(self.run, part) for part in wanted]
            results = []
            try:
                for future in as_completed(running):
                    results.append(future.result())
                    show(results[-1])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in self.processes:
                    if process.returncode is None:
                        process.send_signal(signal.SIGINT)
                raise
        return results


def show(result: Result) -> None:
    """Print what a part said, under its heading."""
    print(f"\n{'=' * 10} {result}\n{result.log.read_text(errors='replace').rstrip()}", flush=True)


def failures(result: Result) -> list[str]:
    """The lines of a failed part's output that name what failed and why, or else its last ones."""
    lines = result.log.read_text(errors="replace").splitlines()
    return [line for line in lines if line.startswith(("FAILED ", "ERROR ", "E  "))][-50:] or lines[-10:]


def main() -> int:
    """Run all parts, print each as it ends, then their table and the failures; return 1 if there are any."""
    # A run that is told to end ends as at Ctrl-C: servers are stopped, folders removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description="Run all checks, in parts beside each other.")
    parser.add_argument("--everything", action="store_true", help="all on both databases that touches one")
    prepare()
    began = time.monotonic()
    wanted = parts(parser.parse_args().everything)
    print(f"{len(wanted)} parts, {AT_ONCE} at a time; each is printed when it ends:", flush=True)
    migrate_for_all()
    runner = Runner()
    results = runner.run_all(wanted, show)
    print(f"\n{'=' * 10} all parts in {time.monotonic() - began:.0f} s")
    for result in sorted(results, key=lambda result: -result.seconds):
        print(result)
    failed = [result for result in results if result.status]
    for result in failed:
        print(f"\n{'=' * 10} failures in {result.part.name}", *failures(result), sep="\n")
    return int(not all(passes_alone(runner, result) for result in failed))


def passes_alone(runner: Runner, failed: Result) -> bool:
    """Run the few failed tests of a part once more, with nothing beside them, and print what comes out."""
    names = failed.failed_tests
    if not 0 < len(names) <= FEW:
        return False
    print(f"\n{'=' * 10} once more, with nothing beside them:", *names, sep="\n", flush=True)
    again = runner.run_again(failed)
    show(again)
    if not again.status:
        print("They pass alone, so a busy machine breaks them. Mend the tests.", flush=True)
    return not again.status


if __name__ == "__main__":
    sys.exit(main())
