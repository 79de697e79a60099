"""The navigation of a study: each page has one place in it, and no link leads to a page that refuses."""

import re

import pytest
from django.http import QueryDict
from django.utils import timezone

from collection.models import Membership, Run, Study
from judging.questions import grading
from scoring import jobs
from scoring.board import leaderboard, standings
from tests.judging.organizing import account, logged_in
from tests.judging.test_access import FOR_ASSESSORS, address, study, study_addresses
from tests.makers import finish, whim
from tests.scoring.test_leaderboard_pages import with_runs
from web.shared import rail

__all__ = ["study"]
pytestmark = pytest.mark.django_db
NAVS = re.compile(r'<nav (?:class="sections" )?aria-label="(?:Study|Pages)".*?</nav>', re.S)
ROLES = ("organizer", "coordinator", "viewer", "participant")


def links(html: str) -> list[str]:
    """The addresses of the navigation."""
    return re.findall(r'<a href="([^"]+)"', "".join(NAVS.findall(html)))


@pytest.mark.parametrize("opened", [False, True])
def test_every_page_of_a_study_has_one_place_in_its_navigation(study, opened):
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now() if opened else None)
    client = logged_in("alice")
    pages, misplaced = 0, {}
    for name in sorted(study_addresses().keys() - FOR_ASSESSORS):
        response = client.get(address(name, study, study))
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        html = response.content.decode()
        if '<a class="wordmark"' not in html:
            continue
        pages += 1
        head = re.split('<div class="work-head"|<main', html)[0]
        if head.count("aria-current=") != 1:
            misplaced[name] = re.findall(r"<a[^>]*aria-current[^<]*", head)
    assert not misplaced
    assert pages > 40


@pytest.mark.parametrize("name", ["people", "mails", "data", "campaigns", "examples", "leaderboard", "trail"])
def test_before_opening_one_row_leads_everywhere_and_no_page_stands_in_it_twice(study, name):
    Study.objects.filter(pk=study.pk).update(opened_at=None)
    html = logged_in("alice").get(address(name, study, study)).content.decode()
    found = links(html)
    row = re.findall(r'<a href="[^"]+"[^>]*>([^<]+)</a>', NAVS.findall(html)[0])
    steps = ["Name and question", "Files", "Preview", "People", "Open", "Judge"]
    assert row == [*(f"{n}. {step}" for n, step in enumerate(steps, 1)), "Watch", "Records"]
    twice = {one for one in found if found.count(one) > 1}
    # The first page of the row below has its step's address.
    assert len(twice) <= 2


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("opened", [False, True])
def test_every_link_of_the_navigation_leads_to_a_page_that_its_reader_may_see(study, role, opened):
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now() if opened else None)
    Membership.objects.create(study=study, user=account("zoe"), role=role)
    client = logged_in("zoe")
    start = "own/" if role == "participant" else "leaderboard/"
    todo, seen = [f"/studies/{study.slug}/{start}"], set()
    while todo:
        there = todo.pop()
        seen.add(there)
        response = client.get(there)
        assert response.status_code == 200, there
        todo += [link for link in links(response.content.decode()) if link not in seen and link not in todo]
    assert len(seen) >= {"organizer": 25, "coordinator": 15, "viewer": 8, "participant": 1}[role]


def test_an_open_study_that_asks_for_no_grades_says_so_in_its_settings_and_has_no_page_of_it(study):
    client, there = logged_in("alice"), f"/studies/{study.slug}/grading/"
    settings = f"/studies/{study.slug}/settings/"
    offered = "Ask for grades too"
    Study.objects.filter(pk=study.pk).update(opened_at=None)
    assert offered in client.get(settings).content.decode()
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now())
    assert client.get(there).url == client.post(there).url == f"{settings}#asked"
    page = client.get(settings).content.decode()
    assert there not in links(page)
    assert "so no grades can be asked for here" in page
    assert offered not in page
    task = grading.usual(study)
    grading.put_first(task)
    task.save()
    page = client.get(settings).content.decode()
    assert there in links(page)
    assert "so no grades can be asked for here" not in page
    assert client.get(there).status_code == 200


