"""Tests of pages that belong to no one room."""
