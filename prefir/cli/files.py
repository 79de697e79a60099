"""Read the commands' files: runs, qrels and preferences, on any topics."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from math import inf, isfinite
from pathlib import Path
from typing import Any

from prefir.formats import (
    ItemLists,
    Known,
    PreferenceRecord,
    RunRecord,
    Ties,
    docno_problem,
    id_problem,
    read_grades,
    read_preferences,
    read_run,
    read_run_places,
    read_table,
)
from prefir.formats.ids import quoted
from prefir.formats.lines import MAX_BYTES, read_bytes, read_fields, read_lines
from prefir.formats.problems import Problems
from prefir.measures import PreferenceGraph
from prefir.measures.rankings import Rankings

from .output import note, reading, steps

Grades = Mapping[str, Mapping[str, float]]


class _AnyTopic:
    """A container of every id that a topic can have."""

    def __contains__(self, topic: object) -> bool:
        return isinstance(topic, str) and id_problem("topic", topic) is None


KNOWN = Known(topics=_AnyTopic())


def grades_of(path: str) -> Grades:
    """Read qrels: topic -> docno -> grade, in file order. Raises BadFile."""
    with reading(path) as progress:
        return read_table(
            "qrels", path, Path(path), lambda given: read_grades(path, given, KNOWN, progress=progress)
        )


def run_of(path: str, ties: Ties) -> RunRecord:
    """Read one run. Raises BadFile."""
    with reading(path) as progress:
        return read_table(
            "run", path, Path(path), lambda given: read_run(path, given, KNOWN, ties, progress=progress)
        )


@dataclass(frozen=True, slots=True)
class Runs:
    """Several runs: their rankings by path, and path -> the name that is shown."""

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
            read = partial(read_run_places, path, known=KNOWN, lists=lists, ties=ties, progress=progress)
            tags[path], places = read_table("run", path, Path(path), read)
        rankings.add_places(path, places)
    return Runs(rankings, names_of(tags))


def numbers_of(path: str, columns: str) -> dict[str, float]:
    """Read lines of a name and a finite number; columns: what the two are called. Raises BadFile."""
    problems, found = Problems(path), dict[str, float]()
    data = read_bytes(Path(path), problems, MAX_BYTES)
    with reading(path) as progress:
        for line, (name, number) in read_fields(data, problems, columns, counts=(2,), progress=progress):
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


@dataclass(frozen=True, slots=True)
class Preferences:
    """Judgments of a file; sides: whether its lines say which item was shown left and which right."""

    records: list[PreferenceRecord]
    sides: bool

    def graphs(self) -> dict[str, PreferenceGraph]:
        """Make topic -> preference graph, topics in file order."""
        graphs: dict[str, PreferenceGraph] = {}
        for record in self.records:
            add_record(graphs.setdefault(record.topic, PreferenceGraph()), record)
        return graphs


def add_record(graph: PreferenceGraph, record: PreferenceRecord) -> None:
    """Add one judgment to a graph."""
    if record.winner is None:
        graph.add_tie(record.a, record.b)
    else:
        graph.add(record.winner, record.b if record.winner == record.a else record.a)


def preferences_of(path: str) -> Preferences:
    """Read preferences, `topic a b winner [assessor]` or `topic preferred other`, as the first line has it.

    Raises BadFile.
    """
    data = read_bytes(Path(path), Problems(path), MAX_BYTES)
    first = next((text for _, text in read_lines(data, Problems(path))), "")
    with reading(path) as progress:
        if len(first.split()) != 3:
            records = read_table(
                "judgments", path, data, lambda given: read_preferences(path, given, KNOWN, progress=progress)
            )
            return Preferences(records, sides=True)
        problems, records = Problems(path), []
        columns = "topic preferred other, as on the first line"
        for line, fields in read_fields(data, problems, columns, counts=(3,), progress=progress):
            topic, preferred, other = fields
            if reason := id_problem("topic", topic) or docno_problem(preferred) or docno_problem(other):
                problems.add(line, reason)
            elif preferred == other:
                problems.add(line, f'docno "{preferred}" is compared with itself')
            else:
                records.append(PreferenceRecord(topic, preferred, other, preferred, None, line))
        problems.settle()
        return Preferences(records, sides=False)


def tell_what_is_left_out(
    judged: Mapping[str, Any], path: str, runs: Runs, *, complete: bool = False
) -> None:
    """Note topics that only a run or only the judgments have. Raises ValueError where they share none.

    complete: topics that only the judgments have are scored all the same, so that is what is noted.
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
        if missing and complete:
            notes.append(f"scored as empty {missing}")
        if left_out := [part for part in ("" if complete else missing, further) if part]:
            notes.append(f"left out {' and '.join(left_out)}")
        if notes:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            note(f"{', '.join(names[:3])}{more}: {'; '.join(notes)}")


def _topics(count: int) -> str:
    return f"{count:,} topic{'s' * (count != 1)}"
