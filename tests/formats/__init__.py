"""Tests of the readers and writers of files; none needs a database."""
