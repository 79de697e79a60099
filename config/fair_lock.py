"""Fair lock: threads get it in the order in which they asked (first in, first out)."""

import threading
from collections import deque


class FairLock:
    """A lock whose holder cannot have it again before everybody who waits has had it.

    `threading.Lock` goes to the thread that asks first once it is free, which mostly is the thread that has
    just let it go. Not reentrant; another thread than the holder may release it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._queue: deque[threading.Lock] = deque()

    def acquire(self, timeout: float) -> bool:
        """Wait for the lock; return False if that takes longer than `timeout` seconds."""
        with self._guard:
            if not self._held:
                self._held = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._queue.append(mine)
        if mine.acquire(timeout=timeout):
            return True
        with self._guard:
            if mine in self._queue:
                self._queue.remove(mine)
                return False
        return True  # it came at the last moment

    def release(self) -> None:
        """Pass the lock to the thread that has waited longest."""
        with self._guard:
            if self._queue:
                self._queue.popleft().release()
            else:
                self._held = False

    def waiting(self) -> int:
        """Number of waiting threads."""
        return len(self._queue)
