"""The rooms of the house and their floors, as pyproject.toml tells them to import-linter."""

import tomllib

from tests.ground import ROOT

CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
ROOMS = CONFIGURATION["root_packages"]
# Ground first; a room may point at those before it, neighbours on one line not at each other.
LAYERS = [layer.split(" | ") for layer in reversed(CONFIGURATION["contracts"][0]["layers"])]
