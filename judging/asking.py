"""What to ask: the tournament says which pairs it wants; arriving assessors draw batches from them.

Whoever changes questions locks them by rising id, and before any topic: so two changes may wait for
each other, but never both at once. Locks leave keys alone (no_key): a batch or a judgment that only
refers to a row need not wait for its counters.
"""

import random
from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from collection.models import Grade, Study
from judging.models import Assessor, Assignment, BatchQuestion, Choice, Judgment, Question, Slot

# Challenges made from grades, per topic; enough variety, and few enough to read at a glance.
CHALLENGES_PER_TOPIC = 10
CHUNK = 500


def want(topic_id: int, pairs: Mapping[tuple[int, int], int]) -> None:
    """Set how often each pair (smaller item id first) of a topic is to be judged; all others: not at all.

    Repeating a call changes nothing. Call inside a transaction that holds the topic's tournament.
    At most four queries, whatever the number of pairs.
    """
    known = {(q.item_a_id, q.item_b_id): q for q in _locked(Question.objects.filter(topic_id=topic_id))}
    changed = []
    for pair, question in known.items():
        wanted = pairs.get(pair, 0)
        if question.wanted != wanted:
            question.wanted = wanted
            changed.append(question)
    Question.objects.bulk_update(changed, ["wanted"], batch_size=CHUNK)
    Question.objects.bulk_create(
        [
            Question(topic_id=topic_id, item_a_id=a, item_b_id=b, wanted=wanted)
            for (a, b), wanted in sorted(pairs.items())
            if (a, b) not in known
        ],
        # An import of judgments may have brought the pair in since `known` was read.
        update_conflicts=True,
        unique_fields=["topic", "item_a", "item_b"],
        update_fields=["wanted"],
        batch_size=CHUNK,
    )


def _locked(questions: QuerySet[Question]) -> list[Question]:
    """The questions, held until the transaction ends, in the one order in which everybody locks them."""
    return list(questions.select_for_update(no_key=True, of=("self",)).order_by("pk"))


@transaction.atomic
def set_challenges(study: Study, challenges: Iterable[tuple[int, int, int, Choice]]) -> int:
    """Give pairs (topic, item a, item b with a < b, expected) a known answer. Returns how many.

    A pair that is already a question keeps its judgments; it only becomes fit to be a challenge.
    """
    rows = [
        Question(topic_id=topic, item_a_id=a, item_b_id=b, expected=expected)
        for topic, a, b, expected in sorted(challenges)
    ]
    _locked(Question.objects.filter(topic__study=study))
    Question.objects.bulk_create(
        rows,
        batch_size=CHUNK,
        update_conflicts=True,
        unique_fields=["topic", "item_a", "item_b"],
        update_fields=["expected"],
    )
    return len(rows)


def challenges_from_grades(study: Study) -> int:
    """Make challenges for every topic: an item of its top grade against one graded 0 or below.

    Only for a study that was given none. Returns how many. Items without text or image are used
    only when the study has no content at all. Cost grows with the number of grades.
    """
    if Question.objects.filter(topic__study=study, expected__isnull=False).exists():
        return 0
    best: dict[int, tuple[float, list[int]]] = {}
    junk: dict[int, list[int]] = {}
    grades = Grade.objects.filter(item__topic__study=study)
    with_content = grades.exclude(item__text="", item__image="")
    rows = (with_content if with_content.exists() else grades).order_by("item_id")
    for item, topic, value in rows.values_list("item_id", "item__topic_id", "value"):
        if value <= 0:
            junk.setdefault(topic, []).append(item)
        elif topic not in best or value > best[topic][0]:
            best[topic] = (value, [item])
        elif value == best[topic][0]:
            best[topic][1].append(item)
    made = []
    for topic in sorted(best.keys() & junk.keys()):
        pairs = [(good, bad) for good in best[topic][1] for bad in junk[topic]]
        chooser = random.Random(f"{study.seed}:challenges:{topic}")
        for good, bad in chooser.sample(pairs, min(CHALLENGES_PER_TOPIC, len(pairs))):
            expected = Choice.A if good < bad else Choice.B
            made.append((topic, min(good, bad), max(good, bad), expected))
    return set_challenges(study, made)


