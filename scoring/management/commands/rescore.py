"""`manage.py rescore STUDY`: drop a study's scores and compute them again from the ledger."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Sum

from collection.commands import add_study, named_study
from scoring import services
from scoring.models import Scored
from scoring.packed import COLUMNS


class Command(BaseCommand):
    help = "Drop every score of a study and compute them again. The result is the same: scores are derived."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        topics = services.rebuild(study.pk)
        scores = topics * study.runs.count() * len(COLUMNS)
        judged = Scored.objects.filter(topic__study=study).aggregate(n=Sum("judgments"))["n"] or 0
        self.stdout.write(f"{scores:,} scores of {topics:,} topics from {judged:,} judgments.")
