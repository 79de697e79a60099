"""The page of aspects in Chromium: accessible and as wide as its window, with a board and with nothing."""

from dataclasses import asdict

import pytest

from judging.models import Task
from judging.tasks.aspects import AspectSettings, Details
from scoring import jobs
from tests.browser.accessibility import assert_accessible
from tests.browser.test_leaderboard_moves import log_in
from tests.judging.organizing import staff_of
from tests.makers import add_run, invite, make_study, open_study, sit
from tournament.services import catch_up

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ASKED = AspectSettings(aspects=f"Correct\n{'Verify' * 6}", reasons="Too long", remark="asked")


@pytest.fixture
def study():
    """Three models with long names and an answer each; two people said something of each aspect."""
    study = make_study(topics=2, items=3, k=1, pairings=1, judgments_per_pair=2, slug="aspects")
    study.case = study.Case.ANSWERS
    study.save()
    Task.objects.filter(study=study).update(settings=asdict(ASKED))
    for letter in "abc":
        add_run(study, f"model-{letter}-{'long' * 12}", {t: [f"{t}-{letter}"] for t in ("t1", "t2")})
    open_study(staff_of(study))
    aspects = dict.fromkeys(ASKED.aspect_names, 1)
    for _ in range(2):
        sit(invite(study), say=lambda place: Details(aspects, ("Too long",), "Why", ASKED.rules))
        catch_up()
    jobs.sweep()
    return study


def test_it_is_accessible_and_fits_its_window_with_a_board_and_without(page, live_server, study):
    other = staff_of(make_study(topics=1, slug="none"))
    log_in(page.context, live_server, "alice")
    for slug, heading in ((study.slug, "The board by aspect"), (other.slug, "Aspects")):
        page.goto(f"{live_server.url}/studies/{slug}/leaderboard/aspects/")
        page.get_by_role("heading", name=heading, exact=True).wait_for()
        page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        for width in (1280, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert_accessible(page, f"{slug} at {width}")
