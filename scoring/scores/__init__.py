"""Scores of a topic: computed from the ledger, and stored in one row for all runs and measures."""
