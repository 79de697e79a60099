"""Where assessors come from: one file a panel."""
