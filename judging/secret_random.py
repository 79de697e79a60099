"""Secret random numbers, for drawing questions and challenges that nobody can predict.

A study's seed is shown, released and often guessed ("42"); with it alone every challenge of a batch could be
named. So these draws depend on the server's secret key too. What was drawn is stored, and nothing draws it
again. Tournaments are played by the seed alone: they are played again by everybody who checks them.
"""

import random

from django.utils.crypto import salted_hmac


def secret_random(*parts: object) -> random.Random:
    """A generator for what these parts name; the same parts give the same numbers on the same server."""
    named = "\0".join(map(str, parts))
    return random.Random(salted_hmac("judging.secret_random", named, algorithm="sha256").digest())
