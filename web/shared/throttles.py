"""Throttles: how often an address, a name or a study may do something, counted in a cache of their own.

Without a shared cache each process counts by itself; while Redis is down nothing is throttled. No database
access; no page of an assessor who judges is throttled.
"""

import hashlib
import ipaddress
import time
from typing import NamedTuple

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.utils.connection import ConnectionProxy

counts = ConnectionProxy(caches, "throttles")


class Limit(NamedTuple):
    """At most `most` calls in `seconds`, a window that starts with the first call."""

    name: str
    most: int
    seconds: int


def address_of(request: HttpRequest) -> str:
    """The client address of a request behind PROXIES proxies; for IPv6 its network.

    Clients can write anything into X-Forwarded-For, and each proxy appends one address, so only the last
    PROXIES ones are trusted.
    """
    found = str(request.META.get("REMOTE_ADDR", ""))
    if settings.PROXIES:
        said = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        if len(said) >= settings.PROXIES and said[-settings.PROXIES].strip():
            found = said[-settings.PROXIES].strip()
    try:
        address = ipaddress.ip_address(found)
    except ValueError:
        return found[:100]
    if address.version == 6:
        # One line at home has a whole network of addresses.
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def count(limit: Limit, *who: object) -> bool:
    """Count one call; return True if it is within the limit."""
    key = _key(limit, who)
    counts.add(key, 0, timeout=2 * limit.seconds)
    try:
        return counts.incr(key) <= limit.most
    except ValueError:  # thrown out of the cache in the meantime
        return True


def used_up(limit: Limit, *who: object) -> bool:
    """Tell whether another call would exceed the limit; counts nothing."""
    return (counts.get(_key(limit, who)) or 0) >= limit.most


def forget(limit: Limit, *who: object) -> None:
    """Reset the count."""
    counts.delete(_key(limit, who))


def _key(limit: Limit, who: tuple[object, ...]) -> str:
    # Hashed, since names and addresses may hold what a key may not, and so that the cache lists nobody.
    told = hashlib.sha256(repr(who).encode()).hexdigest()[:32]
    return f"limit:{limit.name}:{int(time.time() // limit.seconds)}:{told}"
