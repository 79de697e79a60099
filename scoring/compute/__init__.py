"""Figures as pure functions without Django, and the child process in which web processes compute them."""
