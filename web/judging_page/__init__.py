"""Judging page: what a sitting shows, for assessors, previews and the API."""
