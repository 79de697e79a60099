"""The stream over Redis: what workers write reaches open leaderboards through a process of its own."""

import json
import urllib.error
import urllib.request

import pytest

from tests.servers import wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

LIVE = ("live", "standings")
MAKE = """
import json
from tests.makers import add_run, invite, make_study, open_study, sit
from web import tokens
from web.coordinator import watching
from django.core.cache import cache
study = open_study(make_study(topics=2, items=4, batch_pairs=6))
add_run(study, "good", {"t1": ["t1-a", "t1-b"], "t2": ["t2-a"]})
p = study.persistence
cache.set(f"watched:{study.pk}:{p}", 1, 600)
print(json.dumps([study.pk, *(tokens.sign_watch(study.pk, 1, p, seconds) for seconds in (600, -1))]))
"""
JUDGE = """
from collection.models import Study
from config.queueing import send_gathered
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
