"""Registers the panels."""

from django.apps import AppConfig


class PanelsConfig(AppConfig):
    name = "panels"

    def ready(self) -> None:
        import panels.local  # noqa: F401
