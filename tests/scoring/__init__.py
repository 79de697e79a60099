"""Tests of the scoring room: its services, its pages and its files."""
