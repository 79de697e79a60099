"""Who may see what: every address of a study, whichever room it belongs to, and everybody who may come by."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from collection.models import Import, Membership, Run, Study
from collection.study import share_links
from judging.models import Question
from panels.models import Campaign
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import invite, make_study

pytestmark = pytest.mark.django_db

# What a viewer sees: it names nobody who judges, and changes nothing.
FOR_VIEWERS = {
    *("topics", "topics-renew", "topic"),
    *("leaderboard", "leaderboard-renew", "leaderboard-topics", "scores-export", "compare", "pairs"),
    *(
        "measures",
        "map",
        "history",
        "figure-svg",
        "figure-pdf",
        "table-csv",
        "table-tex",
        "baseline",
        "duels",
        "leaderboard-chances",
        "leaderboard-group",
        "leaderboard-decision",
        "groups",
        "aspects",
        "style",
        "votes",
    ),
    *("page-agreement", "page-agreement-csv", "page-agreement-tex"),
    # Participants open those of their own runs: tests/scoring/test_run_page.py.
    *("run-page", "run-report"),
}
# What a coordinator sees. Every other address of a study is for its organizers, but for those below.
FOR_COORDINATORS = FOR_VIEWERS | {
    *(
        "study",
        "pulse",
        "judgments-export",
        "aspects-export",
        "pairs-export",
        "qrels-export",
        "grades-export",
        "pages-export",
        "share-links",
    ),
    *("trust", "leaderboard-trust", "without", "quality", "doubtful-csv", "progress", "needed-csv"),
    *("topic-judgments", "records"),
    *("report", "report-pdf", "report-md"),
    *("data", "data-csv", "data-topic", "data-topic-csv", "duplicates", "duplicates-csv", "notices"),
    *("data-item", "data-item-ranks", "data-item-judgments"),
}
# Addresses of pages that are parts of another now: they lead on.
MOVED = {"quality", "without", "duplicates"}
# The part of a page that each is now.
PARTS = {
    "duplicates": "/studies/garden/data/?page=2&duplicates=#duplicates",
    "tasks": "/studies/garden/settings/?page=2#asked",
    "keep": "/studies/garden/settings/?page=2#keep",
    "declined": "/studies/garden/challenges/?page=2#declined",
    "campaign-people": "/studies/garden/campaigns/{pk}/?page=2#people",
    "campaign-calls": "/studies/garden/campaigns/{pk}/?page=2#calls",
}
# Files that lead to their page while there is nothing to report.
NOTHING_YET = {"report-pdf", "report-md"}
# What a coordinator changes; a GET is refused as such.
CHANGED_BY_COORDINATORS = {"share-revoke"}
# What a participant sees, and nobody else.
FOR_PARTICIPANTS = {"own-runs", "own-runs-csv"}
# What an assessor with an account sees, and nobody else: neither organizers nor coordinators judge.
FOR_ASSESSORS = {"desk-queue", "desk-judge", "desk-answers"}
# What they get at an answer that they have not given, and at the address of a form.
OF_ASSESSORS = {"desk-answer": 404, "desk-note": 405}


def study_addresses() -> dict[str, URLPattern]:
    """Every named address with a study's slug in it, of all rooms."""

    def walk(patterns):
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                yield pattern
            else:
                yield from walk(pattern.url_patterns)

    return {p.name: p for p in walk(get_resolver().url_patterns) if "slug" in p.pattern.converters}


def address(name: str, study: Study, rows: Study) -> str:
    """An address of `study` that names rows of the study `rows`: they exist, so only a guard can say 404."""
    pattern = study_addresses()[name].pattern
    kwargs: dict[str, str | int] = {"slug": study.slug}
    if "pk" in pattern.converters:
        kwargs["pk"] = pk_for(name, rows)
    if "name" in pattern.converters:
        kwargs["name"] = "means"
    if "position" in pattern.converters:
        kwargs |= {"batch": 1, "position": 1}
    unknown = pattern.converters.keys() - kwargs.keys()
    assert not unknown, f"teach this test what {unknown} of {name} is"
    return reverse(name, kwargs=kwargs)


