"""Jobs of scoring, the doors through which Celery calls services."""

import logging

from celery import shared_task
from django.db import OperationalError

from collection.models import Study, Topic
from config.task_queue import began, nudge_at_most_every, run_in_pieces, sweep_all, sweep_each, sweep_in_turns
from scoring.analysis.aspects import ASPECTS
from scoring.analysis.doubtful_judgments import DOUBTS, WITHOUT_DOUBTFUL
from scoring.analysis.head_to_head import STRENGTHS
from scoring.analysis.lead_changes import LEAD_CHANGES
from scoring.analysis.leave_one_out import INFLUENCE
from scoring.analysis.measure_comparison import MEASURES
from scoring.analysis.serp_agreement import AGREEMENT
from scoring.analysis.style_control import ANSWER_STYLES, STYLE
from scoring.analysis.system_maps import GROUP_MAPS, MAPS
from scoring.analysis.topic_groups import TURNS
from scoring.analysis.vote_comparison import VOTES
from scoring.board import standings
from scoring.quality.automation_signs import SIGNS
from scoring.quality.disagreements import DISAGREEMENTS
from scoring.quality.group_trust import GROUP_TRUST
from scoring.quality.trust import TRUST
from scoring.scores import topic_scores

# A worker knows their jobs by this import.
RESULTS = [
    STRENGTHS,
    INFLUENCE,
    AGREEMENT,
    MEASURES,
    MAPS,
    TRUST,
    ANSWER_STYLES,
    STYLE,
    VOTES,
    GROUP_TRUST,
    GROUP_MAPS,
    DOUBTS,
    WITHOUT_DOUBTFUL,
    LEAD_CHANGES,
    TURNS,
    ASPECTS,
    SIGNS,
    DISAGREEMENTS,
]

logger = logging.getLogger(__name__)


@shared_task
def rescore(topic_ids: list[int]) -> None:
    """Bring topics' scores up to date, and soon after that the standings of their studies."""
    changed: list[int] = []

    def one(topic_id: int) -> None:
        if topic_scores.rescore(topic_id):
            changed.append(topic_id)

    try:
        run_in_pieces(rescore, "rescoring topic", topic_ids, one)
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
def sweep() -> None:
    """Rescore every topic and write every standing whose nudge was lost."""
    sweep_all(
        lambda: sweep_in_turns(rescore, "rescoring topic", topic_scores.behind(), topic_scores.rescore),
        lambda: sweep_each("writing the standing of", standings.behind(), standings.write),
    )
