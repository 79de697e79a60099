"""Standings: a study's leaderboard at one moment, written once for all viewers, and kept as its history."""

import time
from collections.abc import Collection
from datetime import datetime, timedelta
from importlib import import_module
from math import isnan
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Subquery, Sum
from django.dispatch import Signal
from django.utils import timezone

from collection.models import Item, Run, Study, Topic
from judging.models import OPEN, Assignment, Judgment
from scoring.compute import child_process
from scoring.models import Standing
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import chosen
from scoring.scores.topic_scores import to_be_scored
from scoring.scores.topic_weights import settled, weights_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Of this many parts of a writer's time, one at most goes into one study's standings.
REST = 5
# The history is thinned at every so many standings.
THIN_EVERY = 100

# A web process shows standings and hardly ever computes one: numpy is loaded where that happens.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Sent with the latest standing when one was written. Anyone who shows leaderboards connects.
standing_written = Signal()


def version(study: Study) -> str:
    """A stamp that changes whenever a number of the study's leaderboard may."""
    # Of this study, not of each topic's: or the runs would be read again for every topic.
    runs = Run.objects.filter(study=study).order_by().values("study_id")
    row = (
        Topic.objects.filter(study=study)
        .order_by("study_id")
        .values("study_id")
        .annotate(
            topics=Count("pk"),
            revisions=Sum("scored__revision"),
            up_to_date=Count("scored"),
            judgments=Sum("scored__judgments"),
            asked=Sum("asked"),
            full_rounds=Sum("full_rounds"),
            weights=Sum("weight"),
            provisional=Sum("scored__provisional"),
            # A run that was replaced has another id.
            runs=Subquery(runs.annotate(n=Sum("pk")).values("n")),
        )
        .values_list(
            *("topics", "revisions", "up_to_date", "judgments", "asked", "full_rounds", "weights"),
            *("provisional", "runs"),
        )
        .first()
    )
    return ".".join(f"{part or 0:g}" if isinstance(part, float) else str(part or 0) for part in row or ())


def board_version(study: Study) -> str:
    """`version`, with whether judging is open: only then does the leaderboard say what comes next."""
    return f"{version(study)}.{int(study.judging_is_open)}"


def latest(study: Study) -> Standing | None:
    """The last standing that was written. One query."""
    return Standing.objects.filter(study=study).order_by("-number").first()


def latest_stamp(study: Study) -> tuple[int, str] | None:
    """Number and version of the last standing; None without one. One query, which reads no board."""
    rows = Standing.objects.filter(study=study).order_by("-number")
    return rows.values_list("number", "version").first()


def current(study: Study) -> Standing:
    """Return the last standing, or a new one if it is out of date and older than `pause`.

    So an opened page is right even if no job has run.
    """
    found = latest(study)
    if found is not None and _has_all(found) and (is_young(found) or found.version == board_version(study)):
        return found
    return write(study)


def _has_all(standing: Standing) -> bool:
    """Whether a standing has all fields of the present format."""
    return "measures" in standing.board


def is_young(standing: Standing) -> bool:
    """Whether a standing is younger than the pause between two."""
    return timezone.now() - standing.created_at < timedelta(seconds=pause(standing.study_id))


def write(study: Study) -> Standing:
    """Write a new standing if the leaderboard has changed, and return the latest.

    Of two concurrent writers one wins. Time grows with topics x runs.
    """
    last = latest(study)
    stamp = board_version(study)  # before the scores: a standing never claims to be newer than it is
    if last is not None and last.version == stamp and _has_all(last):
        return last
    _load()
    started = time.monotonic()
    row = Standing(study=study, number=last.number + 1 if last else 1, version=stamp, board=computed(study))
    took = time.monotonic() - started
    cache.set(_took(study.pk), (_last_took(study.pk)[1], took), timeout=3600)
    Standing.objects.bulk_create([row], ignore_conflicts=True)
    found = latest(study)
    assert found is not None
    if found.number % THIN_EVERY == 0:
        thin(study)
    standing_written.send(sender=Standing, standing=found)
    return found


