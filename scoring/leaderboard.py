"""The leaderboard: every run's mean over topics, how sure it is, and each topic's own numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache
from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Sum
from numpy.typing import NDArray

from collection.models import Item, Run, Study, Topic
from judging.models import Assignment, Judgment
from prefir.measures import Intervals, mean_intervals
from scoring.models import Score, Scored

KEPT_SECONDS = 3600


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
    """The leaderboard of a study at one persistence, best mean PGC first.

    topics_placed: those whose top items are known. judgments: all that count; of these `provisional`
    stand in batches still being judged, which may yet be discarded.
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
    """One topic's scores by run, in the order of the runs asked for; None is absent.

    judgments: that its scores rest on.
    """

    topic: Topic
    judgments: int
    values: list[float | None]

    @property
    def cells(self) -> list[tuple[str, bool]]:
        """Each score as it is printed, and whether it is the topic's highest; an absent one is a dash."""
        best = max((value for value in self.values if value is not None), default=0.0)
        return [
            ("–", False) if value is None else (f"{value:.3f}", value == best > 0) for value in self.values
        ]


def version(study: Study) -> str:
    """Changes whenever any number of the study's leaderboard may have changed. One query."""
    runs = Run.objects.filter(study=OuterRef("study_id")).order_by().values("study_id")
    row = (
        Topic.objects.filter(study=study)
        .order_by("study_id")
        .values("study_id")
        .annotate(
            topics=Count("pk"),
            revisions=Sum("scored__revision"),
            up_to_date=Count("scored"),
            judgments=Sum("scored__judgments"),
            # A run that was replaced has another number.
            runs=Subquery(runs.annotate(n=Sum("pk")).values("n")),
        )
        .values_list("topics", "revisions", "up_to_date", "judgments", "runs")
        .first()
    )
    return ".".join(str(int(part or 0)) for part in row or ())


def board(study: Study, p: float) -> Board:
    """The leaderboard at one persistence. One query where it was made before and nothing has changed.

    Otherwise seven, and time that grows with topics x runs.
    """
    stamp = version(study)  # before the scores: a page never claims to be newer than it is
    # Keys begin again in a database that is made anew; the moment at which the study was made does not.
    key = f"board:{study.pk}:{study.created_at.timestamp()}:{p}:{stamp}"
    found: Board | None = cache.get(key)
    if found is None:
        found = _board(study, p, stamp)
        cache.set(key, found, KEPT_SECONDS)
    return found


def _board(study: Study, p: float, stamp: str) -> Board:
    """Read the scores and average them.

    The bootstrap draws the same topics for every run, seeded by the study, so a reload repeats it.
    """
    runs = list(Run.objects.filter(study=study).order_by("name"))
    topics = list(Topic.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
    judged = dict(Scored.objects.filter(topic__study=study).values_list("topic_id", "judgments"))
    pgc, compatibility = _tables(study, p, topics, [run.pk for run in runs])
    seed = int.from_bytes(study.seed.encode()[:8])
    by_pgc, by_compatibility = _means(pgc, seed), _means(compatibility, seed)
    rows = [Row(run, by_pgc[i], by_compatibility[i]) for i, run in enumerate(runs)]
    rows.sort(key=lambda row: (row.pgc.value is None, -(row.pgc.value or 0.0), row.run.name))
    placed = Item.objects.filter(topic__study=study, place__isnull=False)
    working = Assignment.objects.filter(assessor__study=study, state=Assignment.State.WORKING)
    return Board(
        rows=rows,
        p=p,
        topics=len(topics),
        topics_judged=sum(1 for n in judged.values() if n),
        topics_placed=placed.aggregate(n=Count("topic", distinct=True))["n"],
        judgments=sum(judged.values()),
        provisional=Judgment.objects.counting().filter(assignment__in=working).count(),
        version=stamp,
    )


def ordered(study: Study, p: float, *, by: Run | None, compatibility: bool = False) -> QuerySet[Topic]:
    """A study's topics by name, or by the scores of one run: highest first, absent last."""
    rows = Topic.objects.filter(study=study).order_by("name")
    if by is None:
        return rows
    scores = Score.objects.filter(topic=OuterRef("pk"), run=by, p=p)
    own = Subquery(scores.values("compatibility" if compatibility else "pgc"))
    return rows.annotate(own=own).order_by(F("own").desc(nulls_last=True), "name")


def topic_lines(
    topics: Sequence[Topic], runs: Sequence[Run], p: float, *, compatibility: bool = False
) -> list[TopicLine]:
    """The scores of some topics of one study, a line each. Two queries; cost grows with topics x runs."""
    ids = [topic.pk for topic in topics]
    judged = dict(Scored.objects.filter(topic__in=ids).values_list("topic_id", "judgments"))
    measure = "compatibility" if compatibility else "pgc"
    scores = Score.objects.filter(topic__in=ids, p=p).values_list("topic_id", "run_id", measure)
    found = {(topic, run): value for topic, run, value in scores}
    return [
        TopicLine(topic, judged.get(topic.pk, 0), [found.get((topic.pk, run.pk)) for run in runs])
        for topic in topics
    ]


def _tables(
    study: Study, p: float, topics: list[int], runs: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """PGC and compatibility as tables (topics, runs), nan where absent. One query."""
    line, column = ({pk: i for i, pk in enumerate(pks)} for pks in (topics, runs))
    pgc = np.full((len(topics), len(runs)), np.nan)
    compatibility = pgc.copy()
    scores = Score.objects.filter(topic__study=study, p=p)
    for topic, run, graphed, compatible in scores.values_list("topic_id", "run_id", "pgc", "compatibility"):
        # A topic or run that was added a moment ago is in the next version.
        if topic in line and run in column:
            pgc[line[topic], column[run]] = np.nan if graphed is None else graphed
            compatibility[line[topic], column[run]] = np.nan if compatible is None else compatible
    return pgc, compatibility


def _means(table: NDArray[np.float64], seed: int) -> list[Mean]:
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
