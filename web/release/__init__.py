"""Releases: a study as a folder or zip that others can read, check and load again."""
