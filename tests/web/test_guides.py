"""Guides of docs/ as pages: every link leads somewhere, pictures are there, and nothing else of the disk."""

import re
from urllib.parse import unquote

import pytest
from django.test import Client

from tests.judging.organizing import account
from web.guides import GUIDES

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    client = Client()
    client.force_login(account("bob"))
    return client


def test_help_leads_to_every_guide_and_each_to_its_pictures_and_others(client):
    seen, ahead = {}, ["/help/"]
    while ahead:
        address = ahead.pop()
        answer = client.get(address)
        assert answer.status_code == 200, address
        seen[address] = b"" if "/pictures/" in address else answer.content
        found = re.findall(r'(?:href|src)="(/help/[^"#]*)', seen[address].decode())
        ahead += set(found) - seen.keys() - set(ahead)
    assert {
        f"/help/{name}/" for name in ("organizers", "organizers/files", "panels", "measures/papers")
    } <= seen.keys()
    assert "/help/pictures/new-study-desktop.png" in seen
    for address, page in seen.items():
        for there, anchor in re.findall(r'href="(/help/[^"#]*)?#([^"]+)"', page.decode()):
            if anchor != "content":
                assert f'id="{unquote(anchor)}"' in seen[there or address].decode(), (address, there, anchor)


def test_a_guide_is_set_as_a_page(client):
    page = client.get("/help/organizers/").content.decode()
    assert "<title>For organizers · Faceoff</title>" in page
    assert page.count("<h1") == 1
    operators = client.get("/help/operators/").content.decode()
    assert '<h2 id="variables"' in operators
    assert '<a href="#variables">' in operators.partition("<h2")[0]
    assert operators.rpartition("<h2>Guides</h2>")[2].count('<a href="/help/') >= 6


@pytest.mark.parametrize(
    "name", ["none/", "../README/", "decisions/1-ledger/", "pictures/../prefir.md/", "pictures/x.png"]
)
def test_nothing_else_is_shown(client, name):
    assert client.get(f"/help/{name}").status_code == 404


def test_no_guide_has_what_a_page_may_not(client):
    """Styles of their own, which the policy of pages forbids, and addresses of the disk."""
    for name in GUIDES:
        page = client.get(f"/help/{name}/").content.decode()
        assert " style=" not in page.partition("<main")[2], name
        assert not re.search(r'href="(?!/|#|https?:|mailto:)', page.partition("<main")[2]), name


def test_help_is_at_the_foot_of_a_page_too_for_phones_whose_head_has_no_room(client):
    page = client.get("/help/").content.decode()
    assert '<a href="/help/">Help</a></footer>' in page.partition("</main>")[2]
