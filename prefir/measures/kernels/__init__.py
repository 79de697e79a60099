"""Compiled loops behind the measures: numbers in, numbers out; see docs/decisions/8-compiled-kernels.md."""
