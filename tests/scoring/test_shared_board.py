"""A leaderboard shared by a link: what it shows, to whom, until when, and what it gives away."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from collection.models import Action, Run, Share, Study
from collection.study import share_links
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import make_study
from web.coordinator.board.share_page import LOOKS

NAMES = [f"secretrun{n}" for n in range(5)]


@pytest.fixture
def study(db):
    study = staff_of(make_study())
    Run.objects.filter(study=study).delete()
    for name in NAMES:
        Run.objects.create(study=study, name=name)
    return study


def made(study, runs="blind") -> str:
    """The path of a link that the coordinator made on the page."""
    page = logged_in("bob").post(f"/studies/{study.slug}/leaderboard/links/", {"runs": runs, "days": "7"})
    found = re.search(r'value="http://testserver(/shared/[\w-]{43}/)"', page.content.decode())
    assert found
    return found[1]


def test_nobody_in_particular_sees_a_named_board_by_its_link(study):
    browser = Client()
    response = browser.get(made(study, "named"))
    assert response.status_code == 200
    assert all(name in response.content.decode() for name in NAMES)
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in response["Cache-Control"]
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


def test_a_blind_board_holds_no_name_no_key_and_no_address_of_the_study(study):
    page = Client().get(made(study)).content.decode()
    assert "secretrun" not in page
    assert re.findall(r'class="run">([^<]+)<', page) == [f"Run {letter}" for letter in "ABCDE"]
    assert not [link for link in re.findall(r'(?:href|src|action)="([^"]*)"', page) if "/static/" not in link]
    assert study.slug not in page.replace(study.name, "")


def test_a_board_says_what_its_measures_are_and_over_which_topics(study):
    page = text(Client().get(made(study, "named")))
    for said in (
        "How close a run's order comes to the best order that the judgments allow",
        "divided by the best possible",
        "significantly better",
    ):
        assert said in page


def test_letters_follow_neither_names_nor_keys_and_stay(study):
    keys = list(study.runs.order_by("pk").values_list("pk", flat=True))
    orders = set()
    for _ in range(12):
        link, _ = share_links.share(study, blind=True, days=1)
        said = share_links.labels(link, keys)
        assert said == share_links.labels(Share.objects.get(pk=link.pk), keys[::-1])
        orders.add(tuple(sorted(said, key=said.__getitem__)))
        late = Run.objects.create(study=study, name=f"late{link.pk}").pk
        assert {run: share_links.labels(link, [*keys, late])[run] for run in keys} == said
        Run.objects.filter(pk=late).delete()
    # Of 120 orders twelve times the same one: once in 120 ** 11 runs of this test.
    assert len(orders) > 1


def test_a_new_link_comes_with_a_bibtex_entry_that_has_its_address(study):
    Study.objects.filter(pk=study.pk).update(name="R&D, 100 % done")
    asked = {"days": "7", "runs": "blind"}
    page = logged_in("bob").post(f"/studies/{study.slug}/leaderboard/links/", asked)
    entry = page.context["snippets"]["BibTeX"]
    assert entry.startswith(f"@misc{{{study.slug}, title = {{{{R\\&D, 100 \\% done}}}}, howpublished = {{")
    assert f"url = {{{page.context['address']}}}" in entry
    assert f"the link works until {Share.objects.latest('pk').ends_at:%-d %B %Y}" in entry


def test_a_link_ends_at_its_end_and_when_it_is_revoked(study):
    bob, ending, revoked = logged_in("bob"), made(study), made(study)
    last = Share.objects.latest("pk")
    assert bob.post(f"/studies/{study.slug}/leaderboard/links/{last.pk}/revoke/").status_code == 302
    assert Client().get(revoked).status_code == 404
    assert Client().get(ending).status_code == 200
    Share.objects.exclude(pk=last.pk).update(ends_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(ending).status_code == 404
    assert Client().get("/shared/no-such-link/").status_code == 404
    assert "revoked" in text(bob.get(f"/studies/{study.slug}/leaderboard/links/"))
    what = list(study.actions.order_by("pk").values_list("what", "actor"))[-3:]
    assert what == [(Action.What.SHARED, "bob"), (Action.What.SHARED, "bob"), (Action.What.UNSHARED, "bob")]


@pytest.mark.parametrize("how", ["page", "command", "account"])
def test_a_link_ends_with_the_part_or_the_account_of_who_made_it(study, how, capsys):
    address, bob = made(study), account("bob")
    assert Client().get(address).status_code == 200
    if how == "page":
        member = study.members.get(user=bob)
        page = logged_in("alice").post(f"/studies/{study.slug}/members/{member.pk}/remove/", follow=True)
        assert "1 link to its leaderboard that they made ended too." in text(page)
    elif how == "command":
        call_command("member", study.slug, "none", "bob")
        assert "Ended 1 of bob's links" in capsys.readouterr().out
    else:
        bob.is_active = False
        bob.save()
    assert Client().get(address).status_code == 404
    if how != "account":
        assert study.actions.filter(what=Action.What.UNSHARED).count() == 1


def test_the_secret_is_stored_nowhere(study):
    secret = made(study).split("/")[2]
    assert secret not in str(list(Share.objects.values()) + list(study.actions.values()))


def test_a_link_without_an_end_is_not_made(study):
    page = logged_in("bob").post(f"/studies/{study.slug}/leaderboard/links/", {"runs": "blind", "days": "0"})
    assert "No link was made" in text(page)
    assert not Share.objects.exists()


def test_guessing_is_slow(study):
    path, browser = made(study), Client()
    found = [browser.get("/shared/guess/").status_code for _ in range(LOOKS.most)]
    assert set(found) == {404}
    assert browser.get(path).status_code == 429
