"""Audit of the ledger: its hash chain, verification, and derived state rebuilt from it."""
