"""Times that are promised and allowed, against texts read at 200 to 300 words a minute."""

from datetime import timedelta
from random import Random

import pytest
from django.db.models import F

from collection.models import Item
from collection.word_count import count_words
from judging.batches import answering, drawing, overdue
from judging.models import Assignment, Question, Task
from judging.questions import asking, expected_time
from panels import local
from tests.ground import ROOT
from tests.judging.studies import give_pictures, make_study
from tests.makers import invite, later
from web.judging_page import offers, sitting

pytestmark = pytest.mark.django_db

WORDS = ["tide", "harbour", "the", "surveyor", "of", "breakwater", "log", "and", "eastern", "is"]
FLOOR = 30


def passage(words: int, seed: int = 7) -> str:
    """A text of so many words, in lines of Markdown."""
    chooser = Random(seed)
    return "\n".join(
        " ".join(chooser.choice(WORDS) for _ in range(min(12, words - start)))
        for start in range(0, words, 12)
    )


def give_texts(lengths) -> None:
    """Give all items texts of these numbers of words, one after the other."""
    for n, item in enumerate(Item.objects.order_by("pk")):
        item.text = passage(lengths[n % len(lengths)], n)
        item.save()


def begin(person) -> Assignment:
    """Begin a batch as the page does."""
    answering.begin(person.pk)
    return Assignment.objects.get(assessor=person)


def read_at(batch: Assignment, speed: int) -> float:
    """Seconds to read what a batch shows at so many words a minute, and at least the floor for each question:
    the plain count of what stands between spaces.
    """
    total = 0.0
    for place in batch.batch.all():
        texts = [Item.objects.get(pk=pk).text for pk in place.question.subject_ids]
        total += max(FLOOR, sum(len(text.split()) for text in texts) / speed * 60)
    return total


@pytest.mark.parametrize("lengths", [[12, 40, 60], [300, 900, 120], [1570, 1200, 1400], [5, 1570]])
def test_promised_time_is_what_reading_at_200_to_300_words_a_minute_takes(lengths):
    """What the page before the batch says, what its head says, and until when it is open."""
    study = make_study()
    give_texts(lengths)
    person = invite(study)
    offer = offers.offer(study, person)
    batch = begin(person)
    shown = sitting.sitting(batch, study)
    slow, quick = read_at(batch, 200), read_at(batch, 300)
    assert quick <= sum(one.seconds for one in shown.asked) <= slow
    assert quick / 60 - 1 <= shown.minutes_left <= slow / 60 + 1
    # Which questions are drawn is known before; challenges among them are taken to be like the others.
    places = zip(shown.asked, batch.batch.all(), strict=True)
    others = [one.seconds for one, place in places if place.role == "counts"]
    assert offer.expected.longest >= max(others)
    assert offer.minutes == pytest.approx(13 * sum(others) / len(others) / 60, rel=0.35, abs=1)
    assert (batch.deadline - batch.opened_at).total_seconds() >= slow - 60


def test_an_offer_counts_the_first_questions_that_the_person_was_not_asked():
    study = make_study()
    give_texts([40, 900])
    judged, new = invite(study), invite(study)
    batch = begin(judged)
    task = batch.task
    asked = set(batch.batch.values_list("question", flat=True))
    open_now = Question.objects.filter(task=task, taken__lt=F("wanted"), set_aside_at=None).order_by("pk")
    size = task.batch_size + task.batch_challenges
    for person, seen in ((judged, asked), (new, set()), (None, set())):
        first = [one for one in open_now if one.pk not in seen][:size]
        plain = {
            one.pk: sum(count_words(Item.objects.get(pk=pk).text) for pk in one.subject_ids) for one in first
        }
        found = drawing.shown_waiting(task, study, person)
        assert {pk: one.words for pk, one in found.items()} == plain
    assert asked.isdisjoint(drawing.shown_waiting(task, study, judged))


def test_the_time_allowed_without_an_answer_is_twice_that_of_the_longest_question():
    """By hand: 3,000 words at 250 a minute are 12 minutes; twice 24, in steps of five 25."""
    study = make_study(idle_minutes=15)
    give_texts([1500])
    batch = begin(invite(study))
    assert (batch.patience, batch.idle_minutes) == (25, 25)
    with later(minutes=24):
        assert answering.release_overdue() == 0
    with later(minutes=26):
        assert answering.release_overdue() == 1


def test_who_joined_by_the_open_link_has_as_long_for_a_first_long_question():
    make_study(idle_minutes=15, join_token="open-to-all")
    give_texts([1500])
    batch = begin(local.join("open-to-all"))
    with later(minutes=overdue.FIRST_MINUTES + 10):
        assert answering.release_overdue() == 0
    with later(minutes=26):
        assert answering.release_overdue() == 1
    batch.refresh_from_db()
    assert batch.state == "lapsed"


