"""Shared by all desks: access, tokens, words, figures, typesetting, streams."""
