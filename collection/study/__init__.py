"""Studies as a whole: lifecycle, copies, share links and deletion."""
