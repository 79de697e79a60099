"""Panels' ids of people: in one table alone, encrypted, in no log and no file, and destroyed on schedule."""

import io
import logging
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import call_command
from django.utils import timezone

from collection.models import Action
from judging.transfer import judgment_export
from judging.verdicts import decisions
from panels.link import files
from panels.models import Call, Campaign, Entry, PanelExclusion, Payment, Person
from panels.participants import id_erasure, panel_exclusions, people
from panels.payments import payouts
from panels.recruitment import closure
from tests.judging.organizing import logged_in, staff_of
from tests.judging.released import names_of
from tests.panels.at_turk import Turker, collect, make_all, published
from tests.panels.campaigning import Sent, link_address, running

pytestmark = pytest.mark.django_db
WORKER, PARTICIPANT = "AVERYSECRETWORKER", "verysecretparticipant"


def everything() -> dict[str, str]:
    """Each row of each table as text, with its bytes, by table."""
    found = {}
    for model in apps.get_models():
        rows = [
            repr([bytes(v) if isinstance(v, memoryview) else v for v in row])
            for row in model._default_manager.values_list()
        ]
        found[model._meta.db_table] = "\n".join(rows)
    return found


def files_of(study) -> str:
    names = names_of(study, "paper")
    made = [
        judgment_export.judgments(study, names=names),
        judgment_export.texts(study, names),
        judgment_export.declined(study, names),
        judgment_export.sealed_ledger(study),
    ]
    return "".join("".join(lines) for lines in made)


@pytest.mark.services
def test_25_no_table_log_page_or_file_has_a_raw_id_of_a_worker(study, market, caplog):
    caplog.set_level(logging.DEBUG)
    staff_of(study)
    campaign = published(study, 2)
    worker = Turker(market, WORKER)
    worker.do()
    collect(campaign)
    assert Payment.objects.get().state == "paid"
    entry = Entry.objects.get()
    assert people.raw(entry.person) == WORKER
    for table, rows in everything().items():
        assert WORKER not in rows, table
    call_command("verify", study.slug, stdout=io.StringIO())
    files = files_of(study)
    assert files.count("mturk-") >= 5
    for secret in (WORKER, entry.outside, campaign.slots.exclude(outside="").first().outside):
        assert secret not in files
        assert secret not in caplog.text
    alice = logged_in("alice")
    for page in (
        "people/",
        f"campaigns/{campaign.pk}/",
        "trail/",
        "challenges/",
    ):
        reply = alice.get(f"/studies/{study.slug}/{page}")
        assert WORKER not in reply.content.decode()


def test_12_a_link_without_sessions_keeps_no_raw_id_either(study, caplog):
    caplog.set_level(logging.DEBUG)
    campaign = running(study, terms={"session_required": False})
    terms = campaign.terms
    somebody = Sent(f"/p/{campaign.token}/?{terms['person_parameter']}={PARTICIPANT}")
    somebody.work()
    assert Payment.objects.get().state == "due"
    for table, rows in everything().items():
        assert PARTICIPANT not in rows, table
    assert PARTICIPANT not in caplog.text
    # The same person in another campaign of the study is let in there too.
    other = running(study)
    again = Sent(f"/p/{other.token}/?{terms['person_parameter']}={PARTICIPANT}")
    assert again.arrived.status_code == 200
    assert Person.objects.count() == 1
    # An address cannot pass for that of nobody's session.
    assert Sent(link_address(other, session=f"~{other.pk}")).arrived.status_code == 409


def done(study, **given) -> tuple[Campaign, Person]:
    """A closed campaign on a link with one person, who was paid."""
    campaign = running(study, **given)
    Sent(link_address(campaign, person=PARTICIPANT)).work()
    payouts.mark_paid(Payment.objects.values_list("pk", flat=True), "by hand")
    closure.stop(campaign.pk)
    return closure.close(campaign.pk), Person.objects.get()