def open_questions(study: Study) -> QuerySet[Question]:
    """Questions that wait for an assessor: fewer taken than wanted."""
    return Question.objects.filter(topic__study=study, taken__lt=F("wanted"))


@transaction.atomic
def draw(assessor: Assessor) -> Assignment | None:
    """Open an assignment with a batch for this assessor, or return None when nothing is left for them.

    The caller holds the assessor's row. Oldest open questions first, so that topics finish one after
    another; never one they were asked before; challenges spread at random. The items that were loaded
    first stand left in half of the pairs, the right answers in half of the challenges. Seven queries.
    None too when challenges are wanted and the assessor has seen them all: unchecked answers would be
    worth nothing.
    """
    study = assessor.study
    # Who arrives at the same moment waits here, and then finds these taken.
    free = open_questions(study).exclude(batches__assessor=assessor)
    pairs = list(free.select_for_update(no_key=True, of=("self",)).order_by("pk")[: study.batch_pairs])
    if not pairs:
        return None
    now = timezone.now()
    drawn = {q.pk for q in pairs}
    unseen = [
        question
        for question in Question.objects.filter(topic__study=study, expected__isnull=False)
        .exclude(batches__assessor=assessor)
        .order_by("pk")
        .only("pk", "expected")
        if question.pk not in drawn
    ]
    challenged = Question.objects.filter(topic__study=study, expected__isnull=False).exists()
    if challenged and len(unseen) < study.batch_challenges:
        return None

    slot = Slot.objects.create(study=study, panel=assessor.panel)
    assignment = Assignment.objects.create(
        slot=slot,
        assessor=assessor,
        opened_at=now,
        consented_at=now,
        deadline=now + timedelta(minutes=study.minutes),
    )
    chooser = random.Random(f"{study.seed}:batch:{assignment.pk}")
    chosen = [(q.pk, False, a_left) for q, a_left in zip(pairs, _halves(len(pairs), chooser), strict=True)]
    if challenged:
        challenges = chooser.sample(unseen, study.batch_challenges)
        # The right answers stand on both sides, or always pressing one key would pass now and then.
        for question, right_is_left in zip(challenges, _halves(len(challenges), chooser), strict=True):
            a_left = (question.expected == Choice.A) == right_is_left
            chosen.insert(chooser.randint(0, len(chosen)), (question.pk, True, a_left))
    BatchQuestion.objects.bulk_create(
        BatchQuestion(
            assignment=assignment,
            assessor=assessor,
            question_id=pk,
            position=position,
            a_left=a_left,
            challenge=challenge,
        )
        for position, (pk, challenge, a_left) in enumerate(chosen, 1)
    )
    Question.objects.filter(pk__in=drawn).update(taken=F("taken") + 1)
    return assignment


def _halves(n: int, chooser: random.Random) -> list[bool]:
    """n sides, half of them left (True) and half right, in random order; an odd one is either."""
    sides = [i % 2 == 0 for i in range(n + 1)][chooser.randint(0, 1) :][:n]
    chooser.shuffle(sides)
    return sides


def give_back(assignments: Iterable[int]) -> None:
    """Let others answer the questions that these assignments of one assessor held or had answered.

    Two queries for each, and two for every 500 questions.
    """
    held: set[int] = set()
    for pk in assignments:
        # What was imported was never in a batch: there the judgments tell.
        for rows in (BatchQuestion.objects.filter(assignment=pk), Judgment.objects.filter(assignment=pk)):
            held.update(rows.filter(challenge=False).values_list("question_id", flat=True))
    count_as_taken(dict.fromkeys(held, -1))


def count_as_taken(times: Mapping[int, int]) -> None:
    """Add to the number of times that questions (by id) are kept or being judged; call in a transaction.

    Two queries or little more for every 500 questions.
    """
    ids = sorted(times)
    for start in range(0, len(ids), CHUNK):
        chunk = _locked(Question.objects.filter(pk__in=ids[start : start + CHUNK]))
        for n in {times[question.pk] for question in chunk}:
            these = [question.pk for question in chunk if times[question.pk] == n]
            Question.objects.filter(pk__in=these).update(taken=F("taken") + n)


def freeze(study: Study) -> None:
    """Open a study for judging: from here on its topics, items and grades stand still."""
    Study.objects.filter(pk=study.pk, opened_at=None).update(opened_at=timezone.now())
