"""Payments: what people are owed for work or measured time, and the resulting hourly pay."""