def _load() -> None:
    """Import what computes a standing, so that the first one is not timed as slow."""
    import_module("prefir.measures")
    import_module("scoring.scores.score_tables")


def pause(study_id: int) -> float:
    """Seconds between two standings of a study: longer if averaging took long twice in a row."""
    least = settings.STANDING_SECONDS
    return max(least, (REST - 1) * min(_last_took(study_id))) if least else 0.0


def _last_took(study_id: int) -> tuple[float, float]:
    """Seconds that the last two standings took; 0 for one that this process did not write lately."""
    known: tuple[float, float] | None = cache.get(_took(study_id))
    return known or (0.0, 0.0)


def _took(study_id: int) -> str:
    return f"standing-took:{study_id}"


def thin(study: Study) -> int:
    """Thin a study's history; return how many standings are forgotten.

    All of the last hour stay, of each minute of the last day the last one, of each hour before that the
    last one, and always the newest. Cost grows with what has come since, and slowly with the history.
    """
    now = timezone.now()
    rows = Standing.objects.filter(study=study, created_at__lt=now - HOUR).order_by("-number")
    kept: set[tuple[str, datetime]] = set()
    forgotten = []
    for pk, made in rows.values_list("pk", "created_at"):
        hour = made.replace(minute=0, second=0, microsecond=0)
        stretch = ("hour", hour) if made < now - DAY else ("minute", made.replace(second=0, microsecond=0))
        if stretch in kept:
            forgotten.append(pk)
        kept.add(stretch)
    newest = latest(study)
    forgotten = [pk for pk in forgotten if newest is None or pk != newest.pk]
    for start in range(0, len(forgotten), 500):
        Standing.objects.filter(pk__in=forgotten[start : start + 500]).delete()
    return len(forgotten)


def computed(study: Study, kept: Collection[int] | None = None) -> dict[str, Any]:
    """Average the scores: counts of the study, and for each run, measure and options its mean.

    kept: over these topics alone.

    {"measures", "topics", "topics_judged", "topics_whole" (`topic_weights.is_whole`), "topics_placed",
    "top_known" (`topic_weights.settled`), "nearest" (of the topics judged in part, the fewest unanswered
    questions and that topic's name), "judgments", "provisional", "kept_only" (provisional ones are not among
    the judgments), "waiting" (to be scored anew), "runs": [{"id", "name", "means", "whole"}]}. means: over
    all judged topics by `topic_weights.weights`, {measure: {options: [value, low, high, topics, [best,
    worst], ceiling]}}; whole: the same over the topics of each measure that are `topic_weights.settled`,
    where two at least are whole and others beside them. low and high are the 95 % interval, [best, worst] the
    ranks that tests of all pairs leave open (`prefir.measures.rank_ranges`), and ceiling is the mean of the
    best possible values over the same topics, with the same weights. Each may be null.
    """
    import numpy as np

    from scoring.scores import score_tables

    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    of_topics = Topic.objects.filter(study=study).order_by("name")
    rows_of = list(of_topics.values_list("pk", "name", "asked", "full_rounds", "weight"))
    table = score_tables.read(study, [pk for pk, *_ in rows_of], [pk for pk, _ in runs])
    working = Assignment.objects.filter(assessor__study=study, state__in=OPEN)
    provisional = Judgment.objects.counting().filter(assignment__in=working)
    if kept is not None:
        table = table.among([pk in kept for pk, *_ in rows_of])
        rows_of = [row for row in rows_of if row[0] in kept]
        provisional = provisional.filter(question__topic__in=kept)
    asked = {pk: (of, full_rounds, weight) for pk, _, of, full_rounds, weight in rows_of}
    weights, full = weights_of(table.judgments, list(asked.values()))
    measures = chosen(study.measures)
    columns = columns_of(measures)
    lines = list(zip(columns, table.values, table.ceilings, strict=True))
    means = {column: _means(own, weights, most) for column, own, most in lines}
    judged = np.array(table.judgments) > 0
    tops = with_known_top(study) & asked.keys()
    topped = np.array([topic in tops for topic in asked], dtype=bool)
    top_known = bool((full & topped).sum() >= 2)
    over = {measure: settled(measure, full, topped) for measure in measures}
    apart_too = full.sum() >= 2 and any((mask != judged).any() for mask in over.values())
    of_whole = {
        column: _means(own[mask], weights[mask], most[mask])
        for column, own, most in (lines if apart_too else ())
        for mask in [over[column[0]]]
    }
    return {
        "measures": measures,
        "topics": len(asked),
        "topics_judged": int(judged.sum()),
        "topics_whole": int(full.sum()),
        "topics_placed": len(tops),
        "top_known": top_known,
        "nearest": min(
            (
                (of - judged, name)
                for judged, (_, name, of, *_), is_full in zip(table.judgments, rows_of, full, strict=True)
                if judged and not is_full
            ),
            default=None,
        ),
        "judgments": sum(table.judgments),
        "waiting": to_be_scored(study),
        "kept_only": study.kept_only,
        "provisional": provisional.count(),
        "runs": [
            {
                "id": pk,
                "name": name,
                "means": _of_run(means, i),
                **({"whole": _of_run(of_whole, i)} if of_whole else {}),
            }
            for i, (pk, name) in enumerate(runs)
        ],
    }


