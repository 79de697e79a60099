"""Settings for tests on SQLite: `pytest --ds=tests.on_sqlite`."""

from tests import ground

ground.prepare()

from config.settings import *  # noqa: E402, F403
