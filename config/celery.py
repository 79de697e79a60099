"""The Celery app: finds each room's tasks; settings come from Django's, prefix CELERY_."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faceoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
# A task is a way of asking here, so what Celery calls tasks are called jobs.
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
def warm_up(**_: Any) -> None:
    """Load what is compiled before the first task comes, and before the pool forks."""
    # By name: the ground knows no room.
    import_string("prefir.measures.warm.warm")()
