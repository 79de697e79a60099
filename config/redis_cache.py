"""The Redis cache. While Redis is down, requests are slower, but none fails."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Redis cache that hides its errors: a failed read is a cache miss, a failed write is dropped.

    So is a value that cannot be unpickled, for which pickle may raise nearly any exception.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            return super().get(key, default, version)
        except Exception as error:
            logger.warning("%s", _said(error))
            return default

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        try:
            return super().get_many(keys, version)
        except Exception as error:
            logger.warning("%s", _said(error))
            return {}

    def add(self, key: str, value: Any, *args: Any, **options: Any) -> bool:
        try:
            return bool(super().add(key, value, *args, **options))
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)
            return True

    def delete(self, key: str, version: int | None = None) -> bool:
        try:
            return bool(super().delete(key, version))
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)
            return False

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        try:
            return int(super().incr(key, delta, version))
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)
            return delta

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        try:
            super().set(key, value, *args, **options)
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)


def _said(error: Exception) -> str:
    if isinstance(error, RedisError):
        return f"The cache does not answer: {error}"
    return f"The cache holds something that cannot be read: {error!r}"
