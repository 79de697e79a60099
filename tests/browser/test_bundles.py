"""Judging pages run by one script and one sheet, as a collected server sends them: every way of asking."""

import pytest
from django.template import engines

from config.bundles import joined_modules, joined_sheets
from config.static_files import BUNDLES
from judging.batches import answering
from judging.models import Judgment
from tests.browser.batches import press, ready
from tests.browser.test_early_answers import STUDIES
from tests.judging.studies import invite
from tests.test_bundles import read

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
# The key that answers, and those before it.
KEYS = {
    "picks": ["1"],
    "picks with the worst": ["2", "1"],
    "pictured picks": ["1"],
    "grades": ["1"],
    "grades to 100": ["Enter", "7", "0"],
}


@pytest.fixture
def bundled(monkeypatch, page):
    """Pages name each bundle alone, which the browser gets as it would be collected."""
    names = engines["assessor-en"].env.globals
    monkeypatch.setitem(names, "bundled", lambda name: [f"/static/{name}"])
    asked = []

    def fulfil(route):
        name = route.request.url.partition("/static/")[2]
        asked.append(name)
        if name not in BUNDLES:
            return route.continue_()
        joined, kind = (joined_sheets, "css") if name.endswith(".css") else (joined_modules, "javascript")
        return route.fulfill(body=joined(BUNDLES[name], read), content_type=f"text/{kind}")

    page.route("**/static/**", fulfil)
    return asked


@pytest.mark.parametrize("way", STUDIES)
def test_an_answer_is_taken_and_the_next_question_comes(page, live_server, settings, tmp_path, bundled, way):
    settings.MEDIA_ROOT = tmp_path
    assessor = invite(STUDIES[way][1]())
    answering.arrive(assessor.pk)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    first, *rest = KEYS.get(way, ["ArrowLeft"])
    for key in rest:
        page.keyboard.press(key)
    press(page, first)
    ready(page, 2)
    assert Judgment.objects.count() == 1
    assert errors == []
    scripts = [name for name in bundled if name.endswith(".js")]
    assert scripts == [name for name in scripts if name in BUNDLES]
    assert len(scripts) == 1
