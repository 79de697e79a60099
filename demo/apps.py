"""Registers the demonstration, for its command."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "demo"
