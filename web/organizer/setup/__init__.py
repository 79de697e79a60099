"""Pages that set a study up: settings, tasks, texts, plans, opening, deletion."""
