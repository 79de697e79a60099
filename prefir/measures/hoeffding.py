"""Expected weighted Hoeffding distance between two top-k lists; needs no judgments."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .measure import Inputs, measure
from .rbo import ABSENT, rank_of

Run = Mapping[Hashable, Sequence[str]]


@measure(
    name="hoeffding",
    title="Expected weighted Hoeffding distance",
    inputs=Inputs.RANKINGS,
    source="Sun, Lebanon & Collins-Thompson, WWW 2010, eq. 4, 5, 10",
    symmetric=True,
)
def hoeffding(
    a: Sequence[str],
    b: Sequence[str],
    *,
    n: int | None = None,
    q: float = 1.0,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    normalize: bool = True,
) -> float:
    """Expected weighted Hoeffding distance between two top-k lists of the same n items.

    a (k,), b (l,): distinct docnos, best first; k and l may differ, and may be 0. Each list stands for
    all rankings of the n items that begin with it, equally likely and independent of the other list's.
    An item moved from rank r to rank s costs the weights t^-q from t = min(r, s) to max(r, s) - 1, so
    q = 0 is Spearman's footrule and a larger q looks more at the top.
    floor: the weights are max(t^-q - floor, 0), for users who do not look below a rank; at least 0, below 1.
    weights: own weights (at least n - 1,) of the ranks from 1 on, at least 0 and not all 0, in place of
    q and floor.
    n: the number of items, listed or not; by default those in either list. Values of different n are
    not comparable.
    Returns a float, symmetric in its lists: in [0, 1], divided by the distance of a ranking from its
    reverse (`normalize`), or else at least 0. A list that leaves two or more items open is not at 0
    from itself, because its unlisted items may be in any order. Of one item it is 0, of none `ABSENT` (nan).
    Raises ValueError where a docno repeats, n is below the number of items listed, q is negative or
    not finite, or weights are out of their range. Time grows with k + l, and for a new n and q once with n
    (0.1 s for ten million); with own weights each time.
    Source: Sun, Lebanon & Collins-Thompson, WWW 2010, equations 4, 5 and 10; floor: below figure 2.
    """
    rank_a, rank_b = rank_of(a), rank_of(b)
    k, l = len(rank_a), len(rank_b)  # noqa: E741
    shared = sum(docno in rank_a for docno in rank_b)
    n = _items(n, k + l - shared)
    if n == 0:
        return ABSENT
    tails = tail_sums(n, q, max(k, l), floor, weights)
    near, sums, twice = tails.near, tails.sums, tails.twice

    def to_tail(rank: int, length: int) -> float:
        """Mean distance from a rank to the ranks below a list of this length."""
        if rank <= length:
            return near[rank] - sums[length + 1] / (n - length)
        return (sums[length + 1] - 2 * sums[rank + 1] + (n + length - 2 * rank) * near[rank]) / (n - length)

    terms = [
        abs(near[1 + place] - near[1 + rank_b[docno]]) if docno in rank_b else to_tail(1 + place, l)
        for docno, place in rank_a.items()
    ]
    terms += [to_tail(1 + place, k) for docno, place in rank_b.items() if docno not in rank_a]
    neither = n - (k + l - shared)
    if neither:
        short, long = min(k, l), max(k, l)
        across = (n - long) * (sums[short + 1] - sums[long + 1]) - (long - short) * sums[long + 1]
        terms.append(neither * ((across + twice[long]) / (n - short) / (n - long)))
    # Swapping the lists changes the order of the terms; an exact sum keeps the distance symmetric.
    total = max(0.0, fsum(terms))
    return _scaled(total, tails.widest) if normalize else total


def hoeffding_pairs(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n: int,
    q: float = 1.0,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    normalize: bool = True,
) -> NDArray[np.float64]:
    """`hoeffding` of many pairs (pairs,): each row of `a` with the same row of `b`, in compiled code.

    a (pairs, k), b (pairs, l): integer codes of the items, best first, at least 0 and distinct in a row;
    a shorter list is filled up with -1. One n for all pairs, so that the values are comparable.
    Raises ValueError as `hoeffding`, naming the row, and for other shapes or codes above 2^31 - 1.
    Time grows with pairs x (k + l): some microseconds for two lists of 100.
    """
    first, second = _codes(a), _codes(b)
    if len(first) != len(second):
        raise ValueError(f"there are {len(first)} lists on one side and {len(second)} on the other")
    rows = np.arange(len(first))
    return _expected(first, second, rows, rows, n, (q, floor, weights), normalize)


def hoeffding_matrix(
    lists: ArrayLike,
    *,
    n: int,
    q: float = 1.0,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    normalize: bool = True,
) -> NDArray[np.float64]:
    """Matrix of `hoeffding` between all lists, (lists, lists), symmetric, with 0 on the diagonal.

    lists (lists, k): as in `hoeffding_pairs`. The diagonal is 0 as a map needs it, although a list that
    leaves items open is not at 0 from itself.
    """
    codes = _codes(lists)
    left, right = np.triu_indices(len(codes), 1)
    matrix = np.zeros((len(codes), len(codes)))
    matrix[left, right] = _expected(codes, codes, left, right, n, (q, floor, weights), normalize)
    return matrix + matrix.T


@dataclass(frozen=True, slots=True)
class TopicDistances:
    """Distances of two runs: of each topic, and their mean.

    mean: over the topics of `by_topic` that have a distance; `ABSENT` (nan) where none has.
    """

    mean: float
    by_topic: dict[Hashable, float]


def mean_hoeffding(
    run_a: Run,
    run_b: Run,
    *,
    depth: int | None = None,
    n: int | None = None,
    q: float = 1.0,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    normalize: bool = True,
    topic_weights: Mapping[Any, float] | None = None,
) -> TopicDistances:
    """`hoeffding` of two runs for each topic that both have, and its mean over these topics.

    run_a, run_b: topic -> ranking. depth: how many items of each ranking count, by default all.
    n: as in `hoeffding`, by default for each topic the items in either list. A topic in which neither
    run lists anything has no distance without n: it is `ABSENT` in `by_topic` and left out of the mean.
    topic_weights: topic -> its weight in the mean, at least 0, such as how often it is asked; they need not
    add up to 1. By default topics weigh alike.
    Raises ValueError as `hoeffding`, naming the topic, where depth is below 1, and for a topic whose weight
    is missing or below 0.
    Source: Sun, Lebanon & Collins-Thompson, WWW 2010: the expectation over queries.
    """
    _check_depth(depth)
    by_topic: dict[Hashable, float] = {}
    for topic, ranking in run_a.items():
        if topic in run_b:
            try:
                by_topic[topic] = hoeffding(
                    ranking[:depth],
                    run_b[topic][:depth],
                    n=n,
                    q=q,
                    floor=floor,
                    weights=weights,
                    normalize=normalize,
                )
            except ValueError as error:
                raise ValueError(f"topic {topic!r}: {error}") from error
    known = {topic: value for topic, value in by_topic.items() if not isnan(value)}
    shares = chances(known, topic_weights)
    mean = fsum(share * value for share, value in zip(shares, known.values(), strict=True))
    return TopicDistances(mean if any(shares) else ABSENT, by_topic)


def chances(topics: Iterable[Any], weights: Mapping[Any, float] | None) -> list[float]:
    """Share of each topic in a mean, adding up to 1: its weight's, or all the same without weights.

    All 0 where all weights are 0. Raises ValueError for a topic whose weight is missing, below 0 or infinite.
    """
    found = [1.0 if weights is None else float(weights.get(topic, -1)) for topic in topics]
    for topic, weight in zip(topics, found, strict=True):
        if not 0 <= weight < inf:
            raise ValueError(f"topic {topic!r} needs a weight of at least 0")
    total = fsum(found)
    return [weight / total if total else 0.0 for weight in found]


@dataclass(frozen=True, slots=True)
class Tails:
    """Sums from a rank to the last one, for all ranks that the lists at hand can reach.

    near[r]: the weights from r to n - 1, so that |near[r] - near[s]| is the cost of moving from r to s;
    sums[r]: near[r] + ... + near[n]; twice[r]: the costs between all ordered pairs of the ranks after r.
    widest: the distance of a ranking from its reverse. `table` holds the three as rows.
    """

    near: list[float]
    sums: list[float]
    twice: list[float]
    widest: float
    table: NDArray[np.float64]


_MOST = 100_000_000  # about a second


def tail_sums(n: int, q: float, depth: int, floor: float = 0.0, weights: ArrayLike | None = None) -> Tails:
    """Compute `Tails` for n items and weights as `hoeffding` has them, at least to rank depth + 1.

    Results are cached, but for own weights.
    """
    if not isfinite(q) or q < 0:
        raise ValueError(f"q is {q}; the weights t^-q need a q that is finite and at least 0")
    if not 0 <= floor < 1:
        raise ValueError(f"floor is {floor}; it must be at least 0 and below 1, the weight of rank 1")
    if n > _MOST:
        raise ValueError(f"n is {n}; it must be at most {_MOST:,}, for every rank's weight is added up")
    # Rounded up to few sizes, so that lists of many lengths share a cached table.
    rounded = 256 if depth <= 256 else 1 << (depth - 1).bit_length()
    if weights is None:
        return _power_tails(n, float(q), float(floor), rounded)
    own = np.asarray(weights, np.float64)
    if own.ndim != 1 or len(own) < n - 1 or not (np.isfinite(own).all() and (own >= 0).all()):
        raise ValueError(f"weights must be at least 0, of each rank from 1 to {n - 1}")
    if n > 1 and not own[: n - 1].any():
        raise ValueError("all weights are 0, so that no distance is left")
    return _tails(n, lambda t: own[t.astype(np.int64) - 1], rounded)


@lru_cache(maxsize=256)
def _power_tails(n: int, q: float, floor: float, depth: int) -> Tails:
    return _tails(n, lambda t: np.maximum(_powers(t, q) - floor, 0.0) if floor else _powers(t, q), depth)


def _tails(n: int, weigh: Callable[[NDArray[np.float64]], NDArray[np.float64]], depth: int) -> Tails:
    """Sum the weights that `weigh` gives for ranks."""
    # Everything is summed from the far end: small sums stay exact instead of being lost as differences of
    # large ones, and as all terms are positive nothing cancels.
    size = min(n, depth + 1)
    near_far = sums_far = open_far = twice_far = widest = 0.0
    for start in range(size, n, 1 << 18):
        t = np.arange(start, min(n, start + (1 << 18)), dtype=np.float64)
        weight, rest = weigh(t), n - t
        near_far += float(weight.sum())
        sums_far += float(weight @ (t - (size - 1)))
        open_far += float(weight @ rest)
        twice_far += float(weight @ ((t - (size - 1)) * rest))
        widest += float(weight @ np.minimum(t, rest))
    t = np.arange(1, size, dtype=np.float64)
    weight = weigh(t)
    near = _from_the_end(weight, near_far)
    opened = _from_the_end(weight * (n - t), open_far)
    table = np.zeros((3, size + 2))
    table[0, 1 : size + 1] = near
    # near[size] is already in what the far end gives.
    table[1, 1 : size + 1] = _from_the_end(near[:-1], sums_far)
    table[2, : size + 1] = 2 * np.append(_from_the_end(opened[:-1], twice_far), 0.0)
    table.setflags(write=False)
    widest = 2 * (widest + float(weight @ np.minimum(t, n - t)))
    return Tails(table[0].tolist(), table[1].tolist(), table[2].tolist(), widest, table)


def _powers(t: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    if not q.is_integer() or q > 8:
        return np.asarray(t**-q)
    product = np.ones_like(t)  # ten times as fast as a power
    for _ in range(int(q)):
        product *= t
    return 1 / product


def _from_the_end(terms: NDArray[np.float64], far: float) -> NDArray[np.float64]:
    """Sums from each term to the last one, including `far`, which comes after them all."""
    return np.append(terms, far)[::-1].cumsum()[::-1]


def _items(n: int | None, listed: int) -> int:
    if n is None:
        return listed
    if n < max(1, listed):
        raise ValueError(f"n is {n}; the lists hold {listed} items, and n must be at least that and 1")
    return n


def _scaled(distance: float, widest: float) -> float:
    # A single item has only one order; rounding may pass 1.
    return min(1.0, distance / widest) if widest else 0.0


def _check_depth(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise ValueError(f"depth is {depth}; it must be at least 1")


def _codes(lists: ArrayLike) -> NDArray[np.int32]:
    table = np.asarray(lists)
    if table.ndim != 2 or not (np.issubdtype(table.dtype, np.integer) or table.size == 0):
        raise ValueError(f"lists must be integer codes of shape (lists, depth), not {table.shape}")
    if table.dtype != np.int32 and table.size and table.max() > np.iinfo(np.int32).max:
        raise ValueError(f"{table.max()} is above the largest code, 2^31 - 1")
    return np.ascontiguousarray(table, dtype=np.int32)


def _expected(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    n: int,
    weights: tuple[float, float, ArrayLike | None],
    normalize: bool,
) -> NDArray[np.float64]:
    from .kernels.hoeffding import BROKEN, REPEATED, expected

    if n < 1:
        raise ValueError(f"n is {n}; it must be at least 1")
    q, floor, own = weights
    tails = tail_sums(n, q, min(n, max(first.shape[1], second.shape[1])), floor, own)
    values: NDArray[np.float64] = expected(first, second, left, right, tails.table, n)
    if values.size and values.min() < 0:
        wrong = int(np.flatnonzero(values < 0)[0])
        rows = f"lists {left[wrong]} and {right[wrong]}" if left is not right else f"pair {wrong}"
        if values[wrong] == REPEATED:
            raise ValueError(f"{rows}: a code is in a list more than once; a list names each item once")
        if values[wrong] == BROKEN:
            raise ValueError(f"{rows}: a code follows -1, which only fills up the end of a list")
        raise ValueError(f"{rows}: the lists hold more than the {n} items that n tells of")
    if not normalize:
        return values
    # A single item has only one order; rounding may pass 1.
    return np.minimum(1.0, values / tails.widest) if tails.widest else np.zeros_like(values)
