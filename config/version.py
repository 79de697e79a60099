"""Version of the software, that of `prefir`, which `pyproject.toml` reads as well."""

import prefir


def version() -> str:
    """The version, such as "0.1.0"."""
    return prefir.__version__
