"""Figures of judgments by group of topics: agreement, transitivity and time. Without Django."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from scoring.compute.answer_stats import COUNTS, LEVELS, Answer, units_of
from scoring.compute.trust_figures import Agreement, agreement, triples

if TYPE_CHECKING:
    from prefir.measures import Transitivity


class GroupTrust(NamedTuple):
    """Figures of the answers to one group of topics, of those that count.

    answers: how many, of all tasks. agreement: in the task with most answers, strong and weak preference
    merged. seconds: median of the answers whose time is known; None without any.
    """

    name: str
    answers: int
    agreement: Agreement
    triples: "Transitivity"
    seconds: float | None


def group_figures(
    answers: Sequence[Answer], groups: Mapping[int, str]
) -> tuple[GroupTrust, dict[str, GroupTrust]]:
    """Figures of all answers, and of each group by name. groups: topic -> its group; topics without one are
    in the group "".

    Time and memory as of `trust_figures.trust`.
    """
    by_group: dict[str, list[Answer]] = defaultdict(list)
    counting = [answer for answer in answers if answer.about == COUNTS]
    for answer in counting:
        by_group[groups.get(answer.topic, "")].append(answer)
    return _figures("all", counting), {name: _figures(name, own) for name, own in by_group.items()}


def _figures(name: str, own: list[Answer]) -> GroupTrust:
    tasks = Counter(answer.task for answer in own)
    task = max(tasks, key=lambda one: (tasks[one], -one), default=None)
    asked = [answer for answer in own if answer.task == task]
    level = LEVELS.get(asked[0].scale, "nominal") if asked else "nominal"
    seconds = [answer.seconds for answer in own if answer.seconds is not None]
    return GroupTrust(
        name,
        len(own),
        agreement(units_of(asked).values(), level, sided=bool(asked) and asked[0].side is not None),
        triples(own),
        median(seconds) if seconds else None,
    )
