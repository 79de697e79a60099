"""Addresses of the scoring room."""

urlpatterns: list = []
