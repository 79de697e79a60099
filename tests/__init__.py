"""Tests of the whole project, one folder for each part of it."""
