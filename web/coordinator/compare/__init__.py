"""Comparisons: runs, baselines, head to head, maps, influence, result pages."""
