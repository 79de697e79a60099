"""Pages about accounts: making and changing other people's, choosing one's own password."""
