"""What the answers say about the systems; the measures themselves are in `prefir.measures`."""
