"""The organizer's page of result pages: set up, counted, asked, looked at, stopped; also by command."""

import io
import re
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from collection.models import Run
from judging.models import Question, Task
from judging.questions import result_pages
from scoring.analysis.run_preferences import compare
from scoring.board import leaderboard
from scoring.board.leaderboard import Board, BoardRow, Mean
from scoring.models import StoredScores
from scoring.scores.score_rows import TopicScores, columns
from scoring.scores.stored_measures import USUAL
from tests.judging.organizing import queries, staff_of, text
from tests.judging.paged import ask_all, paged_study, prefer
from tests.makers import add_run, make_study, open_study

pytestmark = pytest.mark.django_db
SETTINGS = {
    "wording": "Which page?",
    "instructions": "",
    "scale": "3",
    "when": "after",
    "depth": 3,
    "rows": 4,
    "batch_size": 10,
    "batch_challenges": 0,
    "wrong_allowed": 0,
    "minutes": 60,
    "idle_minutes": 15,
}
ALL = {"runs": "all", "topics": "all", "assessors": 1}


@pytest.fixture
def study():
    """Alice's, open: a tournament of pairs, two topics, three runs; no task of result pages."""
    study = staff_of(make_study(topics=2))
    for name, letters in {"oak": "abc", "elm": "bcd", "ash": "abc"}.items():
        add_run(study, name, {t: [f"{t}-{letter}" for letter in letters] for t in ("t1", "t2")})
    return open_study(study)


@pytest.fixture
def address(study):
    return f"/studies/{study.slug}/result-pages/"


def count_then_ask(client, address, given):
    """Count first, then ask for as many questions as were counted."""
    counted = client.post(address, given | {"action": "count"})
    number = re.search(r'name="counted" value="(\d+)"', counted.content.decode())
    return counted, client.post(address, given | {"action": "ask", "counted": number[1]}, follow=True)


def test_from_the_form_to_the_table_and_the_file(alice, study, address):
    assert "Ask for result pages" in text(alice.get(address))
    alice.post(address, SETTINGS)
    task = result_pages.task_of(study)
    assert (task.kind, task.position) == ("pages", 2)
    assert task.settings == {"depth": 3, "rows": 4, "assessors": 1}
    counted, asked = count_then_ask(alice, address, ALL)
    # Of three pairs of runs on two topics, oak and ash place the same items.
    said = "These are 4 questions: 4 answers in 1 batch, about 4 minutes of judging in all."
    assert said in text(counted)
    assert "2 more are not asked, since both pages look the same" in text(counted)
    assert "4 questions more are asked from now on" in text(asked)
    assert "4 questions are asked; 0 of 4 answers" in text(asked)
    assert "There is nothing more to ask" in text(alice.post(address, ALL | {"action": "count"}))
    more = text(alice.post(address, ALL | {"action": "count", "assessors": 3}))
    assert "These are 4 questions: 8 answers" in more
    Question.objects.filter(task__kind="pair").update(wanted=0)
    prefer(study, {"t1": "elm", "t2": None})
    page = text(alice.get(address))
    assert "oak and elm 0 1 1 1.0000" in page
    assert "elm and ash 1 1 0 1.0000" in page
    file = alice.get(f"/studies/{study.slug}/pages.txt")
    lines = b"".join(file.streaming_content).decode().splitlines()
    assert sorted(lines) == [
        "t1 elm ash elm",
        "t1 oak elm elm",
        "t2 elm ash tie",
        "t2 oak elm tie",
    ]


def test_settings_stand_still_from_the_first_question_on(alice, study, address):
    alice.post(address, SETTINGS)
    alice.post(address, SETTINGS | {"when": "before", "depth": 2})
    assert list(study.tasks.values_list("kind", "position")) == [("pages", 0), ("pair", 1)]
    count_then_ask(alice, address, ALL)
    alice.post(address, SETTINGS | {"depth": 9})
    assert result_pages.task_of(study).settings["depth"] == 2
    assert "How it is asked" not in text(alice.get(address))


