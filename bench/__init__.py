"""Measurements of speed, run by hand; docs/costs.md, speed.md and load.md hold their tables."""
