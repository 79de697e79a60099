"""Memory cache of a server without Redis: one process, bounded by entries and by bytes."""

import time
from typing import Any

from django.core.cache.backends.locmem import LocMemCache

# Bytes held in each store of this process, by its name: all of a store's instances share what it holds.
_held: dict[str, int] = {}


class MemoryCache(LocMemCache):
    """Django's cache in memory, with a second bound: OPTIONS["MAX_BYTES"] of pickled values.

    A full store first drops what has expired, then what has not been used for longest. Django's own drops a
    third of what it holds, expired or not, and counts a page of 100 KB as it counts a number.
    """

    _cache: Any
    _expire_info: dict[str, float | None]

    def __init__(self, name: str, params: dict[str, Any]) -> None:
        super().__init__(name, params)
        self._name = name
        self._max_bytes = int(params.get("OPTIONS", {}).get("MAX_BYTES", 0)) or float("inf")

    def _set(self, key: str, value: bytes, *args: Any) -> None:
        self._delete(key)
        super()._set(key, value, *args)  # type: ignore[misc]
        _held[self._name] = _held.get(self._name, 0) + len(value)
        if _held[self._name] > self._max_bytes:
            self._cull()

    def _delete(self, key: str) -> bool:
        if key in self._cache:
            _held[self._name] -= len(self._cache[key])
        return bool(super()._delete(key))  # type: ignore[misc]

    def _cull(self) -> None:
        now = time.time()
        for key in [key for key, until in self._expire_info.items() if until is not None and until <= now]:
            self._delete(key)
        # Counted anew: a number that was raised may be a byte longer than it was.
        _held[self._name] = sum(map(len, self._cache.values()))
        most = self._max_entries * 9 // 10
        while len(self._cache) > most or _held[self._name] > self._max_bytes * 0.9:
            self._delete(next(reversed(self._cache)))

    def clear(self) -> None:
        """Remove everything."""
        super().clear()
        _held[self._name] = 0
