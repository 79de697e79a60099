"""Uploads: files read, checked and loaded into a study."""
