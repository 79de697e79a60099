"""Django app of tournaments: listens for changed judgments."""

from typing import Any

from django.apps import AppConfig


class TournamentConfig(AppConfig):
    name = "tournament"

    def ready(self) -> None:
        from collection.changes import judgments_changed
        from config.task_queue import enqueue_coalesced
        from tournament.jobs import advance

        def on_change(topic_id: int, settled: bool, **_: Any) -> None:
            if settled:  # rounds wait for verdicts
                enqueue_coalesced(advance, topic_id)

        judgments_changed.connect(on_change, weak=False, dispatch_uid="tournament")
