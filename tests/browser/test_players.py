"""Sound and film in Chromium: one side at a time or in step, and no answer before both were played."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from playwright.sync_api import Page, expect

from collection.material.pictures import captions_of, with_captions
from collection.models import Item, Study
from judging.batches import answering
from judging.models import Assignment, Judgment, Task
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready
from tests.formats.recordings import CAPTIONS, RED, wav
from tests.judging.studies import invite, make_study
from tests.servers import wait_until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

HINT = "Before you choose, play 1 s of each, or all of a shorter one."
# What of the question in view plays, is heard and from where: paused, place, volume.
STATE = """() => [...document.querySelectorAll("[data-position]:not([hidden]) audio")].map(
    one => ({plays: !one.paused, at: one.currentTime, volume: one.volume}))"""
ALL = "document.querySelectorAll('[data-position]:not([hidden]) :is(audio, video)')"
PLAYS = f"side => !{ALL}[side].paused"
PAST = f"([side, at]) => {ALL}[side].currentTime >= at"


def loudness(number: int) -> float:
    """Peaks of an item's tone, by its number; a topic has six items in a row."""
    return 0.5 * 0.7 ** (number % 6)


@pytest.fixture
def sounds(live_server, settings, tmp_path):
    """A function: begin a batch of tones, no two of a topic equally loud; its address."""
    settings.MEDIA_ROOT = tmp_path

    def begin(seconds: float = 2.0, **changed) -> str:
        study = make_study()
        for n, item in enumerate(Item.objects.order_by("pk")):
            sound = wav(seconds, loudness=loudness(n), tone=300)
            item.image.save("x.wav", ContentFile(sound), save=False)
            item.text, item.seconds = "", seconds
            item.save()
        Study.objects.update(kind="sound", **({"play_first": 1} | changed))
        Task.objects.update(batch_challenges=0)
        person = invite(study)
        answering.arrive(person.pk)
        return f"{live_server.url}/i/{person.reference}/"

    return begin


def heard(page: Page, side: int, key: str, seconds: float = 1.1) -> None:
    """Play a side until so much of it was heard, and stop it."""
    page.keyboard.press(key)
    page.wait_for_function(PAST, arg=[side, seconds])
    page.keyboard.press(key)
    page.wait_for_function("side => !(" + PLAYS + ")(side)", arg=side)


def started(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_function("() => document.body.classList.contains('heard')")
    page.wait_for_function("() => document.querySelector('audio').preload === 'auto'")


def test_an_answer_is_taken_once_both_were_played_and_goes_with_the_seconds(page, sounds):
    started(page, sounds())
    choices = page.locator("[data-position='1'] .choice")
    expect(choices.first).to_have_attribute("aria-disabled", "true")
    expect(page.locator("[data-position='1'] .unplayed")).to_have_text(HINT)
    heard(page, 0, "a")
    expect(choices.first).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#spoken")).to_have_text(HINT)
    assert not Judgment.objects.exists()
    heard(page, 1, "b")
    expect(page.locator("#spoken")).to_have_text("You can choose now.")
    expect(choices.first).not_to_have_attribute("aria-disabled", "true")
    ready(page, 1)
    press(page, "ArrowLeft")
    left, right = Judgment.objects.get().details["heard"]
    assert 1.0 <= left < 2.1
    assert 1.0 <= right < 2.1


def test_one_side_is_heard_at_a_time_and_the_other_goes_on_at_the_same_place(page, sounds):
    started(page, sounds(4.0))
    page.keyboard.press("a")
    page.wait_for_function(PAST, arg=[0, 0.5])
    page.keyboard.press("s")
    page.wait_for_function(PLAYS, arg=1)
    left, right = page.evaluate(STATE)
    assert not left["plays"]
    assert right["at"] >= 0.5
    assert abs(right["at"] - left["at"]) < 2.0
    page.keyboard.press("a")
    page.wait_for_function(PLAYS, arg=0)
    assert [one["plays"] for one in page.evaluate(STATE)] == [True, False]
    page.keyboard.press("a")
    page.wait_for_function("() => ![...document.querySelectorAll('audio')].some(one => !one.paused)")
    page.keyboard.press("s")
    assert [one["plays"] for one in page.evaluate(STATE)] == [False, False]


@pytest.mark.parametrize("levelled", [True, False])
def test_the_louder_side_is_turned_down_unless_the_study_says_otherwise(page, sounds, levelled):
    started(page, sounds(levelled=levelled))
    found = page.evaluate(
        """() => [...document.querySelectorAll("[data-position]")].slice(0, 1).flatMap(
            one => [...one.querySelectorAll("audio")].map(audio => audio.volume))"""
    )
    place = Assignment.objects.get().batch.get(position=1)
    numbers = list(Item.objects.order_by("pk").values_list("pk", flat=True))
    loud = [loudness(numbers.index(place.question.subject_ids[int(digit)])) for digit in place.shown]
    assert loud[0] != loud[1]
    wanted = [min(loud) / own for own in loud] if levelled else [1, 1]
    assert found == pytest.approx(wanted, rel=0.05)


def test_the_slider_winds_and_answers_nothing(page, sounds):
    started(page, sounds(play_first=0))
    slider = page.locator("[data-position='1'] .left input[type=range]")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE)[0]["at"] > 0.1
    assert slider.get_attribute("aria-valuetext") == "0:00 of 0:02"
    assert not Judgment.objects.exists()
    page.locator("h1:visible").first.focus()
    ready(page, 1)
    press(page, "ArrowRight")
    assert Judgment.objects.get().details == {"heard": [0.0, 0.0]}


