"""`python -m scoring`: the former name of `python -m prefir`."""

import runpy

runpy.run_module("prefir", run_name="__main__")
