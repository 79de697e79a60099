"""Tests over real PostgreSQL, Redis, workers and web processes."""
