"""Jobs of scoring, the doors through which Celery calls services."""

import logging

from celery import shared_task
from django.conf import settings
from django.db import OperationalError

from collection.models import Study, Topic
from config.queueing import nudge_once_in, sweep_all, sweep_each
from scoring import services, standings

logger = logging.getLogger(__name__)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def rescore(topic_id: int) -> None:
    """Bring one topic's scores up to date, and soon after that the standing of its study."""
    if services.rescore(topic_id):
        study_id = Topic.objects.values_list("study_id", flat=True).get(pk=topic_id)
        nudge_once_in(settings.STANDING_SECONDS, write_standing, study_id)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def write_standing(study_id: int) -> None:
    """Write a study's standing if its scores have changed."""
    standings.write(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Rescore every topic and write every standing whose nudge was lost."""
    sweep_all(
        lambda: sweep_each("rescoring topic", services.behind(), services.rescore),
        lambda: sweep_each("writing the standing of", standings.behind(), standings.write),
    )
