"""An answer that its assessor revises after later rounds stood on it: the tournament is played again, and
preference, graph, scores and export follow. Expected values are read from the ledger's rows by hand.
"""

import pytest

from collection.models import Study
from judging import ledger
from judging.audit import hash_chain
from judging.batches import answering, batch_reopen
from judging.models import Assignment, Judgment, QuestionRole
from judging.transfer import judgment_export
from panels import account as accounts
from scoring.board import score_export as scores
from scoring.scores import topic_scores as scoring
from tests.judging.ledgers import said
from tests.judging.organizing import account
from tests.makers import (
    Choice,
    add_run,
    docnos,
    first,
    lean_given,
    make_study,
    open_study,
    places,
    record,
    sit,
)
from tests.scoring.stored import named
from tournament import services
from tournament.models import Tournament

pytestmark = pytest.mark.django_db


def by_hand(study: Study) -> dict[tuple[str, str], str]:
    """What each pair's last answer in a kept batch prefers."""
    found = {}
    for judgment in (
        Judgment.objects.filter(role=QuestionRole.COUNTS).order_by("revision").select_related("question")
    ):
        batch = Assignment.objects.get(pk=judgment.assignment_id)
        a, b = docnos(judgment.question)
        if batch.state == "kept":
            found[a, b] = {1: a, -1: b, 0: ""}[lean_given(judgment)]
    return found


def play_on(study: Study, assessor) -> None:
    """Let the assessor judge, always for the smaller docno, until the tournament has ended."""
    services.catch_up()
    while Tournament.objects.filter(topic__study=study, finished=False).exists():
        sit(assessor, choose=first)
        services.catch_up()
    scoring.catch_up()


def edges(study: Study) -> set[tuple[str, str]]:
    """The preference graph's edges by docno, from better to worse."""
    topic = study.topics.get()
    graph = scoring.graph_of(ledger.counting(topic.pk))
    return {(better, worse) for better, worse, _ in graph.edges()}


def export(study: Study) -> set[tuple[str, ...]]:
    return {tuple(line.split()) for line in judgment_export.judgments(study)}


def test_a_revised_answer_is_followed_from_the_ledger_to_the_exported_file():
    study = open_study(make_study(mode="dedicated", items=4, junk=0, k=1, batch_challenges=0, slug="cup"))
    for name, ranking in (("good", "abcd"), ("bad", "dcba")):
        add_run(study, name, {"t1": [f"t1-{letter}" for letter in ranking]})
    dora = accounts.seat(study.pk, account("dora").pk)
    play_on(study, dora)
    assert places(study) == {"t1-a": 1}
    before, graph, exported = named(), edges(study), export(study)
    # In the first batch t1-a won its match; now it is said to have lost it.
    batch = Assignment.objects.earliest("pk")
    place = next(p for p in batch.batch.select_related("question") if "t1-a" in docnos(p.question))
    loser, winner = docnos(place.question)
    assert loser == "t1-a"

    batch_reopen.reopen(batch.pk, dora.pk)
    services.catch_up()
    # While it is open the match has no settled answer; nothing of later rounds is asked meanwhile.
    assert places(study) == {}
    assert not Tournament.objects.get().finished
    record(batch.pk, place.question_id, Choice.B)
    answering.submit(batch.pk)
    play_on(study, dora)

    assert "t1-a" not in places(study)
    hand = by_hand(study)
    assert hand[loser, winner] == winner
    assert (loser, winner) in graph
    assert edges(study) == {(best, ({*pair} - {best}).pop()) for pair, best in hand.items() if best}
    assert (winner, loser) in edges(study)
    assert {line[1:] for line in export(study)} == {(*pair, best or "tie") for pair, best in hand.items()}
    assert ("t1", loser, winner, loser) in exported
    assert ("t1", loser, winner, winner) in export(study)
    assert named() != before
    computed = scores.fresh(study)
    assert list(scores.differences("now", scores.scores(study), computed)) == []
    # The ledger has both answers, and they are sealed.
    rows = Judgment.objects.filter(question=place.question).order_by("revision")
    assert [lean_given(row) for row in rows] == [1, -1]
    hash_chain.seal()
    lines = [
        line for line in judgment_export.sealed_ledger(study) if f'"question_id":{place.question_id},' in line
    ]
    assert sum('"kind":"judgment"' in line for line in lines) == 2
    assert "as they were sealed" in said(study)
    ended = places(study)
    services.rebuild(study.pk)
    assert places(study) == ended
