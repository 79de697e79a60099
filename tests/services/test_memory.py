"""What a web process holds in memory after people judged and every page was opened."""

import json
import os
import urllib.request
from pathlib import Path

import pytest

from tests.servers import children, wait_until
from tests.stack import Stack

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells"),
]

MOST = 150 * 1024  # kB
# Packages whose libraries a process has mapped only if it has imported them.
COMPUTING = ("llvmlite", "numba", "scipy", "sklearn")
MAKE = """
import json
from django.contrib.auth import get_user_model, login
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from collection.models import Membership
from tests.makers import add_run, make_study, open_study
study = make_study(topics=2, items=5, batch_pairs=5, slug="memory")
for name, order in (("good", "abc"), ("bad", "cba")):
    add_run(study, name, {t: [f"{t}-{docno}" for docno in order] for t in ("t1", "t2")})
open_study(study)
organizer = get_user_model().objects.create_user("memory", is_staff=True)
Membership.objects.create(study=study, user=organizer, role=Membership.Role.ORGANIZER)
request = HttpRequest()
request.session = SessionStore()
login(request, organizer, backend="django.contrib.auth.backends.ModelBackend")
request.session.save()
print(json.dumps(request.session.session_key))
"""
PAGES = (
    "", "settings/", "load/", "people/", "topics/", "leaderboard/", "leaderboard/topics/", "scores.csv",
    "judgments.txt",
)  # fmt: skip


def serving(stack: Stack) -> list[int]:
    """The web's processes that answer: gunicorn's workers."""
    return children(stack.processes["web"].pid)


def mapped(pid: int) -> set[str]:
    """Which of COMPUTING a process has loaded."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return {name for name in COMPUTING if f"/{name}/" in maps}


def memory(pid: int) -> int:
    """Resident memory in kB, what it shares with others included."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


def open_every_page(stack: Stack, session: str) -> None:
    """Have each of the web's processes show each page, as far as chance has it."""
    for _ in range(4):
        for page in PAGES:
            request = urllib.request.Request(f"{stack.address}/studies/memory/{page}")
            request.add_header("Cookie", f"sessionid={session}")
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert answer.status == 200
                assert "/login/" not in answer.url


def scored(stack: Stack) -> bool:
    """Whether something was measured."""
    return stack.query("SELECT count(*) FROM scoring_storedscores WHERE judgments > 0")[0][0] > 0


def judge_and_look(stack: Stack) -> None:
    session = json.loads(stack.python(MAKE))
    stack.manage("replay", "memory", f"--url={stack.address}")
    wait_until(lambda: scored(stack), what="scores")
    open_every_page(stack, session)


def test_over_services_a_web_process_stays_small_and_loads_no_compiled_loops(new_stack):
    stack = new_stack()
    judge_and_look(stack)
    assert len(serving(stack)) == 2
    for pid in serving(stack):
        assert mapped(pid) == set()
        assert memory(pid) < MOST
    assert any(mapped(pid) >= {"llvmlite", "numba"} for pid in children(stack.processes["worker1"].pid))


def test_alone_it_lets_a_child_compute_and_stays_small(embedded_stack):
    judge_and_look(embedded_stack)
    [pid] = serving(embedded_stack)
    assert mapped(pid) == set()
    assert memory(pid) < MOST
    [child] = children(pid)
    assert "numba" in mapped(child)
    assert os.getpgid(child) != os.getpgid(pid), "Ctrl-C reaches the parent alone"
