"""The generated secret key, and the cache over a Redis that is not there."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import settings
from config.caching import ForgivingRedisCache
from tests.servers import free_port


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path


def test_all_that_start_at_once_share_one_key(folder):
    """Web, worker and beat start together on an empty volume."""
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: settings.generated_key(), range(64)))
    assert len(keys) == 1
    assert [path.name for path in folder.iterdir()] == ["secret-key"]


def test_the_key_is_readable_by_its_owner_only(folder):
    settings.generated_key()
    assert stat.S_IMODE((folder / "secret-key").stat().st_mode) == 0o600


def test_a_damaged_key_is_named(folder):
    (folder / "secret-key").write_text("short")
    with pytest.raises(ImproperlyConfigured, match="secret-key is damaged: delete it or set SECRET_KEY"):
        settings.generated_key()


def test_a_cache_that_is_down_reads_as_empty():
    """Leaderboards are cached; with an ordinary cache they would be an error page then."""
    cache = ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}", {})
    cache.set("board", 1)
    assert cache.get("board", "absent") == "absent"
