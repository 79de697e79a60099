"""The stream of leaderboards: over Redis a process of its own, told by workers; else a thread of the web
process, told by what other processes write to the database.
"""

import json
import re
import urllib.error
import urllib.request

import pytest

from tests.servers import postgres, wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

LIVE = ("live", "standings")
MAKE = """
import json
from tests.makers import add_run, invite, make_study, open_study, sit
from web.shared import tokens
from web.live import live_board
from django.core.cache import cache
study = open_study(make_study(topics=2, items=4, batch_pairs=6))
add_run(study, "good", {"t1": ["t1-a", "t1-b"], "t2": ["t2-a"]})
p = study.persistence
cache.set(f"watched:{study.pk}:{p}", 1, 600)
print(json.dumps([study.pk, *(tokens.sign_watch(study.pk, 1, p, seconds) for seconds in (600, -1))]))
"""
JUDGE = """
from collection.models import Study
from config.task_queue import send_gathered
from tests.makers import invite, sit
sit(invite(Study.objects.get(pk={study})))
send_gathered()
"""


class Listener:
    """A connection that reads server-sent events."""

    def __init__(self, stack: Stack, token: str) -> None:
        self.address = f"http://127.0.0.1:{stack.live_port}/{token}"
        self.response = urllib.request.urlopen(self.address, timeout=60)

    def message(self) -> dict[str, object]:
        for line in self.response:
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        raise AssertionError("the stream has ended")


@pytest.fixture(scope="module")
def live(stack):
    for name in LIVE:
        stack.launch(name)
    wait_until(stack.live_listens, what="the stream's process")
    yield stack
    for name in LIVE:
        stack.services.remove(name)
        stack.kill9(name)


@pytest.fixture(scope="module")
def watched(live):
    """A study, a token to listen to it, and one whose time is over."""
    return json.loads(live.python(MAKE))


def test_what_a_worker_writes_is_heard_by_who_listens(live, watched):
    study, token, _ = watched
    listener = Listener(live, token)
    live.python(JUDGE.format(study=study))
    first = listener.message()
    assert first["version"]


def test_nobody_listens_without_a_token_whose_time_is_not_over(live, watched):
    _, token, over = watched
    for bad in (over, token[:-1], ""):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            Listener(live, bad)


# Without Redis

OPEN = """
import json
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from collection.models import Membership
from tests.makers import add_run, make_study, open_study
study = open_study(make_study(topics=2, items=4, batch_pairs=6, batch_challenges=0))
add_run(study, "good", {"t1": ["t1-a", "t1-b"], "t2": ["t2-a"]})
bob = User.objects.create_user("bob")
Membership.objects.create(study=study, user=bob, role="coordinator")
session = SessionStore()
session["_auth_user_id"], session["_auth_user_hash"] = str(bob.pk), bob.get_session_auth_hash()
session["_auth_user_backend"] = settings.AUTHENTICATION_BACKENDS[0]
session.create()
print(json.dumps([study.pk, study.slug, session.session_key]))
"""
WRITE = (
    JUDGE
    + """
from scoring.board import standings
print(standings.write(Study.objects.get(pk={study})).number)
"""
)
REMOVE = """
from collection.models import Membership
Membership.objects.get(study={study}, user__username="bob").delete()
"""


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def alone(request, tmp_path, migrated_database):
    """One web process without Redis."""
    if request.param == "SQLite":
        made = Stack.embedded(tmp_path / "embedded")
    else:
        postgres.create("alone", migrated_database)
        made = Stack(tmp_path / "alone", database="alone", redis=None, workers=0, server=postgres)
    yield made.start()
    made.stop()


def test_whatever_another_process_writes_is_heard_without_redis(alone):
    study, slug, session = json.loads(alone.python(OPEN))
    opened = urllib.request.Request(
        f"{alone.address}/studies/{slug}/leaderboard/", headers={"Cookie": f"sessionid={session}"}
    )
    page = urllib.request.urlopen(opened, timeout=60).read().decode()
    [token] = re.findall(r'data-stream="[^"]+/([^"/]+)"', page)
    listener = Listener(alone, token)
    for _ in range(2):
        written, heard = int(alone.python(WRITE.format(study=study))), 0
        while heard < written:
            heard = int(str(listener.message()["version"]).partition(".")[0])
    alone.python(REMOVE.format(study=study))
    with pytest.raises(AssertionError, match="the stream has ended"):
        all(iter(listener.message, None))
    with pytest.raises(urllib.error.HTTPError, match="403"):
        Listener(alone, token)
