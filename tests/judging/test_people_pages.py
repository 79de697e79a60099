"""Invitations, the open link, exclusions and members, through Django's test client."""

import csv
import io
import re
from datetime import timedelta
from statistics import median

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from collection.models import Membership, Study
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, Judgment, QuestionRole
from judging.people import person_names
from judging.verdicts import decisions
from panels import local
from tests.judging.organizing import account, judge_batch, queries, staff_of, text
from tests.judging.studies import invite, make_study
from tests.makers import later
from web.shared.phrases import percent

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/people/"


@pytest.fixture
def study():
    return staff_of(make_study(batch_pairs=5, pairs=24, challenges=6))


def make_invitations(client, **form):
    return client.post(f"{ADDRESS}invite/", {"number": "", "labels": ""} | form)


def test_an_invitation_leads_to_a_page_to_judge_on(alice, client, study):
    make_invitations(alice, number=1)
    html = alice.get(ADDRESS).content.decode()
    (link,) = re.findall(r'<a href="http://testserver(/i/[^"]+)" data-copy>Link', html)
    assert client.get(link).status_code == 200
    page = text(alice.get(ADDRESS))
    assert "Not come yet" in page
    assert "Send the links" in page
    Study.objects.update(opened_at=None)
    assert "Next: open for judging" in text(alice.get(ADDRESS))


@pytest.mark.parametrize(
    ("form", "labels"),
    [
        ({"number": 3}, ["", "", ""]),
        ({"labels": "Ada\n\n  Grace Hopper \n"}, ["Ada", "Grace Hopper"]),
        ({"number": 3, "labels": "Ada"}, ["Ada", "", ""]),
    ],
)
def test_invitations_are_made_by_number_or_by_label(alice, study, form, labels):
    make_invitations(alice, **form)
    assert [a.label for a in Assessor.objects.order_by("pk")] == labels
    assert len({a.reference for a in Assessor.objects.all()}) == len(labels)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Say how many, or give a label for each."),
        ({"number": 0}, "Make at least one."),
        ({"number": 501}, "At most 500 at once."),
        ({"number": 1, "labels": "Ada\nGrace"}, "2 labels for 1: leave the number empty, or raise it."),
        ({"labels": "x" * 121}, "is longer than 120 characters."),
        ({"labels": "x\n" * 501}, "501 labels; at most 500 at once."),
    ],
)
def test_what_cannot_be_made_is_said(alice, study, form, sentence):
    assert sentence in text(make_invitations(alice, **form))
    assert not Assessor.objects.exists()


def test_the_list_says_where_each_person_stands(alice, study):
    people = local.invite(study, ["never", "judging", "kept", "late", "failed"])
    answering.arrive(people[1].pk)
    judge_batch(people[2])
    answering.arrive(people[3].pk)
    Assignment.objects.filter(assessor=people[3]).update(deadline=timezone.now() - timedelta(minutes=1))
    answering.release_overdue()
    judge_batch(people[4], fail=True)
    page = text(alice.get(ADDRESS))
    assert "5 assessors: 1 judging, 2 who came and judge nothing now, 1 not come yet, 1 excluded." in page
    assert "Answers of excluded people count nowhere." in page
    assert "never Not come yet" in page
    some = text(alice.get(f"{ADDRESS}?search=never"))
    assert "assessors:" not in some
    assert "1 person." in some
    assert re.search(r"judging Judging, until \d+ \w+, \d\d:\d\d", page)
    assert "Person State Batches Seconds Left Ties Agreement Challenges" in re.sub(r"\W+", " ", page)
    assert "As on Trust , of answers that count." in page
    assert "kept No open batch 1, all kept" in page
    assert "late No open batch 0, 1 closed unfinished" in page
    assert re.search(r"failed Excluded \d+ \w+, \d\d:\d\d ?: 3 of 3 challenges wrong", page)
    assert people[4].reference not in alice.get(ADDRESS).content.decode()


def test_the_list_says_how_far_a_sitting_is_and_when_there_was_a_last_sign(alice, study):
    begun, away = local.invite(study, ["begun", "away"])
    for person in (begun, away):
        answering.answer(answering.arrive(person.pk).pk, 1, 1, kind="pair")
    sittings.release(away.latest.pk)
    assert "1 of 8 answered, last sign just now" in text(alice.get(ADDRESS))
    with later(minutes=4):
        page = text(alice.get(ADDRESS))
    assert page.count("has not answered") == 1  # of the one who is there
    assert "1 of 8 answered, last sign 4 min ago, away: what is not answered is open to others" in page
    assert "gave no sign" not in page


