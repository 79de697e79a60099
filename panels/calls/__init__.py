"""Calls to panels: stored before they are made, made once, and what follows from each."""