def test_what_is_chosen_is_passed_on_within_the_results_alone(study):
    client = logged_in("alice")
    html = client.get(f"/studies/{study.slug}/leaderboard/pairs/?p=0.9&pin=3,8&page=2").content.decode()
    watch = [link for link in links(html) if "/leaderboard/" in link or link.endswith("/progress/")]
    assert watch
    assert all("p=0.9&amp;pin=3%2C8" in link and "page=2" not in link for link in watch), watch
    assert f"/studies/{study.slug}/people/" in links(html)


def test_the_rail_has_every_run_once_the_pinned_ones_first_with_its_mean(study):
    for name in ("elm", "oak", "ash"):
        Run.objects.create(study=study, name=name)
    standing = standings.current(study)
    ids = {run.name: run.pk for run in study.runs.all()}
    asked = QueryDict(f"pin={ids['oak']},{ids['elm']},999&p=0.9")
    rows = rail.rail(study, asked).runs
    assert [(row.name, row.pin, row.glyph) for row in rows[:2]] == [("oak", 1, "●"), ("elm", 2, "■")]
    assert sorted(row.name for row in rows) == sorted(ids)
    board = leaderboard.board_of(standing, 0.9)
    means = {row.name: row.means[board.leading].value for row in board.rows}
    for row in rows:
        assert row.mean == ("–" if means[row.name] is None else f"{means[row.name]:.3f}")
    toggled = {row.name: QueryDict(row.toggle).get("pin", "") for row in rows}
    assert toggled["oak"] == f"{ids['elm']},999"
    assert toggled["ash"] == f"{ids['oak']},{ids['elm']},999,{ids['ash']}"
    assert all(QueryDict(row.toggle)["p"] == "0.9" for row in rows)


def test_a_sixth_pin_takes_the_place_of_the_oldest(study):
    ids = [Run.objects.create(study=study, name=f"run-{n}").pk for n in range(6)]
    standings.current(study)
    rows = rail.rail(study, QueryDict(f"pin={','.join(map(str, ids[:5]))}")).runs
    last = next(row for row in rows if row.run_id == ids[5])
    assert QueryDict(last.toggle)["pin"] == ",".join(map(str, ids[1:]))


def test_the_rail_comes_with_the_first_score_and_marks_the_run_whose_page_is_open():
    """On its page alone: on that of a topic with the same number it marks none."""
    study = with_runs(topics=2, runs=2)
    client = logged_in("alice")

    def rail_of(page):
        return (
            client.get(f"/studies/{study.slug}/{page}/")
            .content.decode()
            .partition('<details class="rail"')[2]
        )

    runs = {run.name: run.pk for run in study.runs.all()}
    name = sorted(runs)[1]
    standings.current(study)
    assert rail_of(f"runs/{runs[name]}") == ""
    finish(study, choose=whim)
    jobs.sweep()
    marked = re.findall(r'<a class="name"[^>]*aria-current="page"[^>]*>', rail_of(f"runs/{runs[name]}"))
    assert [re.findall(r'title="([^"]+)"', tag) for tag in marked] == [[name]]
    topics = rail_of("leaderboard/pairs")
    assert topics
    assert "aria-current" not in topics
    # The ends of the axis are round, so that it stays while judgments arrive.
    [ends] = re.findall(r'<p class="axis[^>]*><span>([\d.]+)</span>.*?<span>([\d.]+)</span></p>', topics)
    assert [round(20 * float(end), 9) % 1 for end in ends] == [0, 0]


@pytest.mark.parametrize("case", [Study.Case.RANKINGS, Study.Case.ANSWERS])
def test_all_pairs_are_one_click_from_the_leaderboard(study, case):
    Study.objects.filter(pk=study.pk).update(case=case)
    html = logged_in("alice").get(f"/studies/{study.slug}/leaderboard/").content.decode()
    work = NAVS.findall(html)[1]
    assert f'<a href="/studies/{study.slug}/leaderboard/pairs/">All pairs</a>' in work


def test_the_map_is_no_page_of_answers_of_models(study):
    """Each model gives one answer to a prompt: no rankings, no map. Its address says so."""
    client = logged_in("alice")
    beside, there = (f"/studies/{study.slug}/leaderboard/{name}/" for name in ("measures", "map"))
    assert there in links(client.get(beside).content.decode())
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    assert there not in links(client.get(beside).content.decode())
    html = client.get(there).content.decode()
    assert "There is no map of models." in html
    assert "no rankings to compare" in html
