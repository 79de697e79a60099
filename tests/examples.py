"""Examples that a property is tried on, by HYPOTHESIS_PROFILE: `full` (unless set), `quick` or `thorough`."""

import os

from hypothesis import settings

USUAL = 20
# No deadline: a busy machine must not fail a property. Other examples in every run, also where CI is set, and
# one that fails is printed as a line that tries it again.
COMMON = settings(deadline=None, derandomize=False, print_blob=True)
settings.register_profile("full", COMMON, max_examples=USUAL)
settings.register_profile("quick", COMMON, max_examples=USUAL // 4)
settings.register_profile("thorough", COMMON, max_examples=USUAL * 5)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "full")


def scale(count: int) -> int:
    """Examples in this run where a full run has `count`: a quarter if it is quick, five times if thorough."""
    return max(1, count * settings().max_examples // USUAL)


def examples(count: int) -> settings:
    """A decorator: try a property on `count` examples in a full run."""
    return settings(max_examples=scale(count))
