"""Scoring: scores of runs from the answers; the measures themselves are in `prefir.measures`."""
