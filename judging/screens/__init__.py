"""The judging room's pages: each module is the doors of one kind of page, over services elsewhere."""
