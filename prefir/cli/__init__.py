"""The command line `prefir`: TREC files in, plain lines out; no database."""
