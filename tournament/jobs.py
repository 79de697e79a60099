"""Jobs of the tournaments, the doors through which Celery calls services."""

from celery import shared_task
from django.db import OperationalError

from tournament import services


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def advance(topic_id: int) -> None:
    """Bring one topic's tournament up to date."""
    services.advance(topic_id)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Advance every tournament whose nudge was lost."""
    services.catch_up()
