"""Answer quality of studies, from the ledger: what is read, against the stored rows one by one."""

import csv
import json
import random
from collections import Counter
from contextlib import suppress
from math import log
from statistics import median

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import Item
from judging.batches import answering
from judging.models import Assessor, Assignment, BatchQuestion, Judgment, QuestionRole
from judging.questions.reading_time import least_seconds
from judging.tasks.pair import lean_of
from judging.verdicts import decisions
from scoring.quality.answer_quality import quality
from simulation.replay import RecordedAnswers, ServiceDesk, Stuck, replay
from tests.judging.picking import pick_study
from tests.judging.picking import sit as sit_picks
from tests.judging.released import names_of
from tests.judging.studies import make_study
from tests.makers import invite, open_study
from tests.makers import make_study as plain_study
from tournament import services

pytestmark = pytest.mark.django_db
State = Assignment.State


def judge(assessor: Assessor, chooser: random.Random, *, left: float, fail: bool = False) -> Assignment:
    """A batch of pairs by somebody who goes for the left that often, corrects every fourth answer and has no
    time at every fifth; their challenges right, or all wrong.
    """
    batch = answering.arrive(assessor.pk)
    for number, place in enumerate(batch.batch.order_by("-role", "position")):
        right = 1 if (place.expected or 1) * (1 if place.shown == "01" else -1) > 0 else -1
        value = 1 if chooser.random() < left else chooser.choice([-1, -1, 0])
        if place.role == "challenge":
            value = -right if fail else right
        elif number % 4 == 1:
            answering.record(batch.pk, place.question_id, -value, seconds=chooser.uniform(0, 4))
        took = None if number % 5 == 2 else chooser.uniform(0, 12)
        answering.record(batch.pk, place.question_id, value, seconds=took)
    return answering.submit(batch.pk)


@pytest.fixture
def study():
    """Judged by six people: one fails, one is excluded afterwards, one is in the middle of a batch."""
    study = make_study(pairs=21, challenges=9, batch_pairs=5, batch_challenges=2, ties_allowed=True)
    Item.objects.filter(topic__study=study).update(text="tulip " * 300)
    chooser = random.Random("quality")
    people = [invite(study) for _ in range(6)]
    for assessor, left in zip(people[:4], (0.5, 0.9, 0.5, 0.2), strict=True):
        judge(assessor, chooser, left=left, fail=assessor == people[2])
    judge(people[4], chooser, left=0.5)
    decisions.exclude(people[4].pk, "for a test")
    batch = answering.arrive(people[5].pk)
    answering.record(batch.pk, batch.batch.filter(role=QuestionRole.COUNTS)[0].question_id, 1, seconds=2.5)
    return study


def last(batches) -> dict[tuple[int, int], Judgment]:
    """The answer to each question of these batches, by looking at every row."""
    found: dict[tuple[int, int], Judgment] = {}
    for row in Judgment.objects.filter(assignment__in=list(batches)).order_by("revision"):
        found[row.assignment_id, row.question_id] = row
    return found


def took(row: Judgment) -> float | None:
    """Seconds of an answer with those of its corrections."""
    all_of = Judgment.objects.filter(assignment=row.assignment_id, question=row.question_id)
    told = [one.seconds for one in all_of if one.seconds is not None]
    return sum(told) if told else None


def test_the_figures_are_those_of_the_stored_rows(study):
    found = quality(study)
    assert Judgment.objects.filter(revision=1).exists()
    kept = Assignment.objects.filter(assessor__excluded_at=None, state__in=[State.KEPT, State.WORKING])
    rows = [row for row in last(kept).values() if row.role == "counts"]
    values = Counter(row.value for row in rows)
    assert (found.all.answers, found.all.people) == (len(rows), 4)
    assert (found.all.left.some, found.all.left.every) == (values[1], values[1] + values[-1])
    assert (found.all.ties.some, found.all.ties.every) == (values[0], len(rows))
    seconds = [told for row in rows if (told := took(row)) is not None]
    assert found.all.timed == len(seconds) < len(rows)
    assert found.all.middle == pytest.approx(median(seconds))
    # Twice 300 words at 250 a minute, a tenth of it.
    assert found.all.fast.every == len(seconds)
    assert found.all.fast.some == sum(told < least_seconds(2 * 6 * 300, 0) for told in seconds) > 0
    of = {pk: Counter() for pk in {row.assignment.assessor_id for row in rows}}
    for row in rows:
        of[row.assignment.assessor_id][row.value] += 1
    assert {pk: own.left.some for pk, own in found.people.items()} == {pk: n[1] for pk, n in of.items()}
    assert list(found.tasks) == [study.tasks.get().pk]
    assert found.tasks[study.tasks.get().pk] == found.all


def test_challenges_and_batches_that_do_not_count_stand_apart(study):
    found = quality(study)
    everything = last(Assignment.objects.all()).values()
    assert found.challenges.answers == sum(row.role == "challenge" for row in everything) == 10
    out = [row for row in everything if row.role == "counts" and row.assignment_id in _out()]
    assert (found.discarded.answers, found.discarded.people) == (len(out), 2) == (10, 2)


def _out() -> set[int]:
    lost = Assignment.objects.filter(state=State.DISCARDED).values_list("pk", flat=True)
    excluded = Assignment.objects.filter(assessor__excluded_at__isnull=False).values_list("pk", flat=True)
    return {*lost, *excluded}


