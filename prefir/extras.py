"""Packages that only some functions need, which `pip install prefir[...]` installs."""

from importlib import import_module
from typing import Any

EXTRAS = {
    "scipy": "statistics",
    "sklearn": "maps",
    "networkx": "graphs",
    "matplotlib": "plots",
    "pandas": "frames",
    "PIL": "images",
    "python_calamine": "workbooks",
    "pyarrow": "parquet",
}
"""Top module -> the extra that brings it."""


def require(name: str) -> Any:
    """Import a module of an extra. Raises ImportError with the command that installs it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != top:
            raise
        raise ImportError(
            f'this needs {top}, which is not installed: pip install "prefir[{EXTRAS[top]}]"', name=top
        ) from error
