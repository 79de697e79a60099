"""One topic's tournament in full: each round's pairs with their winners, and each candidate's rounds."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from collection.models import Study, Topic
from judging.tasks.pick import Pick
from prefir import rules
from tournament import services
from tournament.models import Plan, Round, Tournament
from tournament.plans import plan_of
from web.coordinator.placements import PlacedItem, Ranking, items, rankings
from web.live import progress
from web.live.progress import round_name, state_in_words
from web.shared.phrases import count

Answers = Mapping[tuple[int, ...], Sequence[Any]]


@dataclass(frozen=True)
class RoundPair:
    """A pair of items of a round with its answers; if it is decided, the winner is first.

    decided: whether one of them won. A pair that is neither open nor decided is a tie.
    """

    first: PlacedItem
    second: PlacedItem
    votes: tuple[int, int, int]  # for the first, for the second, ties
    open: bool
    decided: bool

    @property
    def judgments(self) -> int:
        """The number of answers that the pair has in this round."""
        return sum(self.votes)


@dataclass(frozen=True)
class PlayedRound:
    """One round of a tournament.

    pairs: decided ones first, open ones last; for picks, the pairs of items about which an answer says
    something. answered, asked: numbers of pairs, or of grids. stayed: items of the pool that went on; None in
    the last round, while the round is open, and where the strategy eliminates nobody.
    """

    number: int
    name: str
    pool: int
    pairs: list[RoundPair]
    answered: int
    asked: int
    stayed: list[PlacedItem] | None

    @property
    def open(self) -> bool:
        """Whether some of its pairs still wait for answers."""
        return self.answered < self.asked


@dataclass(frozen=True)
class CandidateStep:
    """A candidate's part in a round: its pairs, and how many it won (None while the round is open).

    so_far: pairs won in an open round; open: those of its pairs there that wait for answers.
    """

    won: int | None
    pairs: int
    so_far: int = 0
    open: int = 0

    @property
    def decided(self) -> int:
        """Pairs that do not wait for answers."""
        return self.pairs - self.open


@dataclass(frozen=True)
class Candidate:
    """An item of the pool. way: its step in each round, None if it had no part. fate: outcome in words."""

    item: PlacedItem
    way: list[CandidateStep | None]
    fate: str
    out: bool

    @property
    def won(self) -> int:
        """Pairs won in all complete rounds."""
        return sum(step.won or 0 for step in self.way if step)

    @property
    def pairs(self) -> int:
        """Pairs of all complete rounds."""
        return sum(step.pairs for step in self.way if step and step.won is not None)


@dataclass(frozen=True)
class Detail:
    """The tournament as a topic's page shows it. state: a key of STATES; round: round or state in words."""

    state: str
    round: str
    rounds: list[PlayedRound]
    candidates: list[Candidate]
    top: list[PlacedItem]
    open_pairs: int
    asked: int  # judgments that all rounds so far want
    answered: int  # in batches that were not discarded
    kept: int  # of these, those that decide rounds
    rankings: list[Ranking]
    plan: Plan
    end: str  # why the tournament ended, or what it waits for

    @property
    def by_round(self) -> bool:
        """Whether candidates win pairs round by round."""
        return self.plan.strategy == "crowd" and bool(self.rounds)

    @property
    def graded(self) -> bool:
        """Whether any candidate has a grade."""
        return any(candidate.item.grade is not None for candidate in self.candidates)


def detail(study: Study, topic: Topic, runs: Collection[int]) -> Detail:
    """Replay one topic's tournament from the ledger and describe it, with these runs' rankings.

    Cost grows with the topic's judgments and pool, and with the runs times the items shown of each.
    """
    plan = plan_of(study)
    tournament = Tournament.objects.filter(topic=topic).first()
    answers = services.settled(plan, topic.pk) if tournament else {}
    played = None
    if tournament and tournament.seen >= 0:
        aside = services.aside_of(topic.pk, plan.task_id)
        played = services.replayed(plan, tournament, topic, answers, aside=aside)
    shown = items(topic, tournament.pool if tournament else [], runs)
    answered, kept = progress.counts(plan, [topic.pk]).get(topic.pk, (0, 0))
    top = sorted((i for i in shown.values() if i.place is not None), key=lambda i: (i.place or 0, i.docno))
    return Detail(
        state=(state := _state(played)),
        round=round_name(played.rounds[-1])
        if played and state in ("round", "final")
        else state_in_words(state, topic),
        rounds=(rounds := _rounds(plan, played, answers, shown) if played else []),
        candidates=_candidates(plan, tournament.pool, played, rounds, shown) if tournament else [],
        top=top,
        open_pairs=len(played.open_pairs) if played else 0,
        asked=topic.asked,
        answered=answered,
        kept=kept,
        rankings=rankings(topic, runs, shown),
        plan=plan,
        end=_end(plan, played),
    )


def _state(played: rules.State | None) -> str:
    if played is None:
        return "waiting"
    if not played.rounds:
        return "nothing"
    if played.finished:
        return "finished"
    return "final" if played.rounds[-1].kind == Round.Kind.FINAL else "round"


