"""Pairs that people see differently: found by counting, judged once more, and nothing changed beside."""

import re
from collections import defaultdict
from itertools import cycle

import pytest
from django.db import transaction

from collection.models import Action, Item, Placement, Run
from judging.batches import answering
from judging.models import Judgment, Question, QuestionRole
from judging.questions import asking
from judging.questions.disagreements import ask_once_more, disagreements
from judging.tasks.pair import lean_of
from judging.verdicts import decisions, question_set_aside
from tests.judging.organizing import account, queries, staff_of, text
from tests.judging.studies import invite, make_study
from tests.makers import Choice, finish, open_study, sit, whim
from tests.makers import make_study as unopened_study
from tournament import services
from web.organizer.questions import disagreements_page
from web.shared.phrases import count

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/disagreements/"


@pytest.fixture
def study():
    return staff_of(make_study(pairs=3, challenges=2, batch_pairs=3, batch_challenges=1))


def judge(study, *leans: int):
    """A sent batch: these leans on the pairs in the order of loading, and known answers as they are known."""
    Question.objects.filter(study=study, expected__isnull=True).update(wanted=9)
    batch = answering.arrive(invite(study).pk)
    pairs = iter(leans)
    for place in batch.batch.order_by("question").select_related("question"):
        known = place.role == QuestionRole.CHALLENGE
        lean = int(place.expected or 0) if known else next(pairs)
        answering.record(batch.pk, place.question_id, lean_of(lean, place.shown))
    batch = answering.submit(batch.pk)
    own = Question.objects.filter(study=study, expected__isnull=True)
    for question in own:
        own.filter(pk=question.pk).update(wanted=question.taken)
    return batch


def test_a_pair_with_answers_for_either_item_is_seen_differently_and_ties_are_none(study):
    """The second is 1 : 2, the third has a tie and one answer; the most even comes first."""
    for leans in ((1, 1, 0), (1, -1, 1), (1, -1, 0)):
        judge(study, *leans)
    judge(study, -1, 1, 0)
    found = disagreements(study)
    assert [(one.for_first, one.for_second, one.ties) for one in found] == [(2, 2, 0), (3, 1, 0)]


def test_answers_that_count_nowhere_disagree_with_nobody(study):
    judge(study, 1, 1, 1)
    other = judge(study, -1, -1, -1)
    assert len(disagreements(study)) == 3
    decisions.exclude(other.assessor_id, "a bot", by=account("alice"))
    assert disagreements(study) == []


def test_each_is_wanted_once_more_and_a_repeat_asks_nothing_twice(study):
    judge(study, 1, 1, 1)
    judge(study, -1, -1, 1)
    found = [one.question for one in disagreements(study)]
    assert ask_once_more(study.pk, found, "pairs") == 2
    assert ask_once_more(study.pk, found, "pairs") == 0
    assert set(asking.open_questions(study).values_list("pk", flat=True)) == set(found)
    assert sum(study.topics.values_list("asked", flat=True)) == 2
    assert Action.objects.get(what="asked again").after == {"pairs": 2}


def test_one_that_is_set_aside_or_of_another_study_is_not_asked(study):
    judge(study, 1, 1, 1)
    judge(study, -1, -1, 1)
    first, second = [one.question for one in disagreements(study)]
    question_set_aside.set_aside(first, "broken")
    assert ask_once_more(study.pk + 1, [second], "pairs") == 0
    assert ask_once_more(study.pk, [first, second], "pairs") == 1


def test_rounds_stay_as_they_are_and_the_answer_that_comes_counts():
    """Whatever the tournament does afterwards, it wants no less than was asked for."""
    study = unopened_study(topics=1, items=4, k=1, judgments_per_pair=2, slug="garden")
    open_study(study)
    turns = defaultdict(lambda: cycle([Choice.A, Choice.B]))
    finish(study, choose=lambda question: next(turns[question.pk]))
    tournament = study.topics.get().tournament
    rounds = list(tournament.rounds.order_by("number").values_list("number", "pool"))
    found = [one.question for one in disagreements(study)]
    asked, before = ask_once_more(study.pk, found, "pairs"), Judgment.objects.counting().count()
    assert asked == len(found) > 0
    with transaction.atomic():
        asking.want(asking.task_of(study), tournament.topic_id, {})
    assert set(asking.open_questions(study).values_list("pk", flat=True)) == set(found)
    while asking.open_questions(study).exists():
        sit(invite(study), choose=whim)
        services.catch_up()
    assert Judgment.objects.counting().count() == before + asked
    assert list(tournament.rounds.order_by("number").values_list("number", "pool")) == rounds


