"""Jobs of scoring, the doors through which Celery calls services."""

import logging

from celery import shared_task
from django.db import OperationalError

from collection.models import Study, Topic
from config.task_queue import began, in_turns, nudge_at_most_every, sweep_all, sweep_each, sweep_in_turns
from scoring import (
    head_to_head,
    leave_one_out,
    page_agreement,
    run_comparison,
    services,
    standings,
    system_maps,
)
from scoring import trust as trusting

logger = logging.getLogger(__name__)


@shared_task
def rescore(topic_ids: list[int]) -> None:
    """Bring topics' scores up to date, and soon after that the standings of their studies."""
    changed: list[int] = []

    def one(topic_id: int) -> None:
        if services.rescore(topic_id):
            changed.append(topic_id)

    try:
        in_turns(rescore, "rescoring topic", topic_ids, one)
    finally:
        studies = Topic.objects.filter(pk__in=changed).values_list("study_id", flat=True).distinct()
        for study_id in studies:
            nudge_standing(study_id)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def write_standing(study_id: int) -> None:
    """Write a study's standing if its scores have changed. In a queue of its own: viewers wait for it."""
    began(write_standing, study_id)
    standings.write(Study.objects.get(pk=study_id))


def nudge_standing(study_id: int) -> None:
    """Have a study's standing written soon."""
    nudge_at_most_every(standings.pause(study_id), write_standing, study_id)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def map_systems(study_id: int) -> None:
    """Compute the maps of systems that are asked for."""
    began(map_systems, study_id)
    system_maps.compute_asked(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def measure_strengths(study_id: int) -> None:
    """Compute the strengths of runs that meet directly, where they are asked for."""
    began(measure_strengths, study_id)
    head_to_head.compute_asked(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def compare_result_pages(study_id: int) -> None:
    """Make the tables of measures beside run preferences that are asked for."""
    began(compare_result_pages, study_id)
    page_agreement.compute_asked(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def compare_measures(study_id: int) -> None:
    """Compare a study's measures over the usual topics, if scores have changed."""
    began(compare_measures, study_id)
    run_comparison.measures(Study.objects.get(pk=study_id), None)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def trust(study_id: int) -> None:
    """Compute how far a study's judgments can be trusted, if they have changed."""
    began(trust, study_id)
    trusting.bring_up_to_date(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def leave_out(study_id: int) -> None:
    """Compute what changes without each of a study's most active assessors, or those asked about."""
    began(leave_out, study_id)
    leave_one_out.compute(Study.objects.get(pk=study_id))


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep() -> None:
    """Rescore every topic and write every standing whose nudge was lost."""
    sweep_all(
        lambda: sweep_in_turns(rescore, "rescoring topic", services.behind(), services.rescore),
        lambda: sweep_each("writing the standing of", standings.behind(), standings.write),
    )