def test_an_organizer_releases_one_person(alice, study):
    person = invite(study)
    batch = answering.arrive(person.pk)
    page = text(alice.post(f"{ADDRESS}{person.pk}/release/", follow=True))
    assert "Released: what they have not answered is open to others." in page
    decision = batch.decisions.get()
    assert (decision.what, decision.by) == ("idle", account("alice"))
    again = text(alice.post(f"{ADDRESS}{person.pk}/release/", follow=True))
    assert "Nothing was released" in again
    assert "released open batches" in text(alice.get("/studies/garden/trail/"))


def test_an_organizer_releases_all_who_gave_no_sign_for_some_minutes(alice, study):
    for person in local.invite(study, ["Ada", "Grace"]):
        answering.arrive(person.pk)
    with later(minutes=6):
        assert "2 people in the middle of a batch gave no sign for 5 minutes." in text(alice.get(ADDRESS))
        page = text(alice.post(f"{ADDRESS}release-away/", follow=True))
    assert "2 batches released." in page
    assert "gave no sign" not in page
    assert set(Assignment.objects.values_list("state", flat=True)) == {"idle"}


def test_nobody_releases_a_person_of_another_study(alice, study):
    other = invite(make_study(slug="other", name="Other"))
    batch = answering.arrive(other.pk)
    assert alice.post(f"{ADDRESS}{other.pk}/release/").status_code == 404
    assert Assignment.objects.get(pk=batch.pk).state == "working"


def test_recorded_assessors_have_no_link(alice, study):
    Assessor.objects.create(study=study, panel="import", reference="digest:w1", label="w1")
    page = alice.get(ADDRESS).content.decode()
    assert "From a file of recorded judgments" in page
    assert "digest:w1" not in page


