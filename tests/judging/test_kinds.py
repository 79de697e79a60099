"""What is not only for pairs: a study that also asks trios, a kind of task that only tests know."""

import random
import re
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from collection.models import Item, Study
from judging import ledger
from judging.batches import answering
from judging.batches.layout import Challenge, laid_out
from judging.models import Assignment, Judgment, Question, Task
from judging.questions import asking, challenges
from judging.questions.task_copies import copy_tasks
from judging.tasks.pair import Pair
from judging.transfer.release_export import Answers
from judging.transfer.release_import import Restored
from tests.judging.visiting import Visitor, begin, form, send, text_of
from tests.makers import Choice, ask, invite, make_study, open_study, sit
from tests.trios import Trio, TrioSettings, ask_trios, know_trios, show_trios
from tournament import services
from tournament.models import Round
from web.organizer.forms import TaskForm
from web.organizer.setup.study_form import StudyForm

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(monkeypatch):
    """Open, with no tournament: one topic of four items, and four trios of them."""
    know_trios(monkeypatch)
    return make_study(items=4, junk=0, batch_challenges=0, opened_at=timezone.now())


@pytest.fixture
def topic(study):
    return study.topics.get()


@pytest.fixture
def trios(study, topic):
    return ask_trios(study, topic)


def pick(study, position: int):
    """Somebody new takes a batch of trios, picks the item at this position in each, and sends it."""
    assignment = answering.arrive(invite(study).pk)
    for place in assignment.batch.all():
        answering.record(assignment.pk, place.question_id, place.shown.index(str(position)))
    return answering.submit(assignment.pk)


# Batches


def test_right_answers_of_challenges_stand_in_every_place_equally_often():
    known = [Challenge(pk, pk % 3) for pk in range(12)]
    places = laid_out(Trio(), known, random.Random(1))
    assert Counter(place.shown.index(str(place.expected)) for place in places) == {0: 4, 1: 4, 2: 4}


# Answers


@pytest.mark.parametrize("given_before", [False, True])
def test_the_form_of_another_kind_is_refused_though_its_values_look_alike(study, trios, given_before):
    """1 is the left one of a pair and the middle one of a trio."""
    assignment = answering.arrive(invite(study).pk)
    if given_before:
        answering.answer(assignment.pk, 1, 1, kind="trio", nonce="n1")
    with pytest.raises(answering.JudgingError, match="another kind of question"):
        answering.answer(assignment.pk, 1, 1, kind="pair", nonce="n2")
    assert Judgment.objects.count() == given_before
    answering.answer(assignment.pk, 1, 0, kind="trio", nonce="n3")
    answering.answer(assignment.pk, 2, 1, kind="trio")
    assert Judgment.objects.count() == 2 + given_before


@pytest.mark.parametrize("kind", [Pair(), Trio()], ids=lambda kind: kind.name)
def test_a_value_is_spelt_as_the_form_gave_it(kind):
    words = {"pair": ("left", "tie", "right"), "trio": ("left", "middle", "right")}[kind.name]
    assert [kind.word(kind.parse({"choice": word})) for word in words] == list(words)


@pytest.mark.parametrize(("scale", "tie"), [("2", False), ("3", True), ("4", False), ("5", True)])
def test_a_pairs_scale_allows_a_tie_if_it_has_a_middle(scale, tie):
    assert Task(scale=scale).allows_ties is tie


# Questions


@pytest.mark.parametrize("which", [[0], [0, 1], [0, 1, 2, 3], [0, 1, 1]])
def test_a_question_has_as_many_different_subjects_as_its_kind_has_places(topic, trios, which):
    items = list(Item.objects.order_by("pk").values_list("pk", flat=True))
    before = Question.objects.count()
    with pytest.raises(ValueError, match="3 different subjects"):
        asking.store(trios, [asking.Asked(topic.pk, tuple(items[i] for i in which), 1)], "wanted")
    assert Question.objects.count() == before


# Pages


@pytest.fixture
def visitor(trios, settings, tmp_path):
    show_trios(settings, tmp_path)
    return Visitor()


