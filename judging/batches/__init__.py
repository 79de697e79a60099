"""Batches: drawn for somebody who arrives, answered, submitted, given back or ended."""
