"""The page of scores by topic: what it says first, its scale, its orders, and the drawer of one topic."""

import re

import pytest
from django.urls import reverse

from collection.models import Membership, Run, Study, Topic
from scoring import jobs
from scoring.models import StoredScores
from scoring.scores import score_rows
from tests.judging.organizing import account, logged_in, queries, text
from tests.makers import finish
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import show, with_runs
from web.coordinator.topic import drawer
from web.coordinator.topic.scores_page import cells

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Four topics in two groups, judged to their end; three runs; the last ranks backwards."""
    study = with_runs(topics=4, runs=3)
    for topic, group in zip(study.topics.order_by("name"), ("tea", "tea", "milk", "milk"), strict=True):
        Topic.objects.filter(pk=topic.pk).update(groups={"drink": group}, description=f"About {group}.")
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def ids() -> dict[str, int]:
    return dict(Run.objects.values_list("name", "pk"))


def there(study, query=""):
    return reverse("leaderboard-topics", args=[study.slug]) + query


def gaps(first: str, second: str) -> dict[str, float]:
    names = Topic.objects.order_by("name").values_list("name", flat=True)
    values = {t: [stored.value(run, "pgc", 0.95, t) or 0.0 for run in (first, second)] for t in names}
    return {topic: one - other for topic, (one, other) in values.items()}


@pytest.mark.parametrize("pins", [[], ["run-2", "run-0"]])
def test_it_says_first_what_separates_the_pinned_runs_or_the_first_two(alice, study, pins):
    first, second = pins or ["run-0", "run-1"]
    own = gaps(first, second)
    widest = max(own.values(), key=abs)
    if not pins:
        means = {run: sum(gaps(run, "run-2").values()) for run in ("run-0", "run-1", "run-2")}
        assert sorted(means, key=lambda run: -means[run])[:2] == [first, second]
    said = show(alice, study, "leaderboard-topics", f"?pin={','.join(str(ids()[run]) for run in pins)}")
    gap = re.escape(f"{widest:+.3f}".replace("-", chr(0x2212)))
    assert re.search(rf"{first} and {second} differ most on t\d.* {gap}", said)


def test_topics_can_be_ordered_by_what_separates_two_runs(alice):
    study = with_runs(topics=3, runs=2)
    pins = [study.runs.get(name=name).pk for name in ("run-0", "run-1")]
    for topic, values in zip(
        study.topics.order_by("name"), ([0.5, 0.4], [0.2, 0.9], [0.6, 0.3]), strict=True
    ):
        one = score_rows.TopicScores([("pgc", "p=0.95")], pins, [values])
        StoredScores.objects.create(topic=topic, **one.packed())
    html = alice.get(there(study, f"?pin={pins[0]},{pins[1]}&sort=gap")).content.decode()
    assert re.findall(r'class="opens"[^>]*>(t\d)<', html) == ["t2", "t3", "t1"]
    assert "<strong>first two farthest apart</strong>" in html
    assert 'sort=hard">hardest first</a>' in html


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("?columns=name", ["run-0", "run-1", "run-2"]),
        ("?columns=pins&pin={run-2}", ["run-2", "run-0", "run-1"]),
        ("?pin={run-2}", ["run-0", "run-1", "run-2"]),
    ],
)
def test_runs_stand_in_the_order_that_is_chosen_and_bear_their_pins(alice, study, query, order):
    html = alice.get(there(study, query.format(**ids()))).content.decode()
    assert re.findall(r'<span class="said-run" dir="auto">([^<]+)<', html) == order
    heads = re.findall(r'<th scope="col" class="pin-1"><a[^>]* title="([^"]+)"', html)
    assert heads == (["run-2"] if "pin=" in query else [])


def test_a_group_narrows_rows_and_sentence(alice, study):
    html = alice.get(there(study, "?group=drink:milk")).content.decode()
    assert re.findall(r'class="opens"[^>]*>(t\d)<', html) == ["t3", "t4"]
    verdict = re.findall(r'class="answer verdict.*?</p>', html, re.S)[0]
    assert "t3" in verdict
    assert not re.search(r"\bt[12]\b", verdict)


def test_the_scale_ends_above_the_highest_score_and_absent_is_hatched(alice, study):
    topic, runs = study.topics.get(name="t2"), study.runs.order_by("name")
    html = alice.get(there(study)).content.decode()
    values = [stored.value(run.name, "pgc", 0.95, t.name) for run in runs for t in study.topics.all()]
    end = re.search(r"</i></span> (\d\.\d\d)</span>", html)
    assert end
    assert 0 <= float(end[1]) - max(values) < 0.05 + 1e-9
    begin = re.search(r"(\d\.\d\d) <span class=\"ramp\">", html)
    assert begin
    assert 0 <= min(values) - float(begin[1]) < 0.05 + 1e-9
    # What the legend explains is there.
    assert ("nothing judged yet" in html) == ('<td class="none">' in html)
    line = type("Line", (), {"values": [None, 0.0, 0.29, 0.3]})
    assert re.findall(r'<td class="([^"]+)">', cells(line, 0.0, 0.3)) == ["none", "h0", "h9", "h9 best"]
    line = type("Line", (), {"values": [0.2, 0.249, 0.3]})
    assert re.findall(r'<td class="([^"]+)">', cells(line, 0.2, 0.3)) == ["h0", "h4", "h9 best"]
    assert topic.name in html


def test_a_topic_opens_in_a_drawer_by_its_address(alice, study):
    topic = study.topics.get(name="t3")
    pin = ids()["run-2"]
    html = alice.get(there(study, f"?pin={pin}&topic={topic.pk}&sort=hard")).content.decode()
    shown = html[html.index('<aside class="drawer"') :]
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown))
    assert topic.text in said
    assert "About milk." in said
    assert "Drink milk" in said
    assert "Round 1" in said
    value = stored.value("run-2", "pgc", 0.95, "t3")
    place = 1 + sum(stored.value(run, "pgc", 0.95, "t3") > value for run in ("run-0", "run-1"))
    assert f"run-2 {value:.3f} {place} of 3" in said
    names = re.findall(r"<bdi>([^<]+)</bdi></a></th>", shown.partition("</table>")[0])
    assert names == ["run-2", "run-0", "run-1"]  # so few are all listed, the pinned one first
    first, second, third = sorted(names, key=lambda run: (stored.value(run, "pgc", 0.95, "t3"), run))
    assert f"Thick, from the left: {first}, {second} and {third}." in said
    assert "The best stand at the top;" in said
    assert f'href="{reverse("topic", args=[study.slug, topic.pk])}?run={pin}' in shown
    assert re.search(r'class="close" href="\?pin=\d+&amp;sort=hard"', shown)
    assert f"pin={pin}" in re.findall(r'<img src="([^"]+)"', shown)[0]
    assert re.search(
        rf'<tr class="open">\s*<th[^>]*title="t3[^<]*<a[^>]*topic={topic.pk}" aria-current="true"', html, re.S
    )


def test_without_pins_the_drawer_has_the_first_two_runs_of_many(alice, study, monkeypatch):
    monkeypatch.setattr(drawer, "FEW_RUNS", 2)
    html = alice.get(there(study, f"?topic={study.topics.first().pk}")).content.decode()
    rows = html[html.index('<aside class="drawer"') :].partition("</table>")[0]
    assert re.findall(r"<bdi>([^<]+)</bdi></a></th>", rows) == ["run-0", "run-1"]


def test_the_drawer_alone_is_asked_for_by_the_page(alice, study):
    topic = study.topics.first()
    part = alice.get(there(study, f"?pin=&topic={topic.pk}&part=drawer"))
    assert part.content.decode().strip().startswith('<aside class="drawer"')
    assert "part=drawer" not in part.content.decode()
    assert alice.get(there(study, "?part=drawer")).status_code == 404
    other = with_runs(topics=1)
    foreign = there(study, f"?topic={other.topics.get().pk}")
    assert '<aside class="drawer"' not in alice.get(foreign).content.decode()
    assert alice.get(f"{foreign}&part=drawer").status_code == 404


def test_viewers_are_not_led_to_judgments(study):
    Membership.objects.create(study=study, user=account("zoe"), role="viewer")
    shown = text(logged_in("zoe").get(there(study, f"?topic={study.topics.first().pk}")))
    assert "Whole page of this topic" in shown
    assert "Judgments one by one" not in shown


def test_the_drawer_takes_as_many_queries_for_a_large_study_as_for_a_small(alice):
    counts = []
    for topics, runs, items in ((1, 2, 3), (5, 6, 9)):
        study = with_runs(topics=topics, runs=runs, items=items)
        finish(study)
        jobs.sweep()
        address = there(study, f"?topic={study.topics.first().pk}&part=drawer")
        queries(alice, address)
        counts.append(queries(alice, address))
    assert counts[0] == counts[1]
