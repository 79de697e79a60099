"""`manage.py catchup`: do what was left undone when the last process stopped, as the sweeps do."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from collection import jobs as imports
from config.queueing import sweep_all
from judging import answering, sealing
from scoring import jobs as scoring
from tournament import jobs as tournament


class Command(BaseCommand):
    help = (
        "Release overdue batches, see to imports that stopped, advance tournaments and rescore topics that "
        "are behind; seal what was added to the ledgers."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        answering.release_overdue()
        # Without workers one process does everything, and this runs before it starts.
        imports.sweep_imports(alone=settings.CELERY_TASK_ALWAYS_EAGER)
        sweep_all(tournament.sweep, scoring.sweep)
        sealing.seal()
