"""Tournaments: which questions to ask next."""
