"""Where assessors come from: one folder a panel."""
