"""Forecasts: what a study will ask for, what it still needs, and what could go wrong."""
