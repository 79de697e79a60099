"""The page of a run: topics, costs, neighbours, judged items against plain versions; who sees what."""

import re
from statistics import median

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection.material.levels import levels
from collection.models import Item, Membership, Run, Study, Topic
from collection.presets import ANSWERS, PRESETS
from collection.study import lifecycle
from judging import ledger
from prefir.measures import compatibility, pgc
from scoring import jobs
from scoring.analysis import all_pairs, run_profile, system_maps
from scoring.analysis.item_costs import DEEPEST, MOST, TOP, item_costs
from scoring.board import history, leaderboard, standings
from scoring.scores.topic_scores import graph_of
from tests.judging.organizing import account, logged_in, queries, text
from tests.makers import add_items, add_run, finish, study_with, whim
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import judge, with_runs
from tests.web.printed import page_sizes
from tournament import services
from web.coordinator.run import run_page
from web.coordinator.run.sparkline import sparkline
from web.shared import pdf

pytestmark = pytest.mark.django_db
P = 0.95


def made(topics: int = 6, runs: int = 4) -> Study:
    """Judged to its end by whims, so that scores differ; `odd` puts what nobody judged first."""
    study = with_runs(topics=topics, runs=runs)
    odd = {
        t.name: [f"{t.name}-junk0", f"{t.name}-c", f"{t.name}-a", f"{t.name}-b"] for t in study.topics.all()
    }
    add_run(study, "odd", odd)
    finish(study, choose=whim)
    jobs.sweep()
    return study


@pytest.fixture(scope="module")
def judged(module_data):
    return made().pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def show(client, study, run, query=""):
    return client.get(reverse("run-page", args=[study.slug, run.pk]) + query)


def plain_costs(study, topic, run, measure):
    """Every swap by two loops, each scored by the measure of the library for one ranking."""
    rows = run.placements.filter(topic=topic).order_by("rank")
    ranking = list(rows.values_list("item__docno", flat=True))
    graph = graph_of(ledger.given(topic.pk).scored(kept_only=False))
    graded = levels(topic.pk)
    known = set(graph.nodes) | (set(graded) if measure == "compatibility" else set())

    def score(one):
        return pgc(one, graph, p=P) if measure == "pgc" else compatibility(one, graded, p=P)

    found = []
    for i in range(min(TOP, len(ranking))):
        gains = []
        for j in range(i + 1, min(DEEPEST, len(ranking))):
            if ranking[j] in known:
                other = list(ranking)
                other[i], other[j] = other[j], other[i]
                gains.append((score(other) - score(ranking), -j))
        if gains and max(gains)[0] > 0.0005:
            found.append((max(gains)[0], i + 1, ranking[i]))
    return sorted(found, key=lambda one: (-one[0], one[1]))[:MOST]


@pytest.mark.parametrize("measure", ["pgc", "compatibility"])
def test_costs_are_what_every_swap_by_itself_would_gain(study, measure):
    some = 0
    for topic in study.topics.all():
        for run in Run.objects.filter(study=study):
            found = item_costs(study, topic, run, measure, P)
            plain = plain_costs(study, topic, run, measure)
            assert [one.cost for one in found] == pytest.approx([cost for cost, _, _ in plain], abs=1e-9)
            assert [(one.rank, one.docno) for one in found] == [(rank, docno) for _, rank, docno in plain]
            some += len(found)
    assert some > 10


def test_a_cost_tells_the_judgments_between_both_items(study):
    graphs = {t.pk: graph_of(ledger.given(t.pk).scored(kept_only=False)) for t in study.topics.all()}
    run = Run.objects.get(study=study, name="odd")
    found = [(t, one) for t in study.topics.all() for one in item_costs(study, t, run, "pgc", P)]
    assert found
    for topic, one in found:
        assert one.lost == graphs[topic.pk].times(one.better, one.docno)
        assert one.won == graphs[topic.pk].times(one.docno, one.better)
        assert one.is_judged == (one.docno in graphs[topic.pk].nodes)
        assert one.rank < one.better_rank
    assert not all(one.is_judged for _, one in found)


