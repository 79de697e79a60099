"""Celery tasks that send notifications."""

from celery import shared_task
from django.db import OperationalError

from collection import notices
from config.task_queue import sweep_all, sweep_each
from web.shared import notifications


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def notice(study_id: int) -> None:
    """Tell the members of a study what happened."""
    for study in notices.watched().filter(pk=study_id):
        notifications.look(study)
    notifications.send_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def send_notices() -> None:
    """Send the messages that are due."""
    notifications.send_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_notices() -> None:
    """Tell members what happened in every study that somebody watches, whatever happened to nudges."""
    sweep_all(
        lambda: sweep_each("looking for what happened in", notices.watched(), notifications.look),
        notifications.send_due,
    )
