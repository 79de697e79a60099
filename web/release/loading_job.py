"""Releases that were uploaded: loaded by a job, with their state for the page that waits."""

import secrets
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from celery import shared_task
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import default_storage

from collection import audit_log

RUNNING, DONE, REFUSED = "running", "done", "refused"
# How long the outcome is kept, and after how long without a sign of life loading counts as stopped.
KEPT_SECONDS, DEAD_SECONDS = 86400, 3600
MOST_PROBLEMS = 100


def begin(upload: File, user: Any) -> str:
    """Keep an uploaded release for the job that loads it; return the token of its state."""
    token = secrets.token_urlsafe(16)
    stored = default_storage.save("uploads/release", upload)
    told = {"by": user.pk, "name": upload.name, "file": stored}
    _note(token, told | {"state": RUNNING, "what": "waiting to be read"})
    return token


def state(token: str) -> dict[str, Any] | None:
    """The state of a release that is loaded: state, by, name; what, slug or problems. None if unknown."""
    told: dict[str, Any] | None = cache.get(_key(token))
    if told is not None and told["state"] == RUNNING and time.time() - told["at"] > DEAD_SECONDS:
        return told | {"state": REFUSED, "problems": ["The server stopped while it was read. Load it again."]}
    return told


@shared_task(time_limit=6 * 3600, soft_time_limit=6 * 3600 - 60)
def load_release(token: str) -> None:
    """Load the release of a token, and keep the outcome. May be repeated."""
    from web.release.release_loader import BadRelease, load  # most processes do without it

    told = cache.get(_key(token))
    if told is None or told["state"] != RUNNING:
        return
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "release.zip"
            with default_storage.open(told["file"]) as file, path.open("wb") as copy:
                shutil.copyfileobj(file, copy)
            user = get_user_model().objects.get(pk=told["by"])
            with audit_log.acting_as(user):
                study = load(path, organizer=user, progress=lambda what: _note(token, told | {"what": what}))
        _note(token, told | {"state": DONE, "slug": study.slug})
    except BadRelease as error:
        said = str(error).replace(str(path), told["name"])
        _note(token, told | {"state": REFUSED, "problems": said.splitlines()[:MOST_PROBLEMS]})
    except Exception:
        reason = "Loading failed for a reason that is not the file's; the server's log has it."
        _note(token, told | {"state": REFUSED, "problems": [reason]})
        raise
    finally:
        default_storage.delete(told["file"])


def _note(token: str, told: dict[str, Any]) -> None:
    cache.set(_key(token), told | {"at": time.time()}, KEPT_SECONDS)


def _key(token: str) -> str:
    return f"release-loading:{token}"
