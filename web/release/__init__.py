"""A study as a release: a folder or zip that others can read, check and load again."""
