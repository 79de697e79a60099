"""Scales of two to five levels: what may be answered on each, and one answer of each level to the end."""

import re

import pytest
from django.core.management import call_command

from collection.models import Item, Study
from collection.upload.loading import load
from judging import ledger
from judging.models import Judgment
from judging.questions import asking
from judging.tasks import KINDS, BadAnswer
from judging.tasks.pair import WORDS
from judging.transfer import judgment_export
from prefir.measures import PreferenceGraph, pgc
from scoring.models import StoredScores
from scoring.scores.topic_scores import graph_of, rescore
from tests.judging.organizing import account, staff_of
from tests.judging.released import name_of, names_of
from tests.judging.visiting import Visitor, begin, form, send, text_of
from tests.makers import add_run, invite, make_study, open_study, study_with
from tests.scoring.stored import value
from tournament.models import Round
from tournament.services import catch_up
from web.organizer.setup.study_form import StudyForm

pytestmark = pytest.mark.django_db
LEVELS = {
    "2": ["left", "right"],
    "3": ["left", "tie", "right"],
    "4": ["definitely-left", "left", "right", "definitely-right"],
    "5": ["definitely-left", "left", "tie", "right", "definitely-right"],
}


def pilot(scale: str, **settings) -> Study:
    """Open, with four items and six pairs, one batch of which is the whole tournament."""
    study = make_study(items=4, junk=0, batch_pairs=6, batch_challenges=0, final_size=4, **settings)
    study.tasks.update(scale=scale)
    add_run(study, "upwards", {"t1": ["t1-d", "t1-c", "t1-b", "t1-a"]})
    add_run(study, "part", {"t1": ["t1-b", "t1-d"]})
    return open_study(study)


@pytest.mark.parametrize("scale", LEVELS)
def test_a_page_offers_the_levels_of_its_scale_from_left_to_right_and_no_others_are_taken(scale):
    study, visitor = pilot(scale), Visitor()
    address = f"/i/{invite(study).reference}/"
    batch = begin(visitor, address)
    html = visitor.get(address).content.decode()
    first = html[html.index('data-position="1"') : html.index('data-position="2"')]
    assert re.findall(r'name="choice" value="([\w-]+)"', first) == LEVELS[scale]
    place = batch.batch.get(position=1)
    for word in WORDS:
        before = Judgment.objects.count()
        taken = visitor.post("/answer/", form(batch, place, word)).status_code == 303
        assert (taken, Judgment.objects.count() - before) == (word in LEVELS[scale], word in LEVELS[scale])


def test_every_value_has_its_word_and_no_other_value_has_one():
    pair = KINDS["pair"]
    for word, number in WORDS.items():
        assert (pair.parse({"choice": word}), pair.word(number)) == (number, word)
    for number in (3, -3, 1.0, True, None, "left"):
        with pytest.raises(BadAnswer):
            pair.check(number, "5")


