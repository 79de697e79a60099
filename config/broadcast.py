"""Broadcast short messages to listeners: through Redis, or inside a single process."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings

logger = logging.getLogger(__name__)
Listener = Callable[[str, str], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Register a function that is called with (channel, text) for every message of this process."""
    _listeners.append(listener)


def send(channel: str, text: str) -> None:
    """Send a message. It is lost to those who do not listen now, and while Redis is down."""
    for listener in _listeners:
        listener(channel, text)
    if settings.REDIS_URL:
        from redis import RedisError

        try:
            _client().publish(channel, text)
        except RedisError as error:
            logger.warning("Redis takes no messages: %s", error)


@cache
def _client() -> Any:
    from redis import Redis

    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
