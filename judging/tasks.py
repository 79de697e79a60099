"""Doors for Celery: each task calls one service."""

from celery import shared_task
from django.db import OperationalError

from judging import answering, loading


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def release_overdue() -> None:
    """Give back the questions of assignments whose time has run out; see to imports that stopped."""
    answering.release_overdue()
    loading.sweep()


@shared_task
def run_import(import_id: int) -> None:
    """Load a file that an organizer uploaded."""
    loading.run(import_id)
