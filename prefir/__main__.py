"""`python -m prefir`: the command line without the package being installed."""

import sys

from prefir.cli.program import command

if __name__ == "__main__":
    sys.exit(command())
