"""Addresses of the judging room."""

urlpatterns: list = []
