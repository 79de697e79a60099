"""Tests of the demonstration material; none needs a database."""
