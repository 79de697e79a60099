"""Material of a study: topics, items, pictures and grades."""
