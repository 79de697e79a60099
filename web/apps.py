"""Registers the pages, for their commands."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
