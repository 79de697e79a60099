"""Names that are markup, formulas of a spreadsheet and addresses at once: each is shown as it was written."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from collection import sharing, trail
from collection.models import Import, Item, Membership, Run, Study, Topic
from judging import answering, deciding
from judging.models import Assessor, Task
from panels.models import Campaign
from scoring import standings
from tests.judging.organizing import account, logged_in, staff_of
from tests.judging.test_access import address, study_addresses
from tests.makers import add_run, answer, invite, make_study, open_study, sit

pytestmark = pytest.mark.django_db
# After the mark that begins it, whatever shows it must go on like this, or be cut with "…".
MARK = "=R&D"
REST = """/..</script><hack/onhack="1">'"onhack=1?&amp;%s{{7*7}}#50%"""

ENTITY = "&amp;"
MARKDOWN = ("instructions", "consent", "guidelines")


def hostile(what: str, *, spaced: bool = False) -> str:
    """A name with spaces or, as ids are, without."""
    return f"{MARK}{REST}{' , ' if spaced else ','}{what}"


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
    cut = rest.partition("…")[0] if "…" in rest else rest
    return any(rest.startswith(whole) or whole.startswith(cut) for whole in (REST, REST.replace(ENTITY, "")))


@pytest.fixture
def study() -> Study:
    """Two topics, judged in part by two people, one of them excluded, with every name that people choose."""
    study = staff_of(make_study(topics=2, items=4, batch_pairs=4, join_token="j" * 20))
    for name in ("one", "two"):
        add_run(study, hostile(name), {t: [f"{t}-{letter}" for letter in "abcd"] for t in ("t1", "t2")})
    for topic in Topic.objects.all():
        topic.name, topic.text = hostile(topic.name), hostile("topic", spaced=True)
        topic.save()
    for item in Item.objects.all():
        item.docno, item.text = hostile(item.docno), hostile(item.docno, spaced=True)
        item.save()
    Study.objects.update(**{name: hostile(name, spaced=True) for name in ("name", "asked_by", "contact")})
    Task.objects.update(wording=hostile("wording", spaced=True))
    # Markdown, in which an entity is a character.
    Task.objects.update(**{name: hostile(name, spaced=True).replace(ENTITY, "") for name in MARKDOWN})
    study.refresh_from_db()
    open_study(study)
    judge, failed = invite(study), invite(study)
    Assessor.objects.filter(pk=judge.pk).update(label=hostile("judge", spaced=True))
    Assessor.objects.filter(pk=failed.pk).update(label=hostile("failed", spaced=True))
    sit(judge)
    answer(answering.arrive(failed.pk), most=2)
    deciding.exclude(failed.pk, hostile("why", spaced=True))
    sharing.share(study, blind=False, days=1)
    names = {"name": hostile("campaign", spaced=True), "troubled": hostile("trouble", spaced=True)}
    Campaign.objects.create(study=study, panel="link", environment="live", number=1, **names)
    Import.objects.create(
        study=study, kind="topics", name=hostile("file"), state=Import.State.DONE, summary="2 topics"
    )
    trail.note(study.pk, trail.What.INVITED, after={hostile("key"): hostile("value")})
    Membership.objects.create(study=study, user=account("erin"), role=Membership.Role.PARTICIPANT)
    Membership.objects.get(user__username="erin").runs.set(Run.objects.all())
    Membership.objects.create(study=study, user=account("dora"), role=Membership.Role.ASSESSOR)
    standings.write(study)
    return study


def read(client: Client, where: str, found: dict[str, list[str]], links: set[str]) -> None:
    """Fetch an address; note what is wrong with its page, and where it leads."""
    response = client.get(where)
    if response.status_code not in (200, 302, 405):
        found[where] = [f"status {response.status_code}"]
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


@pytest.mark.parametrize("who", ["alice", "bob", "erin", "dora"])
def test_names_are_shown_as_they_were_written_and_their_links_lead_somewhere(study, who):
    client, found, links = logged_in(who), {}, set()
    allowed = Permission.objects.get(codename="view_raw_ids")
    account("alice").user_permissions.add(allowed)
    walked = {address(name, study, study) for name in study_addresses()} | {"/", "/account/"}
    seen = [where for where in sorted(walked) if client.get(where).status_code in (200, 302)]
    assert seen
    for where in seen:
        read(client, where, found, links)
    for where in sorted(links - walked):
        if not where.startswith(("/static/", "/logout/")):
            read(client, where, found, set())
    assert found == {}


def test_names_are_shown_as_they_were_written_to_those_who_judge(study):
    found, links = {}, set()
    person = invite(study)
    pages = [f"/i/{person.reference}/", f"/join/{study.join_token}/"]
    for where in pages:
        read(Client(), where, found, links)
    answering.arrive(person.pk)
    read(Client(), pages[0], found, links)
    sit(person)
    read(Client(), pages[0], found, links)
    for where in sorted(links):
        read(Client(), where, found, set())
    assert found == {}
