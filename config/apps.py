"""Registers config, for the one command that needs all rooms at once."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
