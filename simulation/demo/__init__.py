"""Material of the demonstration study: passages we wrote, pictures we painted, runs, grades and hidden truth."""
