"""The product's configuration: settings, addresses, Celery and the WSGI door."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
