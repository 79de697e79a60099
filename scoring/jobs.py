"""Doors for Celery: each task calls one service."""

from celery import shared_task
from django.db import OperationalError

from scoring import services


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def rescore(topic_id: int) -> None:
    """Bring one topic's scores up to date."""
    services.rescore(topic_id)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Rescore every topic whose nudge was lost."""
    for topic_id in services.behind():
        services.rescore(topic_id)
