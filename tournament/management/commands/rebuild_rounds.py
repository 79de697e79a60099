"""`manage.py rebuild_rounds STUDY`: drop a study's rounds and play them again from the ledger."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from collection.commands import add_study, named_study, progress
from collection.models import Item
from config.task_queue import enqueue_shares
from tournament import jobs, services
from tournament.models import Pairing, Round, Tournament


class Command(BaseCommand):
    help = (
        "Drop every round and top place of a study and play its tournaments again from the kept "
        "judgments. The result is the same: rounds are derived. Workers help if there are any."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        topics = services.drop(study.pk)
        enqueue_shares(jobs.advance, topics)
        with progress() as tell:
            services.play_again(topics, tell)
        finished = Tournament.objects.filter(topic__study=study, finished=True).count()
        rounds = Round.objects.filter(tournament__topic__study=study).count()
        pairs = Pairing.objects.filter(round__tournament__topic__study=study).count()
        placed = Item.objects.filter(topic__study=study, top_rank__isnull=False).count()
        self.stdout.write(
            f"{len(topics):,} topics, {finished:,} of them finished; {rounds:,} rounds of {pairs:,} pairs; "
            f"{placed:,} items placed."
        )
