"""The tournament for a crowd: rounds of random pairings that reduce the pool, then a final of all pairs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from .pairings import draw_pairs
from .state import LedgerReader, Pair, Place, Round, State, check_settings


def play(
    pool: Iterable[int],
    answers: Mapping[Pair, Sequence[int]],
    *,
    k: int = 5,
    final_size: int = 9,
    pairings: int = 7,
    judgments_per_pair: int = 1,
    seed: str,
) -> State:
    """Replay a crowd tournament of random pairings and a final of all pairs.

    pool: items in any order; repeats count once. answers: pair -> its `Choice`s in ledger order.
    k: length of the top; final_size (F): a pool no larger is compared exhaustively; pairings (P):
    how many others each item meets in a round of a larger pool (one item P + 1 when n * P is odd).

    Each round asks its pairs afresh, and takes the next `judgments_per_pair` answers of each that no
    earlier round took; the majority wins, equal numbers win nothing for either. Answers that no
    round takes are ignored. The result depends on nothing but the arguments, and more answers at
    the end of a pair's list never change a round that was complete.

    After a round the items with more than floor(P / 2) wins stay (of fewer meetings, where the pool
    has too few items for P: more than half of those). If nobody has so many, the items with the
    most wins stay; if those are all of them, nothing more can be learned and the tournament ends
    with this one shared place. So the pool shrinks with every round, and the end always comes.

    The top holds places by wins in the last round until it has k items, all of a tied last place
    included. It holds survivors only: fewer than k where fewer reached the final.

    Raises ValueError for a setting below 1, a pair not written (smaller, larger), or an answer that
    is no `Choice`. Cost O(pairs of all rounds), about n P in all where half of the pool
    goes in each round; 112 items: 1 ms, and 6 ms the first time, when the pairings are drawn.
    """
    check_settings(k=k, final_size=final_size, pairings=pairings, judgments_per_pair=judgments_per_pair)
    ledger = LedgerReader(answers, judgments_per_pair)
    contenders = tuple(sorted(set(pool)))
    rounds: list[Round] = []

    def state(top: tuple[Place, ...] | None) -> State:
        return State(tuple(rounds), top, judgments_per_pair)

    while len(contenders) > 1:
        number, final = len(rounds) + 1, len(contenders) <= final_size
        if final:
            pairs = tuple(combinations(contenders, 2))
        else:
            pairs = draw_pairs(contenders, pairings, f"{seed}:{number}")
        leans, open_pairs = ledger.take(pairs)
        wins = None if open_pairs else _count_wins(contenders, leans)
        rounds.append(Round(number, "final" if final else "reduction", contenders, pairs, wins, open_pairs))
        if wins is None:
            return state(None)
        staying = contenders if final else _survivors(wins, min(pairings, len(contenders) - 1))
        if staying == contenders:
            return state(_places(wins, k))
        contenders = staying
    return state((contenders,) if contenders else ())


def _count_wins(pool: tuple[int, ...], leans: Mapping[Pair, int]) -> dict[int, int]:
    wins = dict.fromkeys(pool, 0)
    for (first, second), lean in leans.items():
        if lean:
            wins[first if lean > 0 else second] += 1
    return wins


def _survivors(wins: Mapping[int, int], meetings: int) -> tuple[int, ...]:
    """The items that won more than half of their meetings; where there is none, those with most wins."""
    needed = min(meetings // 2 + 1, max(wins.values()))
    return tuple(item for item, won in wins.items() if won >= needed)


def _places(wins: Mapping[int, int], k: int) -> tuple[Place, ...]:
    """Items by wins, best first, in whole places until there are k items or no more."""
    by_wins: dict[int, list[int]] = {}
    for item, won in wins.items():
        by_wins.setdefault(won, []).append(item)
    places: list[Place] = []
    for won in sorted(by_wins, reverse=True):
        if sum(map(len, places)) >= k:
            break
        places.append(tuple(by_wins[won]))
    return tuple(places)