def test_topics_are_held_against_the_median_of_the_other_runs(study):
    runs = dict(Run.objects.filter(study=study).values_list("name", "pk"))
    some = [0, 0]
    for name in runs:
        found = run_profile.profile(study, Run.objects.get(pk=runs[name]), "pgc", P, whole=False)
        gaps = {}
        for topic in study.topics.all():
            middle = median(stored.value(other, "pgc", P, topic.name) for other in runs if other != name)
            gaps[topic.pk] = stored.value(name, "pgc", P, topic.name) - middle
        above = sorted((gap for gap in gaps.values() if gap > 0), reverse=True)
        below = sorted(gap for gap in gaps.values() if gap < 0)
        # Of a run that is never below it: further topics, those where it is least above.
        below = below or sorted(gaps.values())[: max(0, len(gaps) - run_profile.TOPICS)]
        assert [one.gap for one in found.best] == pytest.approx(above[: run_profile.TOPICS])
        assert [one.gap for one in found.worst] == pytest.approx(below[: run_profile.TOPICS])
        assert {one.topic: one.gap for one in (*found.best, *found.worst)}.items() <= gaps.items()
        assert found.higher == len(above)
        some = [some[0] + len(above), some[1] + len(below)]
    assert min(some) > 5


def test_neighbours_are_the_runs_that_the_page_of_all_pairs_does_not_tell_apart(study):
    for run in Run.objects.filter(study=study):
        found = run_profile.profile(study, run, "pgc", P, whole=None)
        pairs = all_pairs.compare(study, "pgc", P, None)
        others = [other for other in pairs.runs if other != run.pk and not pairs.sure(run.pk, other)]
        assert {one.run for one in found.neighbours} == set(others)
        distances = [abs(one.difference) for one in found.neighbours]
        assert distances == sorted(distances)


def test_judged_items_are_counted_by_the_graphs(study):
    run = Run.objects.get(study=study, name="odd")
    found = run_profile.profile(study, run, "pgc", P, whole=None).judged
    judged = graded = every = 0
    for topic in study.topics.all():
        nodes = set(graph_of(ledger.given(topic.pk).scored(kept_only=False)).nodes)
        for docno in run.placements.filter(topic=topic, rank__lte=20).values_list("item__docno", flat=True):
            every += 1
            judged += docno in nodes
            graded += docno not in nodes
    assert (found.items, found.judged, found.graded) == (every, judged, graded)
    assert judged
    assert graded


def test_the_page_says_the_answer_first_and_names_copies(study, alice):
    run = Run.objects.get(study=study, name="odd")
    for item in Item.objects.filter(topic__study=study, docno__in=["t1-a", "t1-b"]):
        Item.objects.filter(pk=item.pk).update(text="The same  words")
    cache.clear()
    page = text(show(alice, study, run))
    said = re.search(r"Ranks? [\d to]+ of 5\.", page)
    assert said
    assert said.start() < page.index("Best and worst topics") < page.index("Items that cost most")
    assert "1 is a copy of one that stands higher on the same topic: t1 : t1-b" in page
    # Of four a topic none is at rank 20.
    assert "Of its 24 items at ranks 1 to 20 on these topics," in page


def test_the_page_names_the_runs_near_it_by_means_and_by_rankings(study, alice):
    names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    near = {pk: run_profile.profile(study, Run(pk=pk), "pgc", P, None).neighbours for pk in names}
    some = max(near, key=lambda pk: len(near[pk]))
    response = show(alice, study, Run(pk=some))
    assert [one.name for one in response.context["near"]] == [names[one.run] for one in near[some]]
    assert f"?a={some}&amp;b={near[some][0].run}" in response.content.decode()
    if len(near[some]) == 1:
        assert f"It does not differ significantly from {names[near[some][0].run]}." in text(response)
    else:
        assert f"It does not differ significantly from {len(near[some])} of the 4 others" in text(response)
    assert {one.name for one in response.context["nearest"]} == {*names.values()} - {names[some]}


