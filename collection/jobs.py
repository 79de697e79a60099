"""Celery jobs of the collection."""

from celery import shared_task

from collection.material.duplicates import DUPLICATES
from collection.study import study_deletion
from collection.upload import loading, pending_uploads
from config.task_queue import run_in_background

RESULTS = [DUPLICATES]  # a worker knows its job by this import


# Given to a second worker after the visibility timeout, it loads another file there, or none.
@shared_task(time_limit=6 * 3600, soft_time_limit=6 * 3600 - 60)
def load_next() -> None:
    """Load the oldest waiting upload, and queue the next one after it."""
    if loading.run_next():
        run_in_background(load_next)


@shared_task
def sweep_imports(*, alone: bool = False) -> None:
    """Handle imports whose process died, and uploads whose nudge was lost."""
    if loading.sweep(alone=alone):
        run_in_background(load_next)
    pending_uploads.drop_old()


# A second worker finds what the first one has not looked over yet.
@shared_task(time_limit=3600, soft_time_limit=3600 - 60)
def look_over() -> None:
    """Check the pending uploads that were added."""
    pending_uploads.look_over_all()


# Given to a second worker meanwhile, it finds less to delete.
@shared_task(time_limit=6 * 3600, soft_time_limit=6 * 3600 - 60)
def delete_studies() -> None:
    """Delete the studies that were chosen for deletion."""
    study_deletion.sweep()
