"""Tests of the measures library; they need no Django."""
