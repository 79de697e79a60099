"""Wording and drawing of a leaderboard: the verdict in sentences, and the means as marks on a scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from collection.models import Study
from collection.models.study import WORDS, Words
from scoring.analysis import run_comparison
from scoring.board.leaderboard import Board, BoardRow, Mean
from scoring.scores.stored_measures import BY_PERSISTENCE, OF_TOP
from web.live.axis import Axis, axis_of
from web.shared.measure_names import SAYS, TITLES, depth, within
from web.shared.phrases import count, listed, number, ranks_said

RANKINGS = WORDS[Study.Case.RANKINGS]
TOO_EARLY = "Too early to say who leads"
# More rivals than these are counted, not all named.
RIVALS = 3
# From fewer topics tests tell little.
FEW_TOPICS = 10
# From more runs on each has one line.
PACKED = 30
# And from more on they stand in two columns, and three, on one sheet of paper.
CROWDED, THRONG = 60, 120


@dataclass(frozen=True)
class Verdict:
    """The leaderboard's answer, and how far it can be trusted."""

    answer: str
    but: str


@dataclass(frozen=True)
class Marks:
    """Positions of a mean and its interval, in per cent of the axis."""

    value: str
    low: str = ""
    length: str = ""  # of the interval

    @property
    def spread(self) -> bool:
        """Whether there is an interval."""
        return bool(self.low)


@dataclass(frozen=True)
class Scale:
    """A measure's column: its title, its depth, the axis of its means, and the best mean that any ranking
    could have, in words ("" where that is 1 or unknown).
    """

    measure: str
    title: str
    axis: Axis
    depth: str
    most: str = ""

    @property
    def heading(self) -> str:
        """The measure's title by itself."""
        return TITLES[self.measure]

    @property
    def says(self) -> str:
        """The measure's explanation."""
        return SAYS[self.measure]


@dataclass(frozen=True)
class MeanCell:
    """A run's mean of one measure with its marks; None if there is nothing to draw."""

    scale: Scale
    mean: Mean
    marks: Marks | None

    @property
    def possible(self) -> str:
        """How much of what is possible the mean has: "62 %"; "" where that is 1."""
        return per_cent_of_possible(self.mean)


@dataclass(frozen=True)
class DrawnRow:
    """One run's row: its cells, and its ranks by the first measure; rank: as they are written.

    breaks: whether every run above is significantly better than it and all below it.
    """

    row: BoardRow
    cells: list[MeanCell]
    ranks: tuple[int, int] | None
    rank: str
    breaks: bool = False

    @property
    def behind(self) -> bool:
        """Whether another run is significantly better."""
        return self.ranks is not None and self.ranks[0] > 1

    @property
    def topics(self) -> int:
        """Number of topics with a value of the first measure."""
        return self.cells[0].mean.topics

    @property
    def other_topics(self) -> list[int]:
        """Number of topics with a value of each further measure, if it differs."""
        return [cell.mean.topics for cell in self.cells[1:] if cell.mean.topics != self.topics]


