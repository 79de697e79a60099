"""Files of a study: exports, tables, releases."""

from web.coordinator.files import computed_tables  # noqa: F401 - registers its tables
