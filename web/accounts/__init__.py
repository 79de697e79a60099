"""Pages about accounts: create and change accounts, choose one's own password, API tokens."""
