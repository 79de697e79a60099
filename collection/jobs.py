"""Doors for Celery: each job calls one service."""

from celery import shared_task

from collection import loading
from config.queueing import run_aside


@shared_task
def run_import(import_id: int) -> None:
    """Load a file that an organizer uploaded."""
    loading.run(import_id)


@shared_task
def sweep_imports(*, alone: bool = False) -> None:
    """See to imports that stopped: close those that died, start those whose nudge was lost."""
    for import_id in loading.sweep(alone=alone):
        run_aside(run_import, import_id)
