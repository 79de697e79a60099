"""Output: values as lines or JSON to standard output, notes and progress to standard error."""

import json
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from math import isfinite
from typing import TypeVar

from prefir.formats import Progress
from prefir.measures.scores import Line

Step = TypeVar("Step")


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
    from tqdm import tqdm

    total = len(work) if isinstance(work, Sized) else None
    return iter(tqdm(work, what, total, **_bar()))


@contextmanager
def reading(name: str) -> Iterator[Progress]:
    """Show a progress bar while a file is read; yields the callback that readers report bytes to."""
    from tqdm import tqdm

    with tqdm(desc=f"Reading {name}", unit="B", unit_scale=True, **_bar()) as bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield report


def _bar() -> dict[str, object]:
    """Options of all bars; where standard error is not a terminal, a line now and then is enough."""
    watched = sys.stderr.isatty()
    return {"file": sys.stderr, "delay": 1, "leave": False, "mininterval": 0.2 if watched else 20}
