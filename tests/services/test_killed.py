"""Processes are killed with kill -9 while people judge: no judgment is lost, and the end is the same.

The people are those of `manage.py replay`, whose answers depend on the pair and the seed alone. The
expected end is that of the same study replayed in one process that nobody disturbs.
"""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.servers import postgres, wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

# Ten candidates in each pool: a round of 15 pairs that reduces them, then the final.
BEGIN = """
import random
from tests.makers import add_run, make_study, open_study
rules = {"k": 3, "final_size": 5, "pairings": 3}
study = make_study(topics=3, items=10, junk=3, batch_pairs=5, slug="killed", seed="killed", **rules)
docnos = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
for name in ("one", "two", "three"):
    add_run(study, name, {t: random.Random(name + t).sample(docnos[t], 10) for t in docnos})
open_study(study)
"""
STORED = "SELECT count(*) FROM judging_judgment WHERE role = 'counts'"
# Topics whose round was judged to the end, and which nobody advanced: no later judgment will nudge them.
FORGOTTEN = """
SELECT count(*) FROM collection_topic t JOIN tournament_tournament r ON r.topic_id = t.id
WHERE t.settled > r.seen AND NOT r.finished
AND NOT EXISTS (SELECT 1 FROM judging_question q WHERE q.topic_id = t.id AND q.taken < q.wanted)
AND NOT EXISTS (
    SELECT 1 FROM judging_assignment a JOIN judging_batchquestion b ON b.assignment_id = a.id
    JOIN judging_question q ON q.id = b.question_id WHERE a.state = 'working' AND q.topic_id = t.id
)
"""
HALF_DONE = """
SELECT count(*) FROM judging_assignment a WHERE a.state = 'working'
AND EXISTS (SELECT 1 FROM judging_judgment j WHERE j.assignment_id = a.id)
"""
UNSCORED = """
SELECT count(*) FROM collection_topic t LEFT JOIN scoring_storedscores s ON s.topic_id = t.id
WHERE s.revision IS NULL OR s.revision <> t.revision
"""
# Anyone who advances a tournament fails before it is committed, as a process that dies then.
FAIL = """
CREATE TRIGGER fail BEFORE UPDATE ON tournament_tournament BEGIN SELECT RAISE(ABORT, 'as if killed'); END
"""
# The next answer in the middle of a batch, while a topic is forgotten, is never written: the process that
# writes it counts for ever. Without this, a quick replay may be past that moment between two looks at it.
STAY = f"""
CREATE TRIGGER stay BEFORE INSERT ON judging_judgment WHEN ({FORGOTTEN}) > 0 AND ({HALF_DONE}) > 0 BEGIN
SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n);
END
"""


