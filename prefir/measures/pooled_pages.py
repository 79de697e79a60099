"""Agreement of a measure with preferences between result pages, pooled over all topics and pairs of runs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .rbo import ABSENT
from .significance import binomial_p, sign_test


class PagePreference(NamedTuple):
    """A topic, two runs whose pages were compared, and the run whose page was preferred; None for a tie."""

    topic: str
    a: str
    b: str
    winner: str | None


@dataclass(frozen=True, slots=True)
class PooledAgreement:
    """Counts of page preferences: agree, disagree, and even, where the measure is equal or the pages tied.

    share: agree of those decided. p_value: exact two-sided binomial test of it against 1/2, as if preferences
    were independent of each other. topic_p: sign test of topics by whether more agree or disagree, which
    holds although a topic has many. absent: preferences of which a run has no value. agrees: of each
    preference, in their order, whether the measure agrees; None where it is even or absent.
    """

    agree: int
    disagree: int
    even: int
    absent: int
    share: float
    p_value: float
    topic_p: float
    agrees: tuple[bool | None, ...] = field(repr=False)


def pool_page_preferences(
    values: Mapping[str, Mapping[str, float]], preferences: Iterable[PagePreference]
) -> PooledAgreement:
    """Count how often a measure is higher for the run whose page was preferred, over all pairs together.

    values: topic -> run -> the measure's value; nan or none where absent. Each preference counts, also a
    repeated or contradicting one. Raises ValueError for a winner that is neither run.
    Source: Luo, thesis, Waterloo 2021, table 4.1, after Sakai & Zeng, SIGIR 2020.
    """
    agrees: list[bool | None] = []
    topics: Counter[str] = Counter()
    absent = 0
    for topic, a, b, winner in preferences:
        if winner not in (a, b, None):
            raise ValueError(f"topic {topic!r}: {winner!r} is neither {a!r} nor {b!r}")
        own = values.get(topic, {})
        first, second = own.get(a, ABSENT), own.get(b, ABSENT)
        if first != first or second != second:
            absent += 1
            agrees.append(None)
        elif winner is None or first == second:
            agrees.append(None)
        else:
            right = (first > second) == (winner == a)
            agrees.append(right)
            topics[topic] += 1 if right else -1
    agree, disagree = agrees.count(True), agrees.count(False)
    decided = agree + disagree
    leads = list(topics.values())
    return PooledAgreement(
        agree,
        disagree,
        len(agrees) - decided - absent,
        absent,
        agree / decided if decided else ABSENT,
        binomial_p(agree, decided),
        sign_test(sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads)),
        tuple(agrees),
    )


def compare_agreement(first: PooledAgreement, second: PooledAgreement) -> float:
    """Test whether two measures agree equally often with the preferences that both decide: McNemar's exact p.

    first, second: of the same preferences in the same order; raises ValueError for other numbers of them.
    1 where neither agrees alone.
    """
    both = zip(first.agrees, second.agrees, strict=True)
    alone = Counter(one - other for one, other in both if one is not None and other is not None)
    return sign_test(alone[1], alone[-1])
