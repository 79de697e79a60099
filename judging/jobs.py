"""Jobs of judging, the doors through which Celery calls services."""

from celery import shared_task
from django.db import OperationalError

from config.task_queue import sweep_all
from judging.audit import hash_chain
from judging.batches import answering, declines
from judging.people import assessor_stats, totals
from judging.verdicts import doubtful_challenges


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def release_overdue() -> None:
    """Give back the questions of assignments whose time has run out, set aside those that nobody can judge
    and challenges that good people fail, and bring figures of people and totals of answers up to date.
    """
    sweep_all(
        answering.release_overdue,
        declines.set_aside_unanswerable,
        doubtful_challenges.set_aside_doubtful,
        assessor_stats.refresh,
        totals.refresh,
    )


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def seal() -> None:
    """Seal what was added to the ledgers of all studies."""
    hash_chain.seal()
