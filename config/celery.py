"""The Celery app: finds each room's jobs; its settings are Django's with the prefix CELERY_."""

import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, worker_init
from django.db import close_old_connections
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faceoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
# In this product a task is a way of asking assessors, so Celery's tasks are called jobs.
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
def warm_up(sender: Any, **_: Any) -> None:
    """Load compiled code before the first task, and before the pool forks."""
    os.umask(0o077)  # pictures that jobs write are readable by their owner alone
    # A worker of standings alone averages scores and measures nothing.
    if app.conf.task_default_queue in sender.app.amqp.queues.consume_from:
        # By name and only here: importing it loads numpy and numba.
        import_string("prefir.measures.warm.warm")()


@task_postrun.connect
def let_go(task: Any, **_: Any) -> None:
    """Close a database connection that the server has closed, so that the next job opens another.

    Celery reuses a connection for CELERY_DB_REUSE_MAX jobs, whatever its state.
    """
    if not task.request.is_eager:
        close_old_connections()
