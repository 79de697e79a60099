"""`manage.py rebuild STUDY`: rebuild every derived row of a study from its ledger."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from collection import audit_log
from collection.commands import add_study, named_study, progress
from config.task_queue import enqueue_shares
from judging.audit import derived_state
from scoring import jobs as scoring_jobs
from scoring.board import standings
from scoring.scores import topic_scores as scoring
from tournament import jobs as tournament_jobs
from tournament import services as tournament


class Command(BaseCommand):
    help = (
        "Make every derived row of a study anew: states of batches and assessors, counters, rounds, top "
        "ranks, scores, and a standing of the leaderboard. The result is the same, since all of it follows "
        "from the judgments and the decisions about them. Use it while nobody judges."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        wrong = derived_state.rebuild(study)
        with progress() as tell:
            enqueue_shares(tournament_jobs.advance, rounds := tournament.drop(study.pk))
            tournament.play_again(rounds, tell)
        with progress() as tell:
            enqueue_shares(scoring_jobs.rescore, topics := scoring.outdate(study.pk))
            scoring.rescore_each(topics, tell)
        standings.write(study)
        audit_log.note(study.pk, audit_log.What.REBUILT, after={"were wrong": wrong})
        self.stdout.write(
            f"{wrong:,} states and counters were wrong; the rounds of {len(rounds):,} topics and the "
            f"scores of {len(topics):,} topics are made anew."
        )
