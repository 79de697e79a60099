"""Rescoring: what the ledger says becomes a score for every run, once for each revision, the newest last."""

import random
from datetime import timedelta
from itertools import combinations

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Study, Topic
from collection.upload import loading
from config import task_queue
from judging.batches import answering
from judging.models import QuestionRole, Task
from judging.verdicts import decisions
from prefir.measures import PreferenceGraph, compatibility, pgc
from scoring import jobs
from scoring.board import leaderboard, standings
from scoring.models import Standing, StoredScores
from scoring.scores import score_tables, topic_scores
from scoring.scores.score_rows import Score
from scoring.scores.stored_measures import options
from tests.judging.organizing import logged_in, staff_of
from tests.makers import (
    Choice,
    add_run,
    answer,
    docnos,
    finish,
    invite,
    make_study,
    open_study,
    places,
    record,
    run_out,
    sit,
)
from tests.scoring import stored

pytestmark = pytest.mark.django_db
RANKINGS = {"good": ["t1-a", "t1-b", "t1-c", "t1-d"], "bad": ["t1-junk0", "t1-d", "t1-c"]}


@pytest.fixture
def study():
    """Two topics of 4 items; three runs, of which `none` ranks nothing, and nobody ranks t2 but `good`."""
    study = open_study(make_study(topics=2, items=4, batch_pairs=6, batch_challenges=0))
    add_run(study, "good", {"t1": RANKINGS["good"], "t2": ["t2-d", "t2-a"]})
    add_run(study, "bad", {"t1": RANKINGS["bad"]})
    add_run(study, "none", {})
    return study


@pytest.fixture
def topic(study):
    return study.topics.get(name="t1")


def rescore_all() -> None:
    for topic_id in topic_scores.behind():
        topic_scores.rescore(topic_id)


def scores(name: str = "t1", p: float = 0.95) -> dict[str, tuple[float | None, float | None]]:
    """Run -> (PGC, compatibility) of a topic."""
    found: dict[str, dict[str, float | None]] = {}
    for (run, topic, measure, option), value in stored.named().items():
        if (topic, option) == (name, options(p)):
            found.setdefault(run, {})[measure] = value
    return {run: (values["pgc"], values["compatibility"]) for run, values in found.items()}


def rows() -> list[Score]:
    return stored.rows()


@pytest.mark.parametrize("p", Study.PERSISTENCES)
def test_scores_are_those_of_the_library_called_by_hand(study, p):
    """All six pairs of t1 answered by docno. With k = 2 its top is a, b: levels 3 and 2, above all grades."""
    finish(study)
    rescore_all()
    graph = PreferenceGraph(combinations(["t1-a", "t1-b", "t1-c", "t1-d"], 2))
    levels = {"t1-a": 3, "t1-b": 2, "t1-c": 1, "t1-d": 1, "t1-junk0": 0, "t1-junk1": 0}
    for run, ranking in RANKINGS.items():
        expected = pgc(ranking, graph, p=p), compatibility(ranking, levels, p=p)
        assert scores(p=p)[run] == pytest.approx(expected)
    assert scores(p=p)["good"][0] > scores(p=p)["bad"][0] > 0


def test_a_tie_makes_its_items_nodes_without_an_edge(study, topic):
    assignment = answering.arrive(invite(study).pk)
    question = next(q for q in topic.questions.filter(wanted=1) if docnos(q) == ["t1-c", "t1-d"])
    record(assignment.pk, question.pk, Choice.TIE)
    topic_scores.rescore(topic.pk)
    graph = PreferenceGraph(ties=[("t1-c", "t1-d")])
    assert scores()["good"][0] == pytest.approx(pgc(RANKINGS["good"], graph, p=0.95))


def test_a_topic_without_judgments_has_no_score_though_it_has_grades(study):
    """Absent, not 0; for t2 while t1 is judged, and for t1 again once its only judge is excluded."""
    judge = invite(study)
    sit(judge)
    rescore_all()
    assert {value for pair in scores("t1").values() for value in pair} >= {0}
    assert all(pair == (None, None) for pair in scores("t2").values())
    decisions.exclude(judge.pk, "slept")
    rescore_all()
    assert scores("t1") == dict.fromkeys(["good", "bad", "none"], (None, None))


