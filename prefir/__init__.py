"""Measures, file formats and tournament rules for preference judging; no Django, no database.

`prefir.measures` scores rankings, `prefir.formats` reads and writes TREC and other files, `prefir.rules`
plays tournaments, and `prefir.cli` is the command line (`prefir`, or `python -m prefir`).
"""
