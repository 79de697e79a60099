"""Computing in a child process: the same values, the same errors, and no child without a parent."""

import os
import pickle
import signal
import subprocess
import sys
import time
from math import isnan
from operator import truediv

import pytest

from scoring.compute import child_process
from scoring.scores import stored_measures
from scoring.scores.stored_measures import Evidence
from tests.ground import ROOT
from tests.servers import wait_until


@pytest.fixture
def child():
    child_process.start()
    yield
    child_process.stop()


def evidence() -> Evidence:
    from prefir.measures import PreferenceGraph, Rankings

    graph = PreferenceGraph([("a", "b"), ("b", "c"), ("a", "c")], ties=[("c", "d")])
    levels = {"a": 2.0, "b": 1.0, "c": 0.0}
    rankings = {"one": {"t": ["b", "a", "x", "d"]}, "none": {"t": list[str]()}}
    judged = {"t": (*graph.nodes, *levels)}
    return Evidence("t", graph, levels, Rankings(rankings, judged=judged))


def alive(pid: int) -> bool:
    """Whether a process runs, and is not only waiting to be taken note of."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")


def test_a_child_computes_the_same_values_without_this_processs_help(child):
    here = stored_measures.values(evidence(), (0.8, 0.95))
    there = child_process.call(stored_measures.values, evidence(), (0.8, 0.95))
    assert there == here
    assert not any(isnan(value) for rows in here.values() for row in rows for value in row)
    assert child_process.call(os.getpid) != os.getpid()


def test_a_child_in_the_midst_of_a_call_ends_with_its_parent():
    """Its pipe is closed, as by the parent's end."""
    command = [sys.executable, "-m", "scoring.compute.child_process"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as busy:
        pickle.dump((print, ("begun",), {}), busy.stdin)
        pickle.dump((time.sleep, (3600,), {}), busy.stdin)
        busy.stdin.flush()
        assert pickle.load(busy.stdout) == (True, None)
        busy.stdin.close()
        try:
            assert busy.wait(timeout=60) == 0
        finally:
            busy.kill()


def test_without_a_start_everything_is_computed_here():
    assert child_process.call(os.getpid) == os.getpid()


def test_what_a_function_raises_is_raised_here_and_the_child_goes_on(child):
    before = child_process.call(os.getpid)
    with pytest.raises(ZeroDivisionError):
        child_process.call(truediv, 1, 0)
    assert child_process.call(os.getpid) == before


def test_what_a_function_prints_is_no_answer(child):
    assert child_process.call(print, "words") is None
    assert child_process.call(truediv, 1, 2) == 0.5


def test_a_child_that_was_killed_is_replaced(child):
    first = child_process.call(os.getpid)
    os.kill(first, signal.SIGKILL)
    assert child_process.call(truediv, 1, 2) == 0.5
    assert child_process.call(os.getpid) != first


def test_a_call_that_ends_every_child_is_an_error_and_the_next_one_is_answered(child):
    with pytest.raises(ChildProcessError, match="ended the process"):
        child_process.call(os._exit, 1)
    assert child_process.call(truediv, 1, 2) == 0.5


def test_the_child_ends_with_the_process_that_started_it_however_that_ends(child):
    code = (
        "import os\nfrom scoring.compute import child_process\nchild_process.start()\n"
        "print(child_process.call(os.getpid), flush=True)\ninput()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.communicate()
    wait_until(lambda: not alive(pid), what="the child has ended")


def test_a_child_whose_parent_ended_while_it_computed_says_nothing():
    """Its answers go into a pipe that nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", child_process.__name__]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE
    ) as process:
        os.close(write)
        _, said = process.communicate(pickle.dumps((truediv, (1, 2), {})), timeout=60)
    assert (process.returncode, said) == (0, b"")
