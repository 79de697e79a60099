"""The Celery app: finds each room's jobs; its settings are Django's with the prefix CELERY_."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faceoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
# In this product a task is a way of asking assessors, so Celery's tasks are called jobs.
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
def warm_up(sender: Any, **_: Any) -> None:
    """Load compiled code before the first task comes, and before the pool forks."""
    # A worker of standings alone averages scores and measures nothing.
    if app.conf.task_default_queue in sender.app.amqp.queues.consume_from:
        # By name and only here: importing it loads numpy and numba.
        import_string("prefir.measures.warm.warm")()
