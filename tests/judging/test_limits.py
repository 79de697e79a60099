"""Limits of a study, and people who are paused: where batches are handed out, in both ways; what people are
told; settings, commands and the trail.
"""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collection.models import Study
from collection.study import lifecycle
from judging.audit import derived_state
from judging.batches import answering, limits, sql_statements
from judging.models import Assessor, Assignment, Decision
from judging.verdicts import decisions, pauses
from panels import local
from tests.judging import twins
from tests.judging.organizing import account, staff_of, text
from tests.judging.test_studies_pages import settings_of
from tests.judging.visiting import without_receipt
from tests.makers import answer, invite, later, make_study, open_study

pytestmark = pytest.mark.django_db
Why = limits.Why


@pytest.fixture
def study() -> Study:
    return staff_of(open_study(make_study(items=6, slug="garden", batch_pairs=2, batch_challenges=1)))


def limit(study: Study, **given) -> None:
    Study.objects.filter(pk=study.pk).update(**given)


def sit(person: Assessor) -> Assignment:
    """A whole batch, opened in both ways."""
    assignment = twins.arrive(person.pk)
    answer(assignment)
    return answering.submit(assignment.pk)


def refused(person: Assessor) -> limits.Why:
    """Why neither way gives this person a batch."""
    assert not sql_statements.open_batch(person.pk, timezone.now())
    with pytest.raises(answering.Limited) as caught:
        answering.arrive(person.pk)
    return caught.value.why


def home(client, person: Assessor) -> str:
    return text(client.get(f"/i/{person.reference}/"))


def test_a_person_gets_as_many_batches_as_one_may_judge(client, study):
    limit(study, batches_each=1)
    ada, grace = local.invite(study, ["Ada", "Grace"])
    sit(ada)
    assert refused(ada) == Why.EACH
    assert "as many batches as one person can judge" in home(client, ada)
    assert "Judge another batch" not in home(client, ada)
    sit(grace)


def test_an_open_batch_goes_on_whatever_the_limits_say(client, study):
    ada = invite(study)
    opened = answering.arrive(ada.pk)
    past = timezone.now() - timedelta(minutes=1)
    limit(study, batches_each=1, batches_a_day=1, judgments_most=1, closes_at=past)
    pauses.pause(ada.pk, "a look at their answers")
    assert twins.arrive(ada.pk) == opened
    answer(opened)
    assert answering.submit(opened.pk).state == "kept"


def test_a_batch_that_was_not_finished_in_time_counts_for_no_limit(study):
    limit(study, batches_each=1, batches_a_day=1)
    ada = invite(study)
    Assignment.objects.filter(pk=answering.arrive(ada.pk).pk).update(deadline=timezone.now())
    answering.release_overdue()
    sit(ada)
    assert refused(ada) == Why.EACH


def test_a_day_has_so_many_batches_of_all_people_and_the_next_day_as_many(client, study):
    limit(study, batches_a_day=2)
    ada, grace, dora = local.invite(study, ["Ada", "Grace", "Dora"])
    sit(ada)
    sit(grace)
    assert refused(dora) == Why.DAY
    assert "come back tomorrow" in home(client, dora)
    with later(minutes=24 * 60):
        sit(dora)


def test_a_study_stops_at_so_many_judgments(client, study):
    limit(study, judgments_most=3)
    ada, grace, dora = local.invite(study, ["Ada", "Grace", "Dora"])
    sit(ada)  # two answers that count, and a challenge
    assert limits.judgments(study) == 2
    twins.arrive(grace.pk)
    assert refused(dora) == Why.ENOUGH
    assert "nothing more is needed" in home(client, dora)
    decisions.exclude(ada.pk, "slept")
    twins.arrive(dora.pk)


def test_a_closing_date_holds_by_the_clock_alone(client, study):
    ada = invite(study)
    limit(study, closes_at=timezone.now() + timedelta(minutes=10))
    assert "start judging" in home(client, ada)
    with later(minutes=11):
        assert not sql_statements.open_batch(ada.pk, timezone.now())
        with pytest.raises(answering.NothingLeft, match="not open"):
            answering.arrive(ada.pk)
        assert "Judging has ended" in home(client, ada)
        assert client.post(f"/i/{ada.reference}/", {"action": "begin"}).status_code == 303
    assert not Assignment.objects.exists()


def test_who_is_paused_gets_no_batch_until_they_are_let_on(client, study):
    ada = invite(study)
    alice = account("alice")
    assert pauses.pause(ada.pk, "answers look odd", by=alice)
    assert not pauses.pause(ada.pk, "again", by=alice)
    assert refused(ada) == Why.PAUSED
    assert "not given new questions at the moment" in home(client, ada)
    assert pauses.resume(ada.pk, "they were fine", by=alice)
    assert not pauses.resume(ada.pk)
    sit(ada)
    said = Decision.objects.filter(assessor=ada).order_by("pk")
    assert list(said.values_list("what", "by__username", "why")) == [
        ("paused", "alice", "answers look odd"),
        ("let on", "alice", "they were fine"),
    ]
    assert list(study.actions.order_by("pk").values_list("what", flat=True))[-2:] == ["held", "let on"]


