"""Measurements of speed: programs that print tables, run by hand; docs/costs.md holds their output."""
