"""Analysis of a study's scores: comparison of runs, head to head, leave one out, maps, explanations."""