def test_one_answer_of_each_level_goes_from_the_form_to_the_exported_file(tmp_path):
    """By what was posted and which item stood where, against the ledger, the preferences, the tournament,
    the graph, the score and the file; and what a study reads from the file."""
    study, visitor = staff_of(pilot("5", k=1)), Visitor()
    somebody = invite(study)
    batch = begin(visitor, f"/i/{somebody.reference}/")
    # The sixth is no further level.
    given = dict(zip(range(1, 7), [*LEVELS["5"], "left"], strict=True))
    wins, edges, leans, lines = dict.fromkeys("abcd", 0), [], {}, []
    for place in batch.batch.order_by("position"):
        word = given[place.position]
        assert visitor.post("/answer/", form(batch, place, word)).status_code == 303
        subjects = [Item.objects.get(pk=pk) for pk in place.question.subject_ids]
        left, right = (subjects[int(digit)] for digit in place.shown)
        strength = {"tie": 0}.get(word, 2 if word.startswith("definitely") else 1)
        winner = left if word.endswith("left") else right if word.endswith("right") else None
        if winner:
            loser = right if winner == left else left
            wins[winner.docno[-1]] += 1
            edges.append((winner.docno, loser.docno))
        a, b = subjects
        leans[a.pk, b.pk] = strength * (1 if winner == a else -1)
        lines.append((a.docno, b.docno, winner.docno if winner else "tie", str(strength)))
    page = visitor.get(f"/i/{somebody.reference}/")
    assert "1 Definitely left Definitely upper" in text_of(page)
    assert send(visitor, batch).status_code == 303
    # The ledger: as the page showed it.
    assert [row.value for row in Judgment.objects.order_by("pk")] == [WORDS[given[n]] for n in range(1, 7)]
    # Preferences: towards the first item.
    found = ledger.counting(study.topics.get().pk)
    assert {(one.first, one.second): one.lean for one in found} == leans
    # The tournament: every answer is one judgment, and a definite win is one win.
    catch_up()
    names = dict(Item.objects.values_list("pk", "docno"))
    final = Round.objects.get()
    assert {names[int(pk)][-1]: n for pk, n in final.wins.items()} == wins
    assert final.complete
    # The graph: one edge for each preference, whatever its strength.
    assert sorted(graph_of(found).edges()) == sorted((*edge, 1) for edge in edges)
    # The score: of that graph, made here by hand.
    plain = PreferenceGraph(edges, items=[f"t1-{name}" for name in "abcd"])
    rescore(study.topics.get().pk)
    assert StoredScores.objects.exists()
    for run, ranking in (("upwards", ["t1-d", "t1-c", "t1-b", "t1-a"]), ("part", ["t1-b", "t1-d"])):
        assert value(run, "pgc", 0.95) == pytest.approx(pgc(ranking, plain, p=0.95), abs=1e-12)
    # The files: winners without labels, with them the strength as well.
    label = name_of(somebody)
    assert list(judgment_export.judgments(study)) == [f"t1 {a} {b} {won}\n" for a, b, won, _ in lines]
    full = list(judgment_export.judgments(study, names=names_of(study)))
    assert full == [f"t1 {a} {b} {won} {label} {strength}\n" for a, b, won, strength in lines]
    # And in again: the same preferences.
    copy = study_with(name="Copy", slug="copy")
    for kind, text in (("topics", "t1\tWhich?\n"), ("judgments", "".join(full))):
        path = tmp_path / kind
        path.write_text(text)
        load(copy, kind, path)
    pks = {item.docno: item.pk for item in Item.objects.filter(topic__study=copy)}
    again = {(one.first, one.second): one.lean for one in ledger.counting(copy.topics.get().pk)}
    expected = {}
    for (first, second), lean in leans.items():
        pair = pks[names[first]], pks[names[second]]
        expected[tuple(sorted(pair))] = lean if pair[0] < pair[1] else -lean
    assert again == expected


def test_a_file_of_answers_without_levels_has_no_column_for_the_strength():
    study, visitor = pilot("4"), Visitor()
    somebody = invite(study)
    batch = begin(visitor, f"/i/{somebody.reference}/")
    for place in batch.batch.all():
        visitor.post("/answer/", form(batch, place, "right"))
    send(visitor, batch)
    assert {len(line.split()) for line in judgment_export.judgments(study, names=names_of(study))} == {5}


def test_a_challenge_is_right_whether_definitely_or_slightly_and_wrong_with_a_tie():
    pair = KINDS["pair"]
    right = [word for word, number in WORDS.items() if pair.is_right(number, "10", -1)]
    assert right == ["definitely-left", "left"]


@pytest.mark.parametrize("scale", LEVELS)
def test_instructions_say_what_the_scale_asks(scale):
    page = text_of(Visitor().get(f"/i/{invite(pilot(scale)).reference}/"))
    assert ("definitely or only slightly better" in page) == (scale in "45")
    assert ("say so with a tie" in page) == (scale in "35")
    assert "scroll, and never answer" in page


def test_the_command_takes_a_scale(capsys):
    call_command("study", "mine", scale="4")
    assert Study.objects.get().tasks.get().scale == "4"


@pytest.mark.parametrize(
    ("kind", "wording", "asked"),
    [
        ("image", None, "Which picture answers the question better?"),
        ("text", None, "Which one answers the question better?"),
        ("image", "Which is funnier?", "Which is funnier?"),
        ("sound", None, "Which recording answers the question better?"),
        ("film", None, "Which film answers the question better?"),
    ],
)
def test_a_study_of_pictures_asks_about_pictures_unless_it_is_told_otherwise(kind, wording, asked):
    """By the command, and by the form of a new study, where the question stands as for passages."""
    call_command("study", "mine", kind=kind, **({"question": wording} if wording else {}))
    assert asking.task_of(Study.objects.get()).wording == asked
    fresh = StudyForm()
    values = {name: fresh.get_initial_for_field(field, name) for name, field in fresh.fields.items()}
    values |= {"name": "Other", "kind": kind} | ({"question": wording} if wording else {})
    made = StudyForm(values)
    assert made.is_valid(), made.errors
    assert asking.task_of(made.store(account("alice"))).wording == asked
