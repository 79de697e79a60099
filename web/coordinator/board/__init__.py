"""The leaderboard: its page, history, shared and participants' pages."""
