"""The Celery app: finds each room's tasks; settings come from Django's, prefix CELERY_."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faceoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def warm_up(**_: Any) -> None:
    """Load what is compiled before the first task comes, and before the pool forks."""
    from prefir.measures.warm import warm

    warm()
