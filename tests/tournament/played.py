"""What tests of rounds look at, and how their people answer."""

from collection.models import Study
from judging.models import Question
from tests.makers import Choice, first
from tournament.models import Round


def rounds(study: Study) -> list[tuple]:
    """Each round: number, kind, size of its pool, answered, complete."""
    rows = Round.objects.filter(tournament__topic__study=study).order_by("tournament", "number")
    return [(r.number, r.kind, len(r.pool), r.answered, r.complete) for r in rows]


def last(question: Question) -> Choice:
    """Prefers the item with the greater docno."""
    return Choice.B if first(question) == Choice.A else Choice.A
