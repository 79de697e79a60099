"""One answer of each kind followed in Chromium: from the key press through ledger, preferences, graph and
score to the exported file. Picks of the best, grades from 0 to 4 and result pages: in the tests of each.
"""

import pytest
from playwright.sync_api import Page, expect

from collection.models import Item, Study
from judging import ledger
from judging.batches import answering
from judging.models import Assignment, Judgment, Task
from judging.questions import grading
from judging.transfer import judgment_export
from scoring.scores import topic_scores as scoring
from tests.browser.batches import press, ready
from tests.judging import picking
from tests.judging.released import names_of
from tests.judging.studies import give_pictures
from tests.judging.test_grading import graded_study
from tests.makers import add_run, invite, make_study, open_study
from tests.scoring.stored import value
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def begin(live_server, study: Study) -> str:
    """The address of somebody who holds a batch."""
    assessor = invite(study)
    answering.arrive(assessor.pk)
    return f"{live_server.url}/i/{assessor.reference}/"


def send(page: Page, last: int) -> Assignment:
    """Send the batch from its last page; it is kept."""
    ready(page, last + 1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assignment = Assignment.objects.get()
    assert assignment.state == "kept"
    return assignment


def edges(study: Study) -> set[tuple[str, str]]:
    """The edges of the preference graph of the study's topic, by docno from better to worse."""
    graph = scoring.graph_of(ledger.counting(study.topics.get().pk))
    return {(better, worse) for better, worse, _ in graph.edges()}


def rbo(*overlaps: int) -> float:
    """Rank-biased overlap at p = 0.95 to depth 1,000, by its definition; overlaps: how many items two lists
    share down to each depth, the last to every greater one. PGC is that of a run and the ideal ranking.
    """
    shared = [*overlaps, *[overlaps[-1]] * (1000 - len(overlaps))]
    return 0.05 * sum(0.95 ** (d - 1) * n / d for d, n in enumerate(shared, 1))


# Kind of item, scale, key, the side that it prefers, how much: as docs/organizers/questions.md says.
PAIRS = [
    ("text", "2", "ArrowLeft", "left", 1),
    ("text", "3", "ArrowRight", "right", 1),
    ("text", "3", "t", "", 0),
    ("text", "4", "1", "left", 2),
    ("text", "4", "3", "right", 1),
    ("text", "5", "2", "left", 1),
    ("text", "5", "5", "right", 2),
    ("text", "5", "0", "", 0),
    ("image", "3", "ArrowLeft", "left", 1),
]


@pytest.mark.parametrize(("kind", "scale", "key", "side", "strength"), PAIRS)
def test_a_pair(page, live_server, settings, tmp_path, kind, scale, key, side, strength):
    settings.MEDIA_ROOT = tmp_path
    study = make_study(items=2, junk=0, k=1, batch_challenges=0, kind=kind)
    Task.objects.update(scale=scale)
    if kind == "image":
        give_pictures(study)
    add_run(study, "ab", {"t1": ["t1-a", "t1-b"]})
    add_run(study, "ba", {"t1": ["t1-b", "t1-a"]})
    page.goto(begin(live_server, open_study(study)))
    ready(page, 1)
    press(page, key)
    place = send(page, 1).batch.get()
    shown = ["t1-a", "t1-b"] if place.shown == "01" else ["t1-b", "t1-a"]
    better = {"left": shown[0], "right": shown[1], "": ""}[side]
    # The ledger has the answer in terms of the page, and the order that was shown.
    signed = {"left": strength, "right": -strength, "": 0}[side]
    assert list(Judgment.objects.values_list("value", "shown")) == [(signed, place.shown)]
    worse = next(iter({"t1-a", "t1-b"} - {better}))
    assert edges(study) == ({(better, worse)} if better else set())
    scoring.rescore(study.topics.get().pk)
    scores = {run: value(run, "pgc", 0.95) for run in ("ab", "ba")}
    # The run that has the better one first is ideal; the other shares both at depth 2.
    # Where neither is better, each is ideal.
    right = {"t1-a": ["ab"], "t1-b": ["ba"], "": ["ab", "ba"]}[better]
    assert scores == pytest.approx({run: rbo(int(run in right), 2) for run in scores})
    winner = better or "tie"
    assert list(judgment_export.judgments(study)) == [f"t1 t1-a t1-b {winner}\n"]
    [line] = judgment_export.judgments(study, names=names_of(study))
    fields = line.split()
    assert fields[:4] == ["t1", "t1-a", "t1-b", winner]
    # The sixth field is there once anybody has answered definitely.
    assert fields[5:] == (["2"] if strength == 2 else [])


def test_a_pick_of_the_best_and_the_worst(page, live_server):
    """The best is better than each other, each of these better than the worst."""
    study, _ = picking.pick_study(items=4, junk=0, k=1, scale="best-worst", batch_challenges=0, batch_size=1)
    letters = [f"t1-{letter}" for letter in "abcd"]
    add_run(study, "right", {"t1": letters})
    add_run(study, "wrong", {"t1": letters[::-1]})
    services.start(study.pk)
    services.catch_up()
    page.goto(begin(live_server, study))
    ready(page, 1)
    place = Assignment.objects.get().batch.get()
    order = [item.docno for item in picking.shown(place)]
    best, worst = order.index("t1-a"), order.index("t1-d")
    page.keyboard.press(str(best + 1))
    press(page, str(worst + 1))
    send(page, 1)
    assert list(Judgment.objects.values_list("value", flat=True)) == [[best, worst]]
    expected = {("t1-a", "t1-b"), ("t1-a", "t1-c"), ("t1-a", "t1-d"), ("t1-b", "t1-d"), ("t1-c", "t1-d")}
    assert edges(study) == expected
    scoring.rescore(study.topics.get().pk)
    assert value("right", "pgc", 0.95) == pytest.approx(rbo(1, 2, 3, 4))
    # Of the two in the middle the one goes first that the run has first: a c b d beside d c b a.
    assert value("wrong", "pgc", 0.95) == pytest.approx(rbo(0, 1, 2, 4))
    lines = {tuple(line.split()) for line in judgment_export.judgments(study)}
    assert lines == {("t1", better, worse, better) for better, worse in expected}


def test_a_grade_from_0_to_100(page, live_server):
    study, task = graded_study(scale="0-100", grades_first=True)
    services.start(study.pk)
    page.goto(begin(live_server, study))
    given = (72, 0, 100, 35)
    for position, grade in enumerate(given, 1):
        ready(page, position)
        page.keyboard.type(str(grade))
        press(page, "Enter")
    batch = send(page, 4)
    docnos = dict(Item.objects.values_list("pk", "docno"))
    asked = [docnos[int(place.question.key)] for place in batch.batch.order_by("position")]
    expected = dict(zip(asked, given, strict=True))
    assert {docnos[item]: one.grade for item, one in grading.collected(task).items()} == expected
    lines = [line.split() for line in judgment_export.collected_grades(study)]
    assert {docno: int(grade) for _, _, docno, grade in lines} == expected