def test_a_run_that_ranks_nothing_for_a_judged_topic_scores_0(study):
    finish(study)
    rescore_all()
    assert scores("t1")["none"] == (0, 0)
    assert scores("t2")["bad"] == (0, 0)


def test_challenges_and_corrected_answers_are_not_scored(study, topic):
    """Both topics' scores rest on the latest answer to the one pair that is no challenge."""
    Task.objects.update(batch_challenges=3)
    assignment = answering.arrive(invite(study).pk)
    challenge = assignment.batch.filter(role=QuestionRole.CHALLENGE).first()
    record(assignment.pk, challenge.question_id, Choice.A)
    question = assignment.batch.filter(role=QuestionRole.COUNTS, question__topic=topic).first().question
    for choice in (Choice.A, Choice.B):
        record(assignment.pk, question.pk, choice)
    rescore_all()
    graph = PreferenceGraph([tuple(reversed(docnos(question)))])
    assert scores()["good"][0] == pytest.approx(pgc(RANKINGS["good"], graph, p=0.95))
    assert StoredScores.objects.get(topic=topic).judgments == 1


def test_what_is_up_to_date_is_not_computed_again(study, topic, django_assert_num_queries):
    sit(invite(study))
    assert topic_scores.rescore(topic.pk)
    with django_assert_num_queries(3):  # the topic's revision and that of its scores, answers, their batches
        assert not topic_scores.rescore(topic.pk)


def test_scores_are_behind_at_every_answer_and_correction_and_at_no_challenge(study, topic):
    """And at what happens to a batch: here its time runs out, and its one challenge is wrong."""
    Task.objects.update(batch_challenges=3)
    assignment = answering.arrive(invite(study).pk)
    place = assignment.batch.filter(role=QuestionRole.COUNTS, question__topic=topic).first()
    for choice in (Choice.A, Choice.B):
        record(assignment.pk, place.question_id, choice)
        assert topic_scores.behind() == [topic.pk]
        rescore_all()
        assert topic_scores.behind() == []
    known = assignment.batch.filter(role=QuestionRole.CHALLENGE).first()
    record(assignment.pk, known.question_id, Choice(-known.expected))
    assert topic_scores.behind() == []
    run_out(assignment)
    answering.release_overdue()
    assert topic_scores.behind() == [topic.pk]
    rescore_all()
    assert (StoredScores.objects.get(topic=topic).judgments, topic_scores.behind()) == (0, [])


def test_a_nudge_that_was_lost_is_made_up_for_by_the_sweep(study, topic):
    """No task runs here, since nothing is committed; only the sweep looks."""
    jobs.sweep()
    assert topic_scores.behind() == []
    sit(invite(study))
    assert topic_scores.behind() == [topic.pk]
    jobs.sweep()
    assert topic_scores.behind() == []
    assert scores()["good"][0] is not None


def test_an_older_computation_never_overwrites_a_newer_one(study, topic):
    """While the first reads the runs' placements, another answer comes in and is scored to the end."""
    assignment = answering.arrive(invite(study).pk)
    questions = list(topic.questions.filter(wanted=1).order_by("pk")[:2])
    record(assignment.pk, questions[0].pk, Choice.A)
    seen = []

    def meanwhile(execute, sql, params, many, context):
        if "collection_placement" in sql and not seen:
            seen.append(sql)
            record(assignment.pk, questions[1].pk, Choice.B)
            assert topic_scores.rescore(topic.pk)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(meanwhile):
        assert not topic_scores.rescore(topic.pk)
    assert seen
    newer = rows()
    scored = StoredScores.objects.get(topic=topic)
    assert (scored.revision, scored.judgments) == (Topic.objects.get(pk=topic.pk).revision, 2)
    topic_scores.rebuild(study.pk)
    assert [row for row in rows() if row[0] == topic.pk] == [row for row in newer if row[0] == topic.pk]


