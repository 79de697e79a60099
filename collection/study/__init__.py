"""The study as a whole: its lifecycle, copies, share links and deletion."""
