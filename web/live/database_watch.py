"""Changes that other processes make, found in the database where there is no Redis to tell of them.

A command that runs beside the server (a replay, the removal of a member) has a cache and a stream of its own.
While pages are followed, a thread of the server asks the database twice a second whether anything was
committed, by a statement that reads no table. Only if so are standings and memberships compared: those who
watch still ask the database nothing.
"""

import logging
import threading
import time

from django.db import connection

from collection.models import Study
from scoring import jobs
from scoring.board import leaderboard, standings
from web.live import live_board, live_topics
from web.shared import access

logger = logging.getLogger(__name__)
LOOK_SECONDS = 0.5
REST_SECONDS = 10.0  # after a failure
# What changes whenever a transaction was committed that wrote something.
STATES = {
    # By another connection than this one, of whatever process.
    "sqlite": "PRAGMA data_version",
    "postgresql": "SELECT pg_current_snapshot()::text",
}


class DatabaseWatch:
    """Tells open pages what other processes have committed."""

    def __init__(self) -> None:
        self._state: object = None

    def look(self) -> bool:
        """Check whether anything was committed; if so, compare what is followed. Returns whether it was.

        No statement is sent while nothing is followed.
        """
        followers = live_board.followers()
        if not followers:
            # A state belongs to its connection.
            self._state = None
            connection.close()
            return False
        with connection.cursor() as cursor:
            cursor.execute(STATES[connection.vendor])
            state = cursor.fetchone()
        if state == self._state:
            return False
        # What is committed meanwhile has another state.
        self._state = state if compare(followers) else None
        return True

    def run(self) -> None:
        """Call `look` repeatedly while the process runs."""
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                self.look()
            except Exception:
                logger.exception("The database cannot be watched; trying again.")
                self._state = None
                connection.close()
                time.sleep(REST_SECONDS)


def compare(followers: set[tuple[int, int]]) -> bool:
    """Send these followers, as (study, person), what is newer than this process's cache; return True if all
    is sent.

    A standing that is behind its scores is written once it is old enough.
    """
    told = True
    followed = {study_id for study_id, _ in followers}
    for study in Study.objects.filter(pk__in=followed):
        live_topics.note(study.pk)
        last = standings.latest(study)
        if last is None:
            continue  # who opens the leaderboard has the first one written
        version = live_board.known_version(study.pk)
        if version is None or leaderboard.number(version) < last.number:
            live_board.spread(last)
        if standings.is_young(last):
            told = False
        elif last.version != standings.board_version(study):
            # Its writer has ended, or is slow.
            jobs.nudge_standing(study.pk)
    allowed = access.following(followers)
    for study_id, user_id in followers:
        left = live_board.is_marked_as_left(study_id, user_id)
        if left and (study_id, user_id) in allowed:
            live_board.restore(study_id, user_id)
        elif not left and (study_id, user_id) not in allowed:
            live_board.revoke(study_id, user_id)
    return told


def start() -> None:
    """Watch in a thread of this process."""
    threading.Thread(target=DatabaseWatch().run, name="database watch", daemon=True).start()
