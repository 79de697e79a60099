"""Pages of a study's setup: settings, tasks, texts, plans, opening, deletion."""
