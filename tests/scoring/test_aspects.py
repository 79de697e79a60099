"""Aspects on their page: figures against the ledger counted by hand, and what is said of them."""

import csv
import io
from collections import defaultdict
from dataclasses import asdict

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Study
from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings, Details
from prefir.measures import both_ways, krippendorff_alpha, raw_agreement, weigh_aspects, win_shares
from scoring import jobs
from scoring.analysis import explanation
from scoring.analysis.aspects import ASPECTS
from tests.judging.organizing import logged_in, queries, staff_of, text
from tests.makers import add_run, invite, make_study, open_study, sit, whim
from tournament import services as tournament

pytestmark = pytest.mark.django_db
RULES = AspectSettings(aspects="Correct\nClear\nSafe", reasons="Too long\nOff topic")
RUNS = {"one": "abcd", "two": "badc", "three": "dc"}


def speaking(place) -> Details:
    """By no order but a fixed one: Correct mostly follows the answer, Clear is left out at times."""
    key = place.question.pk * 7 + place.position
    aspects = {"Correct": (1, 0, -1, 1)[key % 4], "Clear": (-1, 1, 0)[key % 3], "Safe": 0}
    if key % 5 == 0:
        del aspects["Clear"]
    return Details(aspects, RULES_GIVEN[key % 3], "", RULES.rules)


RULES_GIVEN = [("Too long",), ("Too long", "Off topic"), ()]


@pytest.fixture(scope="module")
def told(module_data):
    study = staff_of(make_study(topics=4, items=5, k=2, pairings=3, judgments_per_pair=2, batch_pairs=6))
    for name, letters in RUNS.items():
        add_run(study, name, {f"t{t}": [f"t{t}-{one}" for one in letters] for t in range(1, 5)})
    task = asking.task_of(study)
    task.settings = asdict(RULES)
    task.save()
    open_study(study)
    for _ in range(5):
        sit(invite(study), choose=whim, say=speaking)
        tournament.catch_up()
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, told):
    cache.clear()
    return Study.objects.get(pk=told)


def answered(study) -> list[tuple]:
    """Topic, docnos as shown, answer, aspects, reasons, assessor: straight from the rows."""
    found = []
    rows = Judgment.objects.counting().filter(topic__study=study, details__isnull=False)
    for row in rows.order_by("pk").select_related("question", "topic", "assignment"):
        docnos = [str(one.item) for one in row.question.subjects.order_by("position")]
        left, right = docnos if row.shown == "01" else docnos[::-1]
        details = row.details or {}
        found.append(
            (row.topic.name, left, right, row.value, details.get("aspects", {}), details.get("reasons", []),
             row.assignment.assessor_id)
        )  # fmt: skip
    return found


def test_shares_reasons_and_weights_are_those_of_the_rows(study):
    found = ASPECTS.compute(study)
    figures, names = found.figures, dict(study.runs.values_list("pk", "name"))
    rows = answered(study)
    assert figures.answers == len(rows) > 25
    topics = sorted({row[0] for row in rows})
    for number, name in enumerate(["", "Correct", "Clear", "Safe"]):
        won, met = np.zeros((2, len(topics), 3))
        for topic, left, right, value, aspects, *_ in rows:
            lean = aspects.get(name) if name else value
            for i, run in enumerate(found.runs):
                own = RUNS[names[run]]
                if lean is None or (left[-1] in own) == (right[-1] in own):
                    continue
                met[topics.index(topic), i] += 1
                better = 0.5 if lean == 0 else float((lean > 0) == (left[-1] in own))
                won[topics.index(topic), i] += better
        expected = win_shares(won, met)
        for own, other in (
            (figures.shares[number].shares, expected.shares),
            (figures.shares[number].lows, expected.lows),
        ):
            np.testing.assert_allclose(own, other)
    x = [[aspects.get(name, 0) for name in found.aspects] for *_, aspects, _, _ in rows]
    weights = weigh_aspects(x, [row[3] for row in rows], [topics.index(row[0]) for row in rows])
    np.testing.assert_allclose(figures.weights.weights, weights.weights, atol=1e-9)
    np.testing.assert_allclose(figures.weights.lows, weights.lows, atol=1e-9)
    lost = defaultdict(int)
    for _, left, right, value, _, reasons, _ in rows:
        for i, run in enumerate(found.runs):
            has = [side[-1] in RUNS[names[run]] for side in (left, right)]
            if value and has[0] != has[1] and has[0] != (value > 0):
                for reason in reasons:
                    lost[reason, i] += 1
    assert figures.lost.tolist() == [[lost[name, i] for i in range(3)] for name in found.reasons]
    assert figures.given == [sum(name in row[5] for row in rows) for name in found.reasons]


