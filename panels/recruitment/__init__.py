"""Recruitment: campaigns from draft to closed, and what they will cost."""
