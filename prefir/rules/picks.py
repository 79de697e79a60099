"""The strategy of picks: the best of each grid is picked until one item is left, then the next place."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from .grids import Grid, deal, grids_of
from .state import Place, RoundState, State, check_settings
from .strategy import Forecast, Settings, Strategy

Pick = Sequence[tuple[int, int]]
"""One answer to a grid, as the preferences that it implies: (better, worse) items."""


class Picks(Strategy):
    """Strategy for many assessors who pick the best of a grid, and perhaps the worst: `play_picks`."""

    name = "picks"
    asks = "pick"
    title = "Picks: the best of a grid of items, place by place"
    defaults = {"k": 5, "grid_size": 6, "appearances": 3, "judgments_per_pair": 1}
    limits = {"k": (1, 1000), "grid_size": (3, 9), "appearances": (1, 100), "judgments_per_pair": (1, 100)}
    # Anyone who lost only to items that have a place by now comes back.
    eliminates = False

    def play(
        self,
        pool: Iterable[int],
        answers: Mapping[Any, Sequence[Any]],
        settings: Settings,
        *,
        seed: str,
        aside: Collection[Any] = (),
    ) -> State:
        """Replay the tournament by the rules of the function `play_picks`."""
        return play_picks(pool, answers, **self.complete(settings), seed=seed, aside=aside)

    def first_pairs(self, size: int, settings: Settings) -> int:
        """Grids of the first round."""
        full = self.complete(settings)
        return grids_of(size, full["grid_size"], full["appearances"])

    def forecast(self, sizes: Iterable[int], settings: Settings) -> Forecast:
        """Forecast `least` as the first round, `about` as if half of a pool stays in each round and each
        place takes one grid more, `most` as if for each place all items came back and as many stayed as can.
        """
        full = self.complete(settings)
        each, pools = full["judgments_per_pair"], list(sizes)
        return Forecast(
            least=each * sum(self.first_pairs(size, settings) for size in pools),
            about=each * sum(_about(size, full) for size in pools),
            most=each * sum(_most(size, full) for size in pools),
        )

    def most_left(
        self, pool_size: int, *, round_size: int | None, answered: int, played: int, settings: Settings
    ) -> int:
        """Most judgments of all rounds less those of the grids that have been answered."""
        full = self.complete(settings)
        return (_most(pool_size, full) - played) * full["judgments_per_pair"]

    def meets_again(self, sizes: Iterable[int], settings: Settings) -> bool:
        """True if a pool is larger than a grid: the grid of a place may be one that was dealt before."""
        return any(size > self.complete(settings)["grid_size"] for size in sizes)


def play_picks(
    pool: Iterable[int],
    answers: Mapping[Grid, Sequence[Pick]],
    *,
    k: int = 5,
    grid_size: int = 6,
    appearances: int = 3,
    judgments_per_pair: int = 1,
    seed: str,
    aside: Collection[Grid] = (),
) -> State:
    """Replay a tournament of picks: selection by grids, the best item first, then the next, to k items.

    pool: items in any order; repeats count once. answers: grid -> its `Pick`s in ledger order.
    aside: grids that nobody can judge. They are not waited for; what answers they have count.
    k: length of the top; grid_size (g): items in a grid; appearances (n): in how many grids of a round each
    item stands.

    All items are contenders at first. While there are more than g, a round deals them into grids
    (`grids.deal`); those that won more than half of their preferences of this round stay, as in `crowd.play`.
    Where only the best is picked, that are the items picked more often than by chance; where the worst is
    picked too, those picked as the best more often than as the worst.

    When g or fewer are left, one grid shows them, filled up to g with the next best by that share: the item
    that wins most of its preferences takes the next place, of several with as many all of them. A single
    contender takes it unasked. Preferences over it then count no more: contenders for the next place are the
    items that won more than half of the others of the last round in which they contended, or that have no
    others, because they lost to placed items alone. If there are none, those with the highest share.

    With answers that agree with an order of the items the top is exactly right, whatever the grids are: the
    best item without a place has lost to placed ones alone, so it contends, and wins wherever it stands. With
    other answers it still ends: preferences won and lost in a round balance, so not all its items win more
    than half; if all win just half, nothing can be learned and they share the place.

    Each round asks its grids afresh and takes the next answers of each, as `crowd.play` takes those of pairs.
    Raises ValueError for a setting below 1, a grid not in ascending order, or a preference about an item that
    its grid does not show. Cost O(n N g) for a round of N items.
    """
    check_settings(k=k, grid_size=grid_size, appearances=appearances, judgments_per_pair=judgments_per_pair)
    _check(answers)
    items = tuple(sorted(set(pool)))
    race = _Race(items)
    contenders = items
    taken: Counter[Grid] = Counter()
    rounds: list[RoundState] = []

    def state(top: tuple[Place, ...] | None) -> State:
        return State(tuple(rounds), top, judgments_per_pair)

    while len(race.placed) < k and contenders:
        if len(contenders) == 1:
            race.place(contenders)
            contenders = race.contenders()
            continue
        number, last = len(rounds) + 1, len(contenders) <= grid_size
        shown = race.filled_up(contenders, grid_size) if last else contenders
        grids = (shown,) if last else deal(shown, grid_size, appearances, f"{seed}:{number}")
        picks: list[Pick] = []
        open_grids = []
        for grid in grids:
            start = taken[grid]
            taken[grid] += judgments_per_pair
            own = answers.get(grid, ())[start : taken[grid]]
            if len(own) < judgments_per_pair and grid not in aside:
                open_grids.append(grid)
            picks += own
        wins = None
        if not open_grids:
            won = Counter(better for pick in picks for better, _ in pick)
            wins = {item: won[item] for item in shown}
        rounds.append(
            RoundState(number, "final" if last else "reduction", shown, grids, wins, tuple(open_grids))
        )
        if wins is None:
            return state(None)
        race.run(contenders, picks)
        if last:
            most = max(wins.values())
            race.place(tuple(item for item in shown if wins[item] == most))
            contenders = race.contenders()
        else:
            staying = race.staying(contenders)
            if staying == contenders:
                race.place(contenders)
                staying = race.contenders()
            contenders = staying
    return state(tuple(race.top))


class _Race:
    """What is known of each item: the preferences of the last round in which it contended, and the places."""

    def __init__(self, items: Grid) -> None:
        self.items = items
        self.top: list[Place] = []
        self.placed: set[int] = set()
        # Item -> how often it won and lost against each other item.
        self._won: dict[int, Counter[int]] = {item: Counter() for item in items}
        self._lost: dict[int, Counter[int]] = {item: Counter() for item in items}

    def run(self, contenders: Grid, picks: Iterable[Pick]) -> None:
        """Note what a round says of its contenders, in place of what an earlier one said."""
        for item in contenders:
            self._won[item], self._lost[item] = Counter(), Counter()
        running = set(contenders)
        for better, worse in (preference for pick in picks for preference in pick):
            if better in running:
                self._won[better][worse] += 1
            if worse in running:
                self._lost[worse][better] += 1

    def place(self, items: Place) -> None:
        self.top.append(items)
        self.placed.update(items)

    def _balance(self, item: int) -> tuple[int, int]:
        """Preferences that an item won and lost, those about placed items left out."""
        won, lost = (
            sum(times for other, times in found[item].items() if other not in self.placed)
            for found in (self._won, self._lost)
        )
        return won, lost

    def _share(self, item: int) -> float:
        won, lost = self._balance(item)
        return won / (won + lost) if won + lost else 1.0

    def staying(self, items: Grid) -> Grid:
        """Those of these items that won more than half, or have no preferences; if none, the best of them."""
        shares = {item: self._share(item) for item in items}
        most = max(shares.values(), default=0.0)
        return tuple(item for item, share in shares.items() if share > 0.5 or share == most)

    def contenders(self) -> Grid:
        """Contenders for the next place, of all items without one."""
        return self.staying(tuple(item for item in self.items if item not in self.placed))

    def filled_up(self, contenders: Grid, size: int) -> Grid:
        """The contenders, filled up to this number with the next best items that have no place."""
        out = [item for item in self.items if item not in self.placed and item not in contenders]
        out.sort(key=lambda item: (-self._share(item), item))
        return tuple(sorted((*contenders, *out[: size - len(contenders)])))


def _check(answers: Mapping[Grid, Sequence[Pick]]) -> None:
    for grid, picks in answers.items():
        if list(grid) != sorted(set(grid)):
            raise ValueError(f"The grid {grid} must be written with its items ascending, each once.")
        for pick in picks:
            for preference in pick:
                if not set(preference) <= set(grid):
                    raise ValueError(f"The preference {preference} is not about items of the grid {grid}.")


def _staying_at_most(size: int, full: Mapping[str, int]) -> int:
    """The most items that can stay after a round of `size` > g items: each is picked best at least once."""
    picks = grids_of(size, full["grid_size"], full["appearances"]) * full["judgments_per_pair"]
    return min(picks, size - 1)


def _about(size: int, full: Mapping[str, int]) -> int:
    left, asked = size, 0
    while left > full["grid_size"]:
        asked += grids_of(left, full["grid_size"], full["appearances"])
        left = min((left + 1) // 2, _staying_at_most(left, full))
    # The last item of a pool takes its place unasked.
    return max(asked + min(full["k"], size - 1), grids_of(size, full["grid_size"], full["appearances"]))


def _most(size: int, full: Mapping[str, int]) -> int:
    k = min(full["k"], max(size - 1, 0))
    each = full["judgments_per_pair"]
    table = _most_table(2 << size.bit_length(), full["grid_size"], full["appearances"], each)
    # Of so many items without a place there may be any number of contenders.
    return sum(table[size - place] for place in range(k))


@lru_cache(maxsize=64)
def _most_table(largest: int, grid_size: int, appearances: int, each: int) -> tuple[int, ...]:
    """The most grids until the next place is taken, from any number of contenders up to each size on."""
    full = {"grid_size": grid_size, "appearances": appearances, "judgments_per_pair": each}
    highest = [0, 0]
    for size in range(2, largest + 1):
        grids = grids_of(size, grid_size, appearances)
        if size > grid_size:
            grids += highest[_staying_at_most(size, full)]
        highest.append(max(highest[-1], grids))
    return tuple(highest)
