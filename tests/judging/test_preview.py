"""The preview: assessors' pages with real questions for anyone who may edit a study, and nothing written."""

import re

import pytest
from django.apps import apps
from django.db import connection

from collection.models import Item, Study
from judging.batches import answering
from judging.models import QuestionRole, Task
from judging.questions import grading
from tests.judging.organizing import staff_of
from tests.judging.paged import GRIDS, ask_all, paged_study
from tests.judging.picking import pick_study
from tests.judging.studies import give_pictures
from tests.judging.test_studies_pages import settings_of
from tests.judging.visiting import JSON, text_of
from tests.makers import invite, make_study, open_study

pytestmark = pytest.mark.django_db
PREVIEW = "/studies/pilot/preview/"


@pytest.fixture
def study():
    """Not open yet, with grading beside pairs."""
    made = staff_of(make_study(topics=2, slug="pilot", instructions="Choose the fern."))
    task = grading.usual(made)
    grading.put_first(task)
    task.save()
    return made


def everything() -> dict[str, list[tuple]]:
    """Every row of every table."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
            found[table] = [tuple(map(str, row)) for row in cursor.fetchall()]
    return found


def token_of(response) -> str:
    return re.findall(r'data-token="([^"]+)"', response.content.decode())[0]


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("asks", ["pair", "grade"])
def test_nothing_is_written_and_no_cookie_set(alice, client, study, asks, opened):
    """Neither by looking, with or without changes, nor by answering to the end and sending."""
    if opened:
        Task.objects.filter(kind="grade").update(settings={})
        open_study(study)
    before = everything()
    address = f"{PREVIEW}?asks={asks}"
    sent = settings_of(study, name="Other", consent="Other.", question="Other?", guidelines="", scale="")
    responses = [
        alice.get(address),
        alice.get(f"{address}&show=texts"),
        alice.post(address, sent),
        alice.post(address, sent | {"show": "texts"}),
    ]
    choice = {"pair": "left", "grade": "3"}[asks]
    fields = {"token": token_of(responses[0]), "kind": asks, "choice": choice, "position": "1"}
    fields["plain"] = "browser"
    # As a browser without cookies does: the page's own posts carry none.
    responses += [client.post("/answer/", fields, headers=JSON), client.post("/answer/", fields)]
    responses += [client.post("/cannot/", fields, headers=JSON), client.post("/cannot/", fields)]
    responses += [client.post("/submit/", fields, headers=JSON), client.post("/submit/", fields)]
    assert [one.status_code for one in responses] == [200] * 5 + [303] + [200, 303] * 2
    assert not any(one.cookies for one in responses)
    assert responses[5]["Location"] == f"{address}&at=2&answer={choice}"
    assert responses[6].json()["next"] == address
    assert everything() == before


def test_the_page_shows_what_the_form_says_and_what_is_stored_elsewhere(alice, study):
    sent = {"question": "Which fern?", "scale": "5", "markup": "markdown", "name": "Ferns"}
    Item.objects.update(text="a **bold** frond")
    page = alice.post(f"{PREVIEW}?asks=pair", sent)
    assert "Which fern?" in text_of(page)
    assert "Choose the fern." in text_of(page)
    assert 'value="definitely-left"' in page.content.decode()
    assert "<strong>bold</strong>" in page.content.decode()
    assert "Which one answers the question better?" in text_of(alice.get(f"{PREVIEW}?asks=pair"))


def test_the_page_before_the_first_batch_is_shown_too(alice, study):
    sent = {"consent": "I **agree**.", "asked_by": "The Moss Lab", "show": "texts"}
    page = alice.post(f"{PREVIEW}?asks=pair", sent)
    assert "The Moss Lab" in text_of(page)
    assert "<strong>agree</strong>" in page.content.decode()
    assert "<form" not in page.content.decode()  # its button begins no batch
    assert f'href="{PREVIEW}?asks=pair"' in page.content.decode()


def test_keys_are_told_for_sides_beside_and_above_each_other(alice, study):
    html = alice.get(f"{PREVIEW}?asks=pair&show=texts").content.decode()
    for wide, stacked in (("the left one", "the upper one"), ("the right one", "the lower one")):
        assert f'<dd><span class="wide">{wide}</span><span class="stacked">{stacked}</span></dd>' in html


def test_guidelines_that_cannot_be_are_named(alice, study):
    page = alice.post(f"{PREVIEW}?asks=grade", {"guidelines": "3 Good", "scale": "0-4"})
    assert "No line begins with 0, 1, 2, 4." in text_of(page)
    page = alice.post(f"{PREVIEW}?asks=grade", {"guidelines": "", "scale": "0-100"})
    assert 'type="range"' in page.content.decode()


def test_once_open_it_shows_questions_that_are_asked_and_the_scale_that_stands(alice, study):
    Task.objects.filter(kind="grade").update(settings={})
    open_study(study)
    page = alice.post(f"{PREVIEW}?asks=pair", {"scale": "5", "question": "Which fern?"})
    assert "Which fern?" in text_of(page)
    assert "definitely-left" not in page.content.decode()
    assert "Which one for 1?" in text_of(page)


def test_pictures_are_shown(alice, study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study)
    Study.objects.update(kind="image")
    page = alice.get(f"{PREVIEW}?asks=pair").content.decode()
    addresses = re.findall(r'src="(/image/[^"]+)"', page)
    assert len(addresses) == 8
    assert all(alice.get(address).status_code == 200 for address in addresses)


def test_without_items_it_says_what_to_do(alice):
    staff_of(make_study(topics=0, slug="pilot"))
    assert "Load topics and items first" in text_of(alice.get(PREVIEW))
    page = text_of(alice.get("/studies/pilot/seen/"))
    assert "Load files" in page
    assert "Go on to people" not in page


def test_a_study_of_models_without_anything_asks_for_prompts_and_answers(alice):
    staff_of(make_study(topics=0, slug="pilot", case="answers"))
    assert "Load prompts and answers first" in text_of(alice.get(PREVIEW))
    page = text_of(alice.get("/studies/pilot/start/"))
    assert "No prompt has two answers to compare." in page
    assert "Load prompts and answers" in page
    assert not re.search(r"\bitems?\b|\bgrades?\b", page)


def test_only_pages_of_this_server_may_frame_it(alice, study):
    page = alice.get(PREVIEW)
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "SAMEORIGIN"
    other = alice.get("/studies/pilot/settings/")
    assert "frame-ancestors 'none'" in other["Content-Security-Policy"]
    assert other["X-Frame-Options"] == "DENY"


def test_it_is_for_those_who_may_edit_the_study(bob, charlie, client, study):
    """Coordinators may not; for strangers it does not exist."""
    answers = [one.get(PREVIEW).status_code for one in (bob, charlie, client)]
    assert answers == [403, 404, 302]


def test_a_forged_token_is_refused(client):
    assert client.post("/answer/", {"token": "/i/x/:forged", "position": "1"}).status_code == 403


def test_both_pages_of_settings_have_it(alice, study):
    for page, asks in (("settings", "pair"), ("grading", "grade")):
        html = alice.get(f"/studies/pilot/{page}/").content.decode()
        assert f'src="{PREVIEW}?asks={asks}"' in html
        assert f'formaction="{PREVIEW}?asks={asks}"' in html


# Picks and result pages


def test_a_study_of_picks_shows_grids_of_the_size_in_the_form(alice):
    made, _ = pick_study(slug="pilot", scale="best-worst")
    staff_of(made)
    page = alice.get("/studies/pilot/settings/").content.decode()
    assert f'src="{PREVIEW}?asks=pick"' in page
    before = everything()
    shown = alice.get(f"{PREVIEW}?asks=pick").content.decode()
    assert shown.count('data-items="4"') == 3  # of eight items and six known to be junk, in fours
    assert 'name="worst"' in shown
    shown = alice.post(f"{PREVIEW}?asks=pick", {"mode": "picks", "grid_size": "3"}).content.decode()
    assert shown.count('data-items="3"') == 4
    assert 'name="worst"' not in shown
    shown = alice.post(f"{PREVIEW}?asks=pick", {"mode": "picks", "worst": "on"}).content.decode()
    assert 'name="worst"' in shown
    assert everything() == before


def test_the_kind_of_tournament_in_the_form_decides_what_is_shown(alice, study):
    chosen = alice.post(f"{PREVIEW}?asks=pair", {"mode": "picks", "worst": "on", "scale": "3"})
    assert 'data-items="6"' in chosen.content.decode()
    assert "Which one answers the question best?" in text_of(chosen)
    back = alice.post(f"{PREVIEW}?asks=pick", {"mode": "crowd", "scale": "3"})
    assert 'value="left"' in back.content.decode()
    # Its pages have no form.
    assert 'data-items="6"' in alice.get(f"{PREVIEW}?asks=pick&at=2").content.decode()


@pytest.mark.parametrize("asked", [False, True])
def test_result_pages_show_two_runs_and_write_nothing(alice, client, asked):
    made, task = paged_study(topics=2)
    staff_of(made)
    Study.objects.update(slug="pilot")
    if asked:
        ask_all(task)
    assert f'src="{PREVIEW}?asks=pages"' in alice.get("/studies/pilot/result-pages/").content.decode()
    before = everything()
    page = alice.get(f"{PREVIEW}?asks=pages")
    html = page.content.decode()
    assert html.count('class="question result-pages"') == 2
    # Of each page four items, of which b and d are on both.
    assert html.count('class="cell both"') == 8
    assert html.count('<li class="cell') == 16
    assert "SECRET" not in html
    shorter = alice.post(f"{PREVIEW}?asks=pages", {"depth": "2", "wording": "Which page?"})
    assert shorter.content.decode().count('<li class="cell') == 8
    assert "Which page?" in text_of(shorter)
    fields = {"token": token_of(page), "kind": "pages", "choice": "left", "position": "1", "plain": "browser"}
    assert client.post("/answer/", fields)["Location"] == f"{PREVIEW}?asks=pages&at=2&answer=left"
    assert everything() == before


def test_pictures_of_result_pages_are_shown(alice, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    made, _ = paged_study(kind="image", runs=GRIDS)
    staff_of(made)
    Study.objects.update(slug="pilot")
    give_pictures(made)
    page = alice.get(f"{PREVIEW}?asks=pages").content.decode()
    addresses = re.findall(r'src="(/image/[^"]+)"', page)
    # Of each row as many as it holds; the token names the item, so that of b and d it is the same twice.
    assert (len(addresses), len(set(addresses))) == (10, 8)
    assert all(alice.get(address).status_code == 200 for address in addresses)


def test_without_runs_there_are_no_pages_to_show(alice, study):
    assert "Load two runs whose pages differ first" in text_of(alice.get(f"{PREVIEW}?asks=pages"))


def test_a_page_on_the_way_to_opening_shows_the_preview_and_leads_on(alice, study):
    page = alice.get(f"/studies/{study.slug}/seen/").content.decode()
    assert 'aria-current="step">3. Preview</a>' in page
    assert f'src="/studies/{study.slug}/preview/?asks=pair"' in page
    assert f'<a class="button main" href="/studies/{study.slug}/people/">' in page


@pytest.mark.parametrize("junk", [0, 2])
def test_challenges_are_promised_only_where_there_are_some(alice, junk):
    """By every page that says what a batch holds, before and after opening; held against a real batch."""
    study = staff_of(make_study(items=8, junk=junk, slug="pilot", batch_pairs=8))
    assert study.tasks.get().batch_challenges == 3
    pages = (
        f"{PREVIEW}?asks=pair&show=texts",
        *(f"/studies/pilot/{name}/" for name in ("start", "settings")),
    )
    before = [text_of(alice.get(address)) for address in pages]
    open_study(study)
    after = [text_of(alice.get(address)) for address in (pages[0], pages[2])]
    batch = answering.arrive(invite(study).pk).batch
    each = batch.filter(role=QuestionRole.CHALLENGE).count()
    assert each == (3 if junk else 0)
    for texts in (before[0], after[0]):
        assert f"{batch.count()} questions" in texts
        assert ("Known answers." in texts) == bool(each)
    assert (f"Challenges {16 - 6 if each else 0} " + ("3 in each batch" if each else "none in a batch")) in (
        before[1]
    )
    for asked in (before[2], after[1]):
        assert ("Batches of 8 and 3 challenges" in asked) == bool(each)
        assert ("No challenges." in asked) == (not each)


def test_boxes_of_aspects_show_as_they_are_ticked(alice, study):
    sent = settings_of(study, aspects="Correct\nClear", aspects_when="after")
    plain = alice.post(f"{PREVIEW}?asks=pair", sent).content.decode()
    assert "data-details" in plain
    assert "data-needed" not in plain
    assert 'name="remark"' not in plain
    ticked = alice.post(f"{PREVIEW}?asks=pair", sent | {"aspects_needed": "on", "remark": "on"})
    assert "data-needed" in ticked.content.decode()
    assert 'name="remark"' in ticked.content.decode()


def test_a_window_of_its_own_has_a_bar_that_leads_back_and_a_frame_has_none(alice, study):
    assert "nothing is stored" not in alice.get(PREVIEW).content.decode()
    page = alice.get(f"{PREVIEW}?asks=pair", headers={"Sec-Fetch-Dest": "document"}).content.decode()
    assert f'src="{PREVIEW}?asks=pair"' in page
    assert f'href="{PREVIEW}?asks=pair&amp;at=2"' in page
    assert "nothing is stored" in page
    assert "Back to the settings" in page
