"""Settings for tests on a private PostgreSQL, which starts when the first test needs it. The default."""

from tests import ground
from tests.servers import postgres

ground.prepare(postgres.url("faceoff"))

from config.settings import *  # noqa: E402, F403

# Jobs run and standings are written at once, so that a test sees them.
GATHER_SECONDS = STANDING_SECONDS = 0.0
PASSWORD_HASHERS = ground.PASSWORD_HASHERS
# The server of a browser test serves the folder as it is.
STATIC_ROOT = None
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
