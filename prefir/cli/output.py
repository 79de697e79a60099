"""Output: values as lines or JSON to standard output, notes and progress to standard error."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from math import inf, isfinite
from time import monotonic
from typing import Any, TypeVar

from prefir.formats import Progress
from prefir.measures.scores import Line

Step = TypeVar("Step")

DELAY = 1.0  # seconds of work before a bar appears


def write(lines: Iterable[Line], as_json: bool) -> None:
    """Print values, one a line, `run topic measure value` with tabs between; or one JSON list of objects.

    Floats are written in full, so that reading them gives the same float; integers without a point.
    """
    if as_json:
        objects = (
            json.dumps(line._asdict() | {"value": line.value if isfinite(line.value) else None})
            for line in lines
        )
        print("[" + ",\n ".join(objects) + "]")
        return
    for run, topic, measure, value in lines:
        print(run, topic, measure, repr(value), sep="\t")


def note(message: str) -> None:
    """Print a note to standard error."""
    print(message, file=sys.stderr)


def steps(work: Iterable[Step], what: str) -> Iterator[Step]:
    """Iterate over `work` with a progress bar, which appears after a second."""
    total = len(work) if isinstance(work, Sized) else None
    with _bar(desc=what) as show:
        for done, step in enumerate(work, 1):
            yield step
            show(done, total)


@contextmanager
def reading(name: str) -> Iterator[Progress]:
    """Show a progress bar while a file is read; yields the callback that readers report bytes to."""
    with _bar(desc=f"Reading {name}", unit="B", unit_scale=True) as show:
        yield show


@contextmanager
def _bar(**options: Any) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function that shows how much is done of how much; it loads tqdm once a bar is due."""
    bar: Any = None
    due = monotonic() + DELAY

    def show(done: int, total: int | None) -> None:
        nonlocal bar, due
        if bar is not None:
            bar.total = total
            bar.update(done - bar.n)
        elif monotonic() >= due:
            try:
                from tqdm import tqdm
            except ImportError:
                due = inf  # bars are an extra
                return
            # Its estimate is of the work from here on, so not of what is loaded or compiled at first.
            bar = tqdm(total=total, initial=done, **_options(), **options)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()


def _options() -> dict[str, object]:
    """Options of all bars; where standard error is not a terminal, a line now and then is enough."""
    return {"file": sys.stderr, "leave": False, "mininterval": 0.2 if sys.stderr.isatty() else 20}
