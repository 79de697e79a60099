"""What is compared: studies and their members, topics, items, grades and runs; loading and exporting them."""
