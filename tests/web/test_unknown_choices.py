"""Choices of an address that a page does not know: it says so in a line, and what it shows instead."""

import re

import pytest
from django.conf import settings

from collection.models import Run
from scoring.board import standings
from tests.judging.organizing import logged_in, text
from tests.judging.test_access import FOR_ASSESSORS, address, study, study_addresses
from web.shared.navigation import SECTIONS

__all__ = ["study"]
pytestmark = pytest.mark.django_db
RESULTS = {page.name for section in SECTIONS if section.carries for tab in section.tabs for page in tab.pages}
# What pages are asked for beside what all pages of results go by.
OWN = {
    "leaderboard": ["group"],
    "leaderboard-topics": ["sort", "columns", "by", "group"],
    "topics": ["state", "sort"],
    "compare": ["a", "b", "group"],
    "baseline": ["base", "group"],
    "pairs": ["group"],
    "map": ["by", "group"],
    "data": ["only"],
    "people": ["sort", "state"],
    "campaign": ["state"],
    "files": ["kind"],
    "examples": ["asks"],
}


@pytest.fixture
def client(study):
    for name in ("elm", "oak"):
        Run.objects.create(study=study, name=name)
    standings.current(study)
    return logged_in("alice")


def pages(client, study):
    """Names of the pages of the desks that a study has, with their addresses."""
    for name in sorted(study_addresses().keys() - FOR_ASSESSORS):
        there = address(name, study, study)
        response = client.get(there)
        if response.status_code == 200 and b'<a class="wordmark"' in getattr(response, "content", b""):
            yield name, there


def test_every_page_says_which_choices_of_its_address_it_does_not_know(client, study):
    silent, seen = [], set()
    for name, there in pages(client, study):
        seen.add(name)
        carried = ["p", "measure", "topics"] if name in RESULTS else []
        wanted = [*carried, *OWN.get(name, [])]
        said = client.get(there, dict.fromkeys(wanted, "zzz")).content.decode(errors="replace")
        silent += [(name, one) for one in wanted if f"{one} = zzz is not known; " not in said]
        assert b" is not known; " not in client.get(there).content, name
    assert not silent
    assert seen >= OWN.keys()


def test_it_is_said_what_is_shown_instead(client, study):
    there = f"/studies/{study.slug}/leaderboard/"
    said = text(client.get(f"{there}?p=abc&topics=zzz&group=nothing"))
    assert "p = abc is not known; showing 0.95." in said
    assert "topics = zzz is not known; it is left out." in said
    assert "group = nothing is not known; showing all topics." in said
    assert "not known" not in text(client.get(f"{there}?p=0.80&topics=all"))
    assert "page = last is not known; showing the first page." in text(
        client.get(f"/studies/{study.slug}/data/?page=last")
    )
    assert "not known" not in text(client.get(f"/studies/{study.slug}/data/?page=2"))
    known = client.get(f"/studies/{study.slug}/leaderboard/compare/?a=<b>999").content.decode()
    assert "a = &lt;b&gt;999 is not known; showing bm25." in known


def test_choices_are_read_where_they_are_checked():
    """A page that reads one of them by itself would be silent about a wrong one."""
    by_itself = re.compile(r"request\.GET\.get\(\s*\"(p|measure|topics|group|sort|state|by|only|why)\"")
    for path in sorted((settings.BASE_DIR / "web").rglob("*.py")):
        assert not by_itself.findall(path.read_text()), path
