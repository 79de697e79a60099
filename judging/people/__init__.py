"""People who judge: the roster, their figures, the pace of judging, and alerts to members."""
