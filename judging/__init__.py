"""The judging room: who is asked what, what they answer, and which answers count."""
