"""Celery tasks that send notifications, and compute the figures of finished studies."""

from celery import shared_task
from django.db import OperationalError

from collection import notices
from collection.models import Study
from config.task_queue import began, nudge, sweep_all, sweep_each
from web.alerts import notifications
from web.shared import finished_figures


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


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def prepare_figures(study_id: int) -> None:
    """Compute the next figure of a finished study that is not there yet, and ask for the ones after it."""
    began(prepare_figures, study_id)
    study = Study.objects.get(pk=study_id)
    if finished_figures.is_finished(study) and finished_figures.compute_next(study):
        nudge(prepare_figures, study_id)
