"""Version of the software, from `pyproject.toml`."""

import tomllib
from functools import cache

from django.conf import settings


@cache
def version() -> str:
    """The version, such as "0.1.0"."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
