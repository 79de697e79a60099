"""Names that are markup, formulas of a spreadsheet and addresses at once: each is shown as it was written."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from judging.batches import answering
from tests.judging.organizing import account, logged_in
from tests.judging.test_access import address, study_addresses
from tests.makers import invite, sit
from tests.web.hostile_names import ENTITY, MARK, REST, make_hostile_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_hostile_study()


class Page(HTMLParser):
    """What a browser makes of a page: its elements, where its links lead, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.injected: list[str] = []
        self.links: set[str] = set()
        self.said: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag.startswith("hack") or any(name.startswith("onhack") for name, _ in attrs):
            self.injected.append(self.get_starttag_text() or tag)
        for name, value in attrs:
            if name in ("href", "src") and value and value.startswith("/"):
                self.links.add(value.partition("#")[0])
            self.said.append(value or "")

    def handle_data(self, data):
        self.said.append(data)

    def faults(self) -> list[str]:
        """Elements that a name made, and names that are not shown as they were written."""
        broken = [
            text[at.start() : at.start() + 120]
            for text in self.said
            for at in re.finditer(re.escape(MARK), text)
            if not is_whole(text[at.end() :])
        ]
        return self.injected + broken


def is_whole(rest: str) -> bool:
    """Whether a name goes on as it was written, to its end or to where it was cut."""
    cut = rest.partition("…")[0].rstrip() if "…" in rest else rest
    return any(rest.startswith(whole) or whole.startswith(cut) for whole in (REST, REST.replace(ENTITY, "")))


def read(client: Client, where: str, found: dict[str, list[str]], links: set[str]) -> int:
    """Fetch an address; note what is wrong with its page, and where it leads. Return the status."""
    response = client.get(where)
    kind = response.headers.get("Content-Type", "")
    body = b"".join(response) if response.status_code == 200 else b""
    if kind.startswith("text/html"):
        page = Page(body.decode())
        links |= page.links
        if faults := page.faults():
            found[where] = faults
    if kind.startswith("text/csv"):
        cells = [cell for row in csv.reader(io.StringIO(body.decode())) for cell in row]
        if formulas := [cell for cell in cells if cell.startswith(("=", "+", "@"))]:
            found[where] = formulas
    return response.status_code


def follow(client: Client, where: str, found: dict[str, list[str]]) -> None:
    """Read the page that a link leads to, which has to be there."""
    if (status := read(client, where, found, set())) not in (200, 302, 405):
        found[where] = [f"status {status}"]


@pytest.mark.parametrize("who", ["alice", "bob", "erin", "dora"])
def test_names_are_shown_as_they_were_written_and_their_links_lead_somewhere(study, who):
    client, found, links = logged_in(who), {}, set()
    allowed = Permission.objects.get(codename="view_raw_ids")
    account("alice").user_permissions.add(allowed)
    walked = {address(name, study, study) for name in study_addresses()} | {"/", "/account/"}
    assert {200, 302} & {read(client, where, found, links) for where in sorted(walked)}
    for where in sorted(links - walked):
        if not where.startswith(("/static/", "/logout/")):
            follow(client, where, found)
    assert found == {}


def test_names_are_shown_as_they_were_written_to_those_who_judge(study):
    found, links = {}, set()
    person = invite(study)
    pages = [f"/i/{person.reference}/", f"/join/{study.join_token}/"]
    for where in pages:
        assert read(Client(), where, found, links) == 200
    answering.arrive(person.pk)
    assert read(Client(), pages[0], found, links) == 200
    sit(person)
    assert read(Client(), pages[0], found, links) == 200
    for where in sorted(links):
        follow(Client(), where, found)
    assert found == {}
