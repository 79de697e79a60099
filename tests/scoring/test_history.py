"""The history of a leaderboard: lines and moves held against the boards as they were written, which standings
are drawn, what is new to a reader, and the stepper.
"""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from collection.models import Run, Study
from judging.models import Decision
from judging.verdicts import decisions
from prefir import plots
from scoring import jobs
from scoring.board import history, leaderboard, standings
from scoring.models import Standing
from tests.judging.organizing import account, queries, text
from tests.plots.reading import words
from tests.scoring.test_leaderboard_pages import judge, with_runs
from web.coordinator.board import last_seen, rank_history

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Four topics, three runs; a standing after each of three batches."""
    study = with_runs(topics=4, runs=3)
    for _ in range(3):
        judge(study)
        standings.write(study)
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def mean_of(value: float) -> dict:
    return {"pgc": {"p=0.95": [value, None, None, 2, None]}}


def written(study, boards) -> None:
    """Standings as a study might have had them: for each, its judgments and the runs' means by name."""
    Standing.objects.filter(study=study).delete()
    ids = dict(study.runs.values_list("name", "pk"))
    empty = standings.computed(study)
    for number, (judgments, means) in enumerate(boards, 1):
        runs = [
            {
                "id": ids.get(name, sum(name.encode())),
                "name": name,
                "means": mean_of(value),
            }
            for name, value in means.items()
        ]
        board = empty | {"judgments": judgments, "topics_judged": 2, "topics_whole": 2, "runs": runs}
        version = standings.board_version(study)
        Standing.objects.create(study=study, number=number, version=version, board=board)


def page(client, study, query=""):
    response = client.get(reverse("history", args=[study.slug]) + query)
    assert response.status_code == 200
    return response


def test_moments_are_the_means_of_the_boards_as_they_were_written(study):
    kept = history.numbers(study)
    assert len(kept) >= 3
    found = history.moments(study, kept, "pgc", 0.95, every=True)
    for moment, standing in zip(found, Standing.objects.order_by("number"), strict=True):
        assert (moment.number, moment.judgments) == (standing.number, standing.board["judgments"])
        for run in standing.board["runs"]:
            value, low, high, *_ = run["means"]["pgc"]["p=0.95"]
            assert moment.means.get(run["id"], (None, None, None)) == (value, low, high)


def test_what_was_read_is_not_read_again(study, django_assert_num_queries):
    kept = history.numbers(study)
    with django_assert_num_queries(1):
        first = history.moments(study, kept[:-1], "pgc", 0.95, every=True)
    with django_assert_num_queries(0):
        assert history.moments(study, kept[:-1], "pgc", 0.95, every=True) == first
    with CaptureQueriesContext(connection) as captured:
        history.moments(study, kept, "pgc", 0.95, every=True)
    assert len(captured) == 1
    assert history.moments(study, [*kept, 10**6], "pgc", 0.95, every=True)[-1].number == kept[-1]


@pytest.mark.parametrize("most", [40, 200])
def test_few_of_many_standings_are_drawn_and_stay_picked_as_others_come(most):
    kept = [n for n in range(1, 5000) if n % 60 == 0 or n > 3000]
    assert history.picked(kept[:most], most) == kept[:most]
    before: set[int] = set()
    stayed = []
    for end in range(most + 1, len(kept), 7):
        found = history.picked(kept[:end], most)
        assert len(found) <= most
        assert (found[0], found[-1]) == (kept[0], kept[end - 1])
        assert found == sorted(set(found))
        stayed.append(len(before & set(found)) >= len(before) - 1)
        before = set(found)
    # Only where the step doubles are others picked.
    assert stayed.count(False) <= 8


def test_judgments_never_go_back():
    assert history.added([5, 9, 4, 4, 10, 10]) == [5, 9, 9, 9, 15, 15]
    assert history.added([]) == []


def test_of_moments_with_as_many_judgments_the_last_is_drawn():
    """Else a line would begin with a hook: two means in one place."""
    first, second, third, fourth = (
        history.Moment(number, timezone.now(), judgments, {})
        for number, judgments in enumerate((10, 10, 30, 20), 1)
    )
    assert history.by_added([first, second, third, fourth]) == {10: second, 30: fourth}


