"""Jobs of the collection, the doors through which Celery calls services."""

from celery import shared_task

from collection import loading
from config.queueing import run_aside


# Given to a second worker after the visibility timeout, it does nothing there: the first holds the claim.
@shared_task(time_limit=6 * 3600, soft_time_limit=6 * 3600 - 60)
def run_import(import_id: int) -> None:
    """Load a file that an organizer uploaded."""
    loading.run(import_id)


@shared_task
def sweep_imports(*, alone: bool = False) -> None:
    """Close imports whose process died, and start those whose nudge was lost."""
    for import_id in loading.sweep(alone=alone):
        run_aside(run_import, import_id)
