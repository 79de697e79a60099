"""Statements of every page of a study: as many for a study of more topics, runs, people and judgments."""

import pytest
from django.urls import reverse

from collection.models import Study
from scoring import jobs
from tests.judging.organizing import logged_in, queries
from tests.judging.test_access import pk_for
from tests.makers import finish, invite, sit
from tests.scoring.test_leaderboard_pages import with_runs
from web.shared.access import May
from web.shared.navigation import SECTIONS

# Pages below those of the navigation, and parts that pages fetch.
FURTHER = (
    "topic", "topic-judgments", "run-page", "data-topic", "data-item", "person",
    "report-md", "pulse", "leaderboard-decision", "leaderboard-trust",
    "disagreements",
)  # fmt: skip
OF_ROWS = FURTHER[:6]
# Up to three topics are read one by one, and a person's doubtful judgments where there are some.
A_TOPIC = {"compare": 3, "person": 1}


def judged(topics: int, runs: int) -> Study:
    """A study that is judged to its end, with a baseline, groups, and standings before the last."""
    study = with_runs(topics=topics, runs=runs, slug=f"s-{topics}", name=f"S {topics}")
    for n, topic in enumerate(study.topics.order_by("pk")):
        study.topics.filter(pk=topic.pk).update(groups={"language": f"l{n % 2}"})
    Study.objects.filter(pk=study.pk).update(baseline="run-1")
    sit(invite(study))
    jobs.sweep()
    finish(study)
    jobs.sweep()
    study.refresh_from_db()
    return study


def counted(study: Study) -> dict[str, int]:
    """Statements of each page, once what it waits for is computed."""
    alice, found = logged_in("alice"), {}
    pages = [page for section in SECTIONS for tab in section.tabs for page in tab.pages]
    # It asks for no grades, so a page of grading is none of it.
    own = [page for page in pages if page.may != May.OWN and not page.grades]
    named = [page.name for page in own if page.case in ("", study.case)]
    for name in (*named, *FURTHER):
        address = reverse(name, args=[study.slug, *([pk_for(name, study)] if name in OF_ROWS else [])])
        for _ in range(2):
            assert alice.get(address).status_code == 200, name
        found[name] = queries(alice, address)
    return found


@pytest.mark.slow  # of CPU half a minute
@pytest.mark.django_db
def test_no_page_takes_more_statements_for_a_larger_study():
    few = counted(judged(topics=3, runs=3))
    many = counted(judged(topics=7, runs=6))
    more = {name: (few[name], many[name]) for name in few if many[name] > few[name] + A_TOPIC.get(name, 0)}
    assert not more
    assert len(few) > 35
    assert max(many.values()) <= 61
