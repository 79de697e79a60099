"""What is stored of a schedule, in the words of its plain model."""

from judging import ledger
from judging.models import JudgmentQuerySet
from prefir import rules
from tests.judging.schedule_model import Pair
from tests.makers import Choice
from tournament.models import Tournament


def stored_answers(judgments: JudgmentQuerySet) -> list[tuple[int, Pair, Choice]]:
    """Answers as (batch, pair, choice) in ledger order."""
    rows = ledger.derived_with(judgments, "assignment")
    return [(number, (found.first, found.second), Choice(found.lean)) for found, (number,) in rows]


def places_in(state: rules.State) -> dict[int, int]:
    return {item: place for place, items in enumerate(state.top or (), 1) for item in items}


def stored_rounds(tournament: Tournament) -> list[tuple]:
    """Rounds as (number, pool, pairs, wins by item, pairs answered, whether all are)."""
    return [
        (
            row.number,
            row.pool,
            {pairing.question.subject_ids for pairing in row.pairings.all()},
            {int(item): won for item, won in row.wins.items()},
            row.answered,
            row.complete,
        )
        for row in tournament.rounds.prefetch_related("pairings__question")
    ]
