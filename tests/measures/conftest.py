"""Settings of the measures' tests: no deadline, so that a busy machine fails none of them."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
