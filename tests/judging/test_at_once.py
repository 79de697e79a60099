"""Several people at the same moment, on PostgreSQL: row locks, not luck, keep the ledger right."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest
from django.db import connection, transaction
from django.db.models import F

from collection.changes import raise_revisions
from collection.models import Item, Topic
from collection.upload import loading
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, Judgment, Question, Task
from judging.questions import asking
from judging.questions import challenges as challenges_of
from judging.verdicts import decisions
from tests.makers import (
    Choice,
    answer,
    finish,
    invite,
    make_study,
    open_study,
    pairs_of,
    places,
    record,
    run_out,
    sit,
    taken_by_rows,
    whim,
)
from tests.servers import postgres
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
# How often each question (by id) was ever wanted, at most.
MostWanted = dict[int, int]
TOLD = (answering.NothingLeft, answering.Excluded, answering.Over)
THREADS = 8


def together(calls: Sequence[Callable[[], object]]) -> list[object]:
    """Run the calls in a thread each, all from one moment on; return what each returned or raised."""
    start = threading.Barrier(len(calls), timeout=60)
    results: list[object] = [None] * len(calls)

    def run(number: int) -> None:
        connection.ensure_connection()
        start.wait()
        try:
            results[number] = calls[number]()
        except Exception as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    return results


@pytest.fixture
def said_by_postgres():
    """A function: the errors that PostgreSQL logged since the test began. Tasks may swallow theirs."""
    log = postgres.folder / "log"
    begin = log.stat().st_size

    def read() -> list[str]:
        lines = log.read_bytes()[begin:].decode(errors="replace").splitlines()
        return [line for line in lines if "ERROR:" in line]

    return read


def test_people_who_arrive_at_once_hold_different_questions(said_by_postgres):
    """Six people, 30 pairs wanted once, five in a batch: everybody gets five, and none twice."""
    study = open_study(make_study(topics=3, batch_pairs=5))
    people = [invite(study) for _ in range(6)]
    found = together([lambda p=p: answering.arrive(p.pk) for p in people])
    held = Counter(question for assignment in found for question in pairs_of(assignment))
    assert sorted(held.values()) == [1] * 30
    assert said_by_postgres() == []


def test_who_comes_back_while_others_arrive_shares_no_question_with_them(said_by_postgres):
    """Ten pairs wanted once: of the six that somebody left, each goes to others or is theirs again."""
    study = open_study(make_study(batch_pairs=6, batch_challenges=0))
    away = answering.arrive(invite(study).pk)
    sittings.release(away.pk)
    study.tasks.update(batch_size=2)
    others = [invite(study) for _ in range(3)]
    comes_back = [lambda: sittings.resume(away.pk)] * 3
    together([*comes_back, *(lambda p=p: answering.arrive(p.pk) for p in others)])
    held = taken_by_rows(study)
    assert set(held.values()) == {1}
    assert dict(Question.objects.filter(taken__gt=0).values_list("pk", "taken")) == held
    decided = away.decisions.order_by("pk").values_list("what", flat=True)
    assert list(decided) == ["idle", "resumed"]
    away.refresh_from_db()
    assert away.withdrawn == away.gone.count()
    assert said_by_postgres() == []


def test_one_person_who_arrives_in_many_tabs_at_once_has_one_batch(said_by_postgres):
    study = open_study(make_study())
    assessor = invite(study)
    found = together([lambda: answering.arrive(assessor.pk).pk] * THREADS)
    assert len(set(found)) == 1
    assert Assignment.objects.count() == 1
    assert said_by_postgres() == []


def test_an_answer_posted_many_times_at_once_is_stored_once(said_by_postgres):
    study = open_study(make_study())
    assignment = answering.arrive(invite(study).pk)
    question = pairs_of(assignment).pop()
    post = lambda: record(assignment.pk, question, Choice.A, nonce="n").added  # noqa: E731
    assert sorted(together([post] * THREADS)) == [False] * (THREADS - 1) + [True]
    assert Judgment.objects.count() == 1
    assert said_by_postgres() == []


def test_different_answers_at_once_all_stay_in_the_ledger_in_one_order(said_by_postgres):
    study = open_study(make_study())
    assignment = answering.arrive(invite(study).pk)
    question = pairs_of(assignment).pop()
    together(
        [lambda n=n: record(assignment.pk, question, Choice(n % 3), nonce=f"n{n}") for n in range(THREADS)]
    )
    revisions = list(Judgment.objects.order_by("revision").values_list("revision", flat=True))
    assert revisions == list(range(len(revisions)))
    assert Judgment.objects.counting().filter(question=question).count() <= 1
    assert Judgment.objects.current().count() == 1
    assert said_by_postgres() == []


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_batch_submitted_many_times_at_once_has_one_verdict(wrong, said_by_postgres):
    study = open_study(make_study())
    assignment = answering.arrive(invite(study).pk)
    answer(assignment, wrong=wrong)
    topic = study.topics.get()
    found = together([lambda: answering.submit(assignment.pk).submitted_at] * THREADS)
    assert len(set(found)) == 1
    topic.refresh_from_db()
    assert topic.settled == 1
    assert {q.taken for q in Question.objects.filter(wanted=1)} == {1 - wrong}
    assert said_by_postgres() == []


def test_a_batch_that_ran_out_is_given_back_once_by_its_owner_and_the_sweeps(said_by_postgres):
    """Given back twice, a question would be asked more often than it is wanted, or its counter refused."""
    study = open_study(make_study(topics=2))
    assignment = answering.arrive(invite(study).pk)
    run_out(assignment)
    owner = [lambda: answering.arrive(assignment.assessor_id).pk] * 4
    found = together([*owner, *[answering.release_overdue] * 4])
    assert len(set(found[:4])) == 1
    taken = dict(Question.objects.filter(wanted=1).values_list("pk", "taken"))
    assert {pk for pk, n in taken.items() if n} == pairs_of(Assignment.objects.get(pk=found[0]))
    assert set(taken.values()) == {0, 1}
    assert said_by_postgres() == []


def test_excluding_and_submitting_at_once_leaves_no_question_behind(said_by_postgres):
    study = open_study(make_study(topics=2))
    for _ in range(3):
        assessor = invite(study)
        sit(assessor)
        second = answering.arrive(assessor.pk)
        answer(second)
        together([lambda: answering.submit(second.pk), lambda: decisions.exclude(assessor.pk, "w")] * 2)  # noqa: B023
        assert not Judgment.objects.counting().exists()
        assert not Question.objects.exclude(taken=0).exists()
    assert said_by_postgres() == []


@pytest.fixture
def most_wanted(monkeypatch) -> MostWanted:
    """What tournaments want of each question, kept as they set it: in rows it may fall again."""
    found: MostWanted = {}
    plain = asking.want

    def want(task: Task, topic_id: int, wanted: Mapping[tuple[int, ...], int]) -> None:
        plain(task, topic_id, wanted)
        # The caller holds the tournament's row, so that no other sets those of this topic meanwhile.
        rows = Question.objects.filter(topic=topic_id, task=task).values_list("pk", "wanted")
        for pk, times in rows:
            found[pk] = max(times, found.get(pk, 0))

    monkeypatch.setattr(asking, "want", want)
    return found


def test_mixed_work_of_eight_threads_ends_as_one_after_the_other_would(said_by_postgres, most_wanted):
    """Judging, failing, running out, excluding, sweeping, advancing, new challenges: for 8 threads at once.

    PostgreSQL reports no error at all, a deadlock among them; counters agree with rows; and the study then
    ends at the places of one that was judged in peace with the same answers.
    """
    settings = {"items": 8, "final_size": 4, "pairings": 3, "batch_pairs": 7, "judgments_per_pair": 2}
    study, peaceful = (open_study(make_study(topics=3, **settings)) for _ in range(2))
    people = [invite(study) for _ in range(THREADS // 2)]
    challenges = [
        (q.topic_id, *q.subject_ids, q.expected)
        for q in Question.objects.filter(topic__study=study, expected__isnull=False)
    ]

    def work(number: int) -> None:
        chooser = random.Random(number)
        for turn in range(6):
            assessor = people[number // 2] if turn < 2 else invite(study)
            try:
                assignment = answering.arrive(assessor.pk)
                what = chooser.random()
                answer(assignment, choose=whim, wrong=what < 0.2, most=3 if what > 0.8 else None)
                if what > 0.8:
                    run_out(assignment)
                    answering.release_overdue()
                answering.submit(assignment.pk)
            except TOLD:
                pass
            if number == turn:
                decisions.exclude(assessor.pk, "for a test")
                challenges_of.set_challenges(study, challenges)
            services.catch_up()

    errors = [result for result in together([lambda n=n: work(n) for n in range(THREADS)]) if result]
    # Two tabs of one person: the slower one may find the batch finished, and nothing else.
    assert [error for error in errors if not isinstance(error, answering.Unfinished)] == []
    assert said_by_postgres() == []
    held = taken_by_rows(study)
    assert {q.pk: q.taken for q in Question.objects.filter(topic__study=study) if q.taken} == held
    # A tournament played again after an exclusion may want fewer answers of a pair than have been given.
    assert [row for row in held.items() if row[1] > most_wanted[row[0]]] == []
    assert Assessor.objects.filter(excluded_at__isnull=False).count() > 2
    Assignment.objects.filter(state=Assignment.State.WORKING).update(deadline=F("opened_at"))
    finish(study, choose=whim)
    finish(peaceful, choose=whim)
    assert len(places(study)) >= 3 * study.plan.k
    assert places(study) == places(peaceful)


def test_a_study_opened_while_passages_are_loaded_sees_none_of_them_and_refuses_the_file(tmp_path):
    """Pools made from half a file would stand still for ever."""
    study = make_study(items=2, junk=0)
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f'{{"docno":"d{n}","topic":"t1","text":"Text."}}\n' for n in range(6)))
    half_way, opened = threading.Event(), threading.Event()

    def meet(done: int, total: int) -> None:
        if done == total:
            half_way.set()
            opened.wait(60)

    def start() -> int:
        half_way.wait(60)
        try:
            return services.start(study.pk)
        finally:
            opened.set()

    loaded = lambda: loading.load(study, "items", path, progress=meet)  # noqa: E731
    refused, topics = together([loaded, start])
    assert "opened for judging while" in str(refused)
    assert topics == 1
    assert [len(t.pool) for t in services.Tournament.objects.all()] == [2]
    assert Item.objects.count() == 2


def test_many_changes_of_the_same_topics_wait_for_each_other_without_a_deadlock(said_by_postgres):
    topics = list(make_study(topics=20).topics.order_by("pk"))
    turns = range(200)

    def change(number: int) -> None:
        rng = random.Random(number)
        for _ in turns:
            with transaction.atomic():
                raise_revisions([one.pk for one in rng.sample(topics, 10)], settled=True, notify=False)

    def refer(number: int) -> None:
        # As every row that is inserted with a topic locks it.
        rng = random.Random(number)
        for _ in turns:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_sleep(0.002) FROM collection_topic WHERE id = %s FOR KEY SHARE",
                    [rng.choice(topics).pk],
                )

    calls = [partial(change, number) for number in range(THREADS)]
    together([*calls, *(partial(refer, number) for number in range(THREADS))])
    assert not said_by_postgres()
    assert sum(Topic.objects.values_list("settled", flat=True)) == THREADS * len(turns) * 10
