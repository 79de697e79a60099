"""Read the commands' files: runs, qrels and preferences, on any topics, with a progress bar."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf, isfinite
from pathlib import Path
from typing import Any

from prefir.entry.judgments import Preferences
from prefir.entry.reader import (
    Grades,
    read_grades_of,
    read_places_of,
    read_preferences_of,
    read_runs_of,
    read_scores_of,
)
from prefir.formats import BadFile, ItemLists, RunRecord, Ties
from prefir.formats.ids import quoted
from prefir.formats.lines import MAX_BYTES, read_bytes, read_fields
from prefir.formats.problems import BadLine, Problems
from prefir.measures.rankings import Rankings

from .output import note, reading, steps


def grades_of(path: str) -> Grades:
    """Read qrels: topic -> docno -> grade, in file order. Raises BadFile."""
    with reading(path) as progress:
        return read_grades_of(path, progress)


def run_of(path: str, ties: Ties) -> RunRecord:
    """Read one run. Raises BadFile, also for a file of several."""
    with reading(path) as progress:
        run, *others = read_runs_of(path, ties, progress)
    if others:
        told = f"it holds {1 + len(others)} runs, {run.tag} and {others[0].tag} among them; one is wanted"
        raise BadFile([BadLine(path, 0, told)])
    return run


def run_with_scores(path: str) -> tuple[str, dict[str, dict[str, float]]]:
    """Read one run: its tag, and topic -> docno -> score. Raises BadFile."""
    with reading(path) as progress:
        return read_scores_of(path, progress)


def preferences_of(path: str) -> Preferences:
    """Read preferences, `topic a b winner [assessor]` or `topic preferred other`. Raises BadFile."""
    with reading(path) as progress:
        return read_preferences_of(path, progress)


@dataclass(frozen=True, slots=True)
class Runs:
    """Several runs: their rankings by path (of a file of several: and tag), and path -> the name shown."""

    rankings: Rankings
    names: Mapping[str, str]


def runs_of(paths: Sequence[str], ties: Ties, items: Mapping[str, Collection[str]]) -> Runs:
    """Read where runs have these items of each topic, so that only one run's text is in memory.

    Raises BadFile, ValueError.
    """
    refuse_twice(paths)
    rankings, lists, tags = Rankings(judged=items), ItemLists(items), {}
    for path in steps(paths, "Reading runs"):
        with reading(path) as progress:
            found = read_places_of(path, ties, lists, progress)
        for tag, places in found:
            run = path if len(found) == 1 else f"{path}:{tag}"
            tags[run] = tag
            rankings.add_places(run, places)
    return Runs(rankings, names_of(tags))


def families_of(path: str, runs: Sequence[str]) -> list[tuple[str, str]]:
    """Read lines `run family variant`: family and variant of each of these runs, by its name.

    Raises BadFile, ValueError where a run has no line.
    """
    problems, found = Problems(path), dict[str, tuple[str, str]]()
    for line, (name, family, variant) in _rows(path, problems, "run family variant"):
        if name in found:
            problems.add(line, f"{quoted(name)} is there already")
        found[name] = (family, variant)
    problems.settle()
    lacking = next((run for run in runs if run not in found), None)
    if lacking is not None:
        raise ValueError(f"{path} has no family of the run {lacking}")
    return [found[run] for run in runs]


def _rows(path: str, problems: Problems, columns: str) -> Iterator[tuple[int, list[str]]]:
    """Read lines with these columns: number and fields of each."""
    data = read_bytes(Path(path), problems, MAX_BYTES)
    with reading(path) as progress:
        counts = (len(columns.split()),)
        yield from read_fields(data, problems, columns, counts=counts, progress=progress)


def numbers_of(path: str, columns: str) -> dict[str, float]:
    """Read lines of a name and a finite number; columns: what the two are called. Raises BadFile."""
    problems, found = Problems(path), dict[str, float]()
    for line, (name, number) in _rows(path, problems, columns):
        try:
            value = float(number)
        except ValueError:
            value = inf
        if not isfinite(value):
            problems.add(line, f"{quoted(number)} is not a finite number")
        elif name in found:
            problems.add(line, f"{quoted(name)} is there already")
        else:
            found[name] = value
    problems.settle()
    return found


def refuse_twice(paths: Sequence[str]) -> None:
    """Raise ValueError where a file is given twice."""
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise ValueError(f"the run {twice} is given twice")


def names_of(tags: Mapping[str, str]) -> dict[str, str]:
    """Names for the runs of these files: the tag, or the path where several files have the same tag."""
    given = list(tags.values())
    names = {path: tag if given.count(tag) == 1 else path for path, tag in tags.items()}
    return names if len(set(names.values())) == len(names) else {path: path for path in tags}


def tell_what_is_left_out(judged: Mapping[str, Any], path: str, runs: Runs, *, present_only: bool) -> None:
    """Note topics that only a run or only the judgments have. Raises ValueError where they share none.

    present_only: whether topics that only the judgments have are left out, or scored as empty.
    """
    told: dict[tuple[int, int], list[str]] = {}
    topics = runs.rankings.topics
    having = [runs.rankings.having(topic).tolist() for topic in topics]
    for run, *there in zip(runs.rankings.runs, *having, strict=True):
        own = set(compress(topics, there))
        common = len(own & judged.keys())
        if not common:
            raise ValueError(f"{run} and {path} have no topic in common")
        told.setdefault((len(judged) - common, len(own) - common), []).append(runs.names[run])
    for (ours, theirs), names in told.items():
        missing = f"{_topics(ours)} only in {path}" if ours else ""
        further = f"{_topics(theirs)} only in the run" if theirs else ""
        notes = []
        if missing and not present_only:
            notes.append(f"scored as empty {missing}")
        if left_out := [part for part in (missing if present_only else "", further) if part]:
            notes.append(f"left out {' and '.join(left_out)}")
        if notes:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            note(f"{', '.join(names[:3])}{more}: {'; '.join(notes)}")


def _topics(count: int) -> str:
    return f"{count:,} topic{'s' * (count != 1)}"
