"""Calls to panels: an outbox of requests, each stored before it is made, and their effects."""
