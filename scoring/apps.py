"""Django app of scoring: listens for changed judgments."""

from typing import Any

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from collection.changes import judgments_changed
        from collection.study.lifecycle import judging_steered
        from config.task_queue import enqueue_coalesced
        from scoring.jobs import nudge_standing, rescore

        def on_change(topic_id: int, **_: Any) -> None:
            enqueue_coalesced(rescore, topic_id)

        def on_steering(study_id: int, **_: Any) -> None:
            nudge_standing(study_id)

        judgments_changed.connect(on_change, weak=False, dispatch_uid="scoring")
        judging_steered.connect(on_steering, weak=False, dispatch_uid="scoring")