def test_rebuilding_finds_who_is_paused_in_the_decisions(study):
    ada, grace = local.invite(study, ["Ada", "Grace"])
    pauses.pause(ada.pk, "x")
    assert derived_state.rebuild(study) == 0
    Assessor.objects.filter(pk=ada.pk).update(paused_at=None)
    Assessor.objects.filter(pk=grace.pk).update(paused_at=timezone.now())
    assert derived_state.rebuild(study) == 2
    paused = Assessor.objects.filter(paused_at__isnull=False)
    assert list(paused) == [ada]


def test_limits_add_no_statement_to_an_arrival(study):
    ada, grace = local.invite(study, ["Ada", "Grace"])

    def statements_of(person: Assessor) -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert sql_statements.open_batch(person.pk, timezone.now())
        return len(found)

    without = statements_of(ada)
    ahead = timezone.now() + timedelta(days=1)
    limit(study, batches_each=3, batches_a_day=9, judgments_most=90, closes_at=ahead)
    assert statements_of(grace) == without


def test_excluded_people_meet_the_same_limits_in_the_same_words(client, study):
    limit(study, batches_each=1)
    ada, grace = local.invite(study, ["Ada", "Grace"])
    sit(ada)
    sit(grace)
    decisions.exclude(grace.pk, "slept")
    assert without_receipt(home(client, ada)) == without_receipt(home(client, grace))


def test_nobody_joins_a_study_that_hands_out_nothing_today(client, study):
    lifecycle.open_link(study.pk, on=True)
    limit(study, batches_a_day=1)
    address = f"/join/{Study.objects.get().join_token}/"
    sit(invite(study))
    people = Assessor.objects.count()
    assert "come back tomorrow" in text(client.get(address))
    client.post(address)
    assert Assessor.objects.count() == people


def test_limits_are_settings_with_a_trail_and_stand_on_the_studys_page(alice, study):
    ends = {"batches_each": 3, "batches_a_day": 40, "judgments_most": 900, "closes_at": "2126-03-01T18:00"}
    alice.post("/studies/garden/settings/", settings_of(study, **ends))
    page = text(alice.get("/studies/garden/"))
    assert "Closes by itself 1 Mar 2126, 18:00 UTC" in page
    assert "At most 3 batches a person" in page
    assert "Batches today: 0 of 40" in page
    assert "Judgments: 0 of 900" in page
    noted = study.actions.get(what="settings")
    assert noted.after == {
        "Batches a person": 3,
        "Batches a day": 40,
        "Judgments in all": 900,
        "Closing date": "2126-03-01 18:00 UTC",
    }
    study.refresh_from_db()
    alice.post("/studies/garden/settings/", settings_of(study))
    study.refresh_from_db()
    assert [study.batches_each, study.batches_a_day, study.judgments_most, study.closes_at] == [None] * 4
    assert study.actions.filter(what="settings").latest("pk").after["Closing date"] is None


def test_a_limit_of_nothing_is_refused(alice, study):
    page = alice.post("/studies/garden/settings/", settings_of(study, batches_each=0, closes_at="soon"))
    assert "Give a date and a time, or nothing." in text(page)
    study.refresh_from_db()
    assert study.batches_each is None


def test_a_command_sets_and_tells_limits(study):
    def told(*options: str) -> str:
        out = StringIO()
        call_command("limits", "garden", *options, stdout=out)
        return out.getvalue()

    assert "Batches a person: no limit" in told()
    assert not study.actions.filter(what="settings").exists()
    said = told("--batches-each", "2", "--closes-at", "2126-03-01T18:00", "--judgments-most", "50")
    assert "Batches a person: 2\n" in said
    assert "Closing date: 2126-03-01 18:00 UTC" in said
    assert "Judgments: 0 of 50" in said
    assert "Batches a person: no limit" in told("--batches-each", "none")
    for wrong in (["--batches-each", "0"], ["--closes-at", "soon"], ["--batches-each", "40000"]):
        with pytest.raises(CommandError):
            told(*wrong)
    with pytest.raises(CommandError, match="There is no study"):
        call_command("limits", "meadow")


def test_a_study_is_made_with_limits():
    call_command("study", "meadow", "--batches-each", "4", "--closes-at", "2126-03-01T18:00+01:00")
    study = Study.objects.get(slug="meadow")
    assert (study.batches_each, lifecycle.told(study.closes_at)) == (4, "2126-03-01 17:00 UTC")
