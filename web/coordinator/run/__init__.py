"""The page of a run: its place, best and worst topics, what costs it most, and the runs near it."""
