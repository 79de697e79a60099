"""Addresses of the tournament room."""

urlpatterns: list = []
