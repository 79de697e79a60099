"""What programs read: the numbers of the pages and the lines of the exports, page by page."""

import re
from copy import deepcopy

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import Study
from judging.batches import answering
from judging.transfer import judgment_export, pseudonyms
from scoring.board import leaderboard, standings
from scoring.board import score_export as scores_exporting
from scoring.models import Standing
from scoring.scores import topic_scores
from tests.api.programs import Program
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import add_run, answer, finish, invite, make_study, open_study, sit, whim

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Alice's and Bob's, with three runs: some topics are finished, and one batch waits for its verdict."""
    study = staff_of(make_study(topics=3, items=5))
    for name, order in (("good", "abc"), ("fair", "bca"), ("poor", "edc")):
        add_run(study, name, {t: [f"{t}-{letter}" for letter in order] for t in ("t1", "t2", "t3")})
    finish(open_study(study), choose=whim)
    topic_scores.catch_up()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


@pytest.fixture
def bob(study):
    return Program("bob", "read")


@pytest.mark.parametrize("p", [0.8, 0.95])
@pytest.mark.parametrize("topics", ["whole", "all"])
def test_the_leaderboard_has_every_number_of_its_page(study, bob, p, topics):
    found = bob.ask(f"/studies/{study.slug}/leaderboard", p=p, topics=topics)
    board = leaderboard.board(study, p, every=topics == "all")
    assert [run["run"] for run in found["runs"]] == [row.name for row in board.rows]
    for run, row in zip(found["runs"], board.rows, strict=True):
        for measure, mean in row.means.items():
            told = run["means"][measure]
            ranks = None if told["best_rank"] is None else (told["best_rank"], told["worst_rank"])
            assert (told["value"], told["low"], told["high"], told["topics"], ranks) == (
                mean.value, mean.low, mean.high, mean.topics, mean.ranks
            )  # fmt: skip
            assert (told["ceiling"], told["ceiling_is_bound"]) == (mean.ceiling, False)
            assert told["ceiling"] is not None
    # Printed, they are those of the page, whose sentences stand there word for word.
    page = text(logged_in("bob").get(f"/studies/{study.slug}/leaderboard/?p={p}&topics={topics}"))
    assert found["answer"] in page
    assert found["but"] in page
    for run in found["runs"]:
        assert f"{run['means']['pgc']['value']:.3f}" in page
    assert found["judgments"] == board.judgments > 0


def test_the_choice_of_topics_is_that_of_the_page(study, bob):
    """By a standing written by hand: some topics are judged in part, and means over the others are 0.25."""
    last = standings.current(study)
    board = deepcopy(last.board)
    for run in board["runs"]:
        run["whole"] = {
            measure: {option: [0.25, *found[1:]] for option, found in means.items()}
            for measure, means in run["means"].items()
        }
    board["topics_whole"] = 2
    Standing.objects.create(study=study, number=last.number + 1, version=last.version, board=board)
    address = f"/studies/{study.slug}/leaderboard"
    whole, every = bob.ask(address), bob.ask(address, topics="all")
    assert (whole["over"], every["over"]) == ("whole", "all")
    assert {run["means"]["pgc"]["value"] for run in whole["runs"]} == {0.25}
    assert 0.25 not in {run["means"]["pgc"]["value"] for run in every["runs"]}
    page = text(logged_in("bob").get(f"/studies/{study.slug}/leaderboard/"))
    assert whole["remark"] in page
    assert "Means are over the 2 topics" in whole["remark"]


def test_without_a_p_it_is_the_studys(study, bob):
    study.persistence = 0.85
    study.save()
    assert bob.ask(f"/studies/{study.slug}/leaderboard")["p"] == 0.85
    assert bob.ask(f"/studies/{study.slug}")["persistence"] == 0.85


@pytest.mark.parametrize("limit", [1, 2, 4, 5, 1000])
def test_scores_are_those_of_the_export_however_they_are_paged(study, bob, limit):
    # By another way: the rows of the file, which is read topic by topic and p by p.
    expected = {
        (one.topic, one.run, one.measure): one.value
        for one in scores_exporting.scores(study)
        if one.topic is not None and one.p == 0.9
    }
    rows = bob.pages(f"/studies/{study.slug}/scores", "scores", p=0.9, limit=limit)
    found = {(r["topic"], r["run"], name): value for r in rows for name, value in r["scores"].items()}
    assert len(rows) == 9
    assert found == expected
    assert any(value for value in found.values())
    assert all(r["scores"]["pgc"] <= r["ceilings"]["pgc"] for r in rows if r["scores"]["pgc"] is not None)


def test_a_topic_that_was_never_scored_has_its_rows_without_values(bob):
    study = staff_of(make_study(topics=1, slug="new"))
    add_run(study, "one", {"t1": ["t1-a"]})
    [row] = bob.ask("/studies/new/scores")["scores"]
    assert set(row["scores"].values()) == {None}


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_judgments_are_those_of_the_export_however_they_are_paged(study, bob, limit):
    rows = bob.pages(f"/studies/{study.slug}/judgments", "judgments", limit=limit)
    names = pseudonyms.names_in(pseudonyms.release_of(study))
    expected = [line.split() for line in judgment_export.judgments(study, names=names)]
    found = [[r["topic"], r["a"], r["b"], r["winner"] or "tie", r["assessor"]] for r in rows]
    assert found == expected
    assert len(found) > 20


def test_judgments_of_a_batch_that_is_open_or_was_discarded_are_not_told(study, bob):
    before = bob.pages(f"/studies/{study.slug}/judgments", "judgments")
    other = staff_of(make_study(slug="other", topics=1))
    open_study(other)
    sit(invite(other), wrong=9)
    answer(answering.arrive(invite(other).pk))
    assert bob.pages("/studies/other/judgments", "judgments") == []
    assert bob.pages(f"/studies/{study.slug}/judgments", "judgments") == before


def test_a_release_has_its_own_pseudonyms_and_one_that_is_not_there_is_not_made(study, bob):
    address = f"/studies/{study.slug}/judgments"
    usual = bob.ask(address)
    pseudonyms.release_of(study, "for the paper")
    named = bob.ask(address, release="for the paper")
    assert named["release"] == "for the paper"
    assert {r["assessor"] for r in usual["judgments"]}.isdisjoint(r["assessor"] for r in named["judgments"])
    assert bob.get(f"/api/v1{address}", {"release": "another"}).status_code == 404
    assert study.releases.count() == 2


def test_nothing_read_names_a_person(study, bob):
    for route in ("", "/leaderboard", "/scores", "/topics", "/judgments"):
        assert "somebody" not in str(bob.ask(f"/studies/{study.slug}{route}"))


def test_topics_and_studies_come_in_pages(study, bob):
    rows = bob.pages(f"/studies/{study.slug}/topics", "topics", limit=2)
    assert [row["topic"] for row in rows] == ["t1", "t2", "t3"]
    assert rows[0]["text"] == "Which one for 1?"
    for n in range(3):
        staff_of(make_study(slug=f"more-{n}"))
    assert [one["slug"] for one in bob.pages("/studies", "studies", limit=1)] == [
        "more-2", "more-1", "more-0", study.slug
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    ["limit=0", "limit=1001", "cursor=x", "cursor=1-2-3", "p=0.7", "topics=some", "topic=all", "limit="],
)
def test_a_parameter_that_does_not_fit_is_told(study, bob, wrong):
    response = bob.get(f"/api/v1/studies/{study.slug}/leaderboard?{wrong}")
    assert response.status_code == 422
    assert response.json()["code"] == "invalid"
    assert re.split("=", wrong)[0] in response.json()["detail"]


@pytest.mark.parametrize(
    "route", ["", "/leaderboard", "/scores?limit=9", "/topics?limit=9", "/judgments?limit=9"]
)
def test_a_route_asks_the_database_as_often_however_much_there_is(bob, route):
    counts = []
    for topics in (1, 6):
        study = staff_of(make_study(slug=f"of-{topics}", topics=topics))
        for n in range(topics):
            add_run(study, f"run {n}", {f"t{t}": [f"t{t}-a"] for t in range(1, topics + 1)})
        finish(open_study(study))
        bob.get(f"/api/v1/studies/{study.slug}{route}")  # what a process reads once
        with CaptureQueriesContext(connection) as captured:
            assert bob.get(f"/api/v1/studies/{study.slug}{route}").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert counts[0] <= 8
