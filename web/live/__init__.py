"""Pages that follow a study: the board's verdict, progress, and what is sent to those who watch."""