AT_WORK = ("worker1", "worker2", "beat")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What `manage.py replay` says when it calls the services in one process over SQLite."""
    stack = Stack.embedded(tmp_path_factory.mktemp("undisturbed"))
    stack.python(BEGIN)
    return stack.manage("replay", "killed")


@pytest.fixture
def services(new_stack):
    """The study in a deployment with two workers and beat."""
    stack = new_stack(workers=2)
    stack.python(BEGIN)
    return stack


@pytest.fixture
def embedded(embedded_stack):
    """The study in one process over SQLite."""
    embedded_stack.python(BEGIN)
    return embedded_stack


def begin(stack: Stack, *, pages: bool = True) -> None:
    """Start a replay in a process of its own: through the pages, or by the services."""
    stack.begin("replay", "killed", *([f"--url={stack.address}"] if pages else []))


def end(stack: Stack) -> str:
    """What the replay said at its end."""
    process = stack.processes["command"]
    wait_until(lambda: process.poll() is not None, seconds=90, what="the replay ends")
    assert process.returncode == 0, stack.log("command")
    return stack.log("command")


def result(said: str) -> str:
    """The fingerprint of rounds, places and answers at which a replay ended."""
    return re.findall(r"Result (\w+)\.", said)[-1]


def judgments(said: str) -> int:
    """How many answers the replay gave and was told that they are stored."""
    return int(re.findall(r"(\d+) judgments in", said)[-1])


def stored(stack: Stack) -> int:
    """Rows of the ledger, challenges aside; corrections too would be rows."""
    return stack.query(STORED)[0][0]


def wait_for_a_forgotten_topic(stack: Stack) -> None:
    """Wait until a round is judged and not advanced, and see that the replay has not ended."""
    wait_until(lambda: stack.query(FORGOTTEN) != [(0,)], seconds=60, what="a topic whose advance is held up")
    assert stack.processes["command"].poll() is None, stack.log("command")


def stopped_in_a_batch(stack: Stack) -> bool:
    """Let the replay stand still; where some of a batch is not answered then, leave it so."""
    process = stack.processes["command"]
    process.send_signal(signal.SIGSTOP)
    inside = stack.query(HALF_DONE) != [(0,)]
    if not inside:
        process.send_signal(signal.SIGCONT)
    return inside


@contextmanager
def held_up(stack: Stack) -> Iterator[None]:
    """Nobody gets to advance a tournament: in PostgreSQL all wait, in SQLite all fail."""
    if not stack.database:
        stack.query(FAIL)
        yield
        stack.query("DROP TRIGGER fail")
        return
    with postgres.connect(stack.database) as connection, connection.transaction():
        connection.execute("LOCK TABLE tournament_tournament IN EXCLUSIVE MODE")
        yield


def test_the_web_process_dies_and_the_end_is_the_same(services, undisturbed):
    """All its processes, with requests in flight. Each answer that was acknowledged is stored once."""
    begin(services)
    # Early: on a busy machine the replay may go far between two looks, and it must not be at its end.
    wait_until(lambda: stored(services) > 0, seconds=60, what="the first judgments are stored")
    wait_until(lambda: stopped_in_a_batch(services), what="the replay is in the middle of a batch")
    services.processes["command"].send_signal(signal.SIGCONT)  # requests are to be in flight
    services.kill9("web")
    assert stored(services) < judgments(undisturbed)
    services.restart("web")
    said = end(services)
    assert result(said) == result(undisturbed)
    assert judgments(said) == stored(services) == judgments(undisturbed)


def test_workers_and_beat_die_and_the_end_is_the_same(services, undisturbed):
    """Workers die in the middle of tasks, and what they held dies with them: the sweeps do it.

    The scores that they leave are those of a fresh computation.
    """
    begin(services)
    with held_up(services):
        wait_for_a_forgotten_topic(services)
        for name in AT_WORK:
            services.kill9(name)
    for name in AT_WORK:
        services.restart(name)
    assert result(end(services)) == result(undisturbed)
    wait_until(lambda: services.query(UNSCORED) == [(0,)], what="every topic is scored")
    scores = services.manage("export_scores", "killed")
    services.manage("rescore", "killed")
    assert scores.count("\n") > 3 * 3
    assert services.manage("export_scores", "killed") == scores


def test_the_one_process_of_make_run_dies_and_the_end_is_the_same(embedded, undisturbed):
    """With answers in flight and a round that was judged and not advanced: it catches up when it starts."""
    begin(embedded)
    with held_up(embedded):
        wait_for_a_forgotten_topic(embedded)
        embedded.kill9("web")
    embedded.restart("web")
    said = end(embedded)
    assert result(said) == result(undisturbed)
    assert judgments(said) == stored(embedded) == judgments(undisturbed)


def test_the_replay_itself_dies_and_its_next_start_ends_the_same(embedded, undisturbed):
    """Its next start goes on with the open batch, whose questions nobody else would get, and advances
    the round that was judged: it does all in its own process, so nobody else has.
    """
    embedded.query(STAY)
    begin(embedded, pages=False)
    with held_up(embedded):
        wait_for_a_forgotten_topic(embedded)
        wait_until(lambda: embedded.query(HALF_DONE) != [(0,)], what="the replay is in the middle of a batch")
        embedded.kill9("command")
        embedded.query("DROP TRIGGER stay")
    assert "Result" not in embedded.log("command")
    begin(embedded, pages=False)
    assert result(end(embedded)) == result(undisturbed)
    assert stored(embedded) == judgments(undisturbed)
