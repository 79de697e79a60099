"""The coordinator's pages: topics, the leaderboard, exports."""
