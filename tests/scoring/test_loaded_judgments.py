"""What pages say where judgments are loaded from files: no people without names, no race from one board."""

import re
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from collection.models import Study
from judging.assessor_names import is_nameless
from judging.models import Assessor, Judgment
from scoring.analysis.leave_one_out import INFLUENCE
from scoring.board import history
from tests.judging.organizing import logged_in, text
from tests.scoring.loaded_judgments import recorded
from web.coordinator.compare.system_map_page import answer, little
from web.live import progress
from web.release import readme
from web.shared.interval_axis import drawn
from web.shared.phrases import interval

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh():
    cache.clear()


def show(study, name, query="") -> str:
    return text(logged_in("alice").get(reverse(name, args=[study.slug]) + query))


def test_files_without_names_are_no_people(tmp_path):
    study = recorded(tmp_path)
    assert [one.label for one in Assessor.objects.order_by("pk")] == ["recorded", "recorded (2)"]
    shown = show(study, "trust")
    assert "10 answers that count, loaded from files that name nobody" in shown
    assert "nothing can be said of the people" in shown
    for said in (
        "favours a side",
        "import-recorded",
        "2 people",
        "Exclude this",
        "without one of them",
        "People say",
    ):
        assert said not in shown, said
    assert INFLUENCE.compute(study).people == []
    for query in ("?person=", f"?person={Assessor.objects.first().pk}"):
        assert "nobody can be left out." in show(study, "trust", query)


def test_labels_of_files_are_people_still(tmp_path):
    study = recorded(tmp_path, " anna")
    shown = show(study, "trust", "?person=")
    assert "10 answers of 2 people that count" in shown
    assert "none favours a side" in shown
    assert re.search(r"\d+ · anna", shown)
    assert re.search(r"Without (any one|\d) of 2 people", shown)


def test_an_exported_label_without_a_name_stays_without_one():
    assert is_nameless("import-recorded")
    assert is_nameless("import-recorded_(12)")
    assert is_nameless("import-recorded_(2)_(3)")
    assert not is_nameless("import-recorded-by-anna")
    assert not is_nameless("local-1")


def test_one_board_makes_no_race_and_no_replay(tmp_path):
    study = recorded(tmp_path)
    study.standings.filter(board__judgments__gt=0).exclude(pk=study.standings.latest("number").pk).delete()
    assert not history.has_race(study, 1)
    shown = show(study, "history")
    assert "10 judgments were loaded from files." in shown
    assert "All of these arrived at once." in shown
    assert "10 judgments of" in shown
    assert "1 of 1" not in shown
    last = study.standings.latest("number")
    board = reverse("leaderboard", args=[study.slug])
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now())
    # Two points make no chart, nor does one number of judgments, however often it is kept.
    for more, races in ((0, False), (1, False), (1, False), (2, True), (2, True)):
        last.pk, last.number = None, last.number + 1
        last.board |= {"judgments": 10 + more}
        last.save()
        assert history.has_race(study, last.number) == races
    assert "There is no race yet" not in show(study, "history")
    assert "The race" in logged_in("alice").get(board).content.decode()


def test_rounds_that_never_were_are_not_spoken_of(tmp_path):
    study = recorded(tmp_path)
    board = logged_in("alice").get(reverse("leaderboard", args=[study.slug])).content.decode()
    assert "<span hidden>top items known" in board
    rounds = show(study, "topics")
    assert "10 judgments were loaded; nobody was asked here." in rounds
    for said in ("not open yet", "Still in", "Open questions", "Kept"):
        assert said not in rounds, said
    assert "Judgments by topic" in rounds
    for topic in study.topics.all():
        judged = Judgment.objects.counting().filter(topic=topic)
        pairs = {judgment.question_id for judgment in judged}
        items = {pk for judgment in judged for pk in judgment.question.subject_ids}
        found = progress.compared([topic.pk])
        assert found == ({topic.pk: (len(pairs), len(items))} if pairs else {})
        if pairs:
            assert f"{len(judged)} {len(pairs)} {len(items)}" in rounds
    shown = text(logged_in("alice").get(reverse("topic", args=[study.slug, study.topics.first().pk])))
    assert "loaded from files, no rounds played" in shown
    for said in ("of 0 judgments", "0 judgments asked", "Candidates", "not open yet"):
        assert said not in shown, said


def test_files_without_names_are_no_people_of_the_list(tmp_path):
    assert "Nobody yet." in show(recorded(tmp_path), "people")


def test_the_datasheet_of_loaded_judgments_speaks_of_no_browser(tmp_path):
    study = recorded(tmp_path)
    said = readme.datasheet(readme.facts(study, pictures=False))
    assert "The answers were loaded from files" in said
    assert "In a browser" not in said
    assert "elimination tournament" not in said


@pytest.mark.parametrize(
    ("distance", "said"),
    [
        (0.1, "a and b rank most alike, at a distance of 0.10."),
        (0.3, "a and b are the least different, at a distance of 0.30."),
        (0.74, "a and b are the least different, still far apart, at a distance of 0.74."),
    ],
)
def test_runs_are_called_alike_by_their_distance(distance, said):
    near = [[(1, distance)], [(0, distance)], [(0, 0.9)]]
    found = SimpleNamespace(drawn=[0, 1, 2], nearest=near, means=[0.8, 0.8, 0.9], stress=0.2)
    assert answer(found, ["a", "b", "c"])[0] == said
    found.stress = 0.21
    first, second = answer(found, ["a", "b", "c"])
    assert first == said
    assert "No flat map shows these distances" in second


def test_an_interval_of_a_difference_ends_at_what_is_possible():
    assert interval(-0.416, 1.616) == "−0.416 to +1.000"
    assert interval(-1.2, 0.25) == "−1.000 to +0.250"
    line = drawn([("", -0.416, 1.616)]).lines[0]
    assert float(line.low) + float(line.length) == pytest.approx(160 + 152 / 1.1, abs=0.1)


def test_a_map_of_few_runs_or_with_much_stress_is_folded_and_says_why():
    found = SimpleNamespace(drawn=[0, 1, 2, 3, 4], stress=0.2)
    assert little(found) == ""
    found.stress = 0.21
    assert "stress 0.21" in little(found)
    found.drawn = [0, 1, 2, 3]
    assert little(found).startswith("4 runs are few")
