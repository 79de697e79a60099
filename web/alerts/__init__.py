"""What members are told of a study: what keeps judging from going on, and what has happened."""
