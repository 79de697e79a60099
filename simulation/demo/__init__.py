"""Material of the demonstration study: passages we wrote, pictures we draw, runs, grades and hidden truth."""
