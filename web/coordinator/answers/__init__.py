"""Pages of the answers: judgments, trust, progress, health, notices."""
