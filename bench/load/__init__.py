"""How many answers a deployment takes, beside a bare view on the same machine: docs/load.md."""
