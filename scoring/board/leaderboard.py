"""Read the leaderboard: each run's mean with its interval, and scores by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from operator import itemgetter
from typing import Any

from django.db.models import Q

from collection.models import Run, Study, Topic
from scoring.board import standings
from scoring.models import Standing, StoredScores
from scoring.scores import score_rows
from scoring.scores.score_rows import TopicScores
from scoring.scores.stored_measures import AT_MOST, OF_TOP, USUAL, options

# Topics to be scored anew, from which on pages say so.
MANY_WAITING = 100


def shows_ceiling(ceiling: float | None) -> bool:
    """Whether a ceiling is below 1 as pages write it."""
    return ceiling is not None and ceiling < 0.9995


@dataclass(frozen=True)
class Mean:
    """A mean over topics, its 95 % interval, and the best and worst rank that the run may have.

    Parts are None if no topic has a value, or too few have one for an interval. ceiling: the mean over the
    same topics of the best value that any ranking could have; None for standings of before there were any.
    at_most: whether it may be only a bound that no ranking reaches.
    """

    value: float | None
    low: float | None
    high: float | None
    topics: int
    ranks: tuple[int, int] | None
    ceiling: float | None = None
    at_most: bool = False

    @property
    def of_possible(self) -> float | None:
        """Share of the ceiling that the mean has; None where the ceiling is unknown or 0."""
        return self.value / self.ceiling if self.value is not None and self.ceiling else None

    @property
    def is_limited(self) -> bool:
        """Whether no ranking could have 1, so that the ceiling tells something."""
        return self.of_possible is not None and shows_ceiling(self.ceiling)


@dataclass(frozen=True)
class BoardRow:
    """One run's row: id, name, and mean by measure.

    is_first_otherwise: whether it is first over the other choice of topics: all that are judged, or those
    with a full round.
    """

    run_id: int
    name: str
    means: Mapping[str, Mean]
    is_first_otherwise: bool = False


@dataclass(frozen=True)
class Board:
    """The leaderboard of a study at one persistence, highest mean of the first measure first.

    topics_placed: those whose top items are known. judgments: all that count. provisional: those in batches
    still being judged, which may yet be discarded; among the judgments, unless `kept_only`.
    waiting: topics whose scores are computed anew. topics_whole: those with a full round of
    answers (`topic_weights.is_whole`). whole: whether the means are over these alone. top_known: whether
    compatibility is then over those of them whose top items are known, else over the others. measures:
    those of each row's means, the leading one first. nearest: of the topics judged in part, the one with the
    fewest questions that are not answered, and how many these are.
    """

    rows: list[BoardRow]
    p: float
    topics: int
    topics_judged: int
    topics_placed: int
    judgments: int
    provisional: int
    waiting: int
    version: str
    kept_only: bool = False
    topics_whole: int = 0
    whole: bool = False
    top_known: bool = False
    measures: tuple[str, ...] = USUAL
    nearest: tuple[str, int] | None = None

    @property
    def leading(self) -> str:
        """The measure by which runs are ranked."""
        return self.measures[0]

    @property
    def leader_is_sure(self) -> bool:
        """Whether the first run is significantly better than each other by the leading measure."""
        return bool(self.rows) and self.rows[0].means[self.leading].ranks == (1, 1)

    @property
    def topics_in_part(self) -> int:
        """Topics that are judged and have open questions."""
        return self.topics_judged - self.topics_whole

    @property
    def up_to_date(self) -> int:
        """Number of topics whose scores are up to date."""
        return self.topics - self.waiting

    @property
    def behind(self) -> bool:
        """Whether to say that topics wait for scores: many do, or a new measure has no mean yet.

        After every batch a few topics wait.
        """
        return self.waiting >= MANY_WAITING or (self.waiting > 0 and self._lacks_a_measure)

    @property
    def _lacks_a_measure(self) -> bool:
        """Whether a measure has no mean for any run although judged topics would give one."""
        return self.topics_judged > 0 and any(
            all(row.means[measure].value is None for row in self.rows)
            for measure in self.measures
            if measure not in OF_TOP
        )


@dataclass(frozen=True)
class TopicLine:
    """One topic's scores in the order of the requested runs, and its ceiling; None if absent. judgments:
    that they rest on.
    """

    topic: Topic
    judgments: int
    values: list[float | None]
    ceiling: float | None = None


def board(study: Study, p: float, *, every: bool = False) -> Board:
    """The leaderboard at one persistence, from the current standing; every: as `board_of`."""
    return board_of(standings.current(study), p, every=every)


def stamp(standing: Standing) -> str:
    """Version of a leaderboard for its readers; the number before the first dot only rises."""
    return f"{standing.number}.{standing.version}"


def indistinguishable_pairs(board: Board) -> list[tuple[int, int]]:
    """Pairs of runs, the smaller id first, that a board cannot tell apart by its first measure.

    Their rank intervals overlap, or one has none yet.
    """
    leading = board.leading
    ranks = sorted({row.run_id: row.means[leading].ranks for row in board.rows}.items(), key=itemgetter(0))
    return [
        (one, other)
        for (one, own), (other, theirs) in combinations(ranks, 2)
        if own is None or theirs is None or (own[0] <= theirs[1] and theirs[0] <= own[1])
    ]


def number(stamp: str) -> int:
    """The standing's number in a leaderboard's version."""
    return int(stamp.partition(".")[0])


def board_of(standing: Standing, p: float, *, every: bool = False) -> Board:
    """The board of a standing at one persistence, over topics with a full round of answers, if there are two.

    every: over all judged topics, each weighted by the share of its questions that is answered.
    """
    stored, option = standing.board, options(p)
    measures = tuple(stored.get("measures", USUAL))
    leading = measures[0]
    # Those that were written before there were such means lack them.
    whole = not every and any("whole" in run for run in stored["runs"])
    means = "whole" if whole else "means"

    def mean_of(run: Any, means: str, name: str) -> Mean:
        # A measure that was added since then is absent.
        return _mean(run.get(means, {}).get(name, {}).get(option), name in AT_MOST)

    def order(name: str, mean: Mean) -> tuple[bool, float, str]:
        return (mean.value is None, -(mean.value or 0.0), name)

    rows = [
        BoardRow(run["id"], run["name"], {name: mean_of(run, means, name) for name in measures})
        for run in stored["runs"]
    ]
    rows.sort(key=lambda row: order(row.name, row.means[leading]))
    means = "means" if whole else "whole"
    other = [(run["name"], mean_of(run, means, leading), run["id"]) for run in stored["runs"]]
    first = min(other, key=lambda one: order(*one[:2]), default=None)
    if first and first[1].value is not None:
        rows = [replace(row, is_first_otherwise=row.run_id == first[2]) for row in rows]

    counts = ("topics", "topics_judged", "topics_placed", "judgments", "provisional")
    return Board(
        rows=rows,
        p=p,
        version=stamp(standing),
        # Standings that were written before there were such parts lack them.
        waiting=stored.get("waiting", 0),
        kept_only=stored.get("kept_only", False),
        topics_whole=stored.get("topics_whole", stored["topics_judged"]),
        whole=whole,
        top_known=stored.get("top_known", False),
        nearest=(nearest[1], nearest[0]) if (nearest := stored.get("nearest")) else None,
        measures=measures,
        **{name: stored[name] for name in counts},
    )


def _mean(stored: Sequence[Any] | None, at_most: bool) -> Mean:
    if stored is None:
        return Mean(None, None, None, 0, None)
    # Standings that were written before there were ceilings lack the last.
    value, low, high, topics, ranks, *ceiling = stored
    places = (ranks[0], ranks[1]) if ranks else None
    return Mean(value, low, high, topics, places, ceiling[0] if ceiling else None, at_most)


def ordered(
    study: Study, p: float, *, measure: str = "pgc", by: Run | None, search: str = ""
) -> Sequence[int]:
    """Ids of a study's topics by name, or by one run's scores: highest first, absent last.

    search: only topics with this text in name or text.
    """
    rows = Topic.objects.filter(study=study).order_by("name")
    if search:
        rows = rows.filter(Q(name__icontains=search) | Q(text__icontains=search))
    ids = list(rows.values_list("pk", flat=True))
    if by is None:
        return ids
    own = score_rows.of_run(study, by.pk, measure, options(p))
    return sorted(ids, key=lambda topic: -own.get(topic, -1.0))


def topic_lines(
    topics: Sequence[int], runs: Sequence[Run], p: float, *, measure: str = "pgc"
) -> list[TopicLine]:
    """Scores of some topics, by id, of one study."""
    named = Topic.objects.in_bulk(topics)
    judged = dict(StoredScores.objects.filter(topic__in=topics).values_list("topic_id", "judgments"))
    found = score_rows.read(topics)
    column = (measure, options(p))
    return [
        TopicLine(
            named[topic],
            judged.get(topic, 0),
            _of_runs(found.get(topic), column, runs),
            found[topic].ceiling(column) if topic in found else None,
        )
        for topic in topics
    ]


def _of_runs(scores: TopicScores | None, column: tuple[str, str], runs: Sequence[Run]) -> list[float | None]:
    if scores is None or column not in scores.columns:
        return [None] * len(runs)
    values = dict(zip(scores.runs, scores.values[scores.columns.index(column)], strict=True))
    return [None if (value := values.get(run.pk)) is None or isnan(value) else value for run in runs]
