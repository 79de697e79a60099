"""Tests of the tournament room: its services and its pages."""
