"""Scenario 18 as a property: people take places, begin, answer, return, come back, send, are excluded, in any
order, and nobody is asked a pair twice, no question is held too often, and each finished place is owed once.
"""

import random
from collections import Counter
from decimal import Decimal

import pytest
from django.db import transaction
from django.db.models import F

from judging.batches import answering
from judging.models import BatchQuestion, Question
from judging.verdicts import decisions
from panels import reconciliation
from panels.base import Arrival, CannotEnter
from panels.models import Budget, Entry, Payment
from panels.participants import arrivals
from tests.examples import scale
from tests.judging.studies import make_study
from tests.judging.visiting import side_of_known
from tests.panels.campaigning import running

pytestmark = pytest.mark.django_db
# In parts, so that processes can share them: 200 schedules in all, and 1,000 when thorough.
PARTS, SCHEDULES, STEPS = scale(4), 50, 16
PEOPLE, SESSIONS = 2, 2


class Schedule:
    """One random order of what two people do at two places each."""

    def __init__(self, campaign, seed: int) -> None:
        self.campaign, self.chooser = campaign, random.Random(seed)
        self.done: Counter[str] = Counter()

    def entry(self) -> Entry | None:
        rows = Entry.objects.select_related("campaign", "assignment", "assessor", "place").order_by("pk")
        found = list(rows)
        return self.chooser.choice(found) if found else None

    def arrive(self) -> None:
        person, session = self.chooser.randrange(PEOPLE), self.chooser.randrange(SESSIONS)
        arrivals.enter(self.campaign, None, Arrival(False, f"p{person}", f"p{person}s{session}"))

    def begin(self) -> None:
        if (entry := self.entry()) and entry.state in ("opened", "working"):
            arrivals.begin(entry, None)

    def answer(self) -> None:
        entry = self.entry()
        if entry is None or entry.assignment is None or entry.assignment.submitted_at:
            return
        most = self.chooser.choice([3, 7, 7])
        for place in entry.assignment.batch.order_by("position")[:most]:
            value = 1 if side_of_known(place) == "left" else -1
            if place.role == "challenge" and self.chooser.random() < 0.1:
                value = -value
            answering.answer(entry.assignment.pk, place.position, value, kind="pair", visit=entry.visit)

    def send(self) -> None:
        if (entry := self.entry()) and entry.assignment_id:
            answering.submit(entry.assignment_id, visit=entry.visit)
            arrivals.sent(entry.assignment_id)

    def give_back(self) -> None:
        if (entry := self.entry()) and entry.state in ("opened", "working"):
            arrivals.give_back(entry)

    def exclude(self) -> None:
        if (entry := self.entry()) and entry.assessor_id and self.chooser.random() < 0.1:
            decisions.exclude(entry.assessor_id, "a reason")

    def look(self) -> None:
        reconciliation.reconcile(self.campaign)

    def step(self) -> None:
        acts = [self.arrive] * 4 + [self.begin] * 4 + [self.answer] * 4 + [self.send] * 3
        act = self.chooser.choice([*acts, self.give_back, self.exclude, self.look])
        try:
            with transaction.atomic():
                act()
            self.done[act.__name__] += 1
        except (CannotEnter, answering.JudgingError):
            self.done["refused"] += 1

    def check(self) -> None:
        asked = BatchQuestion.objects.filter(question__again=False).values_list("assessor", "question")
        twice = [one for one, n in Counter(asked).items() if n > 1]
        assert not twice
        assert not Question.objects.filter(expected=None, taken__gt=F("wanted")).exists()
        confirmed = list(Entry.objects.filter(state="confirmed").values_list("pk", flat=True))
        owed = list(Payment.objects.filter(kind="reward").order_by("entry").values_list("entry", flat=True))
        assert owed == sorted(confirmed)
        budget = Budget.objects.get()
        assert budget.committed <= budget.cap == Decimal("12.00")
        for entry in Entry.objects.exclude(assignment=None).select_related("assignment"):
            assert entry.assignment is not None
            assert entry.assignment.assessor_id == entry.assessor_id


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_18_in_any_schedule_nobody_is_asked_a_pair_twice(part):
    study = make_study(pairs=20, challenges=9)
    study.tasks.update(batch_size=5, batch_challenges=2)
    campaign = running(study, publish=6, places=6, cap="12.00")
    done: Counter[str] = Counter()
    for seed in range(part * SCHEDULES, (part + 1) * SCHEDULES):
        with transaction.atomic():
            schedule = Schedule(campaign, seed)
            for _ in range(STEPS):
                schedule.step()
            try:
                schedule.check()
            except AssertionError as error:
                raise AssertionError(f"schedule {seed}: {schedule.done}") from error
            done += schedule.done
            done["confirmed"] += Entry.objects.filter(state="confirmed").count()
            transaction.set_rollback(True)
    # They do what they are to do, and are refused too.
    seen = {
        name: done[name] for name in ("arrive", "begin", "answer", "send", "give_back", "look", "refused")
    }
    assert min(seen.values()) > 0.3 * SCHEDULES, seen
    assert done["confirmed"] > 0.05 * SCHEDULES, done
