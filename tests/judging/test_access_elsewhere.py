"""Who may see what outside of studies: every address without a study's name in it, by everybody.

Those of studies are in `test_access`, routes of the API in `tests/api/test_who_gets_what.py`.
"""

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from collection.models import Membership
from collection.study import lifecycle, share_links
from tests.judging.organizing import account, logged_in, staff_of
from tests.judging.studies import make_study
from web.shared import tokens

pytestmark = pytest.mark.django_db

Role = Membership.Role
EVERYBODY = ("nobody", "outsider", "assessor", "participant", "viewer", "coordinator", "organizer")
# By address, the status that each of EVERYBODY meets, in that order: 302 leads to the login, or an
# assessor to their desk. Secrets and keys are made up: 404 or 403 anyone who asks, a 405 needs a POST.
HAS_ACCOUNT, STAFF = "302 200 200 200 200 200 200", "302 403 403 403 403 403 403"
SAME = "{0} {0} {0} {0} {0} {0} {0}"
HOME = "302 200 302 200 200 200 200"
TABLE = {
    **dict.fromkeys(("account", "help", "styles"), HAS_ACCOUNT),
    # Parts of the page of one's account, where they lead.
    **dict.fromkeys(("tokens", "api-reference"), SAME.format(302)),
    **dict.fromkeys(("studies", "desk"), HOME),
    **dict.fromkeys(("accounts", "study-new", "release-load", "account-new"), STAFF),
    **dict.fromkeys(("account-one", "account-rename"), STAFF),
    **dict.fromkeys(("account-reset", "account-rights", "account-disable", "account-enable"), STAFF),
    "release-loading": "302 404 404 404 404 404 404",
    **dict.fromkeys(("guide", "guide-picture"), "302 404 404 404 404 404 404"),
    "load-example": "302 404 404 404 404 404 404",
    **dict.fromkeys(("token-revoke", "account-email", "sessions-end"), "302 405 405 405 405 405 405"),
    **dict.fromkeys(("health", "login", "offline-worker"), SAME.format(200)),
    **dict.fromkeys(("answer", "cannot", "submit", "logout", "prolific-events"), SAME.format(405)),
    **dict.fromkeys(("image", "leaderboard-live", "topics-live"), SAME.format(403)),
    **dict.fromkeys(("shared", "badge", "join", "invitation", "enter", "entry"), SAME.format(404)),
    **dict.fromkeys(("choose-password", "no-route"), SAME.format(404)),
}


def elsewhere() -> dict[str, URLPattern]:
    """Every named address without a study's slug, but for the API's."""

    def walk(patterns, before=""):
        for pattern in patterns:
            whole = before + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield whole, pattern
            else:
                yield from walk(pattern.url_patterns, whole)

    return {
        p.name: p
        for whole, p in walk(get_resolver().url_patterns)
        if p.name and not whole.startswith(("studies/<slug:slug>", "desk/<slug:slug>", "api/"))
    }


def address(name: str) -> str:
    """An address with made-up keys and secrets."""
    given = {"IntConverter": 10**6}
    converters = elsewhere()[name].pattern.converters.items()
    return reverse(name, kwargs={key: given.get(type(one).__name__, "made-up") for key, one in converters})


@pytest.fixture
def people():
    study = staff_of(make_study())
    for name, role in (("dora", Role.ASSESSOR), ("erin", Role.PARTICIPANT), ("fay", Role.VIEWER)):
        Membership.objects.create(study=study, user=account(name), role=role)
    other = make_study(name="Other", slug="other")
    Membership.objects.create(study=other, user=account("charlie"), role=Role.ORGANIZER)
    named = {"outsider": "charlie", "assessor": "dora", "participant": "erin", "viewer": "fay"}
    named |= {"coordinator": "bob", "organizer": "alice"}
    return {"nobody": Client()} | {who: logged_in(name) for who, name in named.items()}


def test_everybody_meets_what_the_table_says(people):
    found = {
        name: " ".join(str(people[who].get(address(name)).status_code) for who in EVERYBODY)
        for name in elsewhere()
    }
    assert found == TABLE


def test_links_to_boards_are_changed_by_their_own_study_alone(people):
    study = Membership.objects.get(user__username="alice").study
    link, secret = share_links.share(study, blind=True, days=1)
    # Under the address of a study that Charlie organizes.
    assert people["outsider"].post(f"/studies/other/leaderboard/links/{link.pk}/revoke/").status_code == 404
    for who in ("viewer", "participant"):
        assert people[who].post(f"/studies/{study.slug}/leaderboard/links/").status_code == 403
    assert {who: people[who].get(f"/shared/{secret}/").status_code for who in EVERYBODY} == dict.fromkeys(
        EVERYBODY, 200
    )
    assert study.shares.alive().get() == link


def test_what_a_viewer_follows_ends_when_they_become_a_participant(people):
    study = Membership.objects.get(user__username="alice").study
    fay = account("fay")
    followed = [
        reverse("leaderboard-live", args=[tokens.sign_watch(study.pk, fay.pk, "0.95", 60)]),
        reverse("topics-live", args=[tokens.sign_topics_watch(study.pk, fay.pk, 60)]),
    ]
    assert [people["viewer"].get(address).status_code for address in followed] == [200, 200]
    lifecycle.set_member(study.pk, fay.pk, Role.PARTICIPANT)
    assert [people["viewer"].get(address).status_code for address in followed] == [403, 403]
