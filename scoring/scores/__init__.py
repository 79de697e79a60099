"""Scores of a topic: computed from the ledger, and stored in a row for all runs and measures."""