def test_a_batch_that_takes_longer_than_its_minutes_is_said_to(alice, study, address):
    """By hand: a question of two usual pages takes twice 30 seconds, ten of them ten minutes."""
    alice.post(address, SETTINGS)
    assert "A batch takes about" not in text(alice.get(address))
    alice.post(address, SETTINGS | {"minutes": 8, "idle_minutes": 5})
    said = "A batch takes about 10 minutes to read, more than the 8 of the settings. It stays open for 13"
    assert said in text(alice.get(address))


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ({"topics": "first", "number": 1}, 2),
        ({"topics": "differ", "number": 1}, 2),
        ({"topics": "named", "names": "t2"}, 2),
        ({"runs": "baseline", "baseline": "elm"}, 4),
        ({"runs": "baseline", "baseline": "oak"}, 2),
    ],
)
def test_topics_and_runs_are_chosen(alice, study, address, given, number):
    alice.post(address, SETTINGS)
    if "baseline" in given:
        given = given | {"baseline": Run.objects.get(name=given["baseline"]).pk}
    count_then_ask(alice, address, ALL | given)
    asked = Question.objects.filter(task__kind="pages")
    assert asked.count() == number
    if given.get("topics") == "named":
        assert set(asked.values_list("topic__name", flat=True)) == {"t2"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"topics": "named", "names": "t2 t9"}, "There is no topic t9"),
        ({"topics": "named"}, "Name at least one topic"),
        ({"topics": "first"}, "Say how many topics"),
        ({"runs": "baseline"}, "Choose the run that the others are compared with"),
        ({"assessors": 6}, "Enter a whole number from 1 to 5."),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(alice, study, address, given, told):
    alice.post(address, SETTINGS)
    for action in ("count", "ask"):
        page = text(alice.post(address, ALL | given | {"action": action, "counted": 4}))
        assert told in page
    assert not Question.objects.filter(task__kind="pages").exists()


def test_nothing_is_asked_that_was_not_counted(alice, study, address):
    alice.post(address, SETTINGS)
    page = alice.post(address, ALL | {"action": "ask", "counted": 3})
    assert "These are 4 questions" in text(page)
    assert not Question.objects.filter(task__kind="pages").exists()


def test_asking_can_be_stopped(alice, study, address):
    alice.post(address, SETTINGS)
    count_then_ask(alice, address, ALL)
    page = text(alice.post(f"{address}stop/", follow=True))
    assert "4 open questions are not asked any more" in page
    assert not Question.objects.filter(task__kind="pages", wanted__gt=0).exists()


def board(*ranks):
    """A leaderboard of runs 1, 2, ... with these ranks."""
    rows = [
        BoardRow(
            n,
            f"r{n}",
            {"pgc": Mean(0.5, None, None, 3, own), "compatibility": Mean(None, None, None, 0, None)},
        )
        for n, own in enumerate(ranks, 1)
    ]
    return Board(rows[::-1], 0.95, 1, 1, 0, 1, 0, 0, "1.x")


def test_runs_whose_ranks_overlap_are_not_told_apart():
    assert leaderboard.indistinguishable_pairs(board((1, 1), (2, 3), (2, 4), (4, 4))) == [(2, 3), (3, 4)]
    assert leaderboard.indistinguishable_pairs(board((1, 1), None)) == [(1, 2)]


def test_only_pairs_that_the_leaderboard_cannot_tell_apart_are_asked(alice, study, address):
    alice.post(address, SETTINGS)
    oak, elm = (Run.objects.get(name=name).pk for name in ("oak", "elm"))
    with patch("scoring.board.leaderboard.indistinguishable_pairs", return_value=[(oak, elm)]):
        count_then_ask(alice, address, ALL | {"runs": "untold"})
    assert {q.subject_ids for q in Question.objects.filter(task__kind="pages")} == {(oak, elm)}
    with patch("scoring.board.leaderboard.indistinguishable_pairs", return_value=[]):
        page = alice.post(address, ALL | {"runs": "untold", "action": "count"})
    assert "The leaderboard tells all runs apart" in text(page)


