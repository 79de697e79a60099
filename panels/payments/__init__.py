"""Payments: what people are owed for work or measured time, and what it pays by the hour."""