def test_early_and_late_are_the_thirds_of_a_batch_in_the_order_of_answering():
    """Nine answers of 1 to 9 seconds from the last position to the first: 1, 2, 3 are early."""
    study = make_study(pairs=9, challenges=0, batch_pairs=9, batch_challenges=0)
    batch = answering.arrive(invite(study).pk)
    for n, place in enumerate(BatchQuestion.objects.filter(assignment=batch).order_by("-position"), 1):
        answering.record(batch.pk, place.question_id, 1, seconds=float(n))
    # A correction belongs to where the question was first answered.
    first = Judgment.objects.order_by("pk").first()
    answering.record(batch.pk, first.question_id, -1, seconds=100.0)
    found = quality(study).all
    assert (found.early, found.late) == (3.0, 8.0)


def test_picks_are_counted_by_the_place_on_the_page():
    study, task = pick_study(items=8, topics=3, batch_challenges=0)
    services.start(study.pk)
    services.catch_up()
    for person in range(3):
        sit_picks(invite(study), order=lambda items, person=person: [person % len(items), 0])
    found = quality(study)
    own = found.tasks[task.pk]
    expected: dict[int, list[int]] = {}
    for row in Judgment.objects.all():
        expected.setdefault(len(row.shown), [0] * len(row.shown))[row.value[0]] += 1
    assert own.picks == expected
    assert own.left.every == own.ties.every == 0
    assert found.all.answers == Judgment.objects.count() > 0


def test_two_people_agree_or_not_whichever_way_round_the_pair_stood():
    """The same item of three pairs, another one of the fourth: 3 of 4."""
    study = make_study(pairs=4, challenges=0, batch_pairs=4, batch_challenges=0)
    questions = list(study.tasks.get().questions.filter(wanted=1).order_by("pk"))
    study.tasks.get().questions.filter(wanted=1).update(wanted=2)
    for person in range(2):
        batch = answering.arrive(invite(study).pk)
        for place in batch.batch.all():
            lean = -1 if person and place.question_id == questions[3].pk else 1
            answering.record(batch.pk, place.question_id, lean if place.shown == "01" else -lean)
        answering.submit(batch.pk)
    found = quality(study).all
    assert (found.shared, found.agreement) == (4, 0.75)
    assert found.repeated.every == 0


def test_five_queries_however_many_answers(study):
    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            quality(study)
        return len(captured)

    before = asked()
    judge(invite(study), random.Random("more"), left=0.5)
    assert before == asked() == 5


def test_the_command_writes_a_line_for_each_group(study, tmp_path, capsys):
    call_command("quality", study.slug)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    people = [row["name"] for row in rows if row["group"] == "assessor"]
    assert [row["group"] for row in rows] == ["all", "task", *["assessor"] * 4, "challenges", "discarded"]
    assert people == [names_of(study)("local", "", pk) for pk in sorted(quality(study).people)]
    found = quality(study).all
    told = {"left": found.left.share, "left_every": found.left.every, "left_low": found.left.low}
    assert {name: rows[0][name] for name in told} == told
    call_command("quality", study.slug, "--csv", "-o", str(tmp_path / "file.csv"))
    with (tmp_path / "file.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["name"] for row in table] == [row["name"] for row in rows]
    assert float(table[0]["left"]) == found.left.share


class LeaningDesk(ServiceDesk):
    """Where simulated assessors judge who go for the left without looking, that often, and take their time:
    log-normal about a median of 8 seconds.
    """

    def __init__(self, blindly: float) -> None:
        self.blindly = blindly
        self.chooser = random.Random("leaning")

    def answer(self, assignment: Assignment, place: BatchQuestion, lean: int) -> None:
        value = lean_of(lean, place.shown)
        if place.role == "counts" and self.chooser.random() < self.blindly:
            value = 1
        seconds = self.chooser.lognormvariate(log(8), 0.6)
        answering.record(assignment.pk, place.question_id, value, seconds=seconds)


@pytest.mark.parametrize("blindly", [0.0, 0.5])
def test_of_a_replayed_study_the_intervals_cover_what_was_built_in(blindly):
    """Without looking at a share b of pairs, left is chosen in b + (1 - b) / 2 of all.

    Who sits where differs between runs: the bounds are such that chance passes them once in 100,000 runs. An
    interval of 95 % misses once in twenty, so it is made wider in the same measure.
    """
    study = open_study(plain_study(topics=8, items=6, k=3))
    desk = LeaningDesk(blindly)
    for _ in range(12):
        # Nothing is committed in a test, so nobody is told to open the next round.
        with suppress(Stuck):
            replay(study, RecordedAnswers(study, []), desk=desk, failing=0.1, max_batches=2, patience=0)
        services.catch_up()
    found = quality(study).all
    true = blindly + (1 - blindly) / 2
    assert found.answers == Judgment.objects.settled().count() > 100
    wider = 4.4 / 1.96
    assert found.left.share - wider * (found.left.share - found.left.low) <= true
    assert true <= found.left.share + wider * (found.left.high - found.left.share)
    assert found.left_p < 0.05 if blindly else found.left_p > 1e-5
    # The median's own spread for so many answers is half a second.
    assert found.middle == pytest.approx(8, abs=2.5)
    assert quality(study).challenges.left_p > 1e-5
