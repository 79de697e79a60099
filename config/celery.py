"""The Celery app: finds each room's tasks; settings come from Django's, prefix CELERY_."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faceoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
