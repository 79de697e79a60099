"""Django's backend for SQLite, with a fair lock before SQLite's own."""
