"""Leaderboard: its page, its history, shared links, participants' pages."""
