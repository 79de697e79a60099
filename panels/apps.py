"""Registers the panels."""

from django.apps import AppConfig


class PanelsConfig(AppConfig):
    name = "panels"

    def ready(self) -> None:
        from typing import Any

        from django.db.models.signals import post_save

        import panels.local  # noqa: F401
        from collection.models import Membership
        from panels import account

        def joined(instance: Membership, **_: Any) -> None:
            if instance.role == account.ASSESSOR:
                account.seat(instance.study_id, instance.user_id)

        post_save.connect(joined, Membership, weak=False, dispatch_uid="panels")
