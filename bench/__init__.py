"""Measurements of speed: programs that print tables, run by hand; docs/costs.md and docs/speed.md hold their output."""
