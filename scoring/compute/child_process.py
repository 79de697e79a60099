"""Computing and drawing in a child process, for web processes.

Compiled loops take some 65 MB, what draws plots as much again, and averaging a large leaderboard keeps a core
busy: all would be at the cost of anyone who is answered by the same process. The child computes and knows no
database. It is started by the first call, is sent one pickled call after another through its pipe, and ends
when the pipe does, in the midst of a call too: with the process that started it, however that ends.
"""

import os
import pickle
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]

_apart = False
_one_call = threading.Lock()
_child: subprocess.Popen[bytes] | None = None


def start() -> None:
    """From now on let `call` compute in a child process."""
    global _apart
    _apart = True


def stop() -> None:
    """From now on let `call` compute in this process again; end the child."""
    global _apart, _child
    with _one_call:
        _apart = False
        child, _child = _child, None
    if child is not None:
        child.communicate()


def call(function: Callable[..., T], *args: Any, **options: Any) -> T:
    """Return what a function of a module without Django returns for these arguments; raise what it raises.

    In this process, or after `start` in the child, one call at a time. A child that died is replaced once.
    Raises ChildProcessError where the next one dies too.
    """
    if not _apart:
        return function(*args, **options)
    message = pickle.dumps((function, args, options), pickle.HIGHEST_PROTOCOL)
    with _one_call:
        answer = _ask(message) or _ask(message)
    if answer is None:
        raise ChildProcessError(f"{function} ended the process that computed it")
    done, result = answer
    if not done:
        raise result
    return result


def _ask(message: bytes) -> tuple[bool, Any] | None:
    """Send a call to the child and wait for what comes of it; None if the child has died."""
    global _child
    if _child is None:
        command = [sys.executable, "-m", __name__]
        pipe = subprocess.PIPE
        # Ctrl-C must not reach it, from its first moment on: the parent ends in its own time, and its end
        # ends this.
        _child = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, start_new_session=True)  # noqa: S603
    assert _child.stdin is not None
    assert _child.stdout is not None
    try:
        _child.stdin.write(message)
        _child.stdin.flush()
        # Both ends of the pipes are ours.
        answer: tuple[bool, Any] = pickle.load(_child.stdout)  # noqa: S301
    except (OSError, EOFError, pickle.UnpicklingError):
        _child.kill()
        _child.communicate()
        _child = None
        return None
    return answer


def _serve(calls: IO[bytes], answers: IO[bytes]) -> None:
    """Do call after call until nobody can send any more."""
    while True:
        try:
            function, args, options = pickle.load(calls)  # noqa: S301
        except EOFError:
            return
        try:
            answer = (True, function(*args, **options))
        except Exception as error:
            answer = (False, error)
        try:
            answers.write(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
            answers.flush()
        except BrokenPipeError:
            # The parent has ended meanwhile. At once, or closing the pipe would fail once more, aloud.
            os._exit(0)


def _end_with(parent: int) -> None:
    """End this process when the other end of its pipe is closed, whatever it is doing."""
    watched = select.poll()
    watched.register(parent, 0)  # the end is told unasked; calls are not to be seen here
    watched.poll()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(sys.stdin.fileno(),), daemon=True).start()
    # Whatever a function prints goes to the log, not among the answers.
    own = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _serve(sys.stdin.buffer, own)
