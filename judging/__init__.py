"""The judging room: what is compared, who is asked what, and what they answer."""
