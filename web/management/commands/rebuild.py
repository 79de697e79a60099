"""`manage.py rebuild STUDY`: rebuild every derived row of a study from its ledger."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from collection import trail
from collection.commands import add_study, named_study
from judging import rebuilding
from scoring import services as scoring
from scoring import standings
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
        wrong = rebuilding.rebuild(study)
        rounds, topics = tournament.rebuild(study.pk), scoring.rebuild(study.pk)
        standings.write(study)
        trail.note(study.pk, trail.What.REBUILT, after={"were wrong": wrong})
        self.stdout.write(
            f"{wrong:,} states and counters were wrong; the rounds of {rounds:,} topics and the scores of "
            f"{topics:,} topics are made anew."
        )
