"""The tournament room: what to ask next."""
