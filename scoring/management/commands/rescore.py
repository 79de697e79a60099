"""`manage.py rescore STUDY`: compute a study's scores again from the ledger, with the help of workers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Sum

from collection.commands import add_study, named_study, progress
from config.task_queue import enqueue_shares
from scoring import jobs
from scoring.board import standings
from scoring.models import StoredScores
from scoring.scores import topic_scores
from scoring.scores.score_rows import columns
from scoring.scores.stored_measures import chosen


class Command(BaseCommand):
    help = (
        "Compute every score of a study again. The result is the same: scores are derived. Workers help if "
        "there are any."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        topics = topic_scores.outdate(study.pk)
        enqueue_shares(jobs.rescore, topics)
        with progress() as tell:
            topic_scores.rescore_each(topics, tell)
        standings.write(study)
        scores = len(topics) * study.runs.count() * len(columns(chosen(study.measures)))
        judged = StoredScores.objects.filter(topic__study=study).aggregate(n=Sum("judgments"))["n"] or 0
        self.stdout.write(f"{scores:,} scores of {len(topics):,} topics from {judged:,} judgments.")
