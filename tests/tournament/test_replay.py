"""Replaying recorded answers: the same end however it is gone about."""

import threading
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from collection.models import Item, Study
from collection.study.lifecycle import close
from collection.upload import loading
from judging.batches import answering
from judging.models import Assessor, Assignment, Judgment, Question
from prefir import rules
from simulation import replay as replaying
from simulation.replay import PageDesk, RecordedAnswers, Stuck, digest, replay
from tests.ground import scratch_folder
from tests.makers import Choice, add_items, ask, docnos, invite, make_study, open_study, places
from tests.public_data import DATA, needs_data
from tournament import services
from tournament.models import Tournament

# Tasks follow each commit, as in the product; of these only those that open rounds.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("unscored"),
]
SHAPE = {"topics": 2, "items": 7, "final_size": 4, "pairings": 3, "batch_pairs": 3, "k": 3}


@pytest.fixture
def study():
    return open_study(make_study(**SHAPE))


def record(study: Study) -> list[tuple[str, str, str, str | None]]:
    """Recorded answers with ties and a cycle; for a part of the pairs, the others go by seed."""
    lines: list[tuple[str, str, str, str | None]] = []
    asked = Question.objects.filter(topic__study=study, wanted__gt=0).select_related("topic")
    for n, (topic, a, b) in enumerate(sorted((q.topic.name, *docnos(q)) for q in asked)):
        if n % 4:
            lines.append((topic, b, a, (None, a, b)[n % 3]))
    return lines


def end_of(**how) -> str:
    """The digest at which a fresh study ends when it is replayed in this way."""
    study = open_study(make_study(**SHAPE))
    replay(study, RecordedAnswers(study, record(study)), **how)
    return digest(study)