@dataclass(frozen=True)
class DrawnBoard:
    """All rows of a board, and a scale for each measure."""

    rows: list[DrawnRow]
    scales: list[Scale]
    words: Words = RANKINGS

    @property
    def axes(self) -> dict[str, Axis]:
        """The axis of each measure."""
        return {scale.measure: scale.axis for scale in self.scales}

    @property
    def one_count(self) -> bool:
        """Whether all runs have values on equally many topics, so that the number is shown once."""
        return len({(row.topics, *row.other_topics) for row in self.rows}) == 1

    @property
    def counts(self) -> str:
        """The number of topics with values of each measure, in words, if it is the same for all runs."""
        if not self.one_count or not self.rows[0].topics:
            return ""
        numbers = {cell.scale.title: cell.mean.topics for cell in self.rows[0].cells}
        if len(set(numbers.values())) == 1:
            number = count(next(iter(numbers.values())), self.words.topic)
            return f"All {self.words.runs} are scored on {number}."
        parts = [f"{count(n, self.words.topic)} by {title}" for title, n in numbers.items()]
        return f"All {self.words.runs} are scored on {listed(parts, len(parts))}."

    @property
    def crowd(self) -> str:
        """A size class for style sheets: many runs are printed in columns."""
        size = len(self.rows)
        names = {PACKED: "packed", CROWDED: "crowded", THRONG: "throng"}
        return "".join(f" {name}" for most, name in names.items() if size > most)

    @property
    def first(self) -> str:
        """How many runs may come first, in words; "" for one alone, and for all."""
        ranked = [row for row in self.rows if row.ranks is not None]
        may = sum(not row.behind for row in ranked)
        if not 1 < may < len(ranked):
            return ""
        return f"{may:,} of {count(len(ranked), self.words.run)} may come first"

    @property
    def tiers(self) -> str:
        """Into how many distinguishable groups the runs fall, as a sentence; "" below three runs."""
        ranked = [row for row in self.rows if row.ranks is not None]
        cuts = sum(row.breaks for row in ranked)
        if len(ranked) < 3:
            return ""
        varied = ""
        if [row.behind for row in ranked] != sorted(row.behind for row in ranked):
            varied = f" A {self.words.run} that varies much between {self.words.topics} may come first with a"
            varied += " lower mean."
        if not cuts:
            none = f"no line can be drawn between better {self.words.runs} and others"
            return f"Their ranks overlap: {none}.{varied}"
        if cuts == len(ranked) - 1:
            return f"No two {self.words.runs}' ranks overlap: all are told apart."
        split = f"Lines part {self.words.runs} whose ranks do not overlap: {cuts + 1:,} groups"
        return f"{split}; within a group ranks overlap.{varied}"


def share_of_possible(mean: Mean) -> str:
    """Say how much of the best possible mean this one has; "" where the best is 1 or unknown."""
    share = per_cent_of_possible(mean)
    return f"{share} of what is possible here" if share else ""


def per_cent_of_possible(mean: Mean) -> str:
    """The share alone, "62 %" or "at least 62 %"; "" where the best possible is 1 or unknown."""
    if not mean.is_limited or mean.of_possible is None:
        return ""
    return f"{'at least ' if mean.at_most else ''}{100 * mean.of_possible:.0f} %"


def best_possible(means: Iterable[Mean]) -> str:
    """The best possible mean of a column, "0.931" or "at most 0.931"; "" where it is 1 or unknown."""
    limited = [mean for mean in means if mean.is_limited]
    values = [mean.ceiling for mean in limited if mean.ceiling is not None]
    if not values:
        return ""
    low, high = (number(end(values), 3) for end in (min, max))
    bound = "at most " if limited[0].at_most else ""
    return f"{bound}{high if low == high else f'{low}–{high}'}"


def verdict(board: Board, words: Words = RANKINGS, baseline: str = "") -> Verdict:
    """Say which run leads by the mean of the first measure, and whether that is significant.

    baseline: of the decision told above; ranks then answer another question than it, and say so.
    """
    if not board.rows:
        return Verdict(f"There are no {words.runs} yet.", f"Load the {words.runs} that are to be compared.")
    ranked = [row for row in board.rows if row.means[board.leading].value is not None]
    measure = within(board.leading)
    if not ranked and not board.judgments:
        return Verdict("No judgment counts yet.", "Scores appear with the first one that does.")
    if not ranked and board.waiting:
        answer = f"Scores by {measure} are being computed."
        return Verdict(answer, f"They appear here by themselves, from {count(board.judgments, 'judgment')}.")
    if not ranked:
        answer = f"No {words.run} has a mean {measure} yet."
        return Verdict(answer, f"{count(board.judgments, 'judgment')} so far give none.")
    leader, value = ranked[0], number(ranked[0].means[board.leading].value, 3)
    lacking = [row.name for row in board.rows if row.means[board.leading].value is None]
    has = "has" if len(lacking) == 1 else "have"
    without = f"{listed(lacking)} {has} none: no judgment gives them one." if lacking else ""
    if len(ranked) == 1:
        answer = f"{leader.name} has a mean {measure} of {value}."
        return Verdict(answer, without or f"There is no other {words.run} to compare.")
    equal = [
        row.name
        for row in ranked
        if f"{row.means[board.leading].value:.12f}" == f"{leader.means[board.leading].value:.12f}"
    ]
    if len(equal) > 1:
        answer = f"{listed(equal)} share the highest mean {measure}, {value}."
        return Verdict(answer, f"{_few(board, leader.means[board.leading], words)} {without}".strip())
    if is_early(board):
        answer = f"{TOO_EARLY}: {leader.name} has the highest mean {measure} so far, {value}."
        return Verdict(answer, f"{_few(board, leader.means[board.leading], words)} {without}".strip())
    if board.leader_is_sure:
        every = f"the other {words.run}" if len(ranked) == 2 else f"each of the {len(ranked) - 1:,} others"
        sure = f"Its mean {measure}, {value}, is significantly higher than that of {every}."
        return Verdict(f"{leader.name} leads.", f"{sure} {without}".strip())
    highest = f"{leader.name} has the highest mean {measure}, {value}"
    rivals = _rivals(board, leader, ranked, words)
    answer = f"{highest}, but the lead is not statistically significant."
    if baseline:
        answer, rivals = f"{highest}.", f"Among all {words.runs} its lead is not significant. {rivals}"
    if other := _first_otherwise(board, ranked):
        both = f"{value} and {number(other.means[board.leading].value, 3)}"
        by = f"all judged {words.topics}" if board.whole else f"those {words.topics} with a full round"
        told = f"{both} by mean {measure}; over {by} {other.name} is ahead"
        answer = f"{leader.name} and {other.name} cannot be told apart ({told})."
        rivals = _rivals(board, leader, ranked, words).replace("its rank", f"the rank of {leader.name}")
    parts = (rivals, _few(board, leader.means[board.leading], words), without)
    return Verdict(answer, " ".join(filter(None, parts)))


