"""Studies whose scores count kept batches only: answers that nothing has checked move nothing."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Action, Study
from collection.study import lifecycle
from judging import ledger
from judging.batches import answering
from judging.models import Judgment
from panels import local
from scoring import jobs
from scoring.board import leaderboard
from scoring.scores import topic_scores
from scoring.scores.stored_measures import USUAL
from tests.judging.organizing import staff_of
from tests.makers import add_run, answer, invite, make_study, open_study, sit, whim
from tests.scoring import stored
from tournament.services import catch_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two topics of five items, two runs, a batch of four kept; its open link is on."""
    study = open_study(staff_of(make_study(topics=2, batch_challenges=0, batch_pairs=4)))
    for name, turned in (("forward", 1), ("backward", -1)):
        add_run(study, name, {f"t{n}": [f"t{n}-{one}" for one in "abcde"][::turned] for n in (1, 2)})
    sit(invite(study), choose=whim)
    lifecycle.open_link(study.pk, on=True)
    study.refresh_from_db()
    bring_up()
    return study


def bring_up() -> None:
    catch_up()
    jobs.sweep()


def press_left(study: Study, people: int = 4) -> list:
    """The finding's steps: join by the link, answer "left" to the whole batch, send nothing."""
    batches = []
    for _ in range(people):
        batches.append(answering.arrive(local.join(study.join_token or "").pk))
        for place in batches[-1].batch.all():
            answering.record(batches[-1].pk, place.question_id, 1)
    bring_up()
    return batches


def answers_of(batches: list) -> int:
    return sum(batch.batch.count() for batch in batches)


def read(study: Study) -> leaderboard.Board:
    """The leaderboard as it is now, however young the last standing."""
    jobs.write_standing(study.pk)
    return leaderboard.board(study, 0.95)


def slowly(kept: bool) -> dict:
    """What is stored, from the rows themselves: judgments that are settled, or that count."""
    found = {}
    for topic in Study.objects.get().topics.all():
        rows = Judgment.objects.settled() if kept else Judgment.objects.counting()
        preferences = list(ledger.derived(rows.filter(topic=topic)))
        scores = topic_scores._scores(topic.study_id, topic.pk, topic.name, preferences, USUAL)
        for score in scores.rows(topic.pk):
            found[topic.name, score.run_id, score.measure, score.options] = score.value
    return found


def as_stored() -> dict:
    names = dict(Study.objects.get().topics.values_list("pk", "name"))
    return {(names[s.topic_id], s.run_id, s.measure, s.options): s.value for s in stored.rows()}


def test_answers_of_open_batches_move_no_score_and_are_told_beside(alice, study):
    before, scores = read(study), as_stored()
    open_answers = answers_of(press_left(study))
    after = read(study)
    assert (after.judgments, after.provisional) == (before.judgments, open_answers)
    assert (before.judgments, open_answers >= 12) == (4, True)
    assert [row.means for row in after.rows] == [row.means for row in before.rows]
    assert as_stored() == scores == {key: scores[key] for key in slowly(kept=True) if key in scores}
    page = alice.get(reverse("leaderboard", args=[study.slug])).content.decode()
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert f"4 judgments of kept batches, {open_answers} more in batches still being judged" in said
    response = alice.get(f"/studies/{study.slug}/scores.csv")
    assert f'"{study.slug}-scores.csv"' in response["Content-Disposition"]


def test_once_a_batch_is_kept_its_answers_count(study):
    batches = press_left(study)
    for batch in batches:
        answering.submit(batch.pk)
    bring_up()
    found = slowly(kept=True)
    assert {key: found[key] for key in as_stored()} == as_stored()
    assert (read(study).judgments, read(study).provisional) == (4 + answers_of(batches), 0)


def test_the_check_against_the_ledger_counts_as_the_study_does(study, tmp_path, capsys):
    answer(answering.arrive(invite(study).pk), most=3)
    bring_up()
    read(study)
    path = tmp_path / "scores.csv"
    call_command("export_scores", study.slug, output=path)
    call_command("check_scores", study.slug, path)
    assert "are what the ledger gives" in capsys.readouterr().out


def test_turned_off_in_the_settings_open_batches_count_and_turned_on_they_do_not(alice, study):
    open_answers = answers_of(press_left(study))
    kept = as_stored()
    form = alice.get(reverse("study-settings", args=[study.slug])).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    for on, expected in ((False, 4 + open_answers), (True, 4)):
        given = {name: value for name, value in fields.items() if value is not None and value is not False}
        given.pop("kept_only", None)
        response = alice.post(
            reverse("study-settings", args=[study.slug]), given | ({"kept_only": "on"} if on else {})
        )
        assert response.status_code == 302, response.context["form"].errors
        bring_up()
        found = slowly(kept=on)
        assert {key: found[key] for key in as_stored()} == as_stored()
        assert read(study).judgments == expected
        assert (as_stored() == kept) is on
        note = Action.objects.filter(study=study).last()
        assert note.after == {lifecycle.KEPT_ONLY: on}


def test_turning_the_open_link_on_turns_it_on_and_says_so_in_the_trail():
    study = make_study()
    assert not study.kept_only
    lifecycle.open_link(study.pk, on=True)
    lifecycle.open_link(study.pk, on=True)
    study.refresh_from_db()
    assert study.kept_only
    noted = list(Action.objects.filter(study=study).values_list("what", "after"))
    assert noted == [("link on", None), ("settings", {lifecycle.KEPT_ONLY: True})]
    Study.objects.filter(pk=study.pk).update(kept_only=False)
    lifecycle.open_link(study.pk, on=False)
    study.refresh_from_db()
    assert not study.kept_only  # nothing turns it on but the link


def test_a_new_answer_of_an_open_batch_computes_no_score(study, monkeypatch):
    monkeypatch.setattr(topic_scores, "_scores", lambda *_: pytest.fail("computed"))
    open_answers = answers_of(press_left(study))
    assert read(study).provisional == open_answers
