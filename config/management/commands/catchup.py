"""`manage.py catchup`: do what was left undone when the last process stopped, as the sweeps of beat do."""

from typing import Any

from django.core.management.base import BaseCommand

from judging import tasks as judging
from scoring import tasks as scoring
from tournament import tasks as tournament


class Command(BaseCommand):
    help = "Release overdue batches, advance tournaments and rescore topics that are behind."

    def handle(self, *args: Any, **options: Any) -> None:
        judging.release_overdue()
        tournament.sweep()
        scoring.sweep()
