"""`prefir.rank`: strengths of systems from votes, with intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from prefir.formats.ids import TIE
from prefir.formats.preferences import PreferenceRecord
from prefir.formats.vote_cells import side_of
from prefir.measures.penalized_strengths import Penalty, penalized_bradley_terry
from prefir.measures.strengths import Strengths, bradley_terry
from prefir.measures.tie_models import Ties

from .judgments import Preferences
from .reader import read_votes_of
from .sources import is_frame, is_path
from .tables import Cell, Table, cell_of, number_rows

By = Literal["topic", "person", "vote"]


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Table):
    """Systems by their strengths, the best first.

    Columns: system, strength (natural logarithm, of mean 0 in each set of systems that can be compared), low,
    high, best and worst (the ranks that the intervals of differences leave open), won, lost, tied, and status
    (`Fit`: why there is a strength, or none). strengths: all that is known, in the order of `systems`.
    """

    systems: tuple[str, ...]
    strengths: Strengths
    level: float

    def chance(self, first: str, second: str) -> float:
        """Chance that one system is preferred to another, a tie counting as half; nan if unknown.

        Raises ValueError for a name that is no system's.
        """
        for name in (first, second):
            if name not in self.systems:
                raise ValueError(f"there is no system {name!r}; there are {', '.join(self.systems)}")
        return self.strengths.chance(self.systems.index(first), self.systems.index(second))


def rank(
    votes: Any,
    *,
    by: By | None = None,
    level: float = 0.95,
    penalty: Penalty | None = None,
    ridge: float = 1.0,
    ties: Ties = "davidson",
    weights: Mapping[str, float] | None = None,
) -> Ranking:
    """Rank systems by votes between two of them: Bradley-Terry strengths with ties, and their intervals.

    votes: a file or frame with the columns model_a, model_b and winner (a name, "model_a", "a", "left", ...,
    or "tie"), perhaps with a topic or question_id and a judge; lines `topic a b winner [person]`; what
    `prefir.read` returns; or rows (a, b, winner) or (topic, a, b, winner) or (topic, a, b, winner, person).
    by: what is drawn at random, so that votes of one vary together: "topic", "person", or each "vote" by
    itself; by default topics where some have several votes, else votes. level: of the intervals.

    penalty: "firth", or "ridge" with the weight `ridge`, gives a finite strength also to a system that won or
    lost all (`penalized_bradley_terry`). ties: "davidson" or, without a penalty, "rao-kupper".
    weights: person -> how much each vote counts, at least 0, else 1.

    The model and its intervals are those of `bradley_terry`. Raises BadFile for a file, ValueError for rows
    that are no votes, a weight below 0, an unknown model of ties or one with a penalty, and by="person" where
    a vote names nobody.
    """
    records = _records(votes)
    if by is not None and by not in get_args(By):
        raise ValueError(f"by is {by!r}; votes vary together by {', '.join(get_args(By))}")
    if not records:
        raise ValueError("there is no vote")
    if by == "person" and (nobody := next((one for one in records if not one.assessor), None)):
        raise ValueError(f"the vote between {nobody.a} and {nobody.b} names no person")
    systems = tuple(sorted({name for one in records for name in (one.a, one.b)}))
    number = {name: place for place, name in enumerate(systems)}
    clusters: dict[Any, int] = {}
    heavy = weights or {}
    duels = np.zeros((len(records), 6))
    for place, (duel, one) in enumerate(zip(duels, records, strict=True)):
        cluster = {"person": one.assessor, "vote": place}.get(by or "topic", one.topic)
        duel[:3] = clusters.setdefault(cluster, len(clusters)), number[one.a], number[one.b]
        duel[3 + (one.winner != one.a) + (one.winner is None)] = heavy.get(one.assessor or "", 1.0)
    if penalty and ties != "davidson":
        raise ValueError(f"with a penalty, ties are davidson's, not {ties!r}")
    if penalty:
        found = penalized_bradley_terry(duels, len(systems), penalty=penalty, weight=ridge, level=level)
    else:
        found = bradley_terry(duels, len(systems), level=level, ties=ties)
    told = by or ("topic" if len(clusters) < len(records) else "vote")
    penalized = f", {penalty} penalty" if penalty else ""
    intervals = f"intervals at {100 * level:g} % by {told}"
    model = "" if ties == "davidson" else ", ties by Rao and Kupper"
    caption = f"Bradley-Terry strengths from {len(records):,} votes{penalized}{model}, with {intervals}"
    ranks = open_ranks(found)
    rows: list[dict[str, Cell]] = []
    for place in found.order:
        won, lost, tied = found.records[place].tolist()
        best, worst = ranks[place]
        rows.append(
            {
                "system": systems[place],
                "strength": cell_of(found.strengths[place]),
                "low": cell_of(found.lows[place]),
                "high": cell_of(found.highs[place]),
                "best": best,
                "worst": worst,
                "won": _whole(won),
                "lost": _whole(lost),
                "tied": _whole(tied),
                "status": str(found.statuses[place]),
            }
        )
    return Ranking(caption, *number_rows(rows), systems=systems, strengths=found, level=level)


def _whole(count: float) -> int | float:
    """A count as a whole number, unless votes have weights."""
    return int(count) if count == int(count) else count


def open_ranks(found: Strengths) -> list[tuple[int, int]]:
    """Ranks, from 1, between which each system may stand by the intervals of differences.

    A system is above another where the interval of their difference says so, or wins alone do.
    """
    finite = np.where(np.isfinite(found.strengths), found.strengths, 0.0)
    # Gaps are nan between systems that no finite difference parts.
    above = found.above | (finite[:, None] - finite > np.nan_to_num(found.gaps, nan=np.inf))
    systems = len(above)
    return [(1 + int(above[:, i].sum()), systems - int(above[i].sum())) for i in range(systems)]


def _records(votes: Any) -> Sequence[PreferenceRecord]:
    if is_path(votes) or is_frame(votes):
        votes = read_votes_of(votes)
    if isinstance(votes, Preferences):
        return votes.records
    if not isinstance(votes, Iterable):
        raise TypeError(f"votes are a file, a frame or rows, no {type(votes).__name__}")
    return [_record(place, row) for place, row in enumerate(votes, 1)]


def _record(place: int, row: Sequence[Any]) -> PreferenceRecord:
    """Read a row: (a, b, winner), or with a topic before and perhaps a person behind. Raises ValueError."""
    if isinstance(row, PreferenceRecord):
        return row
    cells = [str(cell) for cell in row] if isinstance(row, Sequence) and not isinstance(row, str) else []
    if len(cells) == 3:
        cells = [str(place), *cells]
    if len(cells) not in (4, 5):
        raise ValueError(
            f"vote {place}: {row!r} is no (a, b, winner), (topic, a, b, winner) or with a person"
        )
    topic, a, b, won = cells[:4]
    if won not in (a, b):
        won = {"a": a, "b": b}.get(side_of(won), side_of(won))
    if a == b or won not in (a, b, TIE):
        raise ValueError(f"vote {place}: {row!r} is no vote between two systems for one of them or a tie")
    return PreferenceRecord(topic, a, b, None if won == TIE else won, cells[4] if cells[4:] else None, place)