def test_the_page_lists_them_and_asks_at_one_press(alice, study):
    assert "No pair is judged yet." in text(alice.get(ADDRESS))
    judge(study, 1, 1, 1)
    page = text(alice.get(ADDRESS))
    assert "No pair was judged twice. 3 pairs are judged, each by one person" in page
    assert re.search(
        r"A second answer to each of these takes about \d+ batch(es)?, \d+ minutes? of judging", page
    )
    assert "disagrees" not in page
    judge(study, -1, 1, 1)
    page = text(alice.get(ADDRESS))
    assert "1 of 3 judged pairs are seen differently." in page
    assert "1 : 1" in page
    few = queries(alice, ADDRESS)
    told = text(alice.post(ADDRESS, follow=True))
    assert "1 pair will be judged once more" in told
    assert "Each of them waits for one more answer." in told
    assert queries(alice, ADDRESS) <= few + 1


def test_the_list_is_narrowed_by_topic_person_and_run_in_the_address(alice, study):
    """Three pairs that two people judged differently; a third person saw none of them."""
    first, second = judge(study, 1, 1, 1), judge(study, -1, -1, -1)
    third = invite(study)
    Question.objects.filter(study=study, expected__isnull=True).update(wanted=9)
    answering.arrive(third.pk)
    Question.objects.filter(study=study, expected__isnull=True).update(wanted=2)
    one, *others = Question.objects.filter(study=study, expected__isnull=True).order_by("pk")
    own, other = (Run.objects.create(study=study, name=name) for name in ("own", "other"))
    item = Item.objects.get(pk=one.subject_ids[1])
    Placement.objects.create(run=own, topic=item.topic, item=item, rank=1)

    def shown(**asked) -> set[str]:
        return {row.topic.name for row in alice.get(ADDRESS, asked).context["rows"]}

    every = {one.topic.name, *(question.topic.name for question in others)}
    assert shown() == shown(person=first.assessor_id) == shown(person=second.assessor_id) == every
    assert shown(person=third.pk) == shown(run=other.pk) == set()
    assert shown(topic=one.topic_id) == {one.topic.name}
    rows = alice.get(ADDRESS, {"run": own.pk}).context["rows"]
    assert 0 < len(rows) < 3
    assert all(item in (row.first, row.second) for row in rows)
    assert "No such pair" in text(alice.get(ADDRESS, {"person": third.pk}))
    # What is asked once more is what is listed.
    told = text(alice.post(f"{ADDRESS}?run={own.pk}", follow=True))
    assert f"{count(len(rows), 'pair')} will be judged once more" in told


def test_of_pairs_about_which_all_agree_it_marks_what_they_chose(alice, study):
    judge(study, 1, -1, 0)
    judge(study, 1, -1, 0)
    rows = sorted(alice.get(ADDRESS).context["rows"], key=lambda row: row.topic.pk * 10**6 + row.first.pk)
    assert [row.chosen for row in rows] == [rows[0].first.pk, rows[1].second.pk, 0]
    page = text(alice.get(ADDRESS))
    assert page.count("✓ chosen:") == 2
    assert [row.votes for row in rows] == ["2 : 0", "0 : 2", "2 ties"]
    assert "where all say tie, none is marked" in page


def test_long_lists_come_in_pages(alice, study, monkeypatch):
    monkeypatch.setattr(disagreements_page, "A_PAGE", 2)
    for leans in ((1, 1, 1), (1, 1, 1)):
        judge(study, *leans)
    assert "1 to 2 of 3" in text(alice.get(ADDRESS))
    assert len(alice.get(ADDRESS, {"page": 2}).context["rows"]) == 1
    judge(study, -1, -1, -1)
    assert "1 to 2 of 3" in text(alice.get(ADDRESS))
    assert len(alice.get(ADDRESS, {"page": 2}).context["rows"]) == 1


def test_a_coordinator_reads_no_such_page(bob, study):
    assert bob.get(ADDRESS).status_code == 403