def test_the_pages_show_and_take_a_question_of_any_kind(visitor, study):
    address = f"/i/{invite(study).reference}/"
    page = text_of(visitor.get(address))
    assert "the best of the three" in page
    assert not re.search("two|both|tie|the left one", page)
    assignment = begin(visitor, address)
    first = assignment.batch.earliest("position")
    items = [subject.item for subject in first.question.subjects.all()]
    html = visitor.get(address).content.decode()
    texts = [items[int(position)].text for position in first.shown]
    assert re.findall(r">(Text of [^<]+)</p>", html)[:3] == texts
    assert re.findall(r'class="side (\w+)"', html)[:3] == ["left", "middle", "right"]
    for place in assignment.batch.all():
        visitor.post("/answer/", form(assignment, place, "middle", kind="trio"))
    assert set(re.findall(r'data-choice="(\w*)"', visitor.get(address).content.decode())) == {"middle"}
    assert {judgment.value for judgment in Judgment.objects.all()} == {1}
    assert send(visitor, assignment).status_code == 303
    assert Assignment.objects.get().state == "kept"


def test_the_open_link_says_nothing_of_two_where_three_are_shown(visitor, study):
    study.join_token = "open-to-all"
    study.save()
    assert "You see two passages of text at a time" in text_of(visitor.get("/join/open-to-all/"))


# What tournaments read


def test_settled_pairs_ascend_whichever_item_a_kind_names_first(study, topic, trios):
    a, b, c, d = Item.objects.order_by("pk").values_list("pk", flat=True)
    assert pick(study, 2).state == "kept"
    assert ledger.settled(topic.pk, trios.pk) == {
        (a, c): [-1],
        (b, c): [-1],
        (a, d): [-1, -1],
        (b, d): [-1, -1],
        (c, d): [-1, -1],
    }


def test_a_tournament_counts_the_answers_of_its_own_task_and_scores_count_all(study, topic, trios):
    a, b = Item.objects.order_by("pk")[:2]
    ask(topic, a, b, wanted=1)
    sit(invite(study))
    pick(study, 1)
    pairs = study.tasks.get(position=1)
    assert ledger.settled(topic.pk, pairs.pk) == {(a.pk, b.pk): [Choice.A]}
    assert ledger.settled(topic.pk, trios.pk)[a.pk, b.pk] == [-1, -1]
    assert len(ledger.counting(topic.pk)) == 1 + 4 * 2


def test_what_trios_say_of_a_pair_does_not_answer_what_a_tournament_asked(monkeypatch):
    """Each of the six pairs is met in a trio, which is drawn first, before anybody is asked a pair."""
    know_trios(monkeypatch)
    study = open_study(make_study(items=4, junk=0, batch_challenges=0))
    ask_trios(study, study.topics.get(), position=0)
    assert pick(study, 0).task.kind == "trio"
    services.catch_up()
    assert list(Round.objects.values_list("answered", flat=True)) == [0]
    sit(invite(study))
    services.catch_up()
    assert list(Round.objects.values_list("answered", flat=True)) == [6]


# Where the study's task of pairs is meant


@pytest.fixture
def asks_trios_first(monkeypatch):
    """A study that is not open and was made to ask trios; nobody has asked it for pairs, or for a plan."""
    know_trios(monkeypatch)
    study = make_study(items=4, junk=2)
    study.plan.delete()
    study.tasks.all().delete()
    ask_trios(study, study.topics.get(), position=1, challenges=1)
    return Study.objects.get(pk=study.pk)


def test_a_tournament_asks_pairs_and_makes_challenges_of_them_where_trios_come_first(asks_trios_first):
    study = open_study(asks_trios_first)
    trios, pairs = study.tasks.all()
    assert (study.plan.task, trios.kind, pairs.kind) == (pairs, "trio", "pair")
    assert [challenges.count(task) for task in (trios, pairs)] == [1, 4 * 2]
    assert asking.open_questions(study).filter(task=pairs).count() == 6
    assert services.behind() == []


@pytest.mark.usefixtures("own_files")
def test_files_of_pairs_are_loaded_for_the_task_of_pairs(load, asks_trios_first):
    load(asks_trios_first, "judgments", "t1 t1-a t1-b t1-a\n")
    load(asks_trios_first, "challenges", "t1 t1-a t1-c t1-a\n")
    assert Judgment.objects.get().question.task.kind == "pair"
    pairs = asks_trios_first.tasks.get(position=2)
    assert [q.expected for q in Question.objects.filter(task=pairs).order_by("key")] == [None, Choice.A]


