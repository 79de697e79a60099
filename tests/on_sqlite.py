"""Settings for tests on SQLite: `pytest --ds=tests.on_sqlite`."""

from tests import ground

ground.prepare()

from config.settings import *  # noqa: E402, F403

# A file, as in the product: in memory, threads would meet "table is locked" instead of waiting.
DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}  # noqa: F405

# Jobs run and standings are written at once, so that a test sees them.
GATHER_SECONDS = STANDING_SECONDS = 0.0
# It need not outlive the machine: nothing waits for a disk.
DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"  # noqa: F405
PASSWORD_HASHERS = ground.PASSWORD_HASHERS
# The server of a browser test serves the folder as it is.
STATIC_ROOT = None
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