def _of_run(means: dict[tuple[str, str], list[list[Any]]], run: int) -> dict[str, dict[str, list[Any]]]:
    """One run's means, by measure and options."""
    found: dict[str, dict[str, list[Any]]] = {}
    for measure, option in means:
        found.setdefault(measure, {})[option] = means[measure, option][run]
    return found


def with_known_top(study: Study) -> set[int]:
    """Topics whose top items are known."""
    placed = Item.objects.filter(topic__study=study, top_rank__isnull=False).order_by()
    return set(placed.values_list("topic_id", flat=True).distinct())


def _means(
    table: "NDArray[np.float64]", weights: "NDArray[np.float64]", ceilings: "NDArray[np.float64]"
) -> list[list[Any]]:
    from prefir.measures import mean_intervals

    if not table.size:
        return [[None, None, None, 0, None, None] for _ in range(table.shape[1])]
    found = child_process.call(mean_intervals, table, weights=weights, bounds=(0.0, 1.0))
    most = mean_ceilings(table, weights, ceilings)
    return [
        [
            _number(found.means[i]),
            _number(found.lows[i]),
            _number(found.highs[i]),
            int(found.counts[i]),
            list(ranks) if (ranks := found.ranks[i]) else None,
            _number(most[i]),
        ]
        for i in range(table.shape[1])
    ]


def mean_ceilings(
    table: "NDArray[np.float64]", weights: "NDArray[np.float64]", ceilings: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Mean of the topics' ceilings (topics,) for each run (runs,), over the topics that it has a value on.

    nan where it has none, or one of these topics has no ceiling, since it was scored before there were any.
    """
    import numpy as np

    heavy = ~np.isnan(table) * weights[:, None]
    unknown = np.isnan(ceilings)[:, None] & (heavy > 0)
    total = heavy.sum(axis=0)
    means = np.divide(
        np.nan_to_num(ceilings) @ heavy, total, out=np.full(len(total), np.nan), where=total > 0
    )
    return np.where(unknown.any(axis=0), np.nan, means)


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


def behind() -> list[Study]:
    """Studies that are not closed and whose last standing has rested and is behind their scores.

    One that has not rested is the next sweep's, if nobody is quicker.
    """
    return [
        study
        for study in Study.objects.filter(runs__isnull=False, closed_at=None).distinct()
        if (last := latest(study)) is None or (not is_young(last) and last.version != board_version(study))
    ]
