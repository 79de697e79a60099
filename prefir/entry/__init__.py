"""The three entry points, by which measures and formats meet: `read`, `evaluate` and `rank`."""
