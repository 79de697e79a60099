"""Runs the trial from the command line: `python -m bench.chaos`."""

from bench.chaos import main

main()
