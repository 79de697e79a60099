"""Recruitment: campaigns from draft to closed, and their expected costs."""