@pytest.mark.parametrize("query", ["?measure=compatibility&p=0.8&topics=all", "?measure=none&p=7&topics=x"])
def test_the_page_follows_what_other_pages_hand_on(study, alice, query):
    run = Run.objects.get(study=study, name="run-1")
    response = show(alice, study, run, query)
    assert response.status_code == 200
    title = "compatibility" if "compat" in query else "PGC"
    assert f"Its mean {title} is" in text(response)


def test_queries_do_not_grow_and_are_few_once_computed(alice):
    small, large = made(topics=6, runs=3), made(topics=9, runs=6)
    counts = []
    for study in (small, large):
        run = Run.objects.get(study=study, name="odd")
        show(alice, study, run)
        counts.append(queries(alice, reverse("run-page", args=[study.slug, run.pk])))
    assert counts[0] == counts[1] <= 18


def test_queries_of_the_first_look_do_not_grow_with_topics_or_runs():
    counts = []
    for study in (made(topics=12, runs=3), made(topics=15, runs=6)):
        run = Run.objects.get(study=study, name="odd")
        cache.clear()
        with CaptureQueriesContext(connection) as found:
            profile = run_profile.profile(study, run, "pgc", P, whole=None)
        assert len(profile.costs) == run_profile.TOPICS
        counts.append(len(found))
    assert counts[0] == counts[1] <= 70


def test_the_line_goes_through_the_means_of_the_standings_and_is_named(alice):
    study = with_runs(topics=3, runs=3)
    means = []
    run = Run.objects.get(study=study, name="run-1")
    for _ in range(3):
        judge(study)
        standings.write(study)
        mean = next(row.means["pgc"] for row in leaderboard.board(study, P).rows if row.run_id == run.pk)
        means.append(mean.value)
    drawn = sparkline(study, run, 3, "pgc", P, every=False)
    assert drawn is not None
    assert (drawn.first, drawn.last) == (means[0], means[-1])
    assert (drawn.lowest, drawn.highest) == (min(means), max(means))
    assert drawn.path.count("L") == len(history.numbers(study)) - 1
    shown = text(alice.get(reverse("run-page", args=[study.slug, run.pk])))
    assert f"Its PGC as judgments came {drawn.first:.3f} at first {drawn.last:.3f} now" in shown
    assert f"Across: {drawn.judgments} judgments added since its first score." in shown


def test_the_leaderboard_leads_to_the_page(study, alice):
    run = Run.objects.get(study=study, name="run-0")
    address = reverse("run-page", args=[study.slug, run.pk])
    assert f'href="{address}?p=0.95"' in alice.get(f"/studies/{study.slug}/leaderboard/").content.decode()


@pytest.fixture
def erin(study):
    """A participant, whose run is run-1."""
    own = Run.objects.get(study=study, name="run-1")
    lifecycle.set_member(study.pk, account("erin").pk, Membership.Role.PARTICIPANT, [own])
    return logged_in("erin")


def test_a_participant_opens_the_page_of_their_own_run_alone(study, erin):
    for run in Run.objects.filter(study=study):
        assert show(erin, study, run).status_code == (200 if run.name == "run-1" else 403)
    # Whether there is such a run is not told either.
    assert erin.get(reverse("run-page", args=[study.slug, 10**9])).status_code == 403


