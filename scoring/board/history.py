"""History of a leaderboard: its standings as lines over judgments, and the moves between two of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from collection.models import Study
from judging.models import Decision
from scoring.board import leaderboard
from scoring.board.leaderboard import Board
from scoring.models import Standing

# Standings that are drawn at most; fewer where there are many runs, since each is read whole once.
MOST_DRAWN, FEWEST_DRAWN, RUNS_READ = 200, 40, 20_000
KEPT_SECONDS = 86400
# What changes whose judgments count, and so moves a leaderboard without a judgment.
STEERING = (Decision.What.EXCLUDED, Decision.What.READMITTED)

# A mean with the ends of its interval; each None if absent.
Value = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Moment:
    """A standing by one measure: when it was written, how many judgments counted, and means by run id."""

    number: int
    at: datetime
    judgments: int
    means: dict[int, Value]


def numbers(study: Study) -> list[int]:
    """Numbers of the standings that are kept, the oldest first. One query, answered by an index alone."""
    rows = Standing.objects.filter(study=study).order_by("number")
    return list(rows.values_list("number", flat=True))


def picked(kept: Sequence[int], most: int) -> list[int]:
    """At most so many of the kept numbers, the first and the last among them, evenly spread by number.

    As long as the step is the same, one that is picked stays so when others are added: what was read of it
    is not read again.
    """
    if len(kept) <= most:
        return list(kept)
    step = 1
    while True:
        found = [n for i, n in enumerate(kept) if i == 0 or n // step != kept[i - 1] // step]
        if len(found) < most:
            return found if found[-1] == kept[-1] else [*found, kept[-1]]
        step *= 2


def drawn(kept: Sequence[int], runs: int) -> list[int]:
    """The numbers of the standings that a plot of so many runs shows."""
    return picked(kept, min(MOST_DRAWN, max(FEWEST_DRAWN, RUNS_READ // max(1, runs))))


def moments(study: Study, wanted: Sequence[int], measure: str, p: float, *, every: bool) -> list[Moment]:
    """These standings by one measure at one persistence, in this order. every: as `leaderboard.board_of`.

    One query, or none if all were read lately; time grows with what was not, and with its runs.
    """
    key = f"history:{study.pk}:{measure}:{p}:{every}"
    known: dict[int, Moment] = cache.get(key) or {}
    missing = [number for number in wanted if number not in known]
    if missing:
        rows = Standing.objects.filter(study=study, number__in=missing)
        for standing in rows.iterator(chunk_size=20):
            known[standing.number] = _moment(standing, measure, p, every)
        # Only what is drawn: so it does not grow.
        known = {number: known[number] for number in wanted if number in known}
        cache.set(key, known, timeout=KEPT_SECONDS)
    return [known[number] for number in wanted if number in known]


def _moment(standing: Standing, measure: str, p: float, every: bool) -> Moment:
    board = leaderboard.board_of(standing, p, every=every)
    means: dict[int, Value] = {
        row.run_id: (mean.value, mean.low, mean.high)
        for row in board.rows
        if (mean := row.means.get(measure)) is not None and mean.value is not None
    }
    return Moment(standing.number, standing.created_at, board.judgments, means)


def added(judgments: Sequence[int]) -> list[int]:
    """How many judgments had been added by each moment: an exclusion takes none of them back.

    So a line never goes backwards; anyone who is let back in adds what they gave once more.
    """
    found: list[int] = []
    for i, n in enumerate(judgments):
        found.append(n if i == 0 else found[-1] + max(0, n - judgments[i - 1]))
    return found


@dataclass(frozen=True)
class Steered:
    """A decision that moved what counts: whether somebody was excluded or let back in, and when."""

    excluded: bool
    at: datetime


def steered(study: Study) -> list[Steered]:
    """All such decisions of a study, the oldest first."""
    rows = Decision.objects.filter(assessor__study=study, what__in=STEERING).order_by("pk")
    found = rows.values_list("what", "created_at")
    return [Steered(what == Decision.What.EXCLUDED, at) for what, at in found]


def at(study: Study, number: int) -> Standing | None:
    """The standing of this number, or the last kept one before it, or the oldest."""
    rows = Standing.objects.filter(study=study)
    found = rows.filter(number__lte=number).order_by("-number").first()
    return found or rows.order_by("number").first()


@dataclass(frozen=True)
class Move:
    """A run whose rank changed between two boards; None where it was not there or not scored."""

    name: str
    before: int | None
    after: int | None

    @property
    def ranks(self) -> int:
        """How many ranks it rose; below 0, fell."""
        return (self.before or 0) - (self.after or 0) if self.before and self.after else 0


def places(board: Board) -> dict[int, int]:
    """Rank of each run by the board's first measure, by its id; equal means share the better one."""
    found: dict[int, int] = {}
    last: tuple[float, int] | None = None
    for place, row in enumerate(board.rows, 1):
        value = next(iter(row.means.values())).value
        if value is None:
            break
        if last is None or last[0] != value:
            last = value, place
        found[row.run_id] = last[1]
    return found


def moves(before: Board, after: Board) -> list[Move]:
    """Runs whose rank is another on the later board, those that rose most first; new and lost ones last."""
    old, new = places(before), places(after)
    names = {row.run_id: row.name for board in (before, after) for row in board.rows}
    found = [Move(names[run], old.get(run), new.get(run)) for run in names if old.get(run) != new.get(run)]
    return sorted(found, key=lambda move: (not (move.before and move.after), -move.ranks, move.name))
