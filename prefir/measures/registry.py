"""`MEASURES`, the table of all measures; the command line, the docs and the tests are made from it."""

from collections.abc import Mapping
from importlib import import_module

from .measure import Measure, declared

# The order of the table, and of the commands in the help. A file that declares measures stands here.
_MODULES = (
    "rbo",
    "compatibility",
    "preference",
    "grid",
    "effectiveness",
    "pairwise",
    "win_rate",
    "delta",
    "images",
    "med.linear",
    "med.err",
    "med.ap",
    "med.user",
    "hoeffding",
    "correlation",
    "significance",
    "agreement",
    "consistency",
)

MEASURES: Mapping[str, Measure] = {
    name: measure
    for module in _MODULES
    for name, measure in declared(import_module(f"{__package__}.{module}").__name__).items()
}
"""Name -> measure."""
