"""Leaderboard: standings written once for all viewers, their history, and exports."""
