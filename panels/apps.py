"""App configuration that registers the panels and connects the signal handlers."""

from django.apps import AppConfig


class PanelsConfig(AppConfig):
    name = "panels"

    def ready(self) -> None:
        from typing import Any

        from django.db.models.signals import post_save

        import panels.link
        import panels.local
        import panels.mturk
        import panels.prolific  # noqa: F401
        from collection.models import Membership
        from collection.study.study_deletion import study_deleted
        from config.task_queue import enqueue_coalesced
        from judging.people import roster
        from panels import account, jobs
        from panels.calls import effects
        from panels.participants import id_erasure
        from panels.payments import payouts

        def joined(instance: Membership, **_: Any) -> None:
            if instance.role == account.ASSESSOR:
                account.seat(instance.study_id, instance.user_id)

        def intended(campaign_id: int, **_: Any) -> None:
            enqueue_coalesced(jobs.make_calls, campaign_id)

        def deleted(**_: Any) -> None:
            id_erasure.forget_strays()

        study_deleted.connect(deleted, weak=False, dispatch_uid="panels")
        roster.sort_by("owed", payouts.OWED)
        effects.calls_intended.connect(intended, weak=False, dispatch_uid="panels")
        post_save.connect(joined, Membership, weak=False, dispatch_uid="panels")
