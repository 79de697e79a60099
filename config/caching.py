"""The cache over Redis, as a cache should be: one that is down costs time, and never an answer."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Reads what cannot be read as absent, and lets go of what cannot be stored."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            return super().get(key, default, version)
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)
            return default

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        try:
            super().set(key, value, *args, **options)
        except RedisError as error:
            logger.warning("The cache does not answer: %s", error)
