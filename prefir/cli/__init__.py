"""`prefir`: the measures as commands, TREC files in and plain lines out; no database."""
