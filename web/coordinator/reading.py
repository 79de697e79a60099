"""How a leaderboard reads: the answer in a sentence, and where marks stand on a scale."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.leaderboard import Board, Mean, Row
from web.words import count, listed

# The cut-off of the nDCG that each persistence resembles (Clarke, Vtyurina & Smucker, TOIS 39(3), 2021).
LIKE_NDCG = {0.8: 3, 0.85: 5, 0.9: 10, 0.95: 20}
# Percentile intervals from very few topics are known to be too narrow.
FEW_TOPICS = 10
# A scale ends at the first of these that holds everything drawn on it.
SCALE_ENDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
WIDTH = 200.0


@dataclass(frozen=True)
class Verdict:
    """The answer, and what is to be known about it before it is believed."""

    answer: str
    but: str


@dataclass(frozen=True)
class Marks:
    """Where a mean and its interval stand on a scale, in units of which the whole has 200."""

    value: str
    low: str
    high: str
    length: str  # of the interval

    @property
    def spread(self) -> bool:
        """Whether there is an interval."""
        return bool(self.low)


@dataclass(frozen=True)
class DrawnRow:
    """One run's line with its marks; None where there is nothing to draw."""

    row: Row
    pgc: Marks | None
    compatibility: Marks | None


@dataclass(frozen=True)
class Drawing:
    """All lines of a board on two scales that begin at 0."""

    rows: list[DrawnRow]
    pgc_end: float
    compatibility_end: float


def verdict(board: Board) -> Verdict:
    """Which run leads by mean PGC and how surely, in two sentences or three."""
    if not board.rows:
        return Verdict("There are no runs yet.", "Load the runs that are to be compared.")
    ranked = [row for row in board.rows if row.pgc.value is not None]
    if not ranked:
        return Verdict("Nothing is judged yet.", "Scores appear with the first judgment.")
    leader, value = ranked[0], f"{ranked[0].pgc.value:.3f}"
    if len(ranked) == 1:
        return Verdict(f"{leader.run.name} has a mean PGC of {value}.", "There is no other run to compare.")
    equal = [row.run.name for row in ranked if f"{row.pgc.value:.12f}" == f"{leader.pgc.value:.12f}"]
    if len(equal) > 1:
        answer = f"{listed(equal)} share the highest mean PGC, {value}."
        return Verdict(answer, _few(leader.pgc))
    if leader.pgc.ranks is None:
        answer = f"{leader.run.name} has the highest mean PGC so far, {value}."
        return Verdict(answer, "One topic is judged, which cannot tell how sure that is.")
    if leader.pgc.ranks == (1, 1):
        sure = f"Its mean PGC, {value}, is the highest in more than 97 of 100 resamples of the topics."
        return Verdict(f"{leader.run.name} leads.", f"{sure} {_few(leader.pgc)}".strip())
    answer = f"{leader.run.name} has the highest mean PGC, {value}, but its lead is not sure."
    return Verdict(answer, f"{_rivals(leader, ranked)} {_few(leader.pgc)}".strip())


def _rivals(leader: Row, ranked: list[Row]) -> str:
    best, worst = leader.pgc.ranks or (1, 1)
    first_too = [
        row.run.name for row in ranked if row is not leader and row.pgc.ranks and row.pgc.ranks[0] == 1
    ]
    said = f"On other topics of the kind it may come anywhere from rank {best} to {worst}"
    return f"{said}; {listed(first_too)} may come first too." if first_too else f"{said}."


def _few(mean: Mean) -> str:
    if mean.topics >= FEW_TOPICS:
        return ""
    return f"Over only {count(mean.topics, 'topic')} such ranges are rough."


def drawing(board: Board) -> Drawing:
    """Place every mean and interval of a board on its measure's scale."""
    pgc_end = _scale_end(row.pgc for row in board.rows)
    compatibility_end = _scale_end(row.compatibility for row in board.rows)
    rows = [
        DrawnRow(row, _marks(row.pgc, pgc_end), _marks(row.compatibility, compatibility_end))
        for row in board.rows
    ]
    return Drawing(rows, pgc_end, compatibility_end)


def _scale_end(means: Iterable[Mean]) -> float:
    largest = max((mean.high or mean.value or 0.0 for mean in means), default=0.0)
    return next((end for end in SCALE_ENDS if end >= largest), 1.0) if largest else 1.0


def _marks(mean: Mean, end: float) -> Marks | None:
    if mean.value is None:
        return None

    def place(value: float) -> float:
        return WIDTH * value / end

    if mean.low is None or mean.high is None:
        return Marks(f"{place(mean.value):.1f}", "", "", "")
    low, high = place(mean.low), place(mean.high)
    return Marks(f"{place(mean.value):.1f}", f"{low:.1f}", f"{high:.1f}", f"{high - low:.1f}")
