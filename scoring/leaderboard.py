"""Reading the leaderboard, for pages and files: each run's mean with its interval, and scores by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery

from collection.models import Run, Study, Topic
from scoring import standings
from scoring.measured import MEASURED, options
from scoring.models import Score, Scored, Standing


@dataclass(frozen=True)
class Mean:
    """A mean over topics, its 95 % interval, and the best and worst rank that the run may have.

    Parts are None if no topic has a value, or too few have one for an interval.
    """

    value: float | None
    low: float | None
    high: float | None
    topics: int
    ranks: tuple[int, int] | None


@dataclass(frozen=True)
class Row:
    """One run's line: its id, its name, and its mean by measure."""

    run_id: int
    name: str
    means: Mapping[str, Mean]


@dataclass(frozen=True)
class Board:
    """The leaderboard of a study at one persistence, highest mean of the first measure first.

    topics_placed: those whose top items are known. judgments: all that count; `provisional` of them are
    in batches still being judged, which may yet be discarded.
    """

    rows: list[Row]
    p: float
    topics: int
    topics_judged: int
    topics_placed: int
    judgments: int
    provisional: int
    version: str


@dataclass(frozen=True)
class TopicLine:
    """One topic's scores by run, in the order of the runs asked for; None if absent.

    judgments: how many the scores are computed from.
    """

    topic: Topic
    judgments: int
    values: list[float | None]


def board(study: Study, p: float) -> Board:
    """The leaderboard at one persistence, from the current standing."""
    return board_of(standings.current(study), p)


def board_of(standing: Standing, p: float) -> Board:
    """A standing at one persistence. No query."""
    stored, option, leading = standing.board, options(p), next(iter(MEASURED))
    rows = [
        # A measure that was added since then is absent.
        Row(
            run["id"], run["name"], {name: _mean(run["means"].get(name, {}).get(option)) for name in MEASURED}
        )
        for run in stored["runs"]
    ]

    def order(row: Row) -> tuple[bool, float, str]:
        value = row.means[leading].value
        return (value is None, -(value or 0.0), row.name)

    counts = ("topics", "topics_judged", "topics_placed", "judgments", "provisional")
    return Board(
        rows=sorted(rows, key=order),
        p=p,
        version=standing.version,
        **{name: stored[name] for name in counts},
    )


def _mean(stored: Sequence[Any] | None) -> Mean:
    if stored is None:
        return Mean(None, None, None, 0, None)
    value, low, high, topics, ranks = stored
    return Mean(value, low, high, topics, (ranks[0], ranks[1]) if ranks else None)


def ordered(study: Study, p: float, *, measure: str = "pgc", by: Run | None) -> QuerySet[Topic]:
    """A study's topics by name, or by the scores of one run: highest first, absent last."""
    rows = Topic.objects.filter(study=study).order_by("name")
    if by is None:
        return rows
    scores = Score.objects.filter(topic=OuterRef("pk"), run=by, measure=measure, options=options(p))
    own = Subquery(scores.values("value"))
    return rows.annotate(own=own).order_by(F("own").desc(nulls_last=True), "name")


def topic_lines(
    topics: Sequence[Topic], runs: Sequence[Run], p: float, *, measure: str = "pgc"
) -> list[TopicLine]:
    """The scores of some topics of one study, a line each. Two queries; cost grows with topics x runs."""
    ids = [topic.pk for topic in topics]
    judged = dict(Scored.objects.filter(topic__in=ids).values_list("topic_id", "judgments"))
    scores = Score.objects.filter(topic__in=ids, measure=measure, options=options(p))
    rows = scores.values_list("topic_id", "run_id", "value")
    found = {(topic, run): value for topic, run, value in rows}
    return [
        TopicLine(topic, judged.get(topic.pk, 0), [found.get((topic.pk, run.pk)) for run in runs])
        for topic in topics
    ]
