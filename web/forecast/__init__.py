"""Forecasts: what a study will ask, what it still needs, and what can go wrong."""
