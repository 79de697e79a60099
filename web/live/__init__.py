"""Live pages: the leaderboard's headline, progress, and the updates sent to open pages."""
