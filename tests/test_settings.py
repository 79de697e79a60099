"""The generated secret key, the folder of the data, and the cache over a Redis that is not there."""

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import data_folder, settings
from config.redis_cache import ForgivingRedisCache
from tests.ground import ROOT, clean_environment
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


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def settings_read(folder: Path) -> str:
    """What a process says on its standard error that reads the settings with this folder."""
    environment = clean_environment() | {"FACEOFF_DATA": str(folder)}
    command = [sys.executable, "-c", "import config.settings"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.parametrize("before", [0o755, 0o770, 0o701, 0o700])
def test_a_data_folder_that_is_there_already_is_narrowed_to_its_owner(tmp_path, before):
    data = tmp_path / "data"
    data.mkdir()
    (data / "faceoff.sqlite3").touch()
    data.chmod(before)
    assert settings_read(data) == ""
    assert mode(data) == 0o700
    assert mode(data / "secret-key") == 0o600


def test_a_new_data_folder_is_for_its_owner_alone(tmp_path):
    assert settings_read(tmp_path / "new" / "data") == ""
    assert mode(tmp_path / "new" / "data") == 0o700


def test_a_folder_with_other_things_stays_as_it_is_and_is_warned_of(tmp_path):
    """At every start, also once our own files lie there."""
    (tmp_path / "thesis.tex").touch()
    tmp_path.chmod(0o755)
    for _ in range(2):
        said = settings_read(tmp_path)
        assert f"Others on this machine can look into {tmp_path}" in said
        assert "it holds other things too" in said
        assert f"chmod 700 {tmp_path}" in said
    assert mode(tmp_path) == 0o755


@pytest.mark.parametrize(("wide", "uid", "why"), [(0o1777, 0, "other things"), (0o755, 1, "another user")])
def test_a_folder_of_all_or_of_another_user_is_warned_of(tmp_path, monkeypatch, wide, uid, why):
    tmp_path.chmod(wide)
    monkeypatch.setattr(data_folder.os, "geteuid", lambda: tmp_path.stat().st_uid + uid)
    with pytest.warns(UserWarning, match=why):
        data_folder.keep_private(tmp_path)
    assert mode(tmp_path) == wide


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        env=clean_environment() | {"FACEOFF_DATA": str(tmp_path / "file" / "data")},
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"Faceoff cannot write into {tmp_path}/file/data")
    assert done.stderr.count("\n") == 1


def told(name: str, **environment: str) -> str:
    """A setting, as a process of its own reads it."""
    code = f"from config import settings; print(settings.{name})"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=clean_environment() | environment,
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


def test_a_folder_may_have_any_name(tmp_path):
    """What stands after # or ? in an address is no part of its path."""
    folder = tmp_path / "a b'\"ü#%20?x=$HOME"
    assert told("DATABASES['default']['NAME']", FACEOFF_DATA=str(folder)) == f"{folder}/faceoff.sqlite3"


def test_a_public_address_below_a_path_is_refused(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as error:
        told("PUBLIC_URL", FACEOFF_DATA=str(tmp_path), PUBLIC_URL="https://example.org/judge/")
    assert "Faceoff needs a host name of its own" in error.value.stderr
    assert (
        told("PUBLIC_URL", FACEOFF_DATA=str(tmp_path), PUBLIC_URL="https://example.org")
        == "https://example.org"
    )


@pytest.mark.parametrize("name", ["SECRET_KEY", "PANEL_ID_KEYS[0]"])
def test_a_key_may_begin_with_a_dollar_sign(tmp_path, name):
    key = "$" + "k" * 40
    assert told(name, FACEOFF_DATA=str(tmp_path), **{name.partition("[")[0]: key}) == key


def test_a_cache_that_is_down_reads_as_empty():
    """Leaderboards are cached; with an ordinary cache they would be an error page then."""
    cache = ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}", {})
    cache.set("board", 1)
    assert cache.get("board", "absent") == "absent"
