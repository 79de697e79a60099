"""The pages of tournaments: where each topic stands, who won what, what opening a study asks for."""

import re

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection.models import Item, Placement, Run, Study, Topic
from collection.study import lifecycle
from judging.batches import answering
from judging.models import Question
from scoring import jobs as scoring
from tests.judging.organizing import logged_in, queries, staff_of
from tests.judging.visiting import agreeing
from tests.makers import add_items, add_run, answer, finish, invite, make_study, open_study, sit
from tournament import services
from web.live import live_topics, progress
from web.shared.phrases import natural
from web.shared.typesetting import first_words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _redis(settings):
    """As where every process has one cache: otherwise the database is asked who still has a part."""
    settings.REDIS_URL = "redis://shared"


def text_of(response) -> str:
    """A page's text without tags, blanks run together."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def show(client, study, name="topics", query="", **kwargs) -> str:
    """The text of a study's page."""
    response = client.get(reverse(name, kwargs={"slug": study.slug, **kwargs}) + query)
    assert response.status_code == 200
    return text_of(response)


@pytest.fixture(scope="module")
def opened(module_data):
    """Four topics, opened, and one batch of five pairs judged: each topic stands somewhere else."""
    study = staff_of(make_study(topics=0, k=2, batch_pairs=5, batch_challenges=0))
    for name, size in (("a-small", 3), ("b-middle", 4), ("c-big", 12), ("d-lone", 1)):
        topic = Topic.objects.create(study=study, name=name, text=f"About {name[2:]} things")
        add_items(topic, {f"{name}-{i:02}": 1.0 for i in range(size)})
    open_study(study)
    sit(invite(study))
    services.catch_up()
    return study.pk


@pytest.fixture
def mixed(db, opened):
    return Study.objects.get(pk=opened)


def test_a_study_that_is_not_open_has_topics_that_wait(alice):
    study = staff_of(make_study(topics=2))
    page = show(alice, study)
    assert "Judging is not open yet" in page
    assert page.count("not open yet") == 4  # two lines, the sentence above and the filter
    for state, topics in (("not-open", 2), ("waiting", 0)):
        assert (
            len(alice.get(reverse("topics", args=[study.slug]), {"state": state}).context["lines"]) == topics
        )


def test_each_topic_says_where_it_stands(alice, mixed):
    """Three pairs finish the topic of three, two of six stand in the next; twelve items need a reduction."""
    page = show(alice, mixed)
    assert "1 of 4 topics finished" in page
    assert "1 more with nothing to compare" in page
    assert "round 1, the last one 2 of 6 pairs" in page
    assert "round 1, pool reduction 0 of 42 pairs" in page
    assert f"{4 + 42} questions wait for an assessor" in page


@pytest.mark.parametrize(
    ("state", "topic"),
    [("finished", "a-small"), ("final", "b-middle"), ("round", "c-big"), ("nothing", "d-lone")],
)
def test_the_filter_shows_the_topics_of_one_state(mixed, state, topic):
    assert [t.name for t in progress.topics(mixed, state=state)] == [topic]
    assert progress.summary(mixed).states[state] == 1


def test_topics_wait_until_their_first_round_is_asked():
    study = make_study(topics=2)
    services.start(study.pk)
    assert progress.topics(study, state="waiting").count() == 2
    assert progress.summary(study).states["waiting"] == 2


def test_topics_are_found_by_name_and_by_text(alice, mixed):
    assert "c-big" in show(alice, mixed, query="?q=C-BIG")
    assert "1 of 4 topics." in show(alice, mixed, query="?q=big things")
    assert "No topic matches." in show(alice, mixed, query="?q=nowhere")


def test_the_top_is_named_with_its_places(alice, mixed):
    """The smaller docno always wins, so the first two of the small topic are its top 2; one is named."""
    page = show(alice, mixed, query="?state=finished")
    item = Item.objects.get(docno="a-small-00")
    assert f"1 {first_words(item.text, item.docno, mixed, 70)} and 1 more" in page
    assert "a-small-01" not in page


def test_topics_are_sorted_by_their_judgments(alice, mixed):
    mixed.topics.filter(name="a-small").update(name="z-small")
    scoring.sweep()
    names = [line.topic.name for line in _lines(alice, mixed, "judgments")]
    scored = dict(mixed.topics.values_list("name", "scored__judgments"))
    assert names == sorted(sorted(scored), key=lambda name: (scored[name] is None, -(scored[name] or 0)))
    assert names != [line.topic.name for line in _lines(alice, mixed, "name")] == sorted(scored)