def test_agreement_of_measures_with_run_preferences_is_counted_by_topic():
    """Three topics: the measure agrees on one, disagrees on one, and is equal on one."""
    study, task = paged_study(topics=3)
    ask_all(task)
    prefer(study, {"t1": "SECRET-oak", "t2": "SECRET-elm", "t3": "SECRET-oak"})
    oak, elm = (Run.objects.get(name=f"SECRET-{name}").pk for name in ("oak", "elm"))
    for name, values in {"t1": (0.9, 0.2), "t2": (0.7, 0.3), "t3": (0.5, 0.5)}.items():
        scores = TopicScores(columns(USUAL), [oak, elm], [values] * len(columns(USUAL)))
        StoredScores.objects.create(topic=study.topics.get(name=name), **scores.packed())
    preferred = result_pages.collected(task)
    tested = compare(study, preferred, result_pages.lines(preferred))
    found = tested.agreement["pgc"]
    assert (found.agree, found.disagree, found.ties, found.binomial_p) == (1, 1, 1, 1.0)
    # Two wins and a loss: half of all 8 outcomes are at least as uneven on either side.
    assert tested.signs == [1.0]


def test_pages_about_people_and_challenges_know_result_pages(alice):
    grades = dict(zip("abcdefgh", [0, 4, 0, 3, 4, 0, 3, 0], strict=True))
    study, task = paged_study(grades=grades, batch_challenges=1)
    staff_of(study)
    ask_all(task)
    assert Question.objects.filter(expected__isnull=False).count() == 1
    prefer(study, {"t1": "SECRET-oak"})
    # Also once a run was replaced.
    Run.objects.filter(name="SECRET-oak").update(shown=False)
    pages = ["", "people/", "challenges/", "topics/", "settings/", "result-pages/", "leaderboard/", "trail/"]
    pages.append(f"people/{study.assessors.get().pk}/")
    for page in pages:
        assert alice.get(f"/studies/{study.slug}/{page}").status_code == 200, page


def test_the_page_takes_as_many_queries_however_much_was_answered(alice):
    study, task = paged_study(topics=3)
    staff_of(study)
    ask_all(task)
    address = f"/studies/{study.slug}/result-pages/"
    prefer(study, dict.fromkeys(("t1", "t2", "t3"), "SECRET-oak"))
    before = queries(alice, address)
    add_run(study, "third", {f"t{n}": ["DOCNO-h"] for n in (1, 2, 3)})
    ask_all(task)
    prefer(study, dict.fromkeys(("t1", "t2", "t3")))
    assert queries(alice, address) == before


def test_it_is_set_up_and_asked_for_on_the_command_line():
    call_command("study", "seen", "--pages", "5", "--pages-depth", "4", "--pages-rows", "2")
    task = Task.objects.get(study__slug="seen", kind="pages")
    assert (task.scale, task.position) == ("5", 2)
    assert task.settings == {"depth": 4, "rows": 2, "assessors": 1}
    with pytest.raises(CommandError, match="Judging is not open"):
        call_command("result_pages", "seen")
    study, task = paged_study(topics=2)
    said = io.StringIO()
    call_command("result_pages", study.slug, "--first", "1", "--assessors", "3", "--count", stdout=said)
    assert "1 question, 3 answers in batches of 10" in said.getvalue()
    assert not Question.objects.filter(task=task).exists()
    call_command("result_pages", study.slug, "--baseline", "SECRET-oak", stdout=said)
    assert Question.objects.filter(task=task).count() == 2
    with pytest.raises(CommandError, match="There is no run"):
        call_command("result_pages", study.slug, "--baseline", "yew")
    with pytest.raises(CommandError, match="There is no topic t7"):
        call_command("result_pages", study.slug, "--topics", "t7")
