"""Credentials: accounts and passwords, and tokens of the HTTP API."""