def test_names_are_sorted_by_the_numbers_in_them():
    assert sorted(["67_10", "a", "67_2", "67"], key=natural) == ["67", "67_2", "67_10", "a"]


def test_a_topic_leads_to_the_ones_before_and_after_it_by_name(alice, mixed):
    rows = list(mixed.topics.order_by("name"))
    for before, own, after in zip([None, *rows], rows, [*rows[1:], None], strict=False):
        page = alice.get(reverse("topic", args=[mixed.slug, own.pk])).content.decode()
        for rel, one in (("prev", before), ("next", after)):
            assert re.findall(rf'href="([^"]*)" rel="{rel}"', page) == (
                [reverse("topic", args=[mixed.slug, one.pk])] if one else []
            )


def _lines(client, study, sort):
    return client.get(reverse("topics", args=[study.slug]), {"sort": sort}).context["lines"]


def test_a_hundred_topics_stand_on_a_page(alice):
    study = staff_of(make_study(topics=101, items=1, junk=0))
    assert "Topics 1 to 100 of 101." in show(alice, study)
    last = show(alice, study, query="?page=2")
    assert "Topics 101 to 101 of 101." in last
    assert "t99" in last  # by name, t99 comes last
    assert "Topics 101 to 101" in show(alice, study, query="?page=77")


def test_the_page_of_topics_takes_as_many_queries_for_many_topics_as_for_few(alice):
    small, large = (staff_of(open_study(make_study(topics=n))) for n in (1, 12))
    sit(invite(large))
    counts = [queries(alice, reverse("topics", args=[study.slug])) for study in (small, large)]
    assert counts[0] == counts[1] == 19


def followed(client, study, query="") -> tuple[str, str]:
    """Open the page; the address that it asks, and the version that it shows."""
    page = client.get(reverse("topics", args=[study.slug]) + query).content.decode()
    (address,) = re.findall(r'data-live="([^"]+)"', page)
    (version,) = re.findall(r'data-version="([^"]+)"', page)
    return address.replace("&amp;", "&"), version.replace("&quot;", '"')


def ask(address, version):
    return Client().get(address, headers={"If-None-Match": version})


def test_asking_needs_no_login_and_no_query_while_nothing_is_new(alice, mixed):
    address, version = followed(alice, mixed)
    with CaptureQueriesContext(connection) as captured:
        response = ask(address, version)
    assert (response.status_code, len(captured), response.content) == (304, 0, b"")


@pytest.mark.parametrize("change", ["a batch is handed out", "an answer is given", "judging is closed"])
def test_a_change_is_answered_with_the_new_page(alice, mixed, change, django_capture_on_commit_callbacks):
    assessor = invite(mixed)
    if change == "an answer is given":
        answering.arrive(assessor.pk)
    address, version = followed(alice, mixed)
    with django_capture_on_commit_callbacks(execute=True):
        if change == "judging is closed":
            alice.post(reverse("study-close", args=[mixed.slug]), {"how": "end"})
        elif change == "a batch is handed out":
            Client().post(reverse("invitation", args=[assessor.reference]), agreeing(mixed))
        else:
            answer(answering.arrive(assessor.pk), most=1)
    response = ask(address, version)
    assert response.status_code == 200
    assert response["ETag"] != version
    assert ask(address, response["ETag"]).status_code == 304


def test_a_verdict_is_followed_by_the_new_rounds(alice, mixed, django_capture_on_commit_callbacks):
    """The last answers bring a topic's next round: those who watch see it, and not what was before it."""
    address, version = followed(alice, mixed)
    with django_capture_on_commit_callbacks(execute=True):
        sit(invite(mixed))
    services.catch_up()
    with django_capture_on_commit_callbacks(execute=True):
        live_topics.note(mixed.pk)
    now = ask(address, version)
    assert now.status_code == 200
    assert now.content.decode() in alice.get(reverse("topics", args=[mixed.slug])).content.decode()


def test_what_is_new_is_rendered_once_for_all_who_ask_for_the_same(alice, mixed):
    address, version = followed(alice, mixed, "?q=a")
    sit(invite(mixed))
    live_topics.note(mixed.pk)
    assert ask(address, version).status_code == 200
    second, _ = address, version
    with CaptureQueriesContext(connection) as captured:
        assert ask(second, version).status_code == 200
    assert len(captured) == 0


