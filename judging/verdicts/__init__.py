"""Verdicts: decisions about batches, people and questions, and what made them."""
