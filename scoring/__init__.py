"""The scoring room: runs scored by the answers; the measures themselves are in `prefir.measures`."""