def test_an_address_dies_with_the_membership_and_is_no_leaderboards(bob, mixed):
    address, version = followed(bob, mixed)
    token = address.split("/")[3]
    assert Client().get(reverse("leaderboard-live", args=[token])).status_code == 403
    lifecycle.remove_member(mixed.pk, mixed.members.get(user__username="bob").user_id)
    assert ask(address, version).status_code == 403


@pytest.mark.slow
def test_the_estimate_is_reached_by_answers_without_ties_at_most(mixed):
    """Play on to the end and count."""
    judged = Question.objects.filter(topic__study=mixed)
    before, most = sum(q.taken for q in judged.all()), progress.summary(mixed).most_left
    finish(mixed)
    assert 0 < sum(q.taken for q in judged.all()) - before <= most
    assert progress.summary(mixed).most_left == 0


def test_an_organizer_can_stop_judging_from_here_and_a_coordinator_cannot(alice, mixed):
    assert "Pause or end judging" in show(alice, mixed)
    assert "Pause or end judging" not in show(logged_in("bob"), mixed)
    alice.post(reverse("study-close", args=[mixed.slug]), {"how": "end"})
    assert "Judging is over" in show(alice, mixed)


def test_what_is_asked_answered_and_kept_are_three_numbers_everywhere(alice):
    """Six pairs of four items: a batch of three is kept, of the next one two are answered."""
    study = staff_of(make_study(items=4, batch_pairs=3, batch_challenges=0))
    add_run(study, "run", {"t1": ["t1-a"]})
    open_study(study)
    sit(invite(study))
    answer(answering.arrive(invite(study).pk), most=2)
    scoring.sweep()
    html = alice.get(reverse("topics", args=[study.slug])).content.decode()
    topic = study.topics.get()
    names = ("asked", "answered", "kept")
    shown = [re.findall(rf'data-key="{topic.pk}-{name}" data-value="(\d+)"', html) for name in names]
    assert shown == [["6"], ["5"], ["3"]]
    assert "6 judgments asked, 5 answered, 3 kept" in topic_page(alice, study)
    assert re.search(r"Answered Possible run .* 5 ", show(alice, study, "leaderboard-topics"))


# One topic


@pytest.fixture
def reduced():
    """A topic of twelve that was reduced once and has come to its end; a run ranks its items backwards."""
    study = staff_of(make_study(items=12, k=2, batch_challenges=0))
    docnos = sorted(Item.objects.filter(topic__study=study).values_list("docno", flat=True))
    add_run(study, "backwards", {"t1": docnos[::-1]})
    finish(open_study(study))
    return study


def topic_page(client, study) -> str:
    return show(client, study, "topic", pk=study.topics.get().pk)


@pytest.mark.slow
def test_every_pair_names_its_winner(alice, reduced):
    """The smaller docno always wins."""
    pairs = re.findall(r"Text of (t1-\w+) over Text of (t1-\w+)", topic_page(alice, reduced))
    assert len(pairs) >= 42 + 3
    assert all(winner < loser for winner, loser in pairs)


@pytest.mark.slow
def test_a_topic_says_who_stayed_and_who_went_out_when(alice, reduced):
    """By the rounds as they are stored, which another way of counting made."""
    first, second = services.Round.objects.filter(tournament__topic__study=reduced)
    page = topic_page(alice, reduced)
    assert f"12 items, 42 pairs, {len(second.pool)} stayed" in page
    assert page.count("out in round 1") == len(first.pool) - len(second.pool)
    best = reduced.topics.get().items.get(top_rank=1)
    assert re.search(rf"Text of {best.docno} {best.docno} place 1 {first.wins[str(best.pk)]} of 7", page)


def test_ties_and_open_pairs_are_called_so(alice, mixed):
    topic = mixed.topics.get(name="b-middle")
    page = show(alice, mixed, "topic", pk=topic.pk)
    assert page.count(" open ") >= 4
    assert re.search(r"still in \d of \d, \d open", page)
    assert "4 pairs open" in page
    assert page.count(" over ") == 2


def test_of_a_long_run_the_beginning_is_shown(alice):
    study = staff_of(make_study(items=30, junk=0))
    docnos = list(Item.objects.filter(topic__study=study).values_list("docno", flat=True))
    add_run(study, "long", {"t1": docnos})
    page = topic_page(alice, study)
    assert "and 10 more" in page
    assert docnos[19] in page
    assert docnos[20] not in page


