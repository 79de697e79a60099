"""Organizer's pages: checklist, settings, loading, people, opening."""
