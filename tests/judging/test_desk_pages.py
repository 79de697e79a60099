"""The desk of assessors with accounts: their studies, their queue over topics, and batches of one topic."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from collection.models import Membership
from collection.study import lifecycle
from judging.models import Assessor, Assignment, Question, QuestionRole, Task
from panels import account as accounts
from panels import local
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.judging.studies import make_study
from tests.judging.visiting import agreeing, answer_all, send
from tests.makers import Choice, add_items, invite, open_study, sit
from tests.makers import make_study as unopened_study
from tournament import services
from web.shared import tokens

pytestmark = pytest.mark.django_db
ASSESSOR = Membership.Role.ASSESSOR


def seated(study, name: str = "dora") -> Client:
    """Somebody with an account who judges in the study, logged in."""
    lifecycle.set_member(study.pk, account(name).pk, ASSESSOR)
    return logged_in(name)


def topics_of(assignment: Assignment) -> set[str]:
    return set(assignment.batch.values_list("question__topic__name", flat=True))


def begin(browser: Client, study, topic) -> Assignment:
    response = browser.post(f"/desk/{study.slug}/judge/?topic={topic.pk}", agreeing(study))
    assert (response.status_code, response["Location"]) == (303, f"/desk/{study.slug}/judge/")
    return Assignment.objects.get(state="working", assessor__user__username="dora")


@pytest.fixture
def study():
    """In shade eleven pairs wait and four have a known answer, in drought five and nine."""
    made = make_study(pairs=20, challenges=9, slug="garden")
    shade = Question.objects.filter(topic__name="shade").order_by("-pk").values("pk")[:4]
    known = {"wanted": 0, "expected": Choice.A.value, "draw_key": 0.5}
    Question.objects.filter(pk__in=list(shade.values_list("pk", flat=True))).update(**known)
    Task.objects.filter(study=made).update(batch_challenges=2, batch_size=3)
    return made


def test_somebody_who_only_judges_comes_to_their_queue_when_they_log_in(study):
    dora = seated(study)
    page = dora.get("/", follow=True)
    assert [address for address, _ in page.redirect_chain] == ["/desk/", "/desk/garden/"]
    found = text(page)
    assert "Which plant suits shade? 11 questions wait for you" in found
    assert "Which plant suits drought?" in found
    assert "DOCNO" not in page.content.decode()


def test_a_batch_is_of_the_topic_that_was_chosen_and_the_queue_counts_on(study):
    dora = seated(study)
    shade, drought = study.topics.order_by("pk")
    # The fast path would begin with the first topic.
    first = begin(dora, study, drought)
    assert topics_of(first) == {"drought"}
    assert first.batch.filter(role=QuestionRole.CHALLENGE).count() == 2
    desk = text(dora.get("/desk/garden/"))
    assert "You are in the middle of a batch" in desk
    assert f"You have until {first.deadline:%H:%M} UTC" in desk
    # Where it is, and why no other topic can be begun.
    assert "suits drought? 5 of 5 to go Go on" in desk
    assert "suits shade? 11 questions wait for you, after this batch" in desk
    assert "Judge" not in desk
    answer_all(dora, first)
    assert send(dora, first).headers["Location"] == "/desk/garden/judge/"
    first.refresh_from_db()
    assert first.state == "kept"
    # What was answered counts challenges: without them it would tell how many there were.
    waits, answered = re.search(
        r"suits drought\? (\d+) questions wait for you · (\d+) answered", text(dora.get("/desk/garden/"))
    ).groups()
    assert (int(waits), int(answered)) == (5 - 3, 5)
    second = begin(dora, study, shade)
    assert topics_of(second) == {"shade"}


def test_after_a_batch_the_same_topic_goes_on_and_then_the_next(study):
    dora = seated(study)
    shade = study.topics.order_by("pk")[0]
    Question.objects.filter(topic=shade, wanted=1).exclude(
        pk__in=Question.objects.filter(topic=shade, wanted=1).values("pk")[:4]
    ).update(wanted=0)
    found = []
    for _ in range(3):
        page = dora.get("/desk/garden/judge/").content.decode()
        [address] = re.findall(r'action="(/desk/garden/judge/\?topic=\d+)"', page)
        assert dora.post(address, agreeing(study)).status_code == 303
        batch = Assignment.objects.get(state="working")
        found.append(topics_of(batch))
        answer_all(dora, batch)
        send(dora, batch)
    assert found == [{"shade"}, {"shade"}, {"drought"}]


def test_the_first_batch_asks_for_consent_and_later_ones_begin_at_one_press(study):
    dora = seated(study)
    topic = study.topics.order_by("pk")[0]
    queue = dora.get("/desk/garden/").content.decode()
    assert f'href="/desk/garden/judge/?topic={topic.pk}"' in queue
    assert 'action="/desk/garden/judge/?topic=' not in queue
    page = text(dora.get(f"/desk/garden/judge/?topic={topic.pk}"))
    assert "What you agree to" in page
    # What is said of links and cookies is said of those who have one, or none.
    assert "Being logged in takes a cookie" in page
    assert "sets no cookies" not in page
    batch = begin(dora, study, topic)
    answer_all(dora, batch)
    send(dora, batch)
    assert f'action="/desk/garden/judge/?topic={topic.pk}"' in dora.get("/desk/garden/").content.decode()


def test_who_read_other_texts_reads_the_new_ones_before_a_batch_of_the_topic(study):
    dora = seated(study)
    topic = study.topics.latest("pk")
    task = Task.objects.get(study=study)
    old = {"action": "begin", "task": task.pk, "version": task.version}
    Task.objects.filter(pk=task.pk).update(version=2, consent_version=2)
    response = dora.post(f"/desk/garden/judge/?topic={topic.pk}", old)
    assert response["Location"] == f"/desk/garden/judge/?unread&topic={topic.pk}"
    assert not Assignment.objects.exists()


def test_in_the_single_elimination_mode_one_assessor_plays_a_topic_to_its_end():
    """Round after round appears in their queue; then it is done."""
    study = open_study(
        unopened_study(mode="dedicated", items=4, k=1, batch_challenges=0, topics=2, slug="cup")
    )
    dora = seated(study, "dora")
    topic = study.topics.order_by("pk")[1]
    rounds = 0
    while "waits for you" in (page := text(dora.get("/desk/cup/")).partition("Which one for 2?")[2]) or (
        "wait for you" in page
    ):
        batch = begin(dora, study, topic)
        assert topics_of(batch) == {"t2"}
        answer_all(dora, batch)
        send(dora, batch)
        services.catch_up()
        rounds += 1
    assert rounds >= 2
    assert page.strip().startswith("Done")
    assert topic.tournament.finished
    assert "wait for you" in text(dora.get("/desk/cup/"))


def test_what_is_with_others_waits_for_others(study):
    dora = seated(study)
    Question.objects.filter(study=study).exclude(
        pk__in=Question.objects.filter(topic__name="shade", wanted=1).values("pk")[:3]
    ).update(wanted=0)
    Task.objects.filter(study=study).update(batch_size=3)
    shade = study.topics.get(name="shade")
    batch = begin(dora, study, shade)
    answer_all(dora, batch)
    send(dora, batch)
    assert "Which plant suits shade? Done" in text(dora.get("/desk/garden/"))
    Question.objects.filter(pk__in=batch.batch.filter(role=QuestionRole.COUNTS).values("question")).update(
        wanted=2
    )
    assert "Which plant suits shade? Waits for others" in text(dora.get("/desk/garden/"))


def test_without_challenges_that_they_have_not_seen_nothing_is_promised(study):
    dora = seated(study)
    Task.objects.filter(study=study).update(batch_challenges=9, wrong_allowed=0)
    batch = begin(dora, study, study.topics.latest("pk"))
    answer_all(dora, batch)
    send(dora, batch)
    page = text(dora.get("/desk/garden/"))
    assert "There is nothing for you to judge at the moment" in page
    assert "wait for you" not in page


def test_an_excluded_assessor_reads_what_everybody_reads_for_whom_nothing_is_left(study):
    dora = seated(study)
    Task.objects.filter(study=study).update(failing="stop")
    batch = begin(dora, study, study.topics.latest("pk"))
    answer_all(dora, batch, wrong=True)
    send(dora, batch)
    assert Assessor.objects.get(user__username="dora").excluded_at
    page = text(dora.get("/desk/garden/"))
    assert "There is nothing for you to judge at the moment" in page
    assert "exclu" not in page


@pytest.mark.parametrize(
    ("change", "said"),
    [(lifecycle.pause, "This study is paused now."), (lifecycle.close, "Judging has ended")],
)
def test_a_study_that_is_shut_offers_nothing(study, change, said):
    dora = seated(study)
    change(study.pk)
    page = dora.get("/desk/garden/")
    assert said in text(page)
    assert "/judge/?topic=" not in page.content.decode()
    assert said.partition(" now")[0][:18] in text(dora.get("/desk/garden/judge/"))


def test_the_queue_takes_the_same_number_of_queries_for_two_topics_and_for_forty(study):
    dora = seated(study)
    begin(dora, study, study.topics.latest("pk"))
    before = queries(dora, "/desk/garden/")
    for n in range(38):
        add_items(study.topics.create(name=f"more{n}", text=f"More {n}"), {"d": 1.0})
    assert queries(dora, "/desk/garden/") == before


def test_an_assessor_sees_no_page_of_the_members_and_members_have_no_desk(study):
    dora = seated(study)
    lifecycle.set_member(study.pk, account("bob").pk, Membership.Role.COORDINATOR)
    assert {dora.get(f"/studies/garden/{page}").status_code for page in ("", "leaderboard/", "topics/")} == {
        404
    }
    assert logged_in("bob").get("/desk/garden/").status_code == 404
    assert logged_in("bob").get("/", follow=True).redirect_chain == []


def test_somebody_who_loses_their_part_finds_nothing_and_their_answers_stay(study):
    dora = seated(study)
    batch = begin(dora, study, study.topics.latest("pk"))
    lifecycle.remove_member(study.pk, account("dora").pk)
    assert dora.get("/desk/garden/").status_code == 404
    assert dora.get("/desk/garden/judge/").status_code == 404
    # Given it again they are who they were.
    lifecycle.set_member(study.pk, account("dora").pk, ASSESSOR)
    assert Assessor.objects.filter(user__username="dora").get() == batch.assessor


def test_a_coordinator_who_becomes_an_assessor_stops_following_the_leaderboard(study, monkeypatch):
    from web.live import live_board

    gone = []
    monkeypatch.setattr(live_board, "revoke", lambda study_id, user_id: gone.append((study_id, user_id)))
    bob = account("bob")
    lifecycle.set_member(study.pk, bob.pk, Membership.Role.COORDINATOR)
    assert gone == []
    lifecycle.set_member(study.pk, bob.pk, ASSESSOR)
    assert gone == [(study.pk, bob.pk)]


def test_by_link_and_by_account_one_person_is_one_assessor_if_made_so(study):
    invited = invite(study)
    accounts.connect(invited, account("dora"))
    dora = seated(study)
    assert Assessor.objects.filter(study=study).get() == invited
    begun = dora.post(f"/desk/garden/judge/?topic={study.topics.latest('pk').pk}", agreeing(study))
    assert begun["Location"] == f"/i/{invited.reference}/"
    assert Assignment.objects.get().assessor == invited
    with pytest.raises(accounts.CannotConnect):
        accounts.connect(invited, account("erik"))


def test_an_account_that_has_judged_already_is_not_made_somebody_else(study):
    dora = seated(study)
    begin(dora, study, study.topics.latest("pk"))
    with pytest.raises(accounts.CannotConnect):
        accounts.connect(invite(study), account("dora"))


def test_an_assessors_form_needs_its_token(study):
    seated(study)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(account("dora"))
    address = f"/desk/garden/judge/?topic={study.topics.latest('pk').pk}"
    assert browser.post(address, {"action": "begin"}).status_code == 403
    page = browser.get(address).content.decode()
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    sent = browser.post(address, agreeing(study, csrfmiddlewaretoken=token))
    assert sent.status_code == 303


def test_the_command_makes_assessors_and_unmakes_them(study, capsys):
    account("dora"), account("erik")
    call_command("assessor", "garden", "dora", "erik")
    assert study.members.filter(role=ASSESSOR).count() == study.assessors.count() == 2
    call_command("assessor", "garden", "erik", "--remove")
    assert study.members.get().user == account("dora")
    with pytest.raises(CommandError, match="No account is called 'nobody'"):
        call_command("assessor", "garden", "erik", "nobody")
    assert study.members.count() == 1


def test_the_command_takes_nobodys_other_part_away(study):
    lifecycle.set_member(study.pk, account("bob").pk, Membership.Role.COORDINATOR)
    with pytest.raises(CommandError, match="bob is coordinator"):
        call_command("assessor", "garden", "bob")


def test_nobody_learns_an_account_by_a_link_or_an_export(study):
    dora = seated(study)
    batch = begin(dora, study, study.topics.latest("pk"))
    page = dora.get("/desk/garden/judge/").content.decode()
    assert tokens.sign_assignment(batch.pk) in page
    assert "dora" not in page
    assert batch.assessor.panel != local.PANEL


def test_several_studies_are_listed(study):
    dora = seated(study)
    seated(make_study(name="Second", slug="second"))
    assert re.search("Second.*Garden study", text(dora.get("/desk/")))
    assert "Studies you judge in" in text(dora.get("/", follow=True))
    sit(invite(study))


def test_an_organizer_makes_assessors_and_lets_invited_people_log_in(study):
    staff_of(study)
    alice = logged_in("alice")
    dora = account("dora")
    added = alice.post("/studies/garden/members/", {"username": "dora", "role": "assessor"}, follow=True)
    assert "dora is now assessor" in text(added)
    [own] = study.assessors.all()
    assert (own.user, own.label) == (dora, "dora")
    assert "Has an account" in text(added)
    erik, invited = account("erik"), invite(study)
    page = alice.get(f"/studies/garden/people/{invited.pk}/")
    assert "Make them one assessor" in text(page)
    form = {"username": "erik", "role": "assessor", "person": invited.pk}
    assert alice.post("/studies/garden/members/", form).status_code == 302
    invited.refresh_from_db()
    assert invited.user == erik
    assert study.assessors.count() == 2
    assert "Logs in as erik" in text(alice.get(f"/studies/garden/people/{invited.pk}/"))
    refused = alice.post("/studies/garden/members/", form | {"username": "dora"})
    assert "This person has an account in this study already." in text(refused)
    assert own.pk in study.assessors.values_list("pk", flat=True)


def test_an_account_that_never_judged_leaves_no_second_person_behind(study):
    seated(study)
    invited = invite(study)
    accounts.connect(invited, account("dora"))
    assert study.assessors.get() == invited


def test_the_list_of_studies_has_their_figures_in_as_many_queries_for_any_number(study):
    dora = seated(study)
    answer_all(dora, begin(dora, study, study.topics.get(name="drought")))
    taken = set()
    for number in (2, 3):
        lifecycle.set_member(
            make_study(name=f"Study {number}", slug=f"s{number}").pk, account("dora").pk, ASSESSOR
        )
        taken.add(queries(dora, "/desk/"))
    assert len(taken) == 1
    found = text(dora.get("/desk/"))
    assert (
        "Open for judging · 0 of 2 topics done · 13 questions wait for you · Today : 5 answers"
        in found.replace("Today:", "Today :")
    )
    assert "0 of 2 topics done · 20 questions wait for you" in found
    Question.objects.filter(study=study, topic__name="drought").update(wanted=0)
    assert "1 of 2 topics done · 11 questions wait for you" in text(dora.get("/desk/"))
