"""Tests of the plots: what is drawn where, read from the SVG."""
