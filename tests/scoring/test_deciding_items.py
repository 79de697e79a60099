"""What made the difference between two runs: held against plain sorting and counting."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from django.urls import reverse

from collection.models import Item, Placement, Run
from judging import ledger
from scoring import jobs
from scoring.analysis import run_comparison
from tests.judging.organizing import text
from tests.makers import finish
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.compare import deciding_items
from web.coordinator.compare.deciding_items import deciding_topics

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("first", "second"), [("run-0", "run-2"), ("run-2", "run-0")])
def test_the_topics_favour_the_run_ahead_and_have_its_items_and_their_judgments(first, second):
    study = with_runs(topics=6, runs=3)
    finish(study)
    jobs.sweep()
    one, other = (Run.objects.get(study=study, name=name) for name in (first, second))
    found = run_comparison.compare(study, one.pk, other.pk, "pgc", 0.95, None)
    way = 1 if found.shown.difference >= 0 else -1
    shown = deciding_topics(study, found.topics, one, other, behind=way < 0)
    gaps = sorted((way * gap.gap for gap in found.topics), reverse=True)
    favour = [gap for gap in gaps if gap > 0][:3]
    against = [gap for gap in reversed(gaps) if gap < 0][:1]
    assert [way * topic.gap.gap for topic in shown] == [*favour, *against]
    assert favour
    assert {topic.favours for topic in shown if topic.gap.gap > 0} <= {one.name}
    assert {topic.favours for topic in shown if topic.gap.gap < 0} <= {other.name}
    told = 0
    for topic in shown:
        placed = Placement.objects.filter(topic=topic.topic, rank__lte=3).order_by("rank")
        for run, items in ((one, topic.first), (other, topic.second)):
            ranks = placed.filter(run=run).values_list("rank", "item__docno")
            assert [(item.rank, item.docno) for item in items] == list(ranks)
        votes = Counter()
        for preference in ledger.counting(topic.topic.pk):
            sides = (preference.first, preference.second)
            votes[sides if preference.lean > 0 else sides[::-1]] += preference.lean != 0
        named = dict(Item.objects.filter(topic=topic.topic).values_list("docno", "pk"))
        for better, worse, won in re.findall(
            r'title="(\S+?)">[^<]*</bdi> \(<bdi>[^<]*</bdi> \d+\) is preferred to '
            r'<bdi title="(\S+?)">[^<]*</bdi> \(<bdi>[^<]*</bdi> \d+\), (\d+) of',
            " ".join(topic.judged),
        ):
            assert votes[named[better], named[worse]] == int(won)
            told += 1
    assert told


def test_items_without_texts_are_named_only_where_both_are_shown(alice):
    study = with_runs(topics=6, runs=3)
    finish(study)
    jobs.sweep()
    one, other = Run.objects.filter(study=study, name__in=("run-0", "run-2")).order_by("name")
    gaps = run_comparison.compare(study, one.pk, other.pk, "pgc", 0.95, None).topics
    address = f"{reverse('compare', args=[study.slug])}?a={one.pk}&b={other.pk}"

    def named():
        for topic in deciding_topics(study, gaps, one, other, behind=False):
            shown = {item.docno for item in [*topic.first, *topic.second]}
            yield shown, set(re.findall(r'title="(\S+?)"', " ".join(topic.judged)))

    assert any(told - shown for shown, told in named())
    assert "were not loaded" not in text(alice.get(address))
    Item.objects.filter(topic__study=study).update(text="")
    assert all(told <= shown for shown, told in named())
    assert "The texts of the items were not loaded." in text(alice.get(address))


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ((2, 1, 0), "a is preferred to b, 2 of 3 judgments."),
        ((1, 3, 1), "b is preferred to a, 3 of 5 judgments, 1 tie."),
        ((1, 1, 0), "a and b are each preferred 1 time."),
        ((2, 2, 3), "a and b are each preferred 2 times, 3 ties."),
        ((0, 0, 2), "a and b are judged equal, in 2 judgments."),
    ],
)
def test_a_pair_that_divides_people_is_not_called_equal(votes, said):
    assert deciding_items._sentence("a", "b", deciding_items.Votes(*votes)) == said


def test_topics_of_the_run_ahead_come_first_and_one_of_the_other_last():
    """A topic on which both are equal made no difference."""
    study = with_runs(topics=3, runs=2)
    finish(study)
    jobs.sweep()
    one, other = Run.objects.filter(study=study).order_by("name")
    found = run_comparison.compare(study, one.pk, other.pk, "pgc", 0.95, None)
    gaps = [
        replace(gap, first=value, second=0.0)
        for gap, value in zip(found.topics, (0.4, 0.0, -0.1), strict=True)
    ]
    for behind, order in ((False, [0.4, -0.1]), (True, [-0.1, 0.4])):
        shown = deciding_topics(study, gaps, one, other, behind=behind)
        assert [topic.gap.gap for topic in shown] == order
