"""Pages of the loaded material: topics, items, duplicates."""
