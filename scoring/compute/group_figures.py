"""Figures of judgments by group of topics: agreement, transitivity and time. Without Django."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from scoring.compute.answer_columns import COUNTS, Answers
from scoring.compute.answer_stats import LEVELS
from scoring.compute.answer_units import units_of
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


def group_figures(answers: Answers, groups: Mapping[int, str]) -> tuple[GroupTrust, dict[str, GroupTrust]]:
    """Figures of all answers, and of each group by name. groups: topic -> its group; topics without one are
    in the group "".

    Time and memory as of `trust_figures.trust`.
    """
    import numpy as np

    counting = answers.where(answers.about == COUNTS)
    topics, of = np.unique(counting.topics(), return_inverse=True)
    named = [groups.get(topic, "") for topic in topics.tolist()]
    names = sorted(set(named))
    group = np.array([names.index(name) for name in named], dtype=np.int64)[of]
    # Each group's answers stand together then, so that all groups are found in one sorting.
    order = np.argsort(group, kind="stable")
    bounds = np.cumsum(np.bincount(group, minlength=len(names))).tolist()
    own = zip(names, [0, *bounds], bounds, strict=False)
    return _figures("all", counting), {
        name: _figures(name, counting.where(order[start:end])) for name, start, end in own
    }


def _figures(name: str, own: Answers) -> GroupTrust:
    import numpy as np

    tasks, times = np.unique(own.told("task"), return_counts=True)
    task = int(tasks[times.argmax()]) if len(own) else None
    asked = own.where(own.told("task") == task)
    start = asked.first()
    level = LEVELS.get(start.scale, "nominal") if start else "nominal"
    seconds = own.seconds[~np.isnan(own.seconds)]
    return GroupTrust(
        name,
        len(own),
        agreement(units_of(asked).columns(), level, sided=start is not None and start.side is not None),
        triples(own),
        float(np.median(seconds)) if len(seconds) else None,
    )