def is_early(board: Board) -> bool:
    """Tell whether the first run has a mean over so few topics that no test could find it better."""
    return run_comparison.too_few(board.rows[0].means[board.leading].topics)


def _first_otherwise(board: Board, ranked: list[BoardRow]) -> BoardRow | None:
    """Return the run that is first over the other choice of topics, if it may come first here too."""
    found = next((row for row in ranked[1:] if row.is_first_otherwise), None)
    ranks = found.means[board.leading].ranks if found else None
    return found if ranks and ranks[0] == 1 else None


def first_ones(board: Board) -> list[str]:
    """The names of the runs that the verdict names first where none is surely best: one, or two that change
    places over the other choice of topics.
    """
    other = _first_otherwise(board, board.rows)
    return [board.rows[0].name, *([other.name] if other else [])]


def over(board: Board, other: Board, words: Words = RANKINGS) -> str:
    """Say which topics the means are over, and what the others would change.

    "" if all judged topics have a full round of answers, and the top items of all or none are known. other:
    the same standing over the other choice of topics.
    """
    return f"{_in_part(board, other, words)} {_ideals(board)}".strip()


def over_now(study: Study, board: Board, other: Board) -> str:
    """As `over`, for a study as it is now: while judging is not open, no topic comes next."""
    return over(board if study.judging_is_open else replace(board, nearest=None), other, study.words)


def _ideals(board: Board) -> str:
    """Say which topics compatibility is over; "" if they are those of the other measures."""
    placed = board.topics_placed
    if not OF_TOP.intersection(board.measures):
        return ""
    if not 0 < placed < board.topics_judged:
        return ""
    if not board.whole:
        known = f"where they are known ({count(placed, 'topic')}), and elsewhere on the grades alone"
        return f"The ideal of compatibility rests on the top items {known}, so that its means mix two kinds."
    if board.top_known:
        return f"Compatibility is over the {placed:,} of them whose top items are known."
    return "Compatibility leaves out the topic whose top items are known, until there are two such topics."


def _in_part(board: Board, other: Board, words: Words) -> str:
    part, whole = board.topics_in_part, board.topics_whole
    if not part or not board.topics_judged:
        return ""
    if board.whole == other.whole:
        answered = f"Only one {words.topic} has" if whole else f"No {words.topic} has"
        said = f"{answered} a full round of answers yet; each counts by the share that is answered."
        return f"{said}{_nearest(board)}"
    led = _led(other, board)
    left = f"{count(part, words.topic)} {'is' if part == 1 else 'are'} judged in part"
    if board.whole:
        said = f"Means are over the {count(whole, words.topic)} with a full round of answers"
        with_them = f"With {'it' if part == 1 else 'them'}, by the share that is answered, {led}."
        return f"{said}; {left}. {with_them}{_nearest(board)}"
    said = f"Means are over all {count(board.topics_judged, words.topic)} that are judged"
    return f"{said}; {left}, and counted by the share that is answered. Over the {whole:,} others {led}."


