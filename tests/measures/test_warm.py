"""Warming up: afterwards nothing that a rescoring calls has to be compiled."""

import subprocess
import sys

import pytest

from tests.ground import ROOT

SCRIPT = """
from prefir.measures.warm import warm
from prefir.measures import PreferenceGraph, Rankings, pgc_rows_ps
from prefir.measures.kernels import cuts, greedy
from prefir.measures.ceilings import win_rate_ceilings

warm()
kernels = [greedy.pack, greedy.pgc_rows, cuts.best_share]
before = [len(kernel.signatures) for kernel in kernels]
graph = PreferenceGraph([("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")], ties=[("c", "d")])
rankings = Rankings({"r": {"t": ["b", "x", "a"]}, "none": {"t": []}})
pgc_rows_ps(rankings.rows("t", graph.nodes), graph, (0.8, 0.9))
win_rate_ceilings(graph, (1,))
print(before, [len(kernel.signatures) for kernel in kernels])
"""


@pytest.mark.slow
def test_nothing_is_compiled_after_the_warm_up():
    """Each loop knows its types from the warm-up: as many signatures before as after, and not none."""
    out = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout == "[1, 1, 1] [1, 1, 1]\n"