def test_short_questions_change_no_limit():
    study = make_study()
    give_texts([40])
    batch = begin(invite(study))
    assert (batch.patience, batch.idle_minutes) == (0, 15)
    assert batch.deadline - batch.opened_at == timedelta(minutes=60)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Tides run to four metres.", 5),
        ("a - b | c", 3),
        ("", 0),
        ("<p>Bold <b>words</b></p>", 2),
        ("a < b and c > d", 5),
        ("一个潮汐表。", 5),
        ("これはペンです", 4),  # 7 kana, of which two are read in the time of a word
        ("كتاب على الطاولة", 3),
        ("-" * 30_000, 0),
        ("<" * 30_000, 0),
    ],
)
def test_words_are_counted_as_they_are_read(written, words):
    assert count_words(written) == words


def test_a_chinese_passage_takes_as_long_as_its_characters():
    """1,000 characters at 250 a minute are four minutes; letters between spaces would be one word."""
    study = make_study()
    Item.objects.update(text="", words=0)
    for item in Item.objects.all():
        item.text = "潮" * 500
        item.save()
    offer = offers.offer(study, invite(study))
    assert offer.expected.longest == 240


def test_pictures_take_the_usual_time_of_pictures():
    study = make_study(kind="image")
    give_pictures(study)
    offer = offers.offer(study, invite(study))
    assert offer.expected.seconds == 13 * 15


def test_what_short_questions_have_taken_replaces_the_usual_time_once_enough_were_answered(monkeypatch):
    study = make_study()
    task = asking.task_of(study)
    give_texts([20])
    expected_time.measure(task)
    task.refresh_from_db()
    assert (task.measured_seconds, expected_time.typical_seconds(task, study)) == (None, 30)
    assert expected_time.forecast_seconds(task, study) == 30
    batch = begin(invite(study))
    for place, seconds in zip(batch.batch.all(), [8] * 6 + [12] * 5 + [900, None], strict=True):
        answering.record(batch.pk, place.question_id, 1, seconds=seconds)
    monkeypatch.setattr(expected_time, "ENOUGH", 13)
    expected_time.measure(task)
    task.refresh_from_db()
    assert task.measured_seconds is None
    monkeypatch.setattr(expected_time, "ENOUGH", 12)
    expected_time.measure(task)
    task.refresh_from_db()
    assert (task.measured_seconds, expected_time.typical_seconds(task, study)) == (10, 10)


def test_quick_answers_to_long_questions_shorten_no_promise(monkeypatch):
    monkeypatch.setattr(expected_time, "ENOUGH", 5)
    study = make_study()
    task = asking.task_of(study)
    give_texts([1500])
    batch = begin(invite(study))
    for place in batch.batch.all():
        answering.record(batch.pk, place.question_id, 1, seconds=0.7)
    expected_time.measure(task)
    task.refresh_from_db()
    assert expected_time.typical_seconds(task, study) == 720
    assert expected_time.forecast_seconds(task, study) == 0.7  # which is what further answers will cost


# By the first column of the table in docs/sittings.md: task, study, words and pictures of each question.
BATCHES = {
    "20 pairs of 60 words each": ("pair", "text", [(120, 0)] * 20),
    "20 pairs of 300 words each": ("pair", "text", [(600, 0)] * 20),
    "20 pairs of 1,550 words each": ("pair", "text", [(3100, 0)] * 20),
    "18 pairs of 60 words, 2 of 1,550": ("pair", "text", [(120, 0)] * 18 + [(3100, 0)] * 2),
    "20 picks among 6 of 150 words": ("pick", "text", [(900, 0)] * 20),
    "10 pairs of result pages of 10 passages of 40 words": ("pages", "text", [(800, 0)] * 10),
    "20 pairs of pictures": ("pair", "image", [(0, 2)] * 20),
    "10 pairs of grids of 20 pictures": ("pages", "image", [(0, 40)] * 10),
}


@pytest.mark.parametrize("name", BATCHES)
def test_the_documented_times_are_those_that_are_promised_and_that_readers_take(name):
    """Readers: words at 300 and 200 a minute, 3 s a picture, and the usual time where that is more."""
    kind, study, shown = BATCHES[name]
    task = Task(kind=kind)
    usual = {"text": 30, "image": 15}[study] * (2 if kind == "pages" else 1)
    slow, quick = (
        sum(max(usual, words / speed * 60 + 3 * pictures) for words, pictures in shown) / 60
        for speed in (200, 300)
    )
    seconds = [expected_time.question_seconds(task, study, expected_time.Shown(*one)) for one in shown]
    batch = expected_time.batch_of(seconds)
    longest = max(words for words, _ in shown) / 200
    patience = max(task.idle_minutes, batch.patience)
    assert quick <= batch.minutes
    assert batch.seconds / 60 <= slow <= batch.limit(task)
    assert longest < patience
    cells = [
        f"{quick:.0f}",
        f"{batch.minutes}",
        f"{slow:.0f}",
        f"{batch.limit(task)}",
        f"{longest:.1f}",
        f"{patience}",
    ]
    assert f"| {name} | {' | '.join(cells)} |" in (ROOT / "docs" / "sittings.md").read_text()
