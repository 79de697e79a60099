"""Calls to panels: stored before they are sent, sent once, and their effects."""
