"""What pages say at each stage of one study, held against a slow count of its rows."""

import re
from math import ceil

import pytest
from django.core.cache import cache
from django.urls import reverse

import scoring.scores.topic_scores
from collection.models import Item, Study, Topic
from collection.study import lifecycle
from judging.batches import answering
from judging.models import Assignment, Judgment, Question, QuestionRole
from scoring.board import standings
from tests.api.programs import Program
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import add_run, answer, finish, invite, later, make_study, sit
from tests.panels.campaigning import campaign_of
from tournament import services
from tournament.models import Round, Tournament
from tournament.remaining_work import left

pytestmark = pytest.mark.django_db
PAGES = ("study", "progress", "topics", "leaderboard", "study-send", "tournament-start")
TOPICS = 3
State = Assignment.State


class Facts:
    """What is true of a study, row by row."""

    def __init__(self, study: Study) -> None:
        self.study = Study.objects.get(pk=study.pk)
        self.opened = self.study.opened_at is not None
        self.open = self.opened and self.study.closed_at is None
        asked = Question.objects.filter(task__study=study)
        self.waiting = sum(one.taken < one.wanted and one.set_aside_at is None for one in asked)
        last = {}
        for one in Judgment.objects.filter(topic__study=study, role=QuestionRole.COUNTS).order_by("revision"):
            last[one.assignment_id, one.question_id] = one.assignment.state
        counting = (State.WORKING, State.IDLE, State.SUBMITTED, State.KEPT)
        self.judgments = sum(state in counting for state in last.values())
        self.decided = sum(
            one.finished and Round.objects.filter(tournament=one).exists()
            for one in Tournament.objects.filter(topic__study=study)
        )
        self.placed = len({one.topic_id for one in Item.objects.exclude(top_rank=None)})
        self.shut = Topic.objects.filter(study=study, opened_at=None).count()
        self.working = Assignment.objects.filter(state__in=(State.WORKING, State.IDLE)).count()
        self.about = sum(one.about for one in left(self.study))
        self.finished = self.open and not self.shut and self.decided == TOPICS
        self.making = self.open and not self.waiting and not self.working and not self.finished


def caught_up(study: Study) -> None:
    services.catch_up()
    scored(study)


def scored(study: Study) -> None:
    scoring.scores.topic_scores.catch_up()
    standings.write(Study.objects.get(pk=study.pk))


def number(pattern: str, said: str) -> int:
    found = re.search(pattern, said)
    assert found, (pattern, said)
    return int(found[1].replace(",", ""))


def check(study: Study, alice, campaign, program) -> None:
    """Read every page of the study as it is now, and compare."""
    cache.clear()
    now = Facts(study)
    said = {name: text(alice.get(reverse(name, args=[study.slug]))) for name in PAGES}
    said["campaign"] = text(alice.get(reverse("campaign", args=[study.slug, campaign.pk])))
    board = program.ask(f"/studies/{study.slug}/leaderboard")
    said["api"] = f"{board['answer']} {board['but']} {board['remark']}"

    together = " ".join(said.values())
    if now.waiting:
        for denied in ("No question waits", "no question waits", "are being made", "All that was asked"):
            assert denied not in together
    if now.open and now.waiting:
        assert number(r"([\d,]+) questions? waits?", said["study"]) == now.waiting
        assert number(r"([\d,]+) questions? waits?", said["study-send"]) == now.waiting
    if now.opened:
        assert number(r"([\d,]+) questions? waits?,? for an", said["topics"]) == now.waiting
        assert number(r"([\d,]+) of 3 topics finished", said["topics"]) == now.decided
        none = "No tournament has ended yet" in said["study"]
        assert (0 if none else number(r"top items of ([\d,]+) of", said["study"])) == now.placed
    assert ("are being made" in said["study"]) == ("are being made" in said["study-send"]) == now.making
    assert ("3 of 3 topics are decided" in said["study"]) == now.finished
    assert ("All that was asked is answered" in said["study-send"]) == now.finished
    assert ("Next comes" in said["leaderboard"]) == ("Next comes" in said["api"])
    # While nothing waits, answers may still come from batches that people hold.
    if not now.open or now.finished:
        assert "Next comes" not in said["leaderboard"]
    for page in ("study", "study-send"):
        closed = now.opened and not now.open
        assert (f"Judging is {'paused' if now.study.paused else 'over'}" in said[page]) == closed

    if now.opened:
        far = r"(?:known for [\d,]+|with known top items) ([\d,]+) judgments?"
        assert number(far, said["leaderboard"]) == now.judgments
    assert board["judgments"] == now.judgments
    assert board["topics_placed"] == now.placed
    nothing = ("No judgment counts yet", "There are no runs yet")
    for place in ("leaderboard", "api"):
        assert any(one in said[place] for one in nothing) == (now.judgments == 0)

    if now.about:
        expected = r"judgments still needed, about ([\d,]+)"
        assert number(expected, said["progress"]) == now.about
    needed = number(r"expected to need ([\d,]+) batch", said["campaign"])
    batches = ceil(now.about / 4)
    assert needed >= batches
    assert (needed == batches) == (now.shut == 0)


