"""The list of studies: what stands where, what leads on, and how it is narrowed."""

import re

import pytest

from collection.models import Membership, Study
from collection.study import lifecycle
from scoring.board import standings
from tests import makers
from tests.judging.organizing import account, judge_batch, queries, staff_of, text
from tests.judging.studies import invite, make_study
from tests.judging.test_studies_pages import study
from tests.makers import study_with

__all__ = ["study"]
pytestmark = pytest.mark.django_db


def test_without_studies_the_list_teaches_what_one_is(alice):
    page = text(alice.get("/"))
    assert "A study is one evaluation" in page
    assert "manage.py study my-study --organizer alice" in page


def test_studies_of_one_name_are_told_apart_by_their_addresses(alice, study):
    page = text(alice.get("/"))
    assert f"{study.name} {study.slug} ·" not in page
    staff_of(makers.make_study(topics=1, slug="the-other", name=study.name))
    page = text(alice.get("/"))
    assert f"{study.name} the-other ·" in page
    assert f"{study.name} {study.slug} ·" in page


def test_a_study_leads_from_the_list_to_its_results_once_it_is_judged(alice):
    made = staff_of(make_study())

    def leads_to() -> str:
        return re.findall(r'<a href="([^"]+)" dir="auto">Garden study', alice.get("/").content.decode())[0]

    assert leads_to() == "/studies/garden/"
    judge_batch(invite(made))
    assert leads_to() == "/studies/garden/leaderboard/"


def shown_list(client) -> str:
    """The list of studies without groups that are hidden."""
    return re.sub(r"<table[^>]* hidden>.*?</table>", "", client.get("/").content.decode(), flags=re.DOTALL)


def test_the_list_has_what_is_judged_first_and_each_group_by_its_last_activity(alice):
    """Made in this order: a study with results, two being judged, a draft. The older was judged last."""
    over, older, newer, draft = (
        staff_of(makers.make_study(name=name)) for name in ("Ended", "Older", "Newer", "Draft")
    )
    for one in (over, older, newer):
        makers.open_study(one)
    makers.sit(invite(over))
    lifecycle.close(over.pk)
    names = r'<h2>([^<]+)</h2>|<a href="[^"]+" dir="auto">(Ended|Older|Newer|Draft)</a>'

    def listed() -> list[str]:
        return [title or name for title, name in re.findall(names, shown_list(alice))]

    assert listed() == ["Open", "Newer", "Older", "Drafts", "Draft", "Closed or loaded (1)", "Ended"]
    makers.sit(invite(older))
    standings.current(older)
    assert listed()[:3] == ["Open", "Older", "Newer"]
    assert draft.opened_at is None


def test_closed_studies_are_folded_below_others_but_not_when_one_is_sought(alice):
    over = staff_of(makers.make_study(name="Ended"))
    makers.open_study(over)
    staff_of(makers.make_study(name="Draft"))
    lifecycle.close(over.pk)
    fold = '<details class="fold wide"><summary><h2>Closed or loaded (1)</h2></summary>'
    page = alice.get("/").content.decode()
    assert page.index(">Draft</a>") < page.index(fold) < page.index(">Ended</a>")
    assert fold not in alice.get("/?q=study").content.decode()


def test_the_list_has_the_latest_pulse_from_the_start(alice):
    staff_of(make_study())
    assert '/studies/garden/progress/">Progress</a></td>' in alice.get("/").content.decode()
    alice.get("/studies/garden/pulse/")
    assert "0 of 2 topics done" in text(alice.get("/"))


def test_a_study_in_which_judging_does_not_go_on_stands_first_for_its_organizer(alice, bob):
    for name in ("Older", "Newer"):
        makers.open_study(staff_of(makers.make_study(name=name, slug=name.lower())))
    alice.get("/studies/older/pulse/")
    found = r'<h2>([^<]+)</h2>|<a href="[^"]+" dir="auto">(Older|Newer)</a>'

    def listed(client) -> list[str]:
        return [title or name for title, name in re.findall(found, shown_list(client))]

    assert listed(alice) == ["Needs you", "Older", "Open", "Newer"]
    assert listed(bob) == ["Open", "Newer", "Older"]


def test_a_study_that_is_finished_needs_its_organizer(alice):
    study = makers.open_study(staff_of(makers.make_study(topics=2, batch_challenges=0)))
    makers.finish(study)
    alice.get(f"/studies/{study.slug}/pulse/")
    page = alice.get("/").content.decode()
    assert "<h2>Needs you</h2>" in page
    assert "<h2>Open</h2>" not in page
    # What is known of it was computed before it ended.
    lifecycle.close(study.pk)
    assert re.search(r"<tbody data-needs>\s*</tbody>", alice.get("/").content.decode())


def test_the_list_is_sorted_and_narrowed_to_a_state_by_its_address(alice):
    for name in ("Study 10", "Study 9", "study 1", "Draft", *"efgh"):
        staff_of(makers.make_study(name=name))
    over = makers.open_study(staff_of(makers.make_study(name="Over")))
    lifecycle.close(over.pk)
    makers.open_study(Study.objects.get(name="Study 9"))

    def names(query: str) -> list[str]:
        page = alice.get(f"/{query}")
        return [one.name for own in page.context["groups"].values() for one in own]

    assert names("?sort=name") == ["Draft", *"efgh", "Over", "study 1", "Study 9", "Study 10"]
    assert names("?sort=last")[:2] == ["Study 9", "Over"]
    assert names("?state=open") == ["Study 9"]
    assert names("?state=closed") == ["Over"]
    assert names("?state=draft&sort=name&q=draft") == ["Draft"]
    assert "has “heath” in its name and is in this state." in text(alice.get("/?state=open&q=heath"))
    page = alice.get("/?state=draft&sort=name").content.decode()
    assert '<option value="draft" selected>' in page
    assert '<option value="name" selected>' in page


def test_the_list_takes_as_many_queries_for_many_studies(alice, study):
    few = queries(alice, "/")
    for n in range(30):
        made = study_with(name=f"S{n}", slug=f"s{n}")
        Membership.objects.create(study=made, user=account("alice"), role="coordinator")
    assert queries(alice, "/") == few == 5
