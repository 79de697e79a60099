"""The organizer's pages: the checklist, settings, loading, people, opening."""
