"""Simulated assessors, replays of recorded judgments, and the demonstration studies."""