def pk_for(name: str, study: Study) -> int:
    """The key of a row of the study that an address is about."""
    if name in ("import", "import-progress", "import-problems"):
        return study.imports.latest("pk").pk
    if name == "declined-one":
        return Question.objects.filter(study=study, expected__isnull=True).latest("pk").pk
    if name == "set-aside":
        return Question.objects.filter(study=study, expected__isnull=False).latest("pk").pk
    if name in ("exclude", "release", "readmit", "take-back") or name.startswith("person"):
        return study.assessors.latest("pk").pk
    if name.startswith("campaign"):
        return study.campaigns.latest("pk").pk
    if name == "member-remove":
        return study.members.latest("pk").pk
    if name == "share-revoke":
        return study.shares.latest("pk").pk
    if name.startswith("data-topic") or name in ("topic", "topic-judgments"):
        return study.topics.latest("pk").pk
    if name in ("run-page", "run-report"):
        return study.runs.latest("pk").pk
    if name.startswith("data-item"):
        return study.topics.latest("pk").items.latest("pk").pk
    raise AssertionError(f"teach this test which row {name} is about")


@pytest.fixture
def study():
    """Alice's and Bob's, with a row of every kind that an address can name."""
    study = staff_of(make_study())
    invite(study)
    share_links.share(study, blind=True, days=1)
    Run.objects.create(study=study, name="bm25")
    Campaign.objects.create(study=study, panel="link", environment="live", number=1, name="Link 1")
    Import.objects.create(
        study=study, kind="topics", name="t.tsv", state=Import.State.DONE, summary="2 topics"
    )
    return study


@pytest.fixture
def charlies():
    """A study that Charlie organizes, so that he is no stranger to such pages, only to Alice's."""
    study = make_study(name="Other", slug="other")
    Membership.objects.create(study=study, user=account("charlie"), role=Membership.Role.ORGANIZER)
    return study


NAMES = sorted(study_addresses())
FOR_MEMBERS = sorted(study_addresses().keys() - FOR_ASSESSORS - OF_ASSESSORS.keys())
FOR_STAFF = sorted(set(FOR_MEMBERS) - FOR_PARTICIPANTS)
# What is seen with a part that steers nothing; of the rest its holder is told that it is not for them.
SEES: dict[str, set[str]] = {
    Membership.Role.COORDINATOR: FOR_COORDINATORS,
    Membership.Role.VIEWER: FOR_VIEWERS,
    Membership.Role.PARTICIPANT: FOR_PARTICIPANTS,
}


def test_every_room_has_addresses_here():
    """Without this the walk below could pass by finding nothing."""
    assert study_addresses().keys() >= {"study", "load", "people", "topics", "leaderboard"}


def test_an_organizer_reaches_every_address(alice, study):
    # Lists with panels' ids are for organizers who have this permission besides.
    allowed = Permission.objects.get(codename="view_raw_ids")
    study.members.get(user__username="alice").user.user_permissions.add(allowed)
    found = {name: alice.get(address(name, study, study)).status_code for name in FOR_STAFF}
    assert {name: status for name, status in found.items() if status not in (200, 302, 405)} == {}
    assert alice.get(address("own-runs", study, study)).status_code == 403


@pytest.mark.parametrize("name", PARTS)
def test_an_old_address_leads_to_the_part_of_a_page_that_it_is_now(alice, study, name):
    old = address(name, study, study)
    where = alice.get(f"{old}?page=2")["Location"]
    assert where == PARTS[name].format(pk=study.campaigns.get().pk)
    part = where.rpartition("#")[2]
    assert f'id="{part}"' in alice.get(where).content.decode()
    assert alice.post(old).status_code == 405


def test_a_stranger_gets_404_wherever_a_study_has_an_address(charlie, study, charlies):
    for send in (charlie.get, charlie.post):
        found = {name: send(address(name, study, study)).status_code for name in NAMES}
        assert found == dict.fromkeys(NAMES, 404)


