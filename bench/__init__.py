"""Measurements of speed, run by hand; docs/costs.md and docs/speed.md hold the tables that they print."""
