"""Trust in a study's judgments: agreement, bias, consistency and time, kept for the pages that show them.

All answers are read for them, which takes a minute for a million: so pages show what is kept, however
old, and ask for a job where it is (`scoring.jobs.trust`). Two pages do, each from a part of its own.
"""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.cache import cache
from django.db.models import Count, Sum
from django.utils import timezone

from collection.models import Study, Topic
from judging.assessor_names import assessor_name
from judging.decisions import challenges_wrong
from judging.judgment_import import PANEL as FILES
from judging.models import Assessor, Assignment, Judgment
from scoring import child_process
from scoring.answer_quality import LOADING, answers
from scoring.answer_stats import AnswerReport
from scoring.trust_figures import Known, Trust, reported

Part = TypeVar("Part", Trust, AnswerReport)
KEPT_SECONDS = 30 * 86400
# Figures of at most so many judgments are computed while a page waits.
AT_ONCE = 2000
LEASE_SECONDS = 900
CHUNK = 500
# Names of the panels of those whom a study invites itself: by links, and by accounts.
LOCAL_PANELS = ("local", "account")
LOCAL, CROWD, RECORDED, JOINED = "invited", "from panels", "from files", "by the open link"


class Kept(NamedTuple, Generic[Part]):
    """Figures, the version of the judgments that they are of, and when they were computed."""

    version: str
    at: datetime
    figures: Part


def kept(study: Study, part: type[Part]) -> Kept[Part] | None:
    """The figures as they were computed last: a `Trust`, or a `Report`. No query."""
    found: Kept[Part] | None = cache.get(_key(study.pk, part))
    return found


def version(study: Study) -> str:
    """A stamp that changes with the judgments that count, whether they are scored or not. One query."""
    topics = Topic.objects.filter(study=study).aggregate(n=Count("pk"), revisions=Sum("revision"))
    return f"{topics['n']}.{topics['revisions'] or 0}"


def is_small(study: Study) -> bool:
    """Whether the judgments are so few that a page can wait for the figures. One query, of so many rows."""
    return Judgment.objects.filter(topic__study=study)[: AT_ONCE + 1].count() <= AT_ONCE


def compute(study: Study) -> tuple[Kept[AnswerReport], Kept[Trust]] | None:
    """Compute the figures and keep them; None if another process is at it.

    Seven queries, and two for each 500 batches. Time and memory grow with the answers.
    """
    lease = _lease(study.pk)
    if not cache.add(lease, 1, timeout=LEASE_SECONDS):
        return None
    try:
        stamp, at = version(study), timezone.now()
        report, trust = child_process.call(reported, list(answers(study)), _people(study))
        found = Kept(stamp, at, report), Kept(stamp, at, trust)
        for one in found:
            cache.set(_key(study.pk, type(one.figures)), one, timeout=KEPT_SECONDS)
    finally:
        cache.delete(lease)
    return found


def bring_up_to_date(study: Study) -> None:
    """Compute the figures anew if judgments have come since, or were excluded."""
    stamp = version(study)
    found = kept(study, AnswerReport), kept(study, Trust)
    if any(one is None or one.version != stamp for one in found):
        compute(study)


def is_young(found: Kept[Any], seconds: float) -> bool:
    """Whether figures were computed within the last so many seconds."""
    return timezone.now() - found.at < timedelta(seconds=seconds)


def _people(study: Study) -> dict[int, Known]:
    failed: dict[int, int] = defaultdict(int)
    known: dict[int, int] = defaultdict(int)
    batches = list(
        Assignment.objects.filter(task__study=study)
        .exclude(state=LOADING)
        .select_related("task")
        .order_by("pk")
    )
    for start in range(0, len(batches), CHUNK):
        some = batches[start : start + CHUNK]
        checked = challenges_wrong(some)
        for batch in some:
            failed[batch.assessor_id] += checked[batch.pk].wrong
            known[batch.assessor_id] += checked[batch.pk].answered
    rows = Assessor.objects.filter(study=study).values_list("pk", "panel", "label", "by_link")
    return {
        pk: Known(assessor_name(panel, label, pk), group_of(panel, by_link), failed[pk], known[pk])
        for pk, panel, label, by_link in rows
    }


def group_of(panel: str, by_link: bool) -> str:
    """Where people come from: invited by the study, by its open link, by a marketplace, or from files."""
    if panel == FILES:
        return RECORDED
    if by_link:
        return JOINED
    return LOCAL if panel in LOCAL_PANELS else CROWD


def _key(study_id: int, part: type[object]) -> str:
    return f"{part.__name__.lower()}:{study_id}"


def _lease(study_id: int) -> str:
    return f"trusting:{study_id}"
