"""Registers the pages, so that Django finds their commands."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
