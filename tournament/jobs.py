"""Celery jobs of tournaments."""

from celery import shared_task
from django.db import OperationalError

from config.task_queue import run_in_pieces, sweep_in_turns
from tournament import services
from tournament.planning import PLANS

RESULTS = [PLANS]  # a worker knows its job by this import


@shared_task
def advance(topic_ids: list[int]) -> None:
    """Advance the tournaments of topics."""
    run_in_pieces(advance, "advancing topic", topic_ids, services.advance)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Advance every tournament that is behind, in case a nudge was lost."""
    sweep_in_turns(advance, "advancing topic", services.behind(), services.advance)
