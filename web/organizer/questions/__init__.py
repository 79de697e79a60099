"""Pages of questions: challenges, those that nobody can judge, previews."""
