"""Files of a study: exports, tables, releases."""
