"""Jobs of the tournaments, the doors through which Celery calls services."""

from celery import shared_task
from django.db import OperationalError

from collection.models import Study
from config.task_queue import began, in_turns, sweep_in_turns
from tournament import planning, services


@shared_task
def advance(topic_ids: list[int]) -> None:
    """Bring topics' tournaments up to date."""
    in_turns(advance, "advancing topic", topic_ids, services.advance)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Advance every tournament whose nudge was lost."""
    sweep_in_turns(advance, "advancing topic", services.behind(), services.advance)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def simulate_plans(study_id: int) -> None:
    """Simulate the plans that are asked for."""
    began(simulate_plans, study_id)
    planning.compute_asked(Study.objects.get(pk=study_id))