@pytest.fixture(scope="module")
def expected(django_db_setup, django_db_blocker):
    """The digest of one assessor after another, of whom none fails."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = open_study(make_study(**SHAPE))
        oracle = RecordedAnswers(study, record(study))
        while Tournament.objects.filter(topic__study=study, finished=False).exists():
            replay(study, oracle, max_batches=1)
            services.catch_up()  # inside this transaction nothing is committed, so no task runs
        found = digest(study)
        transaction.set_rollback(True)
    return found


def test_a_replay_ends_every_tournament(study):
    outcome = replay(study, RecordedAnswers(study, record(study)))
    assert not Tournament.objects.filter(finished=False).exists()
    assert outcome.judgments == Judgment.objects.settled().count() > 20
    assert {docno[:2] for docno, place in places(study).items() if place == 1} == {"t1", "t2"}


def test_the_same_seed_ends_the_same(expected):
    assert end_of() == expected


@pytest.mark.slow
def test_another_seed_ends_elsewhere(expected):
    """So the digest can tell: pairings, and answers that nobody recorded, go by the seed."""
    study = open_study(make_study(**SHAPE | {"seed": "other"}))
    replay(study, RecordedAnswers(study, record(study)))
    assert digest(study) != expected


@pytest.mark.slow
def test_failing_assessors_change_nothing_at_the_end(expected):
    """More than half of them."""
    study = open_study(make_study(**SHAPE))
    outcome = replay(study, RecordedAnswers(study, record(study)), failing=0.6)
    assert outcome.failed == Assessor.objects.filter(excluded_at__isnull=False).count() > 0
    assert digest(study) == expected


@pytest.mark.slow
def test_stopping_after_every_batch_and_going_on_changes_nothing(expected):
    study = open_study(make_study(**SHAPE))
    oracle = RecordedAnswers(study, record(study))
    while replay(study, oracle, max_batches=1, failing=0.5).batches:
        pass
    assert digest(study) == expected


@pytest.mark.slow
def test_a_replay_that_died_in_the_middle_of_a_batch_goes_on_with_it(expected):
    """Its next start arrives as the same person, posts the same nonces, and no row is added twice."""

    class Dies(replaying.ServiceDesk):
        left = 4

        def answer(self, assignment, place, choice):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            super().answer(assignment, place, choice)

    study = open_study(make_study(**SHAPE))
    oracle = RecordedAnswers(study, record(study))
    with pytest.raises(KeyboardInterrupt):
        replay(study, oracle, desk=Dies())
    replay(study, oracle)
    assert digest(study) == expected
    assert not Judgment.objects.filter(revision__gt=0).exists()


@pytest.mark.services
@pytest.mark.parametrize("failing", [0, 0.5])
def test_four_at_once_end_as_one_does(expected, failing, capsys):
    """By the command, whose four lanes are threads, on PostgreSQL."""
    study = open_study(make_study(**SHAPE, slug="crowd"))
    path = _file(study)
    call_command("replay", "crowd", path, at_once=4, failing=failing)
    assert f"Result {expected}." in capsys.readouterr().out


def _file(study: Study):
    path = scratch_folder("record") / "record.txt"
    path.write_text("".join(f"{t} {a} {b} {w or 'tie'}\n" for t, a, b, w in record(study)))
    return path


@pytest.mark.slow
def test_the_command_says_what_it_did(expected, capsys):
    study = open_study(make_study(**SHAPE, slug="one"))
    call_command("replay", "one", _file(study), batches=2)
    assert "6 judgments in 2 batches, 0 of them failed" in capsys.readouterr().out
    call_command("replay", "one", _file(study))
    assert f"Result {expected}." in capsys.readouterr().out


def test_the_command_refuses_what_cannot_be(tmp_path):
    make_study(slug="shut")
    open_study(make_study(slug="open"))
    with pytest.raises(CommandError, match="no study 'none'"):
        call_command("replay", "none")
    with pytest.raises(CommandError, match=r"`manage.py start shut` opens it"):
        call_command("replay", "shut")
    (tmp_path / "bad.txt").write_text("t1 t1-a t1-b ghost\n")
    with pytest.raises(CommandError, match="line 1"):
        call_command("replay", "open", tmp_path / "bad.txt")


def test_a_study_that_is_closed_meanwhile_stops_the_replay_at_once(study):
    close(study.pk)
    people = Assessor.objects.count()
    with pytest.raises(Stuck, match="Judging is not open"):
        replay(study, RecordedAnswers(study, []))
    assert Assessor.objects.count() <= people + 1


def test_a_replay_that_nothing_advances_says_so(study):
    """Inside a transaction no task runs, as when there is no worker."""
    with transaction.atomic(), pytest.raises(Stuck, match="either no worker advances them"):
        replay(study, RecordedAnswers(study, []), patience=0.2)


# Where answers come from


def question(a: str, b: str, **grades: float) -> tuple[Study, Question]:
    """A question about two items of a study, with their grades."""
    study = make_study(items=0, junk=0)
    items = add_items(study.topics.get(), {docno: grades.get(docno) for docno in (a, b)})
    return study, ask(study.topics.get(), items[0], items[1])


def test_a_recorded_answer_comes_before_the_grades():
    study, asked = question("x", "y", x=1, y=3)
    assert RecordedAnswers(study, [("t1", "y", "x", "x")]).answer(asked) == Choice.A
    assert RecordedAnswers(study, [("t1", "x", "y", None)]).answer(asked) == Choice.TIE


def test_of_several_recorded_answers_the_majority_counts_and_else_the_first():
    study, asked = question("x", "y")
    votes = [("t1", "x", "y", winner) for winner in ("x", None, "y", "y")]
    assert RecordedAnswers(study, votes).answer(asked) == Choice.B
    assert RecordedAnswers(study, votes[:3]).answer(asked) == Choice.A


def test_without_a_record_the_higher_grade_counts_and_none_is_0():
    study, asked = question("x", "y", y=2)
    assert RecordedAnswers(study, [("t9", "x", "y", "x")]).answer(asked) == Choice.B


def test_without_either_the_seed_decides_and_always_the_same():
    study, asked = question("x", "y", x=1, y=1)
    found = {RecordedAnswers(study, []).answer(asked) for _ in range(5)}
    assert len(found) == 1
    seeds = set()
    for seed in "abcdefgh":
        study.seed = seed
        seeds.add(RecordedAnswers(study, []).answer(asked))
    assert seeds == {Choice.A, Choice.B}


# Through pages


@pytest.mark.slow
def test_the_pages_end_where_the_services_end(expected, live_server):
    study = open_study(make_study(**SHAPE))
    replay(study, RecordedAnswers(study, record(study)), desk=PageDesk(live_server.url))
    assert digest(study) == expected


def test_a_batch_that_is_over_is_told_apart_from_one_that_is_unfinished(study, live_server):
    desk = PageDesk(live_server.url)
    assignment = desk.arrive(invite(study))
    with pytest.raises(Stuck, match="have no answer yet"):
        desk.submit(assignment)
    Assignment.objects.update(deadline="2020-01-01T00:00Z")
    with pytest.raises(answering.Over, match="time for this batch has run out"):
        desk.submit(assignment)


def test_a_server_that_fails_for_a_while_is_asked_again(study):
    """It answers 503 twice; what is posted arrives the third time, and a page that is not ours is named."""
    answers, posts = [503, 503, 200, 404], []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self):
            posts.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(answers.pop(0))
            self.end_headers()
            self.wfile.write(b"nothing here")

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    desk = PageDesk(f"http://127.0.0.1:{server.server_port}/")
    assignment = answering.arrive(invite(study).pk)
    try:
        desk.submit(assignment)
        assert len(posts) == 3
        assert len(set(posts)) == 1
        with pytest.raises(Stuck, match="/submit/ answered 404: nothing here"):
            desk.submit(assignment)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    with pytest.raises(Stuck, match="does not answer"):
        PageDesk(desk.url, patience=0).submit(assignment)


# The public data


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_data)])
def test_a_slice_of_cast_ends_where_a_plain_tournament_in_memory_ends(_, tmp_path):
    """Six topics with 4 to 15 candidates and their recorded answers. The oracle is written out anew:
    most of a pair's judgments in the file, else the higher grade; the few pairs that neither decides are
    asked of `Recorded`, whose choice by seed is nobody else's to know.
    """
    folder = DATA / "cast2019"
    topics = ["31_2", "40_4", "33_1", "32_1", "33_4", "32_8"]  # 15, 11, 5, 7, 4 and 6 candidates

    def cut(name: str, separator: str | None = None) -> list[list[str]]:
        lines = (folder / name).read_text().splitlines()
        rows = [line.split(separator) for line in lines if line.split(separator)[0] in topics]
        (tmp_path / name).write_text("".join(f"{(separator or ' ').join(row)}\n" for row in rows))
        return rows

    cut("evaluation_topics_annotated_resolved_v1.0.tsv", "\t")
    grades = {(topic, docno): int(grade) for topic, _, docno, grade in cut("2019qrels.txt")}
    votes: dict[tuple[str, frozenset[str]], list[str]] = defaultdict(list)
    recorded = [(topic, a, b, winner) for topic, a, b, winner in cut("TREC-CAsT-2019.pref")]
    for topic, a, b, winner in recorded:
        votes[topic, frozenset((a, b))].append(winner)
    # Equal counts: in the order of the file.
    winners = {pair: Counter(said).most_common(1)[0][0] for pair, said in votes.items()}

    study = make_study(topics=0, seed="s", batch_challenges=3, k=5, final_size=9, pairings=7)
    loading.load(study, "topics", tmp_path / "evaluation_topics_annotated_resolved_v1.0.tsv")
    loading.load(study, "qrels", tmp_path / "2019qrels.txt")
    open_study(study)
    oracle = RecordedAnswers(study, recorded)
    replay(study, oracle, failing=0.1)

    by_topic: dict[str, dict[int, str]] = defaultdict(dict)
    for pk, topic, docno in Item.objects.values_list("pk", "topic__name", "docno"):
        by_topic[topic][pk] = docno
    expected = {}
    for topic, names in by_topic.items():
        pool = rules.initial_pool({pk: grades[topic, docno] for pk, docno in names.items()}, 5)
        answers: dict[tuple[int, int], list[int]] = {}
        while not (state := rules.play(pool, answers, seed=f"s:{topic}")).finished:
            for pair in state.open_pairs:
                a, b = (names[pk] for pk in pair)
                winner = winners.get((topic, frozenset((a, b))))
                if winner is None and grades[topic, a] != grades[topic, b]:
                    winner = max(a, b, key=lambda docno: grades[topic, docno])
                if winner is None:
                    asked = Question.objects.get(key=f"{pair[0]} {pair[1]}")
                    choice = int(oracle.answer(asked))
                else:
                    choice = 1 if winner == a else -1
                answers.setdefault(pair, []).append(choice)
        expected |= {(topic, names[pk]): n for n, place in enumerate(state.top, 1) for pk in place}
    found = Item.objects.filter(top_rank__isnull=False).values_list("topic__name", "docno", "top_rank")
    assert {(topic, docno): place for topic, docno, place in found} == expected
    assert len(expected) >= 25
