"""Cached tables of a study's scores: of all columns in the process that writes standings, of one where pages
compare runs.

Few topics are scored between two readings, so only these are read again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from collection.models import Study
from scoring.models import StoredScores
from scoring.scores.score_rows import columns, named_columns
from scoring.scores.stored_measures import chosen

# The tables that a process keeps, in bytes, those that were read last; larger ones are read anew each time.
MOST_KEPT = 16 * 2**20
CHUNK = 500

Stamp = tuple[int, int, datetime]
Columns = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class ScoreTable:
    """values: (columns, topics, runs), nan where absent; the columns are those that were asked for.
    judgments: of each topic, 0 if nothing is scored. ceilings: (columns, topics), nan where absent.
    """

    values: NDArray[np.float64]
    judgments: list[int]
    ceilings: NDArray[np.float64]

    def among(self, kept: Sequence[bool]) -> "ScoreTable":
        """The table of some of its topics."""
        mask = np.array(kept, dtype=bool)
        judgments = [number for number, there in zip(self.judgments, kept, strict=True) if there]
        return ScoreTable(self.values[:, mask], judgments, self.ceilings[:, mask])


@dataclass
class _Kept:
    columns: Columns
    topics: list[int]
    runs: list[int]
    stamps: dict[int, Stamp]
    values: NDArray[np.float64]
    ceilings: NDArray[np.float64]


_kept: dict[tuple[int, Columns], _Kept] = {}
_lock = Lock()


def read(study: Study, topics: list[int], runs: list[int], wanted: Columns = ()) -> ScoreTable:
    """Scores of these topics and runs of a study, in this order. wanted: columns; () for all."""
    wanted = tuple(wanted or columns(chosen(study.measures)))
    found = StoredScores.objects.filter(topic__study=study)
    judgments: dict[int, int] = {}
    stamps: dict[int, Stamp] = {}
    rows = found.values_list("topic_id", "judgments", "revision", "provisional", "scored_at")
    for topic, judged, revision, provisional, scored_at in rows:
        judgments[topic], stamps[topic] = judged, (revision, provisional, scored_at)
    with _lock:
        kept = _kept.pop((study.pk, wanted), None)
    if kept is None or (kept.topics, kept.runs) != (topics, runs):
        shape = (len(wanted), len(topics), len(runs))
        kept = _Kept(wanted, topics, runs, {}, np.full(shape, np.nan), np.full(shape[:2], np.nan))
    # A topic whose row is gone is absent again.
    for topic in kept.stamps.keys() - stamps.keys():
        kept.values[:, topics.index(topic)] = kept.ceilings[:, topics.index(topic)] = np.nan
    changed = [topic for topic in topics if topic in stamps and kept.stamps.get(topic) != stamps[topic]]
    _fill(kept, changed)
    kept.stamps = stamps
    # Those who read at the same moment have tables of their own: this one is altered the next time.
    table = ScoreTable(kept.values, [judgments.get(topic, 0) for topic in topics], kept.ceilings)
    if kept.values.nbytes <= MOST_KEPT:
        table = ScoreTable(kept.values.copy(), table.judgments, kept.ceilings.copy())
        with _lock:
            _kept[study.pk, wanted] = kept
            while sum(one.values.nbytes for one in _kept.values()) > MOST_KEPT:
                del _kept[next(iter(_kept))]
    return table


def forget() -> None:
    """Clear this process's cached tables."""
    with _lock:
        _kept.clear()


def _fill(kept: _Kept, changed: Sequence[int]) -> None:
    """Read the scores of these topics into their rows."""
    line = {topic: i for i, topic in enumerate(kept.topics)}
    place = {run: i for i, run in enumerate(kept.runs)}
    wanted = {column: i for i, column in enumerate(kept.columns)}
    # For each layout of a row, where its columns and runs stand there, and here: columns as (columns, 1).
    layouts: dict[tuple[str, bytes], tuple[NDArray[np.intp], ...]] = {}
    for start in range(0, len(changed), CHUNK):
        rows = StoredScores.objects.filter(topic__in=changed[start : start + CHUNK])
        fields = ("topic_id", "columns", "runs", "numbers", "ceilings")
        for topic, named, runs, numbers, ceilings in rows.values_list(*fields):
            columns_there, runs_there = named_columns(named), np.frombuffer(bytes(runs), "<i8").tolist()
            shape = (len(columns_there), len(runs_there))
            values = np.frombuffer(bytes(numbers), "<f8").reshape(shape)
            key = (named, bytes(runs))
            if key not in layouts:
                # What was scored once and is no more is left out; what is new since then stays absent.
                here = [(i, wanted[c]) for i, c in enumerate(columns_there) if c in wanted]
                there = [(i, place[run]) for i, run in enumerate(runs_there) if run in place]
                at_columns, at_runs = (np.array(pairs, np.intp).reshape(-1, 2) for pairs in (here, there))
                layouts[key] = (*np.split(at_columns, 2, axis=1), *at_runs.T)
            from_columns, to_columns, from_runs, to_runs = layouts[key]
            kept.values[:, line[topic]] = kept.ceilings[:, line[topic]] = np.nan
            if most := bytes(ceilings):
                kept.ceilings[to_columns.ravel(), line[topic]] = np.frombuffer(most, "<f8")[
                    from_columns.ravel()
                ]
            kept.values[to_columns, line[topic], to_runs] = values[from_columns, from_runs]