def test_what_a_stranger_meets_is_what_nobody_meets(charlie, study):
    """The page must not tell a study that exists from one that does not."""
    pages = (charlie.get(f"/studies/{slug}/").content.decode() for slug in (study.slug, "no-such-study"))
    hidden, missing = (re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page) for page in pages)
    assert hidden == missing


def test_rows_of_another_study_cannot_be_reached_under_ones_own(charlie, study, charlies):
    names = [name for name, p in study_addresses().items() if "pk" in p.pattern.converters]
    for send in (charlie.get, charlie.post):
        found = {name: send(address(name, charlies, study), follow=True).status_code for name in names}
        assert {name: status for name, status in found.items() if status not in (404, 405)} == {}
    assert study.members.count() == 2
    assert study.assessors.get().excluded_at is None


def status_for(name: str, role: str) -> int:
    """How a page answers somebody with a part in the study."""
    if name in CHANGED_BY_COORDINATORS and role == Membership.Role.COORDINATOR:
        return 405
    seen = 302 if name in MOVED | NOTHING_YET else 200
    return seen if name in SEES[role] else 403


@pytest.mark.parametrize("role", SEES)
def test_each_part_sees_what_is_for_it_and_is_told_what_is_not(study, role):
    Membership.objects.create(study=study, user=account("erin"), role=role)
    erin = logged_in("erin")
    found = {name: erin.get(address(name, study, study)).status_code for name in FOR_MEMBERS}
    assert found == {name: status_for(name, role) for name in FOR_MEMBERS}
    others = [name for name in FOR_MEMBERS if status_for(name, role) == 403]
    found = {name: erin.post(address(name, study, study)).status_code for name in others}
    assert found == dict.fromkeys(others, 403)


