"""Quality of a study's answers: bias, consistency, agreement, trust."""