def test_every_page_says_what_is_true_at_each_stage():
    study = make_study(topics=0, k=2, final_size=4, pairings=3, batch_pairs=4)
    staff_of(study)
    alice, program = logged_in("alice"), Program("alice", "read")
    campaign = campaign_of(study)
    check(study, alice, campaign, program)  # empty

    source = make_study(topics=TOPICS, items=6)
    Topic.objects.filter(study=source).update(study=study)
    for name, first in (("one", "abc"), ("two", "bca")):
        add_run(study, name, {f"t{n}": [f"t{n}-{letter}" for letter in first] for n in (1, 2, 3)})
    check(study, alice, campaign, program)  # ready

    services.start(study.pk, 1)
    check(study, alice, campaign, program)  # just opened: the first round is not there
    caught_up(study)
    check(study, alice, campaign, program)  # a first wave, unjudged
    services.start(study.pk)
    caught_up(study)
    check(study, alice, campaign, program)  # all open

    begun = answering.arrive(invite(study).pk)
    answer(begun, most=3)
    caught_up(study)
    check(study, alice, campaign, program)  # in the middle of a batch
    sit(invite(study), wrong=99)
    sit(invite(study))
    caught_up(study)
    check(study, alice, campaign, program)  # one batch discarded, one kept

    lifecycle.pause(study.pk)
    check(study, alice, campaign, program)  # paused
    lifecycle.reopen(study.pk)
    check(study, alice, campaign, program)
    while not Tournament.objects.filter(topic__study=study, finished=True).exists():
        sit(invite(study))
        caught_up(study)
        check(study, alice, campaign, program)
    lifecycle.close(study.pk)
    check(study, alice, campaign, program)  # ended in the middle
    lifecycle.reopen(study.pk)
    answer(begun)
    answering.submit(begun.pk)
    finish(study)
    scored(study)
    check(study, alice, campaign, program)  # all finished
    lifecycle.close(study.pk)
    check(study, alice, campaign, program)  # ended
    lifecycle.reopen(study.pk)
    check(study, alice, campaign, program)  # taken up again
    lifecycle.close(study.pk)
    lifecycle.archive(study.pk)
    check(study, alice, campaign, program)  # in the archive


def test_the_page_of_links_follows_while_the_first_questions_are_made():
    study = staff_of(make_study(topics=2))
    alice = logged_in("alice")
    services.start(study.pk)
    page = alice.get(reverse("study-send", args=[study.slug]))
    address = reverse("study-send-lead", args=[study.slug])
    assert f'data-live="{address}"' in page.content.decode()
    part = alice.get(address)
    assert "The first questions are being made." in part.content.decode()
    assert alice.get(address, headers={"If-None-Match": part["ETag"]}).status_code == 304
    assert alice.get(reverse("study", args=[study.slug]))["Retry-After"]
    services.catch_up()
    assert "question" in alice.get(address, headers={"If-None-Match": part["ETag"]}).content.decode()
    assert "data-live" not in alice.get(reverse("study-send", args=[study.slug])).content.decode()
    assert "Retry-After" not in alice.get(reverse("study", args=[study.slug]))


def test_pages_look_again_only_as_long_as_a_worker_may_be_there():
    study = staff_of(make_study(topics=2))
    alice = logged_in("alice")
    services.start(study.pk)
    checklist, links = (reverse(name, args=[study.slug]) for name in ("study", "study-send"))
    assert alice.get(checklist)["Retry-After"]
    with later(minutes=6):
        page = alice.get(checklist)
        assert "Retry-After" not in page
        assert "The first questions are not made: no worker is running." in text(page)
        assert "no worker is running" in text(alice.get(links))
        assert "data-live" not in alice.get(links).content.decode()
