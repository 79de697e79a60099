"""Collection: studies and members, topics, items, grades and runs; loading and exporting them."""
