"""Uploads: files are read, checked and loaded into a study."""
