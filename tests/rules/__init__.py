"""Tests of the tournament rules: no database."""
