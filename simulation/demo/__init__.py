"""The demonstration studies: passages we wrote, pictures we painted, runs, grades and hidden truth."""
