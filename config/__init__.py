"""The product's configuration: settings, addresses, Celery and the WSGI entry point."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
