"""Judgments in files: imported, exported, and the ledger of a release."""