def test_ids_are_destroyed_so_many_days_after_the_last_campaign(study, settings):
    settings.PANEL_IDS_DAYS = 90
    _, person = done(study)
    now = timezone.now()
    Person.objects.update(created_at=now - timedelta(days=200))
    assert id_erasure.destroy_due(now + timedelta(days=89)) == 0
    settings.PANEL_IDS_DAYS = 0
    assert id_erasure.destroy_due(now + timedelta(days=9000)) == 0
    settings.PANEL_IDS_DAYS = 90
    assert id_erasure.destroy_due(now + timedelta(days=91)) == 1
    assert id_erasure.destroy_due(now + timedelta(days=91)) == 0
    person.refresh_from_db()
    assert (people.raw(person), person.destroyed_at) == ("", now + timedelta(days=91))
    assert people.person_for("link", "live", PARTICIPANT) == person
    [noted] = Action.objects.filter(what="forgot")
    assert noted.after == {"ids": 1}


def test_somebody_who_comes_again_after_their_id_was_destroyed_can_be_paid(study):
    closed, person = done(study)
    people.destroy(person, timezone.now())
    # The address of the closed campaign brings nothing back, as long as nothing new comes of it.
    Sent(link_address(closed, person=PARTICIPANT, session="s9"))
    person.refresh_from_db()
    assert people.raw(person) == ""
    other = running(study)
    Sent(link_address(other, person=PARTICIPANT, session="s2")).work()
    person.refresh_from_db()
    assert (people.raw(person), person.destroyed_at) == (PARTICIPANT, None)
    assert Person.objects.count() == 1
    assert list(files.to_pay(other))[1:] == [[PARTICIPANT, "s2", "2.00", "USD"]]
    listed = f"participant id,session id,status\n{PARTICIPANT},s2,APPROVED\n"
    files.compare(other, listed.encode(), "list.csv")
    assert not Payment.objects.filter(state="due").exists()


@pytest.mark.parametrize("why", ["open campaign", "owed", "call", "exclusion"])
def test_an_id_that_is_still_needed_is_kept(study, why):
    campaign, person = done(study)
    if why == "open campaign":
        other = running(study)
        Sent(link_address(other, person=PARTICIPANT, session="s2"))
    elif why == "owed":
        Payment.objects.update(state="review")
    elif why == "call":
        about = {"campaign": campaign, "op": "approve", "key": "k", "entry": Entry.objects.get()}
        Call.objects.create(**about, not_before=timezone.now(), state="doubt")
    else:
        PanelExclusion.objects.create(campaign=campaign, study=study, person=person, state="decided")
    assert id_erasure.destroy_due(timezone.now() + timedelta(days=400)) == 0
    assert people.raw(person) == PARTICIPANT


def test_the_command_says_how_many_before_it_destroys_them(study):
    done(study)
    Person.objects.update(created_at=timezone.now() - timedelta(days=200))
    Campaign.objects.update(closed_at=timezone.now() - timedelta(days=40))

    def said(*words) -> str:
        out = io.StringIO()
        call_command("forgetids", *words, stdout=out)
        return out.getvalue()

    assert said() == "0 ids destroyed.\n"
    assert said("--days", "30", "--count") == "1 id would be destroyed.\n"
    assert said("--days", "30") == "1 id destroyed.\n"


@pytest.mark.services
def test_what_needs_a_destroyed_id_says_so_and_changes_nothing(study, market):
    campaign = published(study)
    Turker(market, "AGONE").do()
    collect(campaign)
    entry = Entry.objects.get()
    people.destroy(entry.person, timezone.now())
    decisions.exclude(entry.assessor_id, "a reason")
    panel_exclusions.tell(campaign)
    make_all(campaign)
    call = Call.objects.get(op="exclude")
    assert (call.state, call.error[:30]) == ("refused", "The marketplace's id of this p")
    assert not market.log("AssociateQualificationWithWorker")
