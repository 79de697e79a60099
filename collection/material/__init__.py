"""Material of a study: its topics, items, pictures and grades as they were loaded."""
