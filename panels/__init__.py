"""Panels, the sources of assessors: one folder each, registered by an import in `panels.apps`."""