def test_moves_are_the_differences_of_ranks(study):
    written(
        study,
        [
            (10, {"run-0": 0.5, "run-1": 0.4, "run-2": 0.3, "gone": 0.2}),
            (20, {"run-0": 0.3, "run-1": 0.4, "run-2": 0.4, "new": 0.1}),
        ],
    )
    then, now = (leaderboard.board_of(s, 0.95) for s in Standing.objects.order_by("number"))
    assert list(history.places(now).values()) == [1, 1, 3, 4]  # equal means share a rank
    found = {move.name: (move.before, move.after, move.ranks) for move in history.moves(then, now)}
    assert found == {
        "run-2": (3, 1, 2),
        "run-1": (2, 1, 1),
        "run-0": (1, 3, -2),
        "gone": (4, None, 0),
        "new": (None, 4, 0),
    }
    assert [move.name for move in history.moves(then, now)] == ["run-2", "run-1", "run-0", "gone", "new"]
    assert history.moves(now, now) == []


def test_the_page_says_how_long_the_order_has_stood(alice, study):
    means = [
        (10, {"run-0": 0.5, "run-1": 0.4, "run-2": 0.3}),
        (20, {"run-0": 0.4, "run-1": 0.5, "run-2": 0.3}),
        (30, {"run-0": 0.4, "run-1": 0.6, "run-2": 0.1}),
    ]
    written(study, means)
    assert "The order has not changed since 20 judgments." in text(page(alice, study))
    Standing.objects.get(number=3).delete()
    cache.clear()
    assert "The order has not changed since" not in text(page(alice, study))


def test_the_page_says_what_moved_since_its_reader_last_looked(alice, study, monkeypatch):
    written(study, [(10, {"run-0": 0.5, "run-1": 0.4, "run-2": 0.3})])
    assert "The next time this page begins with what moved since you looked." in text(page(alice, study))
    assert "No run has changed its place since you last looked." in text(page(alice, study))
    ids = dict(study.runs.values_list("name", "pk"))
    runs = [
        {"id": ids[name], "name": name, "means": mean_of(value)}
        for name, value in (("run-0", 0.3), ("run-1", 0.4), ("run-2", 0.2))
    ]
    old = Standing.objects.get()
    Standing.objects.create(
        study=study, number=2, version=old.version, board=old.board | {"judgments": 25, "runs": runs}
    )
    for _ in range(2):  # still looking: it does not vanish by loading the page again
        said = text(page(alice, study))
        assert "Since you last looked, run-1 rose from place 2 to 1 and run-0 fell from place 1 to 2." in said
        assert "15 more judgments count now." in said
    monkeypatch.setattr(last_seen, "VISIT_SECONDS", -1)  # long ago
    assert "No run has changed its place since you last looked." in text(page(alice, study))
    # Somebody else on the same machine.
    alice.force_login(account("bob"))
    assert "The next time this page begins with what moved since you looked." in text(page(alice, study))


def test_a_cookie_that_is_not_ours_is_a_first_look(alice, study):
    page(alice, study)
    name = f"looked-{study.pk}"
    cookie = alice.cookies[name]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["path"] == reverse("history", args=[study.slug])
    alice.cookies[name] = "1.1.1"
    assert "The next time this page begins with what moved" in text(page(alice, study))


def test_the_standing_looked_at_may_be_thinned_away_meanwhile(study):
    numbers = history.numbers(study)
    Standing.objects.filter(number=numbers[1]).delete()
    assert history.at(study, numbers[1]).number == numbers[0]
    Standing.objects.filter(number=numbers[0]).delete()
    assert history.at(study, numbers[0]).number == numbers[2]


def given(study, query=""):
    return rank_history.race(QueryDict(query), study).given


