"""History of a leaderboard: means over judgments, and the moves between two standings."""

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
    """A standing by one measure: its time, its number of judgments, and means by run id."""

    number: int
    at: datetime
    judgments: int
    means: dict[int, Value]


def numbers(study: Study) -> list[int]:
    """Numbers of the kept standings, oldest first."""
    rows = Standing.objects.filter(study=study).order_by("number")
    return list(rows.values_list("number", flat=True))


def has_race(study: Study, last: int) -> bool:
    """Tell whether standings of three numbers of judgments are kept: fewer make no line to read.

    last: the number of the last standing. One query; none if it was asked of this one, or there is a race.
    """
    if last < 3:
        return False
    key = f"race-{study.pk}"
    known = cache.get(key)
    if known in (0, last):
        return known == 0
    counts = Standing.objects.filter(study=study, board__judgments__gt=0).order_by()
    races = counts.values("board__judgments").distinct()[:3].count() == 3
    cache.set(key, 0 if races else last, KEPT_SECONDS)
    return races


def picked(kept: Sequence[int], most: int) -> list[int]:
    """At most `most` of the kept numbers, evenly spread by number, with the first and the last.

    While the step stays the same, a picked number stays picked when others are added, so that its values stay
    cached.
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
    """Numbers of the standings in a plot of so many runs."""
    return picked(kept, min(MOST_DRAWN, max(FEWEST_DRAWN, RUNS_READ // max(1, runs))))


def moments(study: Study, wanted: Sequence[int], measure: str, p: float, *, every: bool) -> list[Moment]:
    """These standings by one measure at one persistence, in this order; cached. every: as
    `leaderboard.board_of`.
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


def unchanged_since(
    study: Study, kept: Sequence[int], now: Board, *, every: bool, first: int | None = None
) -> int | None:
    """Number of judgments since which the order of the runs has not changed; None if the last standing
    changed it. Looks at the standings that are kept and drawn. One query; none if their moments are cached.

    first: how many of the best runs are meant; None for all.
    """
    of = (now.leading, now.p)
    found = moments(study, drawn(kept, len(now.rows)), *of, every=every)
    orders = [sorted(one.means, key=lambda run: (-(one.means[run][0] or 0.0), run))[:first] for one in found]
    since = next((n for n in range(len(orders) - 1, 0, -1) if orders[n - 1] != orders[-1]), 0)
    return found[since].judgments if since < len(orders) - 1 else None


def added(judgments: Sequence[int]) -> list[int]:
    """Number of judgments added up to each moment; an exclusion subtracts none, so a line never goes back.

    Judgments of a readmitted assessor are added again.
    """
    found: list[int] = []
    for i, n in enumerate(judgments):
        found.append(n if i == 0 else found[-1] + max(0, n - judgments[i - 1]))
    return found


def by_added(moments: Sequence[Moment]) -> dict[int, Moment]:
    """Moments by the number of judgments added up to each, of equal numbers the last: a line stands at one
    height in one place.
    """
    return dict(zip(added([moment.judgments for moment in moments]), moments, strict=True))


@dataclass(frozen=True)
class Steered:
    """A decision that changed what counts: an exclusion or readmission, and when."""

    excluded: bool
    at: datetime


def steered(study: Study) -> list[Steered]:
    """All exclusions and readmissions of a study, oldest first."""
    rows = Decision.objects.filter(assessor__study=study, what__in=STEERING).order_by("pk")
    found = rows.values_list("what", "created_at")
    return [Steered(what == Decision.What.EXCLUDED, at) for what, at in found]


def at(study: Study, number: int) -> Standing | None:
    """The standing of this number, else the last kept one before it, else the oldest."""
    rows = Standing.objects.filter(study=study)
    found = rows.filter(number__lte=number).order_by("-number").first()
    return found or rows.order_by("number").first()


def after(study: Study, times: Sequence[datetime]) -> list[Standing]:
    """The first standing kept at or after each of these times, or the last one. Two queries, none without a
    time.
    """
    if not times:
        return []
    rows = list(Standing.objects.filter(study=study).order_by("number").values_list("number", "created_at"))
    if not rows:
        return []
    chosen = [next((number for number, made in rows if made >= time), rows[-1][0]) for time in times]
    found = {one.number: one for one in Standing.objects.filter(study=study, number__in=chosen)}
    return [found[number] for number in chosen]


@dataclass(frozen=True)
class Move:
    """A run whose place changed between two boards; None where it was missing or not scored."""

    name: str
    before: int | None
    after: int | None

    @property
    def ranks(self) -> int:
        """Places gained; negative for lost."""
        return (self.before or 0) - (self.after or 0) if self.before and self.after else 0


def places(board: Board) -> dict[int, int]:
    """Place of each run by the board's first measure, by id; ties share the better one."""
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
    """Runs whose place changed, largest gain first; new and lost runs last."""
    old, new = places(before), places(after)
    names = {row.run_id: row.name for board in (before, after) for row in board.rows}
    found = [Move(names[run], old.get(run), new.get(run)) for run in names if old.get(run) != new.get(run)]
    return sorted(found, key=lambda move: (not (move.before and move.after), -move.ranks, move.name))