def test_all_links_can_be_taken_away_as_csv(alice, client, study):
    invited = local.invite(study, ["Ada", 'Grace, "the admiral"'])
    Assessor.objects.create(study=study, panel="import", reference="digest:w1", label="w1")
    decisions.exclude(invited[0].pk, "left")
    body = b"".join(alice.get(f"{ADDRESS}invitations.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(body)))
    assert [row["label"] for row in rows] == ["Ada", 'Grace, "the admiral"']
    assert [row["person"] for row in rows] == [person_names.name_of(one) for one in invited]
    assert [row["excluded"] for row in rows] == ["left", ""]
    assert client.get(rows[1]["link"].removeprefix("http://testserver")).status_code == 200


def test_a_label_cannot_be_a_formula_in_the_csv(alice, study):
    [invited] = local.invite(study, ["=HYPERLINK(1)"])
    decisions.exclude(invited.pk, "@SUM(1)")
    body = b"".join(alice.get(f"{ADDRESS}invitations.csv").streaming_content).decode()
    [row] = csv.DictReader(io.StringIO(body))
    assert (row["label"], row["excluded"]) == ("'=HYPERLINK(1)", "'@SUM(1)")


def test_excluding_is_explained_before_it_is_done(alice, study):
    somebody = invite(study)
    judge_batch(somebody)
    address = f"{ADDRESS}{somebody.pk}/exclude/"
    page = text(alice.get(address))
    assert "The 5 answers they gave will count nowhere" in page
    assert "Letting them back in restores what this discards" in page
    somebody.refresh_from_db()
    assert somebody.excluded_at is None


def test_an_excluded_assessors_answers_count_nowhere_and_are_asked_again(alice, study):
    somebody = invite(study)
    batch = judge_batch(somebody)
    alice.post(f"{ADDRESS}{somebody.pk}/exclude/", {"why": "Clicked without looking"})
    assert not Judgment.objects.counting().exists()
    assert all(place.question.taken == 0 for place in batch.batch.filter(role=QuestionRole.COUNTS))
    with pytest.raises(answering.Excluded):
        answering.arrive(somebody.pk)
    assert "Clicked without looking" in text(alice.get(ADDRESS))


def test_an_exclusion_needs_a_reason(alice, study):
    somebody = invite(study)
    page = text(alice.post(f"{ADDRESS}{somebody.pk}/exclude/", {"why": " "}))
    assert "Say why, in a few words." in page
    somebody.refresh_from_db()
    assert somebody.excluded_at is None


def test_several_are_chosen_and_excluded_with_one_reason_or_released(alice, study):
    ada, bob, cleo = local.invite(study, ["ada", "bob", "cleo"])
    for one in (ada, bob, cleo):
        answering.begin(one.pk)
    address = f"{ADDRESS}chosen/"
    assert "choose people in the list first" in text(alice.post(address, {"act": "exclude"}, follow=True))
    alice.post(address, {"act": "release", "person": [cleo.pk]})
    assert Assignment.objects.get(assessor=cleo).state == "idle"
    asked = alice.post(address, {"act": "exclude", "person": [ada.pk, bob.pk, 10**30]})
    assert "Exclude 2 people 1 · ada, 2 · bob." in text(asked)
    assert not Assessor.objects.filter(excluded_at__isnull=False).exists()
    do = f"{ada.pk},{bob.pk}"
    assert "Say why, in a few words." in text(alice.post(address, {"do": do, "why": " "}))
    assert "2 people excluded" in text(alice.post(address, {"do": do, "why": "one program"}, follow=True))
    excluded = Assessor.objects.filter(excluded_why="one program")
    assert set(excluded.values_list("label", flat=True)) == {"ada", "bob"}
    stranger = invite(make_study(slug="other"))
    alice.post(address, {"do": str(stranger.pk), "why": "not mine"})
    stranger.refresh_from_db()
    assert stranger.excluded_at is None


def test_the_open_link_works_while_it_is_on_and_never_again(alice, client, study):
    alice.post(f"{ADDRESS}open-link/", {"on": "1"})
    study.refresh_from_db()
    first = f"/join/{study.join_token}/"
    assert f"http://testserver{first}" in alice.get(ADDRESS).content.decode()
    assert client.get(first).status_code == 200
    alice.post(f"{ADDRESS}open-link/", {"on": "1"})  # a double click leaves the link as it is
    assert client.get(first).status_code == 200
    alice.post(f"{ADDRESS}open-link/", {"on": "0"})
    off = client.get(first)
    assert off.status_code == 410
    for said in (study.name, "This study takes nobody new", "Write to", "Go on where you were"):
        assert said in text(off)
    alice.post(f"{ADDRESS}open-link/", {"on": "1"})
    assert client.get(first).status_code == client.post(first).status_code == 410
    assert "This link leads nowhere" in text(client.get("/join/unknown/"))


def test_a_member_is_added_by_username_and_removed(alice, charlie, study):
    alice.post("/studies/garden/members/", {"username": "charlie", "role": "coordinator"})
    assert charlie.get("/studies/garden/").status_code == 200
    member = study.members.get(user=account("charlie"))
    alice.post(f"/studies/garden/members/{member.pk}/remove/")
    assert charlie.get("/studies/garden/").status_code == 404


def test_a_username_that_nobody_has_is_named_as_such(alice, study):
    page = text(alice.post("/studies/garden/members/", {"username": "dora", "role": "organizer"}))
    assert "No account has this username." in page


def test_a_disabled_account_gets_no_part_and_is_not_told_of(alice, study):
    account("dora", is_active=False)
    page = text(alice.post("/studies/garden/members/", {"username": "dora", "role": "organizer"}))
    assert "No account has this username." in page
    with pytest.raises(CommandError, match="disabled"):
        call_command("member", study.slug, "coordinator", "dora")
    assert not study.members.filter(user__username="dora").exists()


def test_a_study_keeps_an_organizer(alice, study):
    """Neither removed nor made a coordinator: nobody could steer the study any more."""
    mine = study.members.get(user=account("alice"))
    page = alice.post(f"/studies/garden/members/{mine.pk}/remove/", follow=True)
    assert "the study's only organizer" in text(page)
    page = alice.post("/studies/garden/members/", {"username": "alice", "role": "coordinator"})
    assert "the study's only organizer" in text(page)
    mine.refresh_from_db()
    assert mine.role == Membership.Role.ORGANIZER


def test_an_organizer_may_leave_when_another_stays(alice, study):
    alice.post("/studies/garden/members/", {"username": "bob", "role": "organizer"})
    mine = study.members.get(user=account("alice"))
    assert alice.post(f"/studies/garden/members/{mine.pk}/remove/")["Location"] == "/"
    assert alice.get("/studies/garden/").status_code == 404


def test_fifty_people_stand_on_a_page(alice, study):
    people = local.invite(study, [f"p{n}" for n in range(1, 121)])
    judge_batch(people[0], fail=True)
    assert "120 assessors, 1 of them excluded." in text(alice.get(ADDRESS))
    page = text(alice.get(ADDRESS, {"page": 3}))
    assert "101 · p101" in page
    assert "101 to 120 of 120" in page
    assert "p100 " not in page


def test_new_invitations_are_shown_on_their_page(alice, study):
    local.invite(study, [""] * 60)
    assert make_invitations(alice, labels="late")["Location"] == f"{ADDRESS}?page=2#invitations"


def test_people_take_as_many_queries_however_many_there_are(alice, study):
    judge_batch(invite(study))
    queries(alice, ADDRESS)  # which notes that the links were seen, and computes how people agree
    few = queries(alice, ADDRESS)
    for assessor in local.invite(study, ["x"] * 59)[:4]:
        judge_batch(assessor)
    for n in range(20):
        Membership.objects.create(study=study, user=account(f"u{n}"), role="coordinator")
    assert queries(alice, ADDRESS) == few == 18
    assert queries(alice, f"{ADDRESS}invitations.csv") == 8
    assert Study.objects.count() == 1


@pytest.mark.parametrize("name", ["people", "invitations-export"])
def test_personal_links_are_kept_by_no_browser(alice, study, name):
    """Anyone who comes back after logging out would see them again."""
    assert "no-store" in alice.get(reverse(name, args=[study.slug]))["Cache-Control"]


# Those who joined by the open link


def test_all_who_joined_since_a_moment_are_excluded_at_once(alice, study):
    """Not those who joined before, nor anybody invited; what they held is open again."""
    study.join_token = "open-to-all"
    study.save()
    before, after = local.join("open-to-all"), local.join("open-to-all")
    Assessor.objects.filter(pk=before.pk).update(created_at=timezone.now() - timedelta(hours=2))
    invited = invite(study)
    for person in (before, after, invited):
        answering.arrive(person.pk)
    since = (timezone.now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M")
    assert "Give a moment." in text(alice.post(f"{ADDRESS}exclude-joined/", {"reason": "bots"}))
    page = alice.post(f"{ADDRESS}exclude-joined/", {"since": since, "reason": "bots"}, follow=True)
    assert "1 person excluded" in text(page)
    assert set(Assessor.objects.filter(excluded_at=None)) == {before, invited}
    assert Assessor.objects.get(pk=after.pk).excluded_why == "bots"
    assert set(Assignment.objects.filter(state="working").values_list("assessor", flat=True)) == {
        before.pk,
        invited.pk,
    }
    decided = after.decisions.get()
    assert decided.by == account("alice")


def test_turning_the_open_link_off_can_close_what_is_open_by_it(alice, study):
    for batches, left in (("", {"joined", "invited"}), ("close", {"invited"})):
        Assessor.objects.filter(label="").delete()
        study.join_token = f"token-{batches}"
        study.save()
        joined, invited = local.join(study.join_token), local.invite(study, ["invited"])[0]
        Assessor.objects.filter(pk=joined.pk).update(label="joined")
        opened = [answering.arrive(person.pk).pk for person in (joined, invited)]
        page = alice.post(f"{ADDRESS}open-link/", {"on": "0", "batches": batches}, follow=True)
        still = Assignment.objects.filter(pk__in=opened, state="working")
        assert set(still.values_list("assessor__label", flat=True)) == left
        assert ("1 open batch of those who joined by it closed" in text(page)) == bool(batches)
        for batch in opened:
            decisions.close_open(study.pk)
            assert Assignment.objects.get(pk=batch).state == "lapsed"


def test_stopping_a_study_can_close_what_is_open(alice, study):
    batch = answering.arrive(invite(study).pk)
    page = alice.post("/studies/garden/close/", {"how": "pause", "batches": "close"}, follow=True)
    assert "1 open batch closed" in text(page)
    assert Assignment.objects.get(pk=batch.pk).state == "lapsed"
    assert batch.decisions.get().why == "closed by an organizer"


@pytest.mark.parametrize("form", [{}, {"on": ""}, {"on": "off"}, {"on": "true"}])
def test_a_broken_form_does_not_turn_the_open_link_off(alice, study, form):
    study.join_token = "open-to-all"
    study.save()
    page = alice.post(f"{ADDRESS}open-link/", form, follow=True)
    assert "Nothing was changed" in text(page)
    study.refresh_from_db()
    assert study.join_token == "open-to-all"


def test_trying_out_which_usernames_exist_ends_after_twenty(alice, study):
    account("dora")
    for n in range(20):
        page = alice.post("/studies/garden/members/", {"username": f"name-{n}", "role": "coordinator"})
        assert "No account has this username" in text(page)
    for name in ("name-20", "dora"):
        page = alice.post("/studies/garden/members/", {"username": name, "role": "coordinator"})
        assert "Too many names" in text(page)
    assert not study.members.filter(user__username="dora").exists()


def test_the_list_says_how_each_person_answers(alice, study):
    """Expected by hand, with the figures of the page of trust: three left, one right, two ties, of those that
    count."""
    batch = answering.arrive(invite(study).pk)
    for n, (place, value) in enumerate(zip(batch.batch.all(), [1, 1, 1, -1, 0, 0], strict=False), 1):
        Judgment.objects.create(
            assignment=batch,
            question=place.question,
            topic=place.question.topic,
            value=value,
            shown=place.shown,
            seconds=2 * n,
        )
    counting = [int(one.value) for one in Judgment.objects.counting()]
    left, right, ties = (sum((value > 0) - (value < 0) == side for value in counting) for side in (1, -1, 0))
    seconds = median(one.seconds for one in Judgment.objects.counting())
    said = f"{seconds:.1f} {percent(left / (left + right))} {percent(ties / len(counting))}"
    assert said in text(alice.get(ADDRESS))
    [row] = alice.get(reverse("trust", args=[study.slug])).context["people"]
    assert said == f"{row.one.seconds:.1f} {percent(row.one.left)} {percent(row.one.ties)}"