def test_a_participants_page_names_no_other_run_and_links_to_what_they_may_see(study, erin):
    own = Run.objects.get(study=study, name="run-1")
    for run in Run.objects.filter(study=study).exclude(pk=own.pk):
        Run.objects.filter(pk=run.pk).update(name=f"secretrun{run.pk}")
    for query in ("", "?measure=compatibility&topics=all"):
        response = show(erin, study, own, query)
        page = response.content.decode()
        assert "Best and worst topics" in page
        assert "secretrun" not in page
        assert "rank 1" not in response.context["answer"][0]
        found = response.context["found"]
        assert (found.neighbours, found.beaten) == ([], {})
        assert "near" not in response.context
        assert "nearest" not in response.context
        links = set(re.findall(r'href="(/studies/[^"?#]*)', page))
        assert links
        assert {link: erin.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_a_participants_medians_are_those_of_their_other_page(study, erin):
    own = Run.objects.get(study=study, name="run-1")
    found = show(erin, study, own, "?topics=all").context["found"]
    shown = {
        topic.pk: middle for topic, _, middle, _ in erin.get(f"/studies/{study.slug}/own/").context["lines"]
    }
    assert found.best
    for one in (*found.best, *found.worst):
        assert one.middle == shown[one.topic]


def test_where_few_others_have_scores_a_participant_gets_no_median():
    study = made(topics=2, runs=2)
    own = Run.objects.get(study=study, name="run-1")
    lifecycle.set_member(study.pk, account("erin").pk, Membership.Role.PARTICIPANT, [own])
    page = text(show(logged_in("erin"), study, own))
    assert "There is no median where fewer than 3 runs besides yours have a score" in page
    assert "Best 95" not in page


def test_a_participants_page_leads_to_their_runs_and_back(study, erin):
    own = Run.objects.get(study=study, name="run-1")
    address = reverse("run-page", args=[study.slug, own.pk])
    assert address in erin.get(f"/studies/{study.slug}/own/").content.decode()


def test_models_are_shown_what_beat_them_and_their_win_rate_by_category(alice):
    study = study_with(name="Models", slug="models", batch_challenges=0, **PRESETS[ANSWERS])
    Membership.objects.create(study=study, user=account("alice"), role=Membership.Role.ORGANIZER)
    for n in range(8):
        topic = Topic.objects.create(
            study=study, name=f"p{n}", text=f"Why {n}?", groups={"category": "ab"[n % 2]}
        )
        add_items(topic, {f"{model}-{n}": None for model in ("ape", "bat", "cat")})
    for model in ("ape", "bat", "cat"):
        add_run(study, model, {f"p{n}": [f"{model}-{n}"] for n in range(8)})
    services.start(study.pk)
    # In the order of the alphabet, so that cat loses to both everywhere.
    finish(study)
    jobs.sweep()
    cat = Run.objects.get(study=study, name="cat")
    found = run_profile.profile(study, cat, "win_rate", study.persistence, whole=None)
    assert [one.value for one in found.worst] == [0.0] * 5
    assert not found.costs
    names = dict(Run.objects.values_list("pk", "name"))
    for beaten in found.beaten.values():
        assert {names[run] for one in beaten for run in one.runs} == {"ape", "bat"}
        assert all(one.won == 0 < one.lost for one in beaten)
    assert [(one.name, one.topics, one.mean, one.middle) for one in found.groups["category"]] == [
        ("a", 4, 0.0, 0.75),
        ("b", 4, 0.0, 0.75),
    ]
    topics = [study.topics.get(pk=one.topic).name for one in found.worst]
    for item in Item.objects.filter(topic__study=study):
        Item.objects.filter(pk=item.pk).update(text=f"What {item.docno} answers")
    page = text(show(alice, study, cat))
    for name in topics:
        n = name.removeprefix("p")
        assert page.count(f"“What cat-{n} answers”") == 1
        assert f"“What ape-{n} answers”" in page
    assert "Rank 3 of 3." in page
    assert "Prompts lost by most" in page
    assert "Lost 0 to 1 against ape" in page
    assert "run" not in page.split("Best and worst prompts")[1].split("Its answers")[0]


def test_the_report_is_the_page_on_a4_and_a_participants_names_no_other_run(study, erin, alice, monkeypatch):
    monkeypatch.setattr(pdf, "WAIT_SECONDS", None)
    own = Run.objects.get(study=study, name="run-1")
    for run in Run.objects.filter(study=study).exclude(pk=own.pk):
        Run.objects.filter(pk=run.pk).update(name=f"secretrun{run.pk}")
    request = RequestFactory().get("/", {"p": "0.9"})
    request.user = account("erin")
    mine = run_page.paper(run_page.run_told(request, study, own.pk, [own.pk]))
    assert "secretrun" not in mine
    assert "Best and worst topics" in mine
    address = reverse("run-report", args=[study.slug, own.pk])
    for client in (erin, alice):
        response = client.get(address)
        assert {*page_sizes(response.content)} == {(595, 842)}
        assert response["Content-Disposition"] == f'inline; filename="{study.slug}-run-1.pdf"'
    for run in Run.objects.filter(study=study).exclude(pk=own.pk):
        assert erin.get(reverse("run-report", args=[study.slug, run.pk])).status_code == 403


def test_a_viewer_is_led_only_to_what_they_may_see(study):
    Membership.objects.create(study=study, user=account("vera"), role=Membership.Role.VIEWER)
    vera = logged_in("vera")
    page = show(vera, study, Run.objects.get(study=study, name="odd")).content.decode()
    assert "Items that cost most" in page
    links = set(re.findall(r'href="(/studies/[^"?#]*)', page))
    assert any("/runs/" in link for link in links)
    found = {link: vera.get(link).status_code for link in links if not link.endswith(".pdf")}
    assert found == dict.fromkeys(found, 200)


def test_the_page_looks_again_while_rankings_are_compared(study, alice, monkeypatch):
    cache.clear()
    monkeypatch.setattr(system_maps, "AT_ONCE", 0)
    run = Run.objects.get(study=study, name="run-1")
    first = show(alice, study, run)
    assert first["Retry-After"] == "3"
    assert "Rankings are being compared. It waits for its turn. It appears here by itself" in text(first)
    system_maps.MAPS.job(study.pk)
    later = show(alice, study, run)
    assert not later.has_header("Retry-After")
    assert "Rankings are being compared" not in text(later)


def test_of_a_run_that_is_never_below_the_median_the_nearest_topics_are_shown(alice):
    """The run that ranks as people prefer is never below the median; the one that ranks backwards is."""
    study = with_runs(topics=7, runs=3)
    finish(study)
    jobs.sweep()
    best, last = (study.runs.get(name=name) for name in ("run-0", "run-2"))
    page = text(alice.get(reverse("run-page", args=[study.slug, best.pk])))
    assert "It is above the median of the other runs on 7 of 7 topics. Topic" in page
    assert "Nearest to the median" in page
    assert "Worst" not in page.split("Best and worst")[1]
    page = text(alice.get(reverse("run-page", args=[study.slug, last.pk])))
    assert "below it on none" not in page
    assert "Nearest to the median" not in page


def test_the_page_shows_where_the_run_is_among_all(alice, study):
    run = study.runs.get(name="odd")
    html = alice.get(reverse("run-page", args=[study.slug, run.pk])).content.decode()
    strip = re.findall(r'<svg class="strip".*?</svg>', html, re.S)[0]
    means = {row.run_id: row.means["pgc"] for row in leaderboard.board(study, 0.95).rows}
    values, own = [one.value for one in means.values()], means[run.pk]
    low, high = min(*values, own.low), max(*values, own.high)

    def at(value):
        return f"{99 * (value - low) / (high - low):.1f}"

    assert f'class="own" x="{at(own.value)}"' in strip
    assert f'class="possible" x="{at(own.low)}"' in strip
    assert f'class="possible" x="{at(median(values))}"' in strip
    # Its own line and the median are named where they stand.
    said = dict(re.findall(r'<text x="([\d.]+)%" [^>]*>([^<]+)</text>', html))
    assert said[at(own.value)] == f"this run {own.value:.3f}"
    assert f"median {median(values):.3f}" in said.values()
    # Those of the others, this one's, its interval and the median.
    assert strip.count("<rect") == len(means) + 2
