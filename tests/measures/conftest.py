"""Settings of the measures' tests: no deadline, for a busy machine; examples enough for small inputs."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None, max_examples=40)
settings.load_profile("no-deadline")
