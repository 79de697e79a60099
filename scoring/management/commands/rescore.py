"""`manage.py rescore STUDY`: drop a study's scores and compute them again from the ledger."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Sum

from judging.models import Study
from scoring import services
from scoring.models import Score, Scored


class Command(BaseCommand):
    help = "Drop every score of a study and compute them again. The result is the same: scores are derived."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        topics = services.rebuild(study.pk)
        scores = Score.objects.filter(topic__study=study).count()
        judged = Scored.objects.filter(topic__study=study).aggregate(n=Sum("judgments"))["n"] or 0
        self.stdout.write(f"{scores:,} scores of {topics:,} topics from {judged:,} judgments.")
