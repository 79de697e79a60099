"""`manage.py forgetids`: destroy the panels' ids of people that nobody needs any more."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from panels.participants import id_erasure
from web.shared.phrases import count


class Command(BaseCommand):
    help = (
        "Destroy the ids that panels have for people, for good, where every campaign that they came to was "
        "closed long enough ago, they are owed nothing and no call about them is under way. Beat does it by "
        "itself each hour."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        days = settings.PANEL_IDS_DAYS
        parser.add_argument(
            "--days", type=int, default=days, help="how long ago (PANEL_IDS_DAYS: %(default)s)"
        )
        parser.add_argument("--count", action="store_true", help="only say how many it would be")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["count"]:
            number = id_erasure.due(timezone.now(), options["days"]).count() if options["days"] > 0 else 0
            self.stdout.write(f"{count(number, 'id')} would be destroyed.")
            return
        self.stdout.write(f"{count(id_erasure.destroy_due(days=options['days']), 'id')} destroyed.")
