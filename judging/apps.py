"""Registers judging, and the kinds of files that hold judgments."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        import judging.kinds  # noqa: F401