def test_a_run_that_ranks_nothing_here_says_so(alice, reduced):
    Run.objects.create(study=reduced, name="silent")
    assert "silent Ranks nothing for this topic" in topic_page(alice, reduced)


def test_a_grid_is_drawn_in_its_rows_with_the_top_marked(alice, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = staff_of(make_study(kind="image", items=5, junk=0, batch_challenges=0))
    for item in Item.objects.filter(topic__study=study):
        item.image.save("x.png", ContentFile(b"x"))
    run = Run.objects.create(study=study, name="grid")
    topic = study.topics.get()
    for rank, item in enumerate(topic.items.order_by("docno"), 1):
        row, column = divmod(rank - 1, 3)
        Placement.objects.create(
            run=run, topic=topic, item=item, rank=rank, row=row, column=column, row_length=3 - row
        )
    finish(open_study(study))
    response = alice.get(reverse("topic", args=[study.slug, topic.pk]))
    rows = response.content.decode().split('<ol class="grid-row">')[1:]
    assert [row.count("<li") for row in rows] == [3, 2]
    assert ["place 1" in row for row in rows] == [True, False]
    assert rows[0].count("/image/") == 3


@pytest.mark.slow
def test_a_topics_page_takes_as_many_queries_for_a_large_pool_as_for_a_small(alice, reduced):
    small = staff_of(open_study(make_study(items=3)))
    add_run(small, "run", {"t1": ["t1-a"]})
    for name in ("second", "third"):
        add_run(reduced, name, {"t1": ["t1-a"]})
    addresses = [reverse("topic", args=[study.slug, study.topics.get().pk]) for study in (small, reduced)]
    for address in addresses:
        # The standing is written, and what is heavy is kept.
        alice.get(address)
    # One more where there are answers: the states of their batches; two where there are items to be named.
    assert [queries(alice, address) for address in addresses] == [25, 27]


# Opening a study


@pytest.mark.parametrize("mode", ["crowd", "dedicated", "heap"])
def test_what_opening_says_is_what_is_then_asked(alice, mode):
    """Pairs and challenges counted in the database after opening."""
    study = staff_of(make_study(topics=2, items=13, mode=mode))
    page = show(alice, study, "tournament-start")
    alice.post(reverse("tournament-start", args=[study.slug]))
    services.catch_up()
    asked = Question.objects.filter(topic__study=study, wanted__gt=0).count()
    made = Question.objects.filter(topic__study=study, expected__isnull=False).count()
    assert f"and {asked} pairs are asked about at once" in page
    assert f"Challenges {made} " in page
    assert "Candidates in their pools 26 13 in each" in page


def test_opening_leads_to_the_links_to_send_and_asks_the_first_rounds_aside(
    alice, django_capture_on_commit_callbacks
):
    study = staff_of(make_study())
    with django_capture_on_commit_callbacks():  # and nothing of what is done after the commit
        response = alice.post(reverse("tournament-start", args=[study.slug]))
    assert response["Location"] == reverse("study-send", args=[study.slug])
    study.refresh_from_db()
    assert study.judging_is_open
    assert "the first rounds of 1 topic are being asked" in show(alice, study, "study-send")


def test_a_study_with_nothing_to_compare_says_what_to_load(alice):
    study = staff_of(make_study(items=1, junk=0))
    assert "No topic has two items to compare" in show(alice, study, "tournament-start")
    refused = alice.post(reverse("tournament-start", args=[study.slug]))
    assert refused.status_code == 409
    assert "load items, and grades if there are any" in text_of(refused)
    study.refresh_from_db()
    assert study.opened_at is None


@pytest.mark.slow
def test_opening_warns_of_items_that_cannot_be_shown(alice):
    study = staff_of(make_study())
    Item.objects.filter(docno="t1-a").update(text="")
    assert "1 candidate of 5 has no text" in show(alice, study, "tournament-start")


def test_opening_warns_where_nobody_could_get_a_batch(alice):
    study = staff_of(make_study(items=2, junk=1, batch_challenges=3))
    page = show(alice, study, "tournament-start")
    assert "A batch needs 3 challenges, there are only 2: nobody would get one." in page
    assert "People it takes at least –" in page


def test_it_says_how_many_people_the_challenges_allow_for(alice):
    """26 pairs and 10 challenges, 3 a batch: one person can judge 3 batches of 5, so 26 pairs take two."""
    study = staff_of(make_study(topics=1, items=8, junk=2, batch_pairs=5))
    assert "People it takes at least 2 " in show(alice, study, "tournament-start")