def _nearest(board: Board) -> str:
    """Say which topic is next to be counted, with a leading space; "" if unknown."""
    if board.nearest is None:
        return ""
    topic, left = board.nearest
    return f" Next comes {topic}, after {count(left, 'more answer')}."


def _led(other: Board, board: Board) -> str:
    """Say who leads a board, compared with another: "hybrid would lead too, with 0.524"."""
    leader = next((row for row in other.rows if row.means[board.leading].value is not None), None)
    if leader is None:
        return "nobody would lead"
    too = " too" if board.rows and board.rows[0].run_id == leader.run_id else ""
    return f"{leader.name} would lead{too}, with {number(leader.means[board.leading].value, 3)}"


def _rivals(board: Board, leader: BoardRow, ranked: list[BoardRow], words: Words) -> str:
    best, worst = leader.means[board.leading].ranks or (1, 1)
    first_too = [
        row.name
        for row in ranked
        if row is not leader and (ranks := row.means[board.leading].ranks) and ranks[0] == 1
    ]
    topics = count(leader.means[board.leading].topics, words.topic)
    # Two runs are tested on what both have.
    most = "at most " * any(
        row.means[board.leading].topics != leader.means[board.leading].topics for row in ranked
    )
    said = f"By tests over {most}{topics}, its rank may be any from {best} to {worst} (95 % range)"
    if len(first_too) > RIVALS:
        return f"{said}; {len(first_too):,} other {words.runs} may come first too."
    return f"{said}; {listed(first_too)} may come first too." if first_too else f"{said}."


def _few(board: Board, mean: Mean, words: Words) -> str:
    if mean.topics >= FEW_TOPICS:
        return ""
    whole = " with a full round of answers" if board.whole else ""
    if run_comparison.too_few(mean.topics):
        return f"Over only {count(mean.topics, words.topic)}{whole}, no test tells {words.runs} apart."
    return f"Over only {count(mean.topics, words.topic)}{whole}, tests tell few {words.runs} apart."


def drawing(board: Board, words: Words = RANKINGS, before: Mapping[str, Axis] | None = None) -> DrawnBoard:
    """Draw every mean and interval of a board on its measure's axis.

    before: the axes until now, by measure, which stay where they can.
    """
    scales = [
        Scale(
            name,
            within(name),
            axis_of([row.means[name] for row in board.rows], (before or {}).get(name)),
            # With one item of each run there is no depth.
            depth(name, board.p) if words is RANKINGS or name in BY_PERSISTENCE else "",
            best_possible(row.means[name] for row in board.rows),
        )
        for name in board.measures
    ]
    breaks = _breaks([row.means[board.leading].ranks for row in board.rows])
    rows = [
        DrawnRow(
            row,
            [MeanCell(s, row.means[s.measure], _marks(row.means[s.measure], s.axis)) for s in scales],
            row.means[board.leading].ranks,
            ranks_said(row.means[board.leading].ranks, len(board.rows)),
            place in breaks,
        )
        for place, row in enumerate(board.rows)
    ]
    return DrawnBoard(rows, scales, words)


def _breaks(ranks: list[tuple[int, int] | None]) -> set[int]:
    """Places, from 0, at which runs begin that are significantly below all runs above."""
    found: set[int] = set()
    lowest = 0
    known = [place for place in ranks if place is not None]
    highest = [best for best, _ in known]
    for place in range(len(known) - 2, -1, -1):
        highest[place] = min(highest[place], highest[place + 1])
    for place in range(1, len(known)):
        lowest = max(lowest, known[place - 1][1])
        if lowest <= place < highest[place]:
            found.add(place)
    return found


def _marks(mean: Mean, axis: Axis) -> Marks | None:
    if mean.value is None:
        return None
    at = f"{axis.position(mean.value):.1f}"
    if mean.low is None or mean.high is None:
        return Marks(at)
    low, high = axis.position(mean.low), axis.position(mean.high)
    return Marks(at, f"{low:.1f}", f"{high - low:.1f}")
