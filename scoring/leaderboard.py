"""The leaderboard: every run's mean over topics, how sure it is, and each topic's own numbers."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Sum

from judging.models import Run, Study, Topic
from scoring.measures import Intervals, mean_intervals
from scoring.models import Score, Scored


@dataclass(frozen=True)
class Mean:
    """A mean over topics, its 95 % interval and the ranks between which the run may stand.

    Every part may be absent: no topic has a value, or too few to tell a spread.
    """

    value: float | None
    low: float | None
    high: float | None
    topics: int
    ranks: tuple[int, int] | None


@dataclass(frozen=True)
class Row:
    """One run's line."""

    run: Run
    pgc: Mean
    compatibility: Mean


@dataclass(frozen=True)
class Board:
    """The leaderboard of a study at one persistence, best mean PGC first."""

    rows: list[Row]
    p: float
    topics: int
    topics_judged: int
    judgments: int
    version: str


def version(study: Study) -> str:
    """Changes whenever any number of the study's leaderboard may have changed. Two queries."""
    scored = Scored.objects.filter(topic__study=study).aggregate(
        revisions=Sum("revision"), topics=Count("pk"), judgments=Sum("judgments")
    )
    runs = Run.objects.filter(study=study).count()
    return f"{scored['revisions'] or 0}.{scored['topics']}.{scored['judgments'] or 0}.{runs}"


def board(study: Study, p: float) -> Board:
    """Read the scores and average them. Five queries; time grows with topics x runs.

    The bootstrap draws the same topics for every run, seeded by the study, so a reload repeats it.
    """
    stamp = version(study)  # before the scores: a page never claims to be newer than it is
    runs = list(Run.objects.filter(study=study).order_by("name"))
    column = {run.pk: i for i, run in enumerate(runs)}
    scored = dict(Scored.objects.filter(topic__study=study).values_list("topic_id", "judgments"))
    topics = list(Topic.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
    line = {pk: i for i, pk in enumerate(topics)}
    pgc = np.full((len(topics), len(runs)), np.nan)
    compatibility = pgc.copy()
    scores = Score.objects.filter(topic__study=study, p=p)
    for topic, run, graphed, compatible in scores.values_list("topic_id", "run_id", "pgc", "compatibility"):
        pgc[line[topic], column[run]] = np.nan if graphed is None else graphed
        compatibility[line[topic], column[run]] = np.nan if compatible is None else compatible
    seed = int.from_bytes(study.seed.encode()[:8])
    by_pgc, by_compatibility = _means(pgc, seed), _means(compatibility, seed)
    rows = [Row(run, by_pgc[i], by_compatibility[i]) for i, run in enumerate(runs)]
    rows.sort(key=lambda row: (row.pgc.value is None, -(row.pgc.value or 0.0), row.run.name))
    return Board(
        rows=rows,
        p=p,
        topics=len(topics),
        topics_judged=sum(1 for judged in scored.values() if judged),
        judgments=sum(scored.values()),
        version=stamp,
    )


def _means(table: np.ndarray, seed: int) -> list[Mean]:
    if not table.size:
        return [Mean(None, None, None, 0, None)] * table.shape[1]
    found: Intervals = mean_intervals(table, seed=seed)
    return [
        Mean(
            _number(found.means[i]),
            _number(found.lows[i]),
            _number(found.highs[i]),
            int(found.counts[i]),
            found.ranks[i],
        )
        for i in range(table.shape[1])
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
