"""Counts and percentiles of groups of answers, of all groups at once. Without Django."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scoring.compute.answer_columns import Answers, group_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer[Any]]
    Values = NDArray[np.float64]


def picks(answers: Answers, group: "Numbers", groups: int) -> list[dict[int, list[int]]]:
    """Of each group the choices by place, by the size of the grid."""
    import numpy as np

    found: list[dict[int, list[int]]] = [{} for _ in range(groups)]
    place, size = answers.told("place"), answers.told("size")
    there = np.flatnonzero((place >= 0) & (size > 0))
    first, number = group_rows(size[there], place[there], group[there])
    for at, times in zip(there[first].tolist(), np.bincount(number).tolist(), strict=True):
        of = int(size[at])
        found[group[at]].setdefault(of, [0] * of)[place[at]] = times
    return [dict(sorted(own.items())) for own in found]


def percentiles(
    values: "Values", group: "Numbers", groups: int, there: "NDArray[np.bool_]", shares: Sequence[float]
) -> list[list[float | None]]:
    """Of each group the percentiles of the values that are there, linear between neighbours (type 7 of
    Hyndman & Fan, 1996); None without any. By share, in the order of the groups.
    """
    import numpy as np

    own, start, last = _in_order(values, group, groups, there)
    found = []
    for one in shares:
        low = np.floor(last * one).astype(int)
        before, after, way = own[start + low], own[start + np.minimum(low + 1, last)], last * one - low
        # From the nearer neighbour, as numpy does, so that at neither end rounding leads past it.
        between = np.where(way < 0.5, before + (after - before) * way, after - (after - before) * (1 - way))
        found.append(_told(between, last))
    return found


def medians(
    values: "Values", group: "Numbers", groups: int, there: "NDArray[np.bool_]"
) -> list[float | None]:
    """Of each group the median of the values that are there; None without any."""
    own, start, last = _in_order(values, group, groups, there)
    return _told((own[start + last // 2] + own[start + (last + 1) // 2]) / 2, last)


def _in_order(
    values: "Values", group: "Numbers", groups: int, there: "NDArray[np.bool_]"
) -> "tuple[Values, Numbers, Numbers]":
    """The values that are there by group and size, where each group begins, and how many follow its first: -1
    of a group without any.
    """
    import numpy as np

    own = values[there][np.lexsort((values[there], group[there]))]
    many = np.bincount(group[there], minlength=groups)
    # Of groups without any, whatever stands there is not told; one more for the last of them.
    return np.append(own, np.nan), np.cumsum(many) - many, many - 1


def _told(found: "Values", last: "Numbers") -> list[float | None]:
    return [None if end < 0 else one for one, end in zip(found.tolist(), last.tolist(), strict=True)]


def repeats(
    answers: Answers, group: "Numbers", groups: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """How often a person who was asked about two subjects again said the same; of those shown both ways too:
    by group, the same ones and all.

    Two subjects of a topic count once for a person and task, however often they came, and as the same only if
    all preferences about them are. A definite answer and a slight one for the same side are the same. Where
    nothing follows from an answer about two subjects, as of two that both were not picked, it says nothing.
    As `prefir.measures.repeat_consistency` counts, which has the order of names where this has that of ids.
    """
    import numpy as np

    lean = answers.leans()
    turned = lean.first > lean.second
    of_answer = (group, answers.assessor, answers.told("task"), answers.topics())
    pair = [
        *(own[lean.answer] for own in of_answer),
        *(choose(lean.first, lean.second) for choose in (np.minimum, np.maximum)),
    ]
    sign = np.where(turned, -lean.sign, lean.sign)
    first, number = group_rows(*pair)

    def any_of(there: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        return np.bincount(number[there], minlength=len(first)) > 0

    often = np.bincount(number, minlength=len(first)) > 1
    same = sum(any_of(sign == one).astype(int) for one in (-1, 0, 1)) == 1
    swapped = lean.turned != turned
    both = any_of(lean.told & swapped) & any_of(lean.told & ~swapped)
    of_group = pair[0][first]

    def shares(there: "NDArray[np.bool_]") -> list[tuple[int, int]]:
        counts = (np.bincount(of_group[own], minlength=groups) for own in (there & same, there))
        return list(zip(*(own.tolist() for own in counts), strict=True))

    return shares(often), shares(often & both)