def test_a_run_loaded_again_is_scored_anew(study, topic, tmp_path):
    sit(invite(study))
    rescore_all()
    old = scores()["good"]
    (tmp_path / "good.run").write_text("t1 Q0 t1-d 1 2 good\nt1 Q0 t1-c 2 1 good\n")
    loading.load(study, "run", tmp_path / "good.run")
    assert "good" not in scores()
    rescore_all()
    assert scores()["good"][0] < old[0]


def test_dropping_the_scores_and_computing_them_again_gives_the_same_rows(study):
    finish(study)
    rescore_all()
    before = rows()
    assert len(before) == 2 * 3 * 4 * 2
    stored.spoil(0.123)
    assert topic_scores.rebuild(study.pk) == 2
    assert rows() == before


# The leaderboard over them


def test_means_are_plain_means_of_the_topics_that_have_a_score(study):
    sit(invite(study))
    rescore_all()
    assert {row.means["pgc"].topics for row in leaderboard.board(study, 0.9).rows} == {1}
    finish(study)
    rescore_all()
    for row in leaderboard.board(study, 0.9).rows:
        own = [scores(name, p=0.9)[row.name] for name in ("t1", "t2")]
        assert row.means["pgc"].value == pytest.approx(sum(pair[0] for pair in own) / 2)
        assert row.means["compatibility"].value == pytest.approx(sum(pair[1] for pair in own) / 2)


def test_the_leaderboards_version_changes_exactly_when_scores_were_written(study):
    versions = [standings.version(study)]

    def changed() -> bool:
        versions.append(standings.version(study))
        return versions[-1] != versions[-2]

    assignment = answering.arrive(invite(study).pk)
    assert not changed()
    answer(assignment, most=3)
    assert not changed()  # not scored yet
    rescore_all()
    assert changed()
    rescore_all()
    assert not changed()
    decisions.exclude(assignment.assessor_id, "slept")
    rescore_all()
    assert changed()
    for _ in range(2):
        topic_scores.rebuild(study.pk)
        assert changed()
    assert len(set(versions)) == 5


def test_a_run_loaded_again_changes_the_leaderboards_version_before_it_is_scored(study, tmp_path):
    """There are as many runs as before, and no topic has been rescored."""
    rescore_all()
    before = standings.version(study)
    (tmp_path / "good.run").write_text("t1 Q0 t1-d 1 2 good\n")
    loading.load(study, "run", tmp_path / "good.run")
    assert study.runs.count() == 3
    assert standings.version(study) != before


@pytest.mark.django_db(transaction=True)
def test_a_judgment_moves_rounds_places_and_scores_by_itself():
    """Nothing but answers and submissions: tasks follow their commits, as in the product."""
    study = open_study(make_study(items=3, batch_pairs=3))
    add_run(study, "backwards", {"t1": ["t1-c", "t1-b", "t1-a"]})
    assignment = answering.arrive(invite(study).pk)
    answer(assignment)
    assert scores()["backwards"][0] < 1
    assert scores()["backwards"][1] == 1  # all graded alike, and no places yet
    assert places(study) == {}
    answering.submit(assignment.pk)
    assert places(study) == {"t1-a": 1, "t1-b": 2}
    assert scores()["backwards"][1] < 1
    assert topic_scores.behind() == []


# Standings as history


def at(study, number: int, moment) -> None:
    """A standing that was written at a moment."""
    row = Standing.objects.create(study=study, number=number, version=str(number), board={})
    Standing.objects.filter(pk=row.pk).update(created_at=moment)


