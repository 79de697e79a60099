"""The HTTP API: what programs may read, load and judge, with a token that acts as its owner."""
