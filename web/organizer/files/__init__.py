"""Pages to upload and load files."""
