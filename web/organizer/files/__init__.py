"""Pages that load files."""
