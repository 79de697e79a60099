"""Panels, the sources of assessors, one folder each; to add one, import it in `panels.apps`."""
