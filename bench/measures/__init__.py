"""How fast the measures are, beside other libraries, in one run; docs/speed.md holds the output."""