@pytest.mark.parametrize("role", [Membership.Role.VIEWER, Membership.Role.PARTICIPANT])
def test_pages_link_to_nothing_that_the_reader_may_not_see(study, role):
    Membership.objects.create(study=study, user=account("erin"), role=role)
    erin = logged_in("erin")
    own = [address(name, study, study) for name in SEES[role]]
    pages = ["/", *(page for page in own if "." not in page)]
    links = set()
    for page in pages:
        response = erin.get(page)
        if response["Content-Type"].startswith("text/html"):
            found = re.findall(r'(?:href|action)="(/[^"?#]*)', response.content.decode())
            links |= {link for link in found if not link.startswith(("/static/", "/logout/"))}
    assert links
    assert {link: erin.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_an_assessor_reaches_their_desk_and_nothing_else(study):
    Membership.objects.create(study=study, user=account("dora"), role=Membership.Role.ASSESSOR)
    dora = logged_in("dora")
    found = {name: dora.get(address(name, study, study)).status_code for name in NAMES}
    assert found == {name: 200 if name in FOR_ASSESSORS else 404 for name in NAMES} | OF_ASSESSORS
    found = {name: dora.post(address(name, study, study)).status_code for name in FOR_MEMBERS}
    assert found == dict.fromkeys(FOR_MEMBERS, 404)


def test_somebody_who_does_not_judge_has_no_desk(alice, bob, study):
    for client in (alice, bob, logged_in("root", is_superuser=True)):
        pages = FOR_ASSESSORS | OF_ASSESSORS.keys()
        found = {name: client.get(address(name, study, study)).status_code for name in pages}
        assert found == dict.fromkeys(pages, 404)


def test_somebody_who_is_not_logged_in_is_asked_to_log_in(study):
    found = {name: Client().get(address(name, study, study)) for name in NAMES}
    assert {name: response.status_code for name, response in found.items()} == dict.fromkeys(NAMES, 302)
    assert {response["Location"].split("?")[0] for response in found.values()} == {"/login/"}


@pytest.mark.parametrize(
    ("role", "leads_to"),
    [("coordinator", "leaderboard/"), ("viewer", "leaderboard/"), ("participant", "own/")],
)
def test_a_refusal_says_who_can_and_leads_to_what_is_open(study, role, leads_to):
    Membership.objects.create(study=study, user=account("erin"), role=role)
    page = logged_in("erin").get("/studies/garden/settings/")
    said = f"This page is for the study's organizers. You are a {role} of {study.name}."
    assert said in text(page)
    assert "give you another role on their page People: ask alice." in text(page)
    assert f'class="button main" href="/studies/garden/{leads_to}"' in page.content.decode()
    Membership.objects.filter(study=study, user=account("alice")).delete()
    assert "It has no organizer at the moment" in text(logged_in("erin").get("/studies/garden/settings/"))


def test_a_refusal_by_account_says_who_gives_the_right(study):
    page = logged_in("erin").get("/accounts/")
    assert "Your account may not make other accounts. Those who may, and the server's administrator" in text(
        page
    )
    assert 'class="button main" href="/"' in page.content.decode()
    assert "garden" not in text(page)


def test_a_form_without_its_token_does_nothing(study):
    """From another site, in the organizer's own browser."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(account("alice"))
    found = {name: browser.post(address(name, study, study)).status_code for name in NAMES}
    assert found == dict.fromkeys(NAMES, 403)


@pytest.mark.parametrize(
    ("who", "address", "status"),
    [
        ("alice", "/studies/garden/", 200),
        ("alice", "/studies/garden/settings/", 200),
        ("alice", "/studies/garden/people/", 200),
        ("bob", "/studies/garden/", 200),
        ("bob", "/studies/garden/leaderboard/", 200),
        ("alice", "/", 200),
        ("alice", "/studies/new/", 403),
        ("alice", "/load-examples/topics", 200),
        ("alice", "/no-such-page/", 404),
        ("bob", "/studies/garden/settings/", 403),
        ("charlie", "/studies/garden/", 404),
        ("charlie", "/login/", 200),
    ],
)
def test_no_script_but_ours_runs_on_a_page_and_no_other_site_frames_it(study, who, address, status):
    response = logged_in(who).get(address)
    assert response.status_code == status
    policy = response["Content-Security-Policy"]
    ours_alone = {"default-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"}
    assert ours_alone <= set(policy.split("; "))
    assert "unsafe" not in policy


def test_a_superuser_organizes_every_study(study):
    root = logged_in("root", is_superuser=True)
    assert root.get(f"/studies/{study.slug}/settings/").status_code == 200
    assert study.name in root.get("/").content.decode()


def test_the_list_of_studies_holds_ones_own_only(alice, charlie, study, charlies):
    assert "Garden study" in alice.get("/").content.decode()
    page = charlie.get("/").content.decode()
    assert "Other" in page
    assert "Garden study" not in page


def test_only_staff_make_studies(bob, alice):
    assert bob.get("/studies/new/").status_code == 403
    assert bob.post("/studies/new/", {"name": "Mine"}).status_code == 403
    assert "New study" not in bob.get("/").content.decode()
    assert alice.get("/studies/new/").status_code == 200


def test_logging_in_leads_on_and_logging_out_back(db):
    dora = account("dora")
    dora.set_password("a long password")
    dora.save()
    browser = Client()
    wrong = browser.post("/login/", {"username": "dora", "password": "no"})
    assert "do not match an account" in wrong.content.decode()
    right = browser.post(
        "/login/", {"username": "dora", "password": "a long password", "next": "/studies/x/"}
    )
    assert right["Location"] == "/studies/x/"
    assert browser.post("/logout/")["Location"] == "/login/"
    assert browser.get("/")["Location"].startswith("/login/")


def test_logging_in_leads_nowhere_else(db):
    """An open redirect would lend our login page to others."""
    dora = account("dora")
    dora.set_password("a long password")
    dora.save()
    form = {"username": "dora", "password": "a long password", "next": "https://elsewhere.example/"}
    assert Client().post("/login/", form)["Location"] == "/"
