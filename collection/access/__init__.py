"""Access: accounts, and tokens of the HTTP API."""
