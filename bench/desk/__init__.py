"""The judging page over a slow line: how long each way of judging keeps somebody waiting."""
