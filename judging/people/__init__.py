"""People who judge: the roster, their figures, the pace, and alerts to the members of a study."""
