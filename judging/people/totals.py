"""Running totals of answers, updated by sweeps, so that no page adds up a whole ledger after a restart."""

from collection.models import Study
from config.task_queue import sweep_each
from judging.people import pace
from judging.verdicts import challenge_failures


def refresh() -> int:
    """Update the totals of every study in which judging is open; return how many studies.

    Cost grows with what came since the last call; the first call reads all answers.
    """
    studies = list(Study.objects.filter(opened_at__isnull=False, closed_at=None).order_by("pk"))
    sweep_each("adding up the answers of", studies, _refresh)
    return len(studies)


def _refresh(study: Study) -> None:
    pace.per_day(study)
    challenge_failures.rates(study)
