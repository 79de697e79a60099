"""Small sentences and numbers of the desks: places that tie, a pace of the first day, a refused webhook."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from collection.models import Item, Run, Study, Topic
from collection.models.study import WORDS
from judging.models import Judgment
from judging.people import pace
from tests.emptying import unguarded
from tests.judging.organizing import staff_of, text
from tests.makers import add_run, invite, make_study, open_study, sit
from tournament.plans import plan_of
from tournament.remaining_work import left
from web.coordinator import placements
from web.coordinator.answers import progress_page
from web.live import progress
from web.release.release_loader import _free_name
from web.shared.phrases import parted
from web.shared.template_tags import unbroken

pytestmark = pytest.mark.django_db


def test_places_that_tie_leave_the_next_ones_out(alice):
    study = make_study(items=6)
    topic = Topic.objects.get(study=study)
    for docno, rank in zip("abcdef", (1, 2, 3, 3, 4, 4), strict=True):
        Item.objects.filter(docno=f"t1-{docno}").update(top_rank=rank)
    [line] = progress.lines(study, [topic])
    assert [one.place for one in line.top] == [1, 2, 3, 3, 5, 5]
    shown = placements.items(topic, [], [])
    assert sorted(one.place for one in shown.values()) == [1, 2, 3, 3, 5, 5]
    staff_of(study)
    last = Item.objects.get(docno="t1-f")
    rounds = text(alice.get(reverse("topics", args=[study.slug])))
    assert ("and 5 more, with ties" in rounds) == (plan_of(study).k < 6)
    assert "place 5 of" in text(alice.get(reverse("data-item", args=[study.slug, last.pk])))


def test_short_names_in_a_headline_do_not_break_at_their_hyphens():
    long = "a-name-of-more-than-twenty-letters"
    assert unbroken(f"bm-25 & {long} - <tie>, dpr-2.") == (
        f'<span class="whole">bm-25</span> &amp; {long} - &lt;tie&gt;, <span class="whole">dpr-2.</span>'
    )


def test_a_pace_of_the_first_day_is_said_by_the_hour(alice):
    now = datetime(2026, 3, 20, 12, tzinfo=UTC)
    assert pace.an_hour({now: 90}, now - timedelta(minutes=30), now) == 180
    # Hours in which nobody judged are left out.
    early = now - timedelta(hours=10)
    assert pace.an_hour({early: 60, now - timedelta(hours=1): 30}, early, now) == 45
    assert progress_page._in_hours(90, 180) == "in about 30 minutes"
    assert progress_page._in_hours(1, 180) == "in about 1 minute"
    assert progress_page._in_hours(900, 180) == "in about 5 hours"
    assert progress_page._in_hours(0, 180) == ""
    study = staff_of(open_study(make_study(items=12, k=2, batch_pairs=4)))
    sit(invite(study))
    assert left(study)
    said = text(alice.get(reverse("progress", args=[study.slug])))
    assert "an hour while they judged." in said
    assert "At the pace so far it ends in about" in said
    assert "a day of late" not in said
    with unguarded():
        early = timezone.now() - timedelta(days=2)
        Judgment.objects.filter(topic__study=study).update(created_at=early)
    from django.core.cache import cache

    cache.clear()
    assert "a day of late." in text(alice.get(reverse("progress", args=[study.slug])))


def test_a_refused_webhook_leaves_the_ticks_beside_it_stored(alice):
    study = staff_of(make_study())
    address = reverse("notices", args=[study.slug])
    given = {
        "do": "save",
        "topics": "on",
        "mail": "on",
        "email": "a@example.org",
        "webhook": "http://x.example/",
    }
    said = text(alice.post(address, given))
    assert "Everything else was saved." in said
    assert "Nothing was saved" not in said
    assert "You are told by e-mail when topics end." in text(alice.get(address))


def test_a_release_that_is_loaded_again_is_named_apart():
    assert _free_name("Garden") == "Garden"
    Study.objects.create(name="Garden", slug="g1")
    assert _free_name("Garden") == "Garden (loaded)"
    Study.objects.create(name="Garden (loaded)", slug="g2")
    assert _free_name("Garden") == "Garden (loaded 2)"


def test_a_run_that_is_compared_with_itself_is_told_so(alice):
    study = staff_of(open_study(make_study(items=6)))
    for name in ("one", "two"):
        add_run(study, name, {"t1": [f"t1-{letter}" for letter in "abc"]})
    one = Run.objects.get(name="one").pk
    address = reverse("compare", args=[study.slug])
    assert "one was chosen twice. It is compared with two" in text(alice.get(address, {"a": one, "b": one}))
    assert "chosen twice" not in text(alice.get(address))


def test_sentences_of_the_product_take_the_nouns_of_a_study():
    usual, own = WORDS["rankings"], WORDS["answers"]
    said = "Topics end when an item of each run is judged: runs, items."
    assert usual.put_in(said) == said
    assert own.put_in(said) == "Prompts end when an answer of each model is judged: models, answers."
    assert own.put_in("topical itemized runs") == "topical itemized models"


def test_texts_that_begin_alike_are_named_by_what_follows():
    texts = ["What is anemia: too little iron", "What is anemia: too few cells"]
    # As many letters as are there; the words before the first that differs are left out.
    assert parted(texts, 90) == ["… little iron", "… few cells"]
    assert parted(["What is tea", "What is anemia"], 90) == ["What is tea", "What is anemia"]
    assert parted(["one two three four", "one two three four"], 8) == ["one two …", "one two …"]
    assert parted(["one two three", ""], 90) == ["one two three", ""]


def test_statistics_below_0_have_the_sign_of_all_other_numbers():
    """A format of Python's writes a hyphen: `phrases.number` and `signed` write a minus sign."""
    bare = re.compile(r"\{[^{}]*\b(alpha|tau|kappa):[.,\d]*f\}")
    found = [
        (str(path), line.strip())
        for path in sorted((settings.BASE_DIR / "web").rglob("*.py"))
        for line in path.read_text().splitlines()
        if bare.search(line)
    ]
    assert not found