def test_the_page_of_settings_edits_the_task_of_pairs(asks_trios_first):
    asks_trios_first.tasks.update(wording="Which of the three?")
    form = StudyForm(instance=asks_trios_first)
    assert form.task == asks_trios_first.tasks.get(kind="pair")
    assert form.initial["question"] == Task().wording


def test_of_two_tasks_of_pairs_the_first_is_meant(asks_trios_first):
    first, _ = (Task.objects.create(study=asks_trios_first, position=at) for at in (3, 4))
    assert asking.task_of(asks_trios_first) == first


def test_a_replay_says_that_it_answers_pairs_only_before_it_takes_a_batch(asks_trios_first):
    study = open_study(asks_trios_first)
    with pytest.raises(CommandError, match="answer pairs only, and this study has a task of the kind trio"):
        call_command("replay", study.slug)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "nonsense"}, "no kind of task 'nonsense'"),
        ({"scale": "best"}, "the kind pair has no scale 'best'"),
        ({"kind": "trio"}, "the kind trio has no scale '3'"),
    ],
)
def test_a_task_of_no_kind_or_of_another_kinds_scale_is_not_clean(study, fields, said):
    with pytest.raises(ValidationError, match=said):
        Task(study=study, position=2, **fields).full_clean()
    Task(study=study, position=2, kind="trio", scale="best").full_clean()


# Settings of a kind, for which no table has a column


def test_a_setting_that_a_task_leaves_out_is_as_its_kind_says(study):
    task = Task(study=study, position=2, kind="trio", scale="best")
    assert task.settings_of_kind == TrioSettings(looks=2)
    task.full_clean()
    task.save()
    assert study.tasks.get(kind="trio").settings == {"looks": 2}


def test_a_setting_is_stored_and_copied_with_its_task_and_told_by_a_release(study, topic):
    ask_trios(study, topic, settings={"looks": 3})
    copy = make_study(slug="copy")
    copy.plan.delete()
    copy.tasks.all().delete()
    copy_tasks(study, copy)
    for one in (study, copy):
        assert one.tasks.get(kind="trio").settings_of_kind.looks == 3
    told = Answers(study, lambda *person: "").tasks()[1]
    assert told["looks"] == 3
    told["position"] = 4
    Restored(study, "").add_tasks([told])
    assert study.tasks.get(position=4).settings == {"looks": 3}


@pytest.mark.parametrize(
    ("settings", "field", "said"),
    [
        ({"looks": 10}, "looks", "less than or equal to 9"),
        ({"looks": "often"}, "looks", "must be an integer"),
        ({"colour": "red"}, "settings", "This kind of task has no setting 'colour'; it has looks."),
    ],
)
def test_a_bad_setting_is_refused_under_its_name(study, settings, field, said):
    with pytest.raises(ValidationError) as caught:
        Task(study=study, position=2, kind="trio", scale="best", settings=settings).full_clean()
    assert list(caught.value.message_dict) == [field]
    assert said in caught.value.message_dict[field][0]
    with pytest.raises(ValidationError, match=r"has no setting '\w+'; it has none"):
        Task(study=study, position=2, kind="pick", scale="best", settings=settings).full_clean()


class TrioForm(TaskForm):
    looks = TrioSettings.form_field("looks", label="Looks")

    class Meta:
        model = Task
        fields = ["wording", "looks"]


def test_a_form_shows_a_setting_says_what_is_wrong_with_it_and_stores_it(study, topic):
    task = ask_trios(study, topic, settings={"looks": 3})
    assert TrioForm(instance=task).initial["looks"] == 3
    for wrong in ("", "0", "10"):
        assert list(TrioForm({"wording": "Best?", "looks": wrong}, instance=task).errors) == ["looks"]
    sent = TrioForm({"wording": "Best?", "looks": "4"}, instance=study.tasks.get(pk=task.pk))
    assert sent.changed_data == ["wording", "looks"]
    sent.save()
    assert study.tasks.get(pk=task.pk).settings == {"looks": 4}
