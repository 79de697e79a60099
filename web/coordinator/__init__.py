"""Coordinator's pages: leaderboard, topics, comparisons, answers, files."""
