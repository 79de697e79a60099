"""Pages of questions: challenges, declined questions, previews."""