def test_the_history_is_thinned_as_a_plain_reading_of_the_rule_says():
    """Two days of standings at odd moments: the slow version looks at every pair of them."""
    study, now = make_study(), timezone.now()
    chooser = random.Random(8)
    ages = sorted((chooser.uniform(0, 172_800) for _ in range(300)), reverse=True)
    ages += [3_600 + n for n in range(90, 0, -1)] + [float(n) for n in range(40, 0, -1)]
    for number, age in enumerate(sorted(ages, reverse=True), 1):
        at(study, number, now - timedelta(seconds=age))
    rows = list(Standing.objects.order_by("number").values_list("number", "created_at"))

    def stretch(moment):
        if moment >= now - timedelta(hours=1):
            return moment
        return moment.strftime("%F %H:%M" if moment >= now - timedelta(days=1) else "%F %H")

    kept = [
        number
        for number, moment in rows
        if not any(later > number and stretch(other) == stretch(moment) for later, other in rows)
    ]
    gone = standings.thin(study)
    assert gone == len(rows) - len(kept) > 100
    assert list(Standing.objects.order_by("number").values_list("number", flat=True)) == kept
    assert standings.thin(study) == 0


def test_the_newest_standing_stays_however_old_it_is():
    study, long_ago = make_study(), timezone.now() - timedelta(days=400)
    for number in (1, 2):
        at(study, number, long_ago)
    standings.thin(study)
    assert standings.latest(study).number == 2


def test_tables_that_are_kept_are_those_read_anew(study):
    """After every change the averages are those of a process that has kept nothing."""
    score_tables.forget()
    steps = (
        lambda: sit(invite(study)),
        lambda: finish(study),
        lambda: study.runs.get(name="bad").delete(),
        lambda: add_run(study, "late", {"t2": ["t2-a"]}),
        lambda: raise_revisions(study.topics.values_list("pk", flat=True), settled=False),
    )
    for step in steps:
        step()
        rescore_all()
        kept = standings.computed(study)
        score_tables.forget()
        assert standings.computed(study) == kept


# A study scored anew


def test_the_command_asks_workers_for_help_and_is_right_without_any(study, settings, monkeypatch, capsys):
    finish(study)
    rescore_all()
    before, asked = rows(), []
    monkeypatch.setattr(task_queue, "nudge", lambda task, pks: asked.append((task.name, pks)))
    settings.CELERY_TASK_ALWAYS_EAGER = False
    stored.spoil(0.123)
    call_command("rescore", study.slug)
    topics = sorted(study.topics.values_list("pk", flat=True))
    assert ("scoring.jobs.rescore", topics) in asked
    assert rows() == before


def test_old_scores_stand_until_there_are_new_ones_and_pages_say_how_many_wait(study, monkeypatch):
    monkeypatch.setattr(leaderboard, "MANY_WAITING", 1)
    staff_of(study)
    finish(study)
    rescore_all()
    before = rows()
    topic_scores.outdate(study.pk)
    assert rows() == before
    assert topic_scores.behind() == sorted(study.topics.values_list("pk", flat=True))
    topic_scores.rescore(study.topics.get(name="t1").pk)
    standings.write(study)
    page = logged_in("bob").get(f"/studies/{study.slug}/leaderboard/").content.decode()
    assert "scores of 1 of 2 topics are up to date" in page
    rescore_all()
    standings.write(study)
    page = logged_in("bob").get(f"/studies/{study.slug}/leaderboard/").content.decode()
    assert "up to date" not in page


def test_a_page_says_that_a_measure_that_was_just_chosen_is_being_computed(study):
    """Its means are absent until then, and an absent mean is said to have no judgment."""
    staff_of(study)
    finish(study)
    rescore_all()
    standings.write(study)
    said = "scores of 0 of 2 topics are up to date, the others are being computed"
    page, bob = f"/studies/{study.slug}/leaderboard/", logged_in("bob")
    assert "being computed" not in bob.get(page).content.decode()
    Study.objects.filter(pk=study.pk).update(measures="pgc ndcg")
    topic_scores.outdate(study.pk)
    standings.write(Study.objects.get(pk=study.pk))
    assert said in bob.get(page).content.decode()
    rescore_all()
    standings.write(Study.objects.get(pk=study.pk))
    assert "being computed" not in bob.get(page).content.decode()
