"""Stands for WeasyPrint on a machine without Pango: its import fails with what cffi says there."""

raise OSError("cannot load library 'libpango-1.0-0': libpango-1.0-0: cannot open shared object file")