def test_what_plays_stops_with_its_question_and_back_takes_an_answer_at_once(page, sounds):
    started(page, sounds())
    heard(page, 0, "a")
    page.keyboard.press("b")
    page.wait_for_function(PAST, arg=[1, 1.1])
    ready(page, 1)
    press(page, "ArrowLeft")
    page.wait_for_selector("[data-position='2']:not([hidden])")
    page.wait_for_function("() => ![...document.querySelectorAll('audio')].some(one => !one.paused)")
    page.keyboard.press("Backspace")
    ready(page, 1)
    press(page, "ArrowRight")
    assert Judgment.objects.latest("pk").details == {"heard": [0.0, 0.0]}


def test_without_web_audio_it_plays_as_it_is(page, sounds):
    page.add_init_script("delete window.OfflineAudioContext")
    started(page, sounds())
    heard(page, 0, "a")
    heard(page, 1, "b")
    ready(page, 1)
    press(page, "ArrowLeft")
    assert Judgment.objects.count() == 1


def test_what_cannot_be_played_is_said_and_can_be_declined(page, sounds):
    address = sounds()
    item = Item.objects.earliest("pk")
    for one in Item.objects.all():
        one.image.save("x.wav", ContentFile(b"RIFF....WAVEno"))
    assert item.image.name != Item.objects.get(pk=item.pk).image.name
    page.goto(address)
    page.keyboard.press("a")
    told = page.locator("[data-position='1'] .left .unplayable")
    expect(told).to_contain_text("This recording cannot be played here.")

    def asked() -> bool:
        told.get_by_role("button", name="I cannot judge this").click()
        return page.locator("#cannot").is_visible()

    # A question that has just come takes nothing yet.
    wait_until(asked)


def test_without_scripts_the_browsers_own_controls_play_and_the_form_is_sent(live_server, browser, sounds):
    address = sounds()
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    audio = page.locator("[data-position='1'] audio").first
    assert audio.get_attribute("controls") is not None
    expect(page.locator("[data-position='1'] .transport").first).to_be_hidden()
    page.locator("[data-position='1'] .choice").first.click()
    expect(page.locator("[data-position='2']")).to_be_visible()
    assert Judgment.objects.count() == 1


@pytest.fixture
def films(live_server, settings, tmp_path):
    """A function: begin a batch of films of two seconds; its address."""
    settings.MEDIA_ROOT = tmp_path

    def begin(captions: bytes = b"") -> str:
        study = make_study()
        for item in Item.objects.all():
            name = with_captions(f"{item.pk}.webm") if captions else f"{item.pk}.webm"
            item.image.name = default_storage.save(name, ContentFile(RED))
            if captions:
                default_storage.save(captions_of(item.image.name), ContentFile(captions))
            item.text, item.seconds, item.width, item.height = "", 2.0, 64, 36
            item.save()
        Study.objects.update(kind="film", play_first=1)
        Task.objects.update(batch_challenges=0)
        person = invite(study)
        answering.arrive(person.pk)
        return f"{live_server.url}/i/{person.reference}/"

    return begin


STEP = """() => [...document.querySelectorAll("[data-position]:not([hidden]) video")].map(
    one => ({plays: !one.paused, at: one.currentTime, muted: one.muted}))"""


def test_films_that_are_equally_long_are_played_in_step_and_one_is_heard(page, films):
    page.goto(films())
    page.wait_for_function("() => document.querySelector('video').preload === 'auto'")
    expect(page.get_by_role("button", name="Play both")).to_be_visible()
    page.keyboard.press("p")
    page.wait_for_function(PAST, arg=[1, 0.3])
    left, right = page.evaluate(STEP)
    assert (left["plays"], right["plays"], left["muted"], right["muted"]) == (True, True, False, True)
    assert abs(left["at"] - right["at"]) < 0.5
    page.keyboard.press("s")
    page.wait_for_function(f"() => {ALL}[0].muted && !{ALL}[1].muted")
    page.wait_for_function(PAST, arg=[1, 1.2])
    page.wait_for_function(PAST, arg=[0, 1.2])
    page.keyboard.press("p")
    ready(page, 1)
    press(page, "ArrowRight")
    assert all(1 <= seconds < 2.1 for seconds in Judgment.objects.get().details["heard"])


def test_captions_are_shown_with_the_film(page, films):
    page.goto(films(CAPTIONS))
    page.wait_for_function("() => document.querySelector('video').preload === 'auto'")
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('video').textTracks[0]?.activeCues?.length === 1")
    words = page.evaluate("document.querySelector('video').textTracks[0].activeCues[0].text")
    assert words == "All of it is red."
    assert_accessible(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_accessible(page, sounds, width):
    page.set_viewport_size({"width": width, "height": 844})
    started(page, sounds())
    assert_accessible(page)


def test_a_description_names_the_player_and_is_unfolded_by_a_key(page, sounds):
    address = sounds()
    Item.objects.update(description="A tone that rises, then a door.")
    started(page, address)
    left = page.get_by_role("group", name="Left A tone that rises, then a door.")
    expect(left.get_by_role("button", name="Play")).to_be_visible()
    said = page.locator("[data-position='1'] .described p")
    expect(said.first).to_be_hidden()
    page.keyboard.press("c")
    for one in said.all():
        expect(one).to_be_visible()
    assert_accessible(page, "described")
    page.keyboard.press("c")
    expect(said.first).to_be_hidden()