def test_the_race_is_that_of_the_best_five_or_of_those_chosen(alice):
    study = with_runs(topics=3, runs=8)
    judge(study, batches=2)
    standings.write(study)
    best = [row.name for row in leaderboard.board(study, 0.95).rows]
    assert list(given(study)["racers"]) == best[:5]
    ids = dict(Run.objects.values_list("name", "pk"))
    chosen = given(study, f"run={ids[best[6]]}&run={ids[best[0]]}&run=x&run=-1")
    assert list(chosen["racers"]) == [best[6], best[0]]  # in the order asked for: pins keep their colours
    everybody = "&".join(f"run={pk}" for pk in ids.values())
    assert len(given(study, everybody)["racers"]) == plots.MOST_RACERS
    drawn = alice.get(reverse("figure-svg", args=[study.slug, "race"]) + f"?run={ids[best[6]]}").content
    assert best[6] in words(drawn)
    assert best[0] not in words(drawn)
    assert f"run={ids[best[6]]}" in page(alice, study, f"?run={ids[best[6]]}").content.decode()


def test_exclusions_are_marked_where_they_happened(alice, study):
    before = given(study)
    assert before["marks"] == []
    assessor = study.assessors.order_by("pk").first()
    decisions.exclude(assessor.pk, "spam")
    jobs.sweep()
    standings.write(study)
    after = given(study)
    assert [said for _, said in after["marks"]] == ["1 excluded"]
    assert after["marks"][0][0] == after["steps"][-1]
    assert "Somebody's judgments were excluded" in text(page(alice, study))
    # Between two standings long ago, two decisions are one mark there.
    first = Standing.objects.order_by("number").first()
    moved = Decision.objects.filter(what=Decision.What.EXCLUDED).values_list("created_at", flat=True)[0]
    steered = [
        history.Steered(True, first.created_at - timedelta(seconds=1)),
        history.Steered(False, first.created_at),
        history.Steered(True, moved + timedelta(days=1)),
    ]
    moments = history.moments(study, history.numbers(study), "pgc", 0.95, every=False)
    assert rank_history.marks(steered, dict(enumerate(moments))) == [
        (0, "1 excluded, 1 let back in"),
        (len(moments) - 1, "1 excluded"),
    ]


def test_the_stepper_shows_each_kept_standing_and_links_to_the_next(alice, study):
    kept = history.numbers(study)
    for step, number in enumerate(kept, 1):
        response = page(alice, study, f"?step={step}&p=0.9")
        shown = text(response)
        assert f"{step} of {len(kept)}" in shown
        board = leaderboard.board_of(Standing.objects.get(number=number), 0.9)
        assert f": {board.judgments} judgments, {board.topics_judged} of 4 topics judged" in shown
        for row in board.rows:
            value = row.means["pgc"].value
            assert value is None or f"{row.name} {value:.3f}" in shown
        links = re.findall(r'<a href="([^"]*)" rel="(prev|next)"', response.content.decode())
        expected = ["prev"] * (step > 1) + ["next"] * (step < len(kept))
        assert [rel for _, rel in links] == expected
        for address, rel in links:
            there = step + (1 if rel == "next" else -1)
            assert f"{there} of {len(kept)}" in text(page(alice, study, address.replace("&amp;", "&")))
    for odd in ("0", "999", "-1", "x", "9" * 30):
        assert page(alice, study, f"?step={odd}")


def test_before_the_first_judgment_the_page_says_what_it_will_show(alice):
    study = with_runs(topics=2, runs=2)
    assert "Nothing is judged yet." in text(page(alice, study))
    drawn = alice.get(reverse("figure-svg", args=[study.slug, "race"])).content
    assert {"No run has a mean yet.", "Nothing is judged yet."} & set(words(drawn))
    bare = with_runs(topics=2, runs=0, slug="bare", name="Bare")
    assert "Nothing is judged yet." in text(page(alice, bare))


def test_queries_are_as_many_however_many_standings_and_runs_there_are(alice):
    asked = set()
    for runs, batches in ((2, 3), (7, 3)):
        study = with_runs(topics=4, runs=runs, slug=f"s{runs}", name=f"S {runs}")
        for _ in range(batches):
            judge(study)
            standings.write(study)
        for name in ("history", "race"):
            address = (
                reverse(name, args=[study.slug])
                if name == "history"
                else reverse("figure-svg", args=[study.slug, name])
            )
            cache.clear()
            asked.add((name, queries(alice, address), queries(alice, address)))
    assert len(asked) == 2
    assert max(max(first, second) for _, first, second in asked) <= 13
