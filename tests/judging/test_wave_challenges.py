"""Challenges of topics that are opened later: made from their grades, unless the organizer gave some."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import Grade, Item, Topic
from judging.models import Question
from judging.questions import asking, challenges
from tests.judging.organizing import staff_of
from tests.makers import make_study, open_study

pytestmark = pytest.mark.django_db


def later_topic(study) -> Topic:
    topic = Topic.objects.create(study=study, name="late", text="Later?")
    items = Item.objects.bulk_create(Item(topic=topic, docno=f"late-{n}", text=f"Text {n}") for n in range(6))
    Grade.objects.bulk_create(Grade(item=item, value=n % 3) for n, item in enumerate(items))
    return topic


def test_a_later_topic_gets_challenges_from_its_grades_once():
    study = staff_of(make_study(topics=2, items=5, junk=3))
    challenges.from_grades(study)
    study = open_study(study)
    before = challenges.count(asking.task_of_pairs(study))
    assert before
    with CaptureQueriesContext(connection) as asked:
        assert challenges.to_make(study) == []
    assert "grade" not in str(asked.captured_queries)
    late = later_topic(study)
    assert {topic for topic, *_ in challenges.to_make(study)} == {late.pk}
    made = challenges.from_grades(study)
    assert made == 4  # two items of grade 2, two of 0
    assert Question.objects.filter(topic=late, expected__isnull=False).count() == made
    assert challenges.count(asking.task_of_pairs(study)) == before + made
    assert challenges.from_grades(study) == 0


def test_a_study_with_challenges_of_its_own_gets_no_others():
    study = make_study(topics=1, items=5, junk=0)
    later_topic(study)
    topic = study.topics.exclude(name="late").get()
    a, b = sorted(topic.items.values_list("pk", flat=True))[:2]
    challenges.set_challenges(study, [(topic.pk, a, b, 1)])
    assert challenges.to_make(study) == []
    assert challenges.from_grades(study) == 0
