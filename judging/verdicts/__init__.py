"""Verdicts: decisions about batches, assessors and questions, and the rules that make them."""
