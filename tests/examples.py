"""How many examples hypothesis tries of a property: profiles `full` and, by HYPOTHESIS_PROFILE, `quick`."""

import os

from hypothesis import settings

USUAL = 20
# No deadline: a busy machine must not fail a property. Other examples in every run, also where CI is set, and
# one that fails is printed as a line that tries it again.
COMMON = settings(deadline=None, derandomize=False, print_blob=True)
settings.register_profile("full", COMMON, max_examples=USUAL)
settings.register_profile("quick", COMMON, max_examples=USUAL // 4)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "full")


def examples(count: int) -> settings:
    """A decorator: try a property on so many examples in a full run, on a quarter of them in a quick one."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
