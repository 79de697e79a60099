"""The page of a topic: its graph, runs beside their ideals, and the judgments, by who may see them."""

import re
from urllib.parse import urlencode

import pytest
from django.core.files.base import ContentFile
from django.http import QueryDict
from django.urls import reverse

from collection.models import Grade, Item, Membership, Placement, Run, Study, Topic
from judging.assessor_names import assessor_name
from judging.batches import answering
from judging.models import Judgment
from judging.people import person_names
from judging.verdicts import decisions
from scoring import jobs
from scoring.analysis.doubtful_judgments import DOUBTS
from scoring.board import leaderboard
from scoring.compute.score_breakdown import WITH_PARTS
from tests.judging import picking
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.makers import add_run, answer, finish, invite, make_study, open_study, sit, whim
from tests.plots.reading import words
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.topic import preference_graph
from web.shared.typesetting import first_words

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Two topics, judged by whim to their end; three runs, and one of what nobody judged."""
    study = with_runs(topics=2, runs=3)
    add_run(study, "odd", {t.name: [f"{t.name}-junk0", f"{t.name}-b"] for t in Topic.objects.all()})
    finish(study, choose=whim)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def viewer(study):
    Membership.objects.create(study=study, user=account("vera"), role=Membership.Role.VIEWER)
    return logged_in("vera")


def of_topic(study, name="topic", n=0, **asked) -> str:
    address = reverse(name, args=[study.slug, study.topics.order_by("pk")[n].pk])
    return f"{address}?{urlencode(asked, doseq=True)}" if asked else address


def page(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_the_first_two_runs_stand_beside_their_ideals(alice, study):
    board = re.findall(r'id="run-[123]".*?selected>([^<]+)<', page(alice, of_topic(study)))
    led = [row.run_id for row in leaderboard.board(study, 0.95).rows]
    names = dict(Run.objects.values_list("pk", "name"))
    assert board == [names[run] for run in led[:2]]


@pytest.mark.parametrize("measure", ["pgc", "compatibility"])
def test_the_page_shows_the_score_of_the_leaderboard(alice, study, measure):
    odd = Run.objects.get(name="odd")
    shown = page(alice, of_topic(study, run=[odd.pk], measure=[measure], p=[0.8]))
    value = stored.value("odd", measure, 0.8, "t1")
    assert re.findall(r'<span class="score">([^<]+)<', shown) == [f"{value:.3f}"]
    assert "of its first 2 items is unjudged" in shown or "of its first 2 items are unjudged" in shown
    assert f'href="#ideal-{odd.pk}-' in shown


def test_runs_pinned_on_the_leaderboard_come_first(alice, study):
    """They come with the scores topic by topic, whose drawer hands them on."""
    pinned = Run.objects.get(name="odd").pk
    scores = page(
        alice,
        reverse("leaderboard-topics", args=[study.slug])
        + f"?run={pinned}&topic={study.topics.get(name='t1').pk}",
    )
    (link, *_) = re.findall(rf'href="(/studies/{study.slug}/topics/\d+/\?[^"]+)"', scores)
    shown = page(alice, link.replace("&amp;", "&"))
    assert re.findall(r'<span class="score">', shown) == ['<span class="score">']
    assert f'<option value="{pinned}" selected>' in shown


def test_comparing_leads_here_with_both_runs(alice, study):
    first, second = Run.objects.order_by("pk")[:2]
    asked = f"?a={first.pk}&b={second.pk}&measure=compatibility&p=0.8"
    compared = page(alice, reverse("compare", args=[study.slug]) + asked)
    (link, *_) = re.findall(rf'href="(/studies/{study.slug}/topics/\d+/\?[^"]+)"', compared)
    shown = page(alice, link.replace("&amp;", "&"))
    assert re.findall(r'id="run-[123]".*?selected>([^<]+)<', shown) == [first.name, second.name]
    assert '<option value="compatibility" selected>' in shown
    assert '<option value="0.8" selected>' in shown


def test_the_graph_is_drawn_and_told(alice, study):
    shown = page(alice, of_topic(study))
    assert "judged pair" in shown
    (src,) = {s.replace("&amp;", "&") for s in re.findall(r'src="([^"]+graph\.svg[^"]*)"', shown)}
    drawn = alice.get(src)
    assert drawn.status_code == 200
    nodes = {item for pair in _judged(study) for item in pair}
    assert {str(n) for n in range(1, len(nodes) + 1)} <= set(words(drawn.content))
    assert alice.get(src.replace("graph.svg", "graph.pdf")).content.startswith(b"%PDF")


def _judged(study, n=0):
    topic = study.topics.order_by("pk")[n]
    rows = Judgment.objects.counting().filter(topic=topic)
    return {tuple(row.question.subject_ids) for row in rows.select_related("question")}


@pytest.mark.parametrize("asked", ["part=99", "part=x", "part=-1", "p=nan", "run=7&run=x"])
def test_odd_addresses_get_the_page(alice, study, asked):
    assert alice.get(of_topic(study) + f"?{asked}").status_code == 200


@pytest.mark.parametrize("asked", ["", "topic=0", "topic=x", f"topic={'9' * 30}"])
def test_a_graph_of_no_topic_is_not_there(alice, study, asked):
    address = reverse("figure-svg", args=[study.slug, "graph"])
    assert alice.get(f"{address}?{asked}").status_code == 404


def test_a_graph_of_another_study_is_not_there(alice, study):
    other = make_study()
    address = reverse("figure-svg", args=[study.slug, "graph"])
    assert alice.get(f"{address}?topic={other.topics.get().pk}").status_code == 404


def test_a_coordinator_reads_who_judged_a_pair_when_and_for_how_long(study):
    row = Judgment.objects.counting().select_related("question", "assignment__assessor").first()
    a, b = row.question.subject_ids
    topic = list(study.topics.order_by("pk").values_list("pk", flat=True)).index(row.topic_id)
    shown = text(logged_in("bob").get(of_topic(study, "topic-judgments", topic, a=[a], b=[b])))
    own = row.assignment.assessor
    [name] = person_names.names(study, [own.pk], labels=False).values()
    assert name in shown
    left, right = (pk if row.shown != "10" else other for pk, other in ((a, b), (b, a)))
    first, second = (named(Item.objects.get(pk=pk)) for pk in (left, right))
    said = {1: f"{first} {second} left", -1: f"{second} {first} right", 0: "tie"}[row.value]
    # They are not its organizer, to whom alone the name is a link.
    line = f"{said} {name} "
    assert re.search(rf"{re.escape(line)}[\d.]+ ", shown) or row.seconds is None
    assert line in shown


def named(item):
    """An item as a line of judgments names it."""
    return first_words(item.text, item.docno, item.topic.study, 110)


def test_a_pair_has_its_own_judgments_alone(alice, study):
    for pair in _judged(study):
        shown = page(alice, of_topic(study, "topic-judgments", a=[pair[0]], b=[pair[1]]))
        rows = Judgment.objects.filter(question__key=" ".join(map(str, pair)))
        assert shown.count("data-judgment") == rows.count()
        times = dict.fromkeys(pair, 0)
        for row in rows.filter(role="counts", value__in=(1, -1)):
            left, right = (pair[0], pair[1]) if row.shown != "10" else (pair[1], pair[0])
            times[left if row.value == 1 else right] += 1
        best, least = max(times.values()), min(times.values())
        preferred = Item.objects.get(pk=max(times, key=lambda pk: times[pk]))
        name = first_words(preferred.text, preferred.docno, study)
        said = "Neither is preferred: " if best == least else f"“{name}” is preferred, "
        ties = rows.filter(role="counts", value=0).count()
        tied = f", {ties} tie{'s' * (ties > 1)}" if ties else ""
        assert f"{said}{best} to {least}{tied}." in re.sub(r"</?span[^>]*>", "", shown)


def test_pairs_with_doubtful_judgments_come_first_with_their_totals(alice, study):
    doubts = DOUBTS.now(study)
    topic = study.topics.order_by("pk").first()
    shown = alice.get(of_topic(study, "topic-judgments")).context["groups"]
    marked = [any(line.doubtful for line in group.lines) for group in shown]
    assert marked == sorted(marked, reverse=True)
    assert sum(line.doubtful for group in shown for line in group.lines) == len(doubts.ids[topic.pk])
    assert all(line.doubtful == bool(line.against) for group in shown for line in group.lines)
    for group in shown:
        votes = [line for line in group.lines if not line.left_out]
        for one in group.items:
            assert one.preferred == sum(line.chosen == one.item for line in votes)
        assert sum(one.preferred for one in group.items) + group.ties == len(votes)
    assert [one.preferred for one in shown[0].items] == sorted(
        (one.preferred for one in shown[0].items), reverse=True
    )


def test_a_viewer_sees_the_topic_without_people_or_seconds(study):
    vera = viewer(study)
    shown = page(vera, of_topic(study))
    people = {assessor_name(p.panel, p.label, p.pk) for p in study.assessors.all()}
    assert people
    assert not any(re.search(rf"\b{name}\b", shown) for name in people)
    assert "/judgments/" not in shown
    assert "/items/" not in shown
    assert "In view" not in shown
    topic = study.topics.first()
    for address in (
        of_topic(study, "topic-judgments"),
        reverse("data-item", args=[study.slug, topic.items.first().pk]),
    ):
        assert vera.get(address).status_code == 403


def test_what_does_not_count_is_shown_as_such(alice):
    study = staff_of(open_study(make_study(topics=1, batch_pairs=3, batch_challenges=1)))
    kept, out = sit(invite(study)), sit(invite(study))
    # Two, of which one at least is no challenge.
    answer(answering.arrive(invite(study).pk), most=2)
    decisions.exclude(out.assessor_id, "guesses", by="alice")
    shown = text(alice.get(of_topic(study, "topic-judgments")))
    for state in ("assessor excluded", "challenge"):
        assert f"not counted: {state}" in shown
    assert kept.state == "kept"
    # The first number is the one of the leaderboard; what is listed besides has its own.
    given = Judgment.objects.current().filter(topic__study=study)
    counted = given.counting().values_list("question", flat=True)
    challenges = given.filter(role="challenge").count()
    others = given.filter(role="counts").count() - len(counted)
    assert f"{len(counted)} judgments of {len(set(counted))} pairs, none doubtful." in shown
    besides = f"{challenges} answers to challenges and {others} of batches or people left out"
    assert f"Listed too, and not counted: {besides}." in shown
    uncounted = given.values("question").distinct().count() - len(set(counted))
    have = "1 pair has" if uncounted == 1 else f"{uncounted} pairs have"
    assert f"{have} no judgment that counts." in shown
    assert others > 1
    item = Item.objects.get(pk=given.filter(role="challenge").first().question.subject_ids[0])
    about = given.filter(question__subjects__item=item)
    out = about.count() - about.counting().count()
    said = text(alice.get(reverse("data-item", args=[study.slug, item.pk])))
    counted = about.counting().count()
    assert (f"{counted} judgment" if counted else "No judgment of it counts") in said
    assert f"{about.count()} answers as given, {out} of them not counted" in said


def test_judgments_are_narrowed_to_one_person(alice):
    study = staff_of(open_study(make_study(topics=1, batch_pairs=3, batch_challenges=1)))
    for _ in range(2):
        sit(invite(study))
    rows = Judgment.objects.current().filter(topic=study.topics.get())
    person = rows.order_by("-pk")[0].assignment.assessor
    own = rows.filter(assignment__assessor=person)
    address = of_topic(study, "topic-judgments", person=person.pk)
    shown = page(alice, address)
    assert f'<option value="{person.pk}" selected>' in shown
    assert shown.count("data-judgment") == own.count() < rows.count()
    others = rows.values_list("assignment__assessor", flat=True).distinct()
    assert shown.count("<option") == 1 + len(set(others))
    assert "person = 0 is not known; showing those of all." in page(
        alice, of_topic(study, "topic-judgments", person="0")
    )


def test_a_topic_says_what_its_columns_mean(alice, study):
    Grade.objects.filter(item__topic__study=study).delete()
    said = text(alice.get(of_topic(study)))
    assert "the place of an item in the top" in said
    assert "as loaded; in this study" not in said
    items = Item.objects.filter(topic__study=study)[:2]
    for item, value in zip(items, (0.5, 3.0), strict=True):
        Grade.objects.create(item=item, value=value)
    assert "as loaded; in this study from 0.50 to 3, the best." in text(alice.get(of_topic(study)))


def test_an_item_opens_in_full_with_its_judgments(alice, study):
    found = Item.objects.filter(topic=study.topics.first(), docno="t1-a").get()
    Item.objects.filter(pk=found.pk).update(text="word " * 400 + "the very end")
    said = text(alice.get(reverse("data-item", args=[study.slug, found.pk])))
    assert "the very end" in said
    own = Judgment.objects.filter(question__subjects__item=found)
    assert f"{own.count()} judgments" in said
    assert own.count() > 1


def test_pictures_have_words_and_open_whole(alice):
    study = staff_of(make_study(items=4, batch_challenges=0, kind="image"))
    for item in Item.objects.filter(topic__study=study):
        item.image.save("a.jpg", ContentFile(b"not read"))
    add_run(study, "run", {"t1": ["t1-a", "t1-junk0"]})
    sit(invite(open_study(study)))
    jobs.sweep()
    shown = page(alice, of_topic(study))
    assert shown.count("/images/") > 4 or shown.count("<img") > 4
    assert all("alt=" in tag for tag in re.findall(r"<img[^>]*>", shown))
    whole = page(
        alice, reverse("data-item", args=[study.slug, Item.objects.get(docno="t1-a", topic__study=study).pk])
    )
    assert 'alt="Picture t1-a"' in whole


@pytest.mark.parametrize("stage", ["not open", "no run", "no judgment", "not scored yet"])
def test_half_finished_topics_look_intended(alice, stage):
    study = staff_of(make_study(items=4, batch_challenges=0))
    if stage != "no run":
        add_run(study, "run", {"t1": ["t1-a"]})
    if stage != "not open":
        open_study(study)
    if stage == "not scored yet":
        sit(invite(study))
    shown = page(alice, of_topic(study))
    if stage == "no run":
        assert "There are no runs yet." in shown
    if stage == "not scored yet":
        assert re.search(r'class="score">0\.\d{3}<', shown)
    else:
        assert "No pair of this topic is judged yet." in shown


def test_a_study_without_a_measure_that_has_parts_explains_pgc(alice, study):
    type(study).objects.filter(pk=study.pk).update(measures="ndcg")
    assert "pgc" in WITH_PARTS
    assert ">PGC</option>" in page(alice, of_topic(study))


def test_pages_take_as_many_queries_for_many_judgments_as_for_few(alice):
    counts = []
    for items in (3, 9):
        study = staff_of(make_study(items=items, junk=0, batch_challenges=0))
        for n in range(items):
            add_run(study, f"run{n}", {"t1": ["t1-a", "t1-b"]})
        finish(open_study(study))
        jobs.sweep()
        one = study.topics.get().items.get(docno="t1-a")
        addresses = [
            of_topic(study),
            of_topic(study, "topic-judgments"),
            reverse("data-item", args=[study.slug, one.pk]),
            reverse("figure-svg", args=[study.slug, "graph"]) + f"?topic={study.topics.get().pk}",
        ]
        for address in addresses:
            queries(alice, address)
        counts.append([queries(alice, address) for address in addresses])
    assert counts[0] == counts[1]
    assert counts[0][1:3] == [14, 14]


def test_a_round_of_many_pairs_is_shown_whole_on_request(alice):
    study = staff_of(make_study(items=80, junk=0, batch_challenges=0))
    open_study(study)
    shown = page(alice, of_topic(study))
    pairs = study.topics.get().asked
    assert pairs > 60
    assert shown.count('<span class="soft">open</span>') == 60
    assert "All 80 candidates" in shown
    assert page(alice, of_topic(study, whole=["round-1"])).count('<span class="soft">open</span>') == pairs
    assert "All 80 candidates" not in page(alice, of_topic(study, whole=["candidates"]))


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_a_pick_shows_its_grid_with_the_best_and_the_worst(alice, scale):
    study, _ = picking.pick_study(items=8, batch_size=1, batch_challenges=0, scale=scale)
    add_run(staff_of(study), "run", {"t1": ["t1-b", "t1-a"]})
    batch = picking.sit(invite(open_study(study)))
    jobs.sweep()
    grid = [item.docno for item in picking.shown(batch.batch.get())]
    expected = f"place {grid.index(min(grid)) + 1}"
    if scale == "best-worst":
        expected += f", worst {max(grid)}"
    assert f"{min(grid)} {len(grid) - 1} others {expected} – " in text(
        alice.get(of_topic(study, "topic-judgments"))
    )
    shown = text(alice.get(of_topic(study)))
    assert f"{3 if scale == 'best' else 5} pairs of 4 items are judged" in shown
    assert "It goes on: round 1 waits for" in shown


def test_runs_of_grids_stand_in_their_order_too(alice):
    study = staff_of(make_study(items=4, batch_challenges=0))
    grid = add_run(study, "grid", {"t1": ["t1-b", "t1-a", "t1-c"]})
    for n, cell in enumerate(Placement.objects.filter(run=grid).order_by("rank")):
        Placement.objects.filter(pk=cell.pk).update(row=n // 2, column=n % 2)
    finish(open_study(study))
    jobs.sweep()
    shown = page(alice, of_topic(study))
    value = stored.value("grid", "pgc", 0.95, "t1")
    assert f'class="score">{value:.3f}<' in shown
    assert 'aria-label="Grid of grid"' in shown


def test_rounds_say_who_went_on_and_why_it_ended(alice):
    """Of twelve those with more wins than losses go on; the smaller docno always wins."""
    study = staff_of(make_study(items=12, junk=0, k=2, batch_challenges=0))
    finish(open_study(study))
    shown = text(alice.get(of_topic(study)))
    assert re.search(r"Went on: Text of t1-a · Text of t1-b · ", shown)
    assert re.search(r"It ended in round \d: the \d items that were left met in all pairs, and wins", shown)
    assert "2 items got a place." in shown


def test_the_graph_says_where_pinned_runs_have_its_items(alice, study):
    """Their first five items bear the sign of the pin and the rank; the caption says which run it is."""
    first, second = Run.objects.order_by("pk")[:2]
    topic = study.topics.get(name="t1")
    asked = QueryDict(f"topic={topic.pk}&pin={second.pk},{first.pk}")
    signs = {node.name: node.signs for node in preference_graph.graph(asked, study).given["nodes"]}
    for text_of, own in signs.items():
        docno = text_of.removeprefix("Text of ")
        placed = Placement.objects.filter(topic=topic, item__docno=docno, rank__lte=5)
        ranks = dict(placed.values_list("run", "rank"))
        expected = [(n, ranks[run.pk]) for n, run in ((1, second), (2, first)) if run.pk in ranks]
        assert list(own) == expected
    assert any(len(own) == 2 for own in signs.values())
    caption = f"among the first 5 of ● {second.name} and ■ {first.name}."
    assert caption in text(alice.get(of_topic(study, pin=[f"{second.pk},{first.pk}"])))
    assert "among the first 5" not in text(alice.get(of_topic(study)))


def test_what_runs_show_begins_with_the_pinned_ones_then_as_on_the_leaderboard(alice, study):
    last = leaderboard.board(study, 0.95).rows[-1]
    names = [row.name for row in leaderboard.board(study, 0.95).rows]
    for asked, expected in (({}, names), ({"pin": [last.run_id]}, [last.name, *names[:-1]])):
        shown = page(alice, of_topic(study, **asked))
        own = shown[shown.index('id="runs"') :]
        assert re.findall(r"<bdi>([^<]+)</bdi></h3>", own) == expected


def test_answers_of_models_have_no_ideal_ranking(alice, study):
    type(study).objects.filter(pk=study.pk).update(case="answers")
    shown = text(alice.get(of_topic(study)))
    assert "beside the ideal ranking" not in shown
    assert "Scores of the models" in shown
