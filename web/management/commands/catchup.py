"""`manage.py catchup`: do what was left undone when the last process stopped, as the sweeps do."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from collection import jobs as imports
from collection.commands import progress
from config.task_queue import sweep_all, sweep_each
from judging.audit import hash_chain
from judging.batches import answering
from panels import reconciliation
from scoring.board import standings
from scoring.scores import topic_scores as scoring
from tournament import services as tournament


class Command(BaseCommand):
    help = (
        "Release overdue batches, see to imports that stopped, advance tournaments and rescore topics that "
        "are behind; seal what was added to the ledgers; compare campaigns with what panels list."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        answering.release_overdue()
        # Without workers one process does everything, and this runs before it starts.
        imports.sweep_imports(alone=settings.CELERY_TASK_ALWAYS_EAGER)
        sweep_all(
            _shown(tournament.catch_up),
            _shown(scoring.catch_up),
            lambda: sweep_each("writing the standing of", standings.behind(), standings.write),
        )
        hash_chain.seal()
        # What a campaign had under way is compared before anything more is published.
        sweep_each("campaigns", reconciliation.going_on(), reconciliation.reconcile)


def _shown(catch_up: Callable[[Callable[[int, int], None]], object]) -> Callable[[], None]:
    """Show how far it has got."""

    def run() -> None:
        with progress() as tell:
            catch_up(tell)

    return run