def test_agreement_is_of_pairs_that_two_people_answered(study):
    figures = ASPECTS.compute(study).figures
    for number, name in enumerate(["", "Correct", "Clear", "Safe"]):
        units = defaultdict(list)
        for _, left, right, value, aspects, *_ in answered(study):
            lean = aspects.get(name) if name else value
            if lean is not None:
                units[tuple(sorted((left, right)))].append(lean if left < right else -lean)
        shared = [unit for unit in units.values() if len(unit) > 1]
        own = figures.agreements[number]
        assert own.questions == len(shared) > 3
        assert own.raw == pytest.approx(raw_agreement(shared))
        alpha = krippendorff_alpha(both_ways(shared))
        assert own.alpha is None if np.isnan(alpha) else own.alpha == pytest.approx(alpha)


def test_the_page_says_what_preferences_follow_and_has_its_table_as_a_file(study):
    page = logged_in("bob").get(reverse("aspects", args=[study.slug]))
    shown = text(page)
    figures = page.context["found"].figures
    assert f"{figures.answers} judgments say something of aspects or reasons." in shown
    assert "Decided nothing yet" in shown  # Safe
    for line in page.context["lines"]:
        assert line.shares[0].share == f"{100 * dict_of(page)[line.name]:.0f} %"
    rows = list(
        csv.DictReader(
            io.StringIO(
                logged_in("bob").get(reverse("table-csv", args=[study.slug, "aspects"])).content.decode()
            )
        )
    )
    assert {row["run"]: float(row["answer share"]) for row in rows} == pytest.approx(dict_of(page))


def dict_of(page) -> dict[str, float]:
    found = page.context["found"]
    names = {line.run: line.name for line in page.context["lines"]}
    return {names[run]: share for run, share in zip(found.runs, found.figures.shares[0].shares, strict=True)}


def test_a_study_that_asks_none_says_so_and_the_page_is_cached(study):
    address = reverse("aspects", args=[study.slug])
    alice = logged_in("alice")
    alice.get(address)
    assert queries(alice, address) <= 25
    other = staff_of(make_study(slug="other"))
    assert "asks no aspects or reasons" in text(alice.get(reverse("aspects", args=[other.slug])))


def test_the_graph_of_a_topic_by_an_aspect_is_what_was_said_of_it(study):
    """Its edges and ties, counted from the ledger, whatever was preferred in all."""
    topic = study.topics.get(name="t1")
    page = text(logged_in("bob").get(f"/studies/{study.slug}/topics/{topic.pk}/?aspect=Correct"))
    said = Judgment.objects.counting().filter(topic=topic, details__aspects__has_key="Correct")
    tied = sum(one.details["aspects"]["Correct"] == 0 for one in said)
    picture = explanation.graph_picture(study, topic, 1, "Correct")
    assert sum(line.ties for line in picture.lines) == tied
    assert sum(line.for_first + line.for_second for line in picture.lines) == said.count() - tied > 0
    assert "What people said of Correct, whichever they preferred in all." in page
    assert picture.lines != explanation.graph_picture(study, topic).lines
