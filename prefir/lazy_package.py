"""A package whose public names load the modules that they stand in when they are first used.

To import all modules of `prefir.measures` and `prefir.formats` takes longer than most commands compute.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class _LazyPackage(ModuleType):
    """The module object of such a package."""

    _homes: dict[str, str]  # public name -> module

    def __getattr__(self, name: str) -> Any:
        """Load a public name; called only for what the package has not had so far."""
        if name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{self.__name__}.{self._homes[name]}"), name)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python sets each module that is imported on its package. `rbo` of the package is the function.
        if name not in self._homes or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._homes})


def make_lazy(package: str, names: Mapping[str, str]) -> list[str]:
    """Make a package lazy; names: module -> its public names, with blanks between. Returns `__all__`."""
    module = sys.modules[package]
    module.__dict__["_homes"] = {name: home for home, listed in names.items() for name in listed.split()}
    module.__class__ = _LazyPackage
    return sorted(module.__dict__["_homes"])
