"""The stream over Redis: what workers write reaches open leaderboards through a process of its own."""

import json
import urllib.error
import urllib.request

import pytest

from tests.servers import wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

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
print(json.dumps([study.pk, tokens.sign_watch(study.pk, 1, p, 600)]))
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


@pytest.fixture
def live(new_stack):
    stack = new_stack()
    stack.launch("live")
    stack.launch("standings")
    wait_until(stack.live_listens, what="the stream's process")
    return stack


def test_what_a_worker_writes_is_heard_by_who_listens(live):
    study, token = json.loads(live.python(MAKE))
    listener = Listener(live, token)
    live.python(JUDGE.format(study=study))
    first = listener.message()
    assert first["version"]


def test_nobody_listens_without_a_token_whose_time_is_not_over(live):
    _, token = json.loads(live.python(MAKE))
    over = live.python("from web import tokens; print(tokens.sign_watch(1, 1, 0.95, -1))").strip()
    for bad in (over, token[:-1], ""):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            Listener(live, bad)
