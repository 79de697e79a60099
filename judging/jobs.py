"""Jobs of judging, the doors through which Celery calls services."""

from celery import shared_task
from django.db import OperationalError

from judging import answering, sealing


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def release_overdue() -> None:
    """Give back the questions of assignments whose time has run out."""
    answering.release_overdue()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def seal() -> None:
    """Seal what was added to the ledgers of all studies."""
    sealing.seal()