def _end(plan: Plan, played: rules.State | None) -> str:
    """Return in a sentence why a tournament ended, or what it waits for; "" before it began."""
    if played is None:
        return ""
    if not played.rounds:
        return "It never began: fewer than two items can be compared."
    last = played.rounds[-1]
    if not played.finished:
        whats = "grid" if plan.rules.asks == Pick.name else "pair"
        return f"It goes on: round {last.number} waits for {count(len(last.open_pairs), whats)}."
    placed = sum(map(len, played.top or ()))
    ends = {
        "crowd": f"the {len(last.pool):,} items that were left met in all pairs, and wins decided",
        "picks": "the last place wanted was picked",
    }
    how = ends.get(plan.strategy, "the match for the last place wanted was won")
    return f"It ended in round {last.number}: {how}. {count(placed, 'item')} got a place."


def _rounds(
    plan: Plan, played: rules.State, answers: Answers, shown: Mapping[int, PlacedItem]
) -> list[PlayedRound]:
    """Return the rounds with their pairs; each round takes the next answers of a pair, as the rules do."""
    taken: Counter[tuple[int, ...]] = Counter()
    per_pair = plan.settings["judgments_per_pair"]
    rounds = []
    for number, round_ in enumerate(played.rounds):
        open_pairs = set(round_.open_pairs)
        pairs: list[RoundPair] = []
        for asked in round_.pairs:
            given = answers.get(asked, ())[taken[asked] : taken[asked] + per_pair]
            taken[asked] += per_pair
            if plan.rules.asks == Pick.name:
                pairs += _picked(asked, given, shown)
                continue
            a, b = asked
            votes = (sum(v > 0 for v in given), sum(v < 0 for v in given), sum(v == 0 for v in given))
            pairs.append(_pair(shown[a], shown[b], votes, asked in open_pairs))
        following = played.rounds[number + 1 : number + 2]
        rounds.append(
            PlayedRound(
                number=round_.number,
                name=round_name(round_),
                pool=len(round_.pool),
                pairs=sorted(pairs, key=lambda p: (p.open, not p.decided, p.first.docno, p.second.docno)),
                answered=round_.answered,
                asked=len(round_.pairs),
                stayed=_stayed(following[0].pool, shown) if following and plan.rules.eliminates else None,
            )
        )
    return rounds


def _stayed(pool: Sequence[int], shown: Mapping[int, PlacedItem]) -> list[PlacedItem]:
    return sorted((shown[pk] for pk in pool), key=lambda item: (item.place or len(shown), item.docno))


def _picked(grid: Sequence[int], picks: Sequence[Any], shown: Mapping[int, PlacedItem]) -> list[RoundPair]:
    """Return the pairs of a grid's items about which its picks say something."""
    said = Counter(preference for pick in picks for preference in pick)
    return [
        _pair(shown[a], shown[b], (said[a, b], said[b, a], 0), is_open=False)
        for a, b in combinations(grid, 2)
        if said[a, b] or said[b, a]
    ]


def _pair(a: PlacedItem, b: PlacedItem, votes: tuple[int, int, int], is_open: bool) -> RoundPair:
    for_a, for_b, ties = votes
    decided = not is_open and for_a != for_b
    if decided and for_b > for_a:
        return RoundPair(b, a, (for_b, for_a, ties), is_open, decided)
    return RoundPair(a, b, votes, is_open, decided)


def _candidates(
    plan: Plan,
    pool: Sequence[int],
    played: rules.State | None,
    listed: Sequence[PlayedRound],
    shown: Mapping[int, PlacedItem],
) -> list[Candidate]:
    """Return the items of the pool, furthest first."""
    rounds = played.rounds if played else ()
    # How many pairs (or grids) of each round an item is in.
    met = [Counter(item for pair in round_.pairs for item in pair) for round_ in rounds]
    last_pairs = listed[-1].pairs if listed else []
    so_far = Counter(pair.first.pk for pair in last_pairs if pair.decided)
    waits = Counter(item.pk for pair in last_pairs if pair.open for item in (pair.first, pair.second))
    ranks: dict[int, int] = {}
    for tied in (played.top or ()) if played else ():
        ranks |= dict.fromkeys(tied, len(ranks) + 1)
    found = []
    for item in pool:
        way = [
            None
            if item not in pairs
            else CandidateStep(None, pairs[item], so_far[item], waits[item])
            if round_.wins is None
            else CandidateStep(round_.wins[item], pairs[item])
            for round_, pairs in zip(rounds, met, strict=True)
        ]
        fate, out = _fate(item, way, played, ranks, plan.rules.eliminates)
        last = max((n for n, step in enumerate(way, 1) if step), default=0)
        won = (step.won or 0) if last and (step := way[last - 1]) else 0
        order = (ranks.get(item, len(pool) + 1), out, -last, -won, item)
        found.append((order, Candidate(shown[item], way, fate, out)))
    return [candidate for _, candidate in sorted(found, key=lambda pair: pair[0])]


def _fate(
    item: int,
    way: list[CandidateStep | None],
    played: rules.State | None,
    ranks: Mapping[int, int],
    eliminates: bool,
) -> tuple[str, bool]:
    """Return an item's outcome in words, and whether it is out."""
    if item in ranks:
        return f"place {ranks[item]}", False
    if played is None:
        return "waits", False
    if played.finished and (way[-1] or not eliminates):
        return "not in the top", True
    if way[-1] or not eliminates:
        return "still in", False
    return f"out in round {max(n for n, step in enumerate(way, 1) if step)}", True
