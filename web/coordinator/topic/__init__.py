"""Pages of topics: evidence, preference graph, explanation of scores."""
