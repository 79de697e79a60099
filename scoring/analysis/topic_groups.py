"""Means of runs by group of topics, such as a category or a language, side by side. Cached."""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.core.cache import cache

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from scoring.analysis.comparison_scores import scores_of
from scoring.analysis.topic_filter import group_columns
from scoring.board import standings
from scoring.board.standings import mean_ceilings
from scoring.compute import child_process
from scoring.scores.stored_measures import chosen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Of more groups than these, the largest have a column each, and the others share one.
MOST_GROUPS = 24
OTHERS = "others"
LEVEL = 0.05
KEPT_SECONDS = 3600
# Groups are compared while a page waits for so many topics x runs.
AT_ONCE = 50_000


@dataclass(frozen=True)
class GroupMeans:
    """Means over the topics of one group; lists follow `GroupComparison.runs`, None where there is no mean.

    name: of the group. topics: how many have a score of any run. leader: the run with the highest mean, by
    its place in the list; None without any. chance: p of the paired t-test of the leader against the leader
    over all topics, corrected by Holm for all runs and groups; None where they are the same, or without a
    test. ceilings: the best possible means over the same topics. is_sure: whether the leader is
    significantly better there than the leader over all topics.
    """

    name: str
    topics: int
    means: list[float | None]
    lows: list[float | None]
    highs: list[float | None]
    ceilings: list[float | None]
    leader: int | None
    chance: float | None = None
    is_sure: bool = False


@dataclass(frozen=True)
class GroupComparison:
    """A study's runs by group. runs: ids, the highest mean over all topics first. whole: whether means are
    over topics with a full round of answers alone.
    """

    column: str
    runs: list[int]
    whole: bool
    all: GroupMeans
    groups: list[GroupMeans]

    @property
    def turned(self) -> list[GroupMeans]:
        """The groups in which another run leads than over all topics."""
        return [one for one in self.groups if one.leader is not None and one.leader != self.all.leader]


def compare_groups(study: Study, column: str, measure: str, p: float) -> GroupComparison | None:
    """Compare the runs by the groups of a column; None if no topic has a score yet.

    Two queries while no score and no group changes, else seven; time grows with topics x runs, and the square
    of the runs.
    """
    rows = Topic.objects.filter(study=study).order_by("pk").values_list("pk", "groups")
    named = {topic: str(groups.get(column, "")) for topic, groups in rows}
    asked = repr((column, named, measure, p, standings.version(study))).encode()
    key = f"group-means:{study.pk}:{hashlib.sha256(asked).hexdigest()}"
    found: tuple[GroupComparison | None] | None = cache.get(key)
    if found is None:
        found = (_compared(study, column, named, measure, p),)
        cache.set(key, found, timeout=KEPT_SECONDS)
    return found[0]


def _compared(
    study: Study, column: str, named: dict[int, str], measure: str, p: float
) -> GroupComparison | None:
    import numpy as np

    scores = scores_of(study, measure, p)
    of_topic = [named.get(topic, "") for topic in scores.topics]
    values, weights = scores.of(scores.some)
    ceilings = scores.ceilings_of(scores.some)
    kept = np.flatnonzero(scores.whole) if scores.some else np.arange(len(scores.topics))
    if not values.size or np.isnan(values).all():
        return None
    groups = _largest([of_topic[i] for i in kept])
    over_all = _means("all", values, weights, ceilings)
    order = sorted(
        range(len(scores.runs)), key=lambda i: (over_all.means[i] is None, -(over_all.means[i] or 0.0))
    )
    values = values[:, order]
    over_all = _means("all", values, weights, ceilings)
    found = []
    for name in dict.fromkeys(sorted(groups, key=lambda one: (one in ("", OTHERS), one))):
        mask = np.array([one == name for one in groups])
        found.append(_means(name, values[mask], weights[mask], ceilings[mask]))
    tested = _tested(found, groups, values, weights, over_all.leader)
    return GroupComparison(column, [scores.runs[i] for i in order], scores.some, over_all, tested)


# Columns by which a board looks for groups that turn the order.
MOST_COLUMNS = 3


def _version(study: Study) -> str:
    columns = group_columns(study)[:MOST_COLUMNS]
    return f"{standings.version(study)}.{chosen(study.measures)[0]}.{study.persistence}.{columns}"


def _is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() * Run.objects.filter(study=study).count() <= AT_ONCE


def _turns(study: Study, report: Progress) -> list[GroupComparison]:
    """Return the comparisons by the first measure in which a group turns the order."""
    columns = group_columns(study)[:MOST_COLUMNS]
    found = []
    for done, column in enumerate(columns, 1):
        compared = compare_groups(study, column, chosen(study.measures)[0], study.persistence)
        if compared is not None and compared.turned:
            found.append(compared)
        report(done, len(columns))
    return found


TURNS = CachedResult("group-turns", version=_version, compute=_turns, is_small=_is_small)


def _largest(groups: list[str]) -> list[str]:
    """Each topic's group, the small ones of many as OTHERS."""
    named = [name for name, _ in Counter(groups).most_common(MOST_GROUPS)]
    return [name if name in named else OTHERS for name in groups]


def _means(
    name: str,
    values: "NDArray[np.float64]",
    weights: "NDArray[np.float64]",
    ceilings: "NDArray[np.float64]",
) -> GroupMeans:
    import numpy as np

    from prefir.measures import mean_intervals

    found = child_process.call(mean_intervals, values, weights=weights, bounds=(0.0, 1.0))
    most = mean_ceilings(values, weights, ceilings)
    means, lows, highs, best = (
        [None if np.isnan(one) else float(one) for one in ends]
        for ends in (found.means, found.lows, found.highs, most)
    )
    known = [(mean, -place) for place, mean in enumerate(means) if mean is not None]
    return GroupMeans(
        name=name,
        topics=int((~np.isnan(values)).any(axis=1).sum()),
        means=means,
        lows=lows,
        highs=highs,
        ceilings=best,
        leader=-max(known)[1] if known else None,
    )


def _tested(
    found: list[GroupMeans],
    groups: list[str],
    values: "NDArray[np.float64]",
    weights: "NDArray[np.float64]",
    leader: int | None,
) -> list[GroupMeans]:
    """Test in each group which runs are better there than the leader of all, corrected for all such tests."""
    import numpy as np

    from prefir.measures import compare_to_baseline
    from prefir.measures.significance import enough_topics, holm_corrected

    if leader is None:
        return found
    masks = [np.array([name == one.name for name in groups]) for one in found]
    tests = [
        child_process.call(compare_to_baseline, values[mask], leader, weights=weights[mask]) for mask in masks
    ]
    chances = holm_corrected(np.concatenate([test.p_values for test in tests]))
    by_group = chances.reshape(len(found), -1)
    return [
        replace(
            one, chance=float(own[one.leader]), is_sure=bool(own[one.leader] < LEVEL and enough[one.leader])
        )
        if one.leader is not None and one.leader != leader and not np.isnan(own[one.leader])
        else one
        for one, own, enough in zip(
            found, by_group, [enough_topics(test.topics, LEVEL) for test in tests], strict=True
        )
    ]
