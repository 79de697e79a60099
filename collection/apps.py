"""Django app of the collection."""

from django.apps import AppConfig


class CollectionConfig(AppConfig):
    name = "collection"
