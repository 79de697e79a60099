"""Leave one assessor out: rankings without the judgments of one person. Cached.

Each topic is scored once more for each assessor who judged it: the most active ones, or a requested one.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from judging.assessor_names import assessor_name, is_nameless
from judging.models import COUNTING, Assessor
from scoring.analysis.comparison_scores import read_all
from scoring.board import standings
from scoring.compute import child_process
from scoring.compute.influence import Effect, effect
from scoring.scores import topic_scores
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import chosen, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Values = NDArray[np.float64]

# At most so many people are looked at, as long as their scores (people, topics, runs) are no more than CELLS;
# LEAST in any case.
MOST, LEAST, CELLS = 100, 10, 3_000_000
# Scores are computed while a page waits for so many topics.
AT_ONCE = 5


class Without(NamedTuple):
    """What changes without an assessor. judgments, topics: numbers of theirs that count."""

    pk: int
    name: str
    judgments: int
    topics: int
    effect: Effect


class Influence(NamedTuple):
    """Everybody who was looked at, who changes most first: by the lowest tau, then by runs that move, then by
    the largest change of a mean. runs: names, in the order of the effects' numbers. over: topics.
    """

    measure: str
    p: float
    runs: list[str]
    over: int
    people: list[Without]


def _compute(study: Study, progress: Progress, *asked: int) -> Influence:
    """Compute the effect of an assessor who is asked about, else of each of the most active ones."""
    people = list(asked) or _most_active(study)
    named = Assessor.objects.filter(study=study, pk__in=people).values_list("pk", "panel", "label")
    names = {pk: assessor_name(panel, label, pk) for pk, panel, label in named}
    return influence(study, names, lambda topic: topic_scores.judgments_by(topic, people), progress)


def influence(
    study: Study,
    names: Mapping[int, str],
    judgments: Callable[[Topic], Mapping[int, Collection[int]]],
    progress: Progress,
) -> Influence:
    """Compute what changes without some judgments, for each key in `names`. judgments: of a topic, by key.

    Means are over the topics that the first measure's are over on the leaderboard, with all judgments; one
    on which nothing is left has no score. Some ten queries for each topic; time as for scoring each topic
    once for each key that has judgments of it.
    """
    import numpy as np

    measure, p = chosen(study.measures)[0], max(Study.PERSISTENCES)
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    topics, values = scored_topics(study, [pk for pk, _ in runs], measure, p)
    after = {key: values.copy() for key in names}
    counts, touched = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    place = {pk: i for i, (pk, _) in enumerate(runs)}
    column = columns_of([measure]).index((measure, options(p)))
    for line, topic in enumerate(topics):
        progress(line, len(topics))
        left_out = judgments(topic)
        for key, (count, scores) in topic_scores.scores_without(topic, left_out, [measure]).items():
            counts[key] += count
            touched[key] += 1
            after[key][line] = np.nan
            for run, value in zip(scores.runs, scores.values[column], strict=True):
                after[key][line, place[run]] = value
    found = [
        Without(key, names[key], counts[key], touched[key], child_process.call(effect, values, own))
        for key, own in after.items()
    ]
    return Influence(measure, p, [name for _, name in runs], len(topics), sorted(found, key=_change))


def joined(found: Influence, own: Influence) -> Influence:
    """Join the influences of some assessors and of another one, from the same scores."""
    return found._replace(people=sorted([*found.people, *own.people], key=_change))


def _change(one: Without) -> tuple[float, int, float, int]:
    tau = 1.0 if one.effect.tau is None else one.effect.tau
    return (tau, -one.effect.moved, -one.effect.largest, one.pk)


def _most_active(study: Study) -> list[int]:
    judging = Assessor.objects.filter(study=study, excluded_at=None, assignments__state__in=COUNTING)
    active = judging.annotate(given=Count("assignments__judgments")).order_by("-given", "pk")
    known = active.values_list("pk", "panel", "label")
    people = (pk for pk, panel, label in known if not is_nameless(assessor_name(panel, label, pk)))
    scores = Topic.objects.filter(study=study).count() * Run.objects.filter(study=study).count()
    return list(islice(people, max(LEAST, min(MOST, CELLS // max(1, scores)))))


def scored_topics(study: Study, runs: list[int], measure: str, p: float) -> "tuple[list[Topic], _Values]":
    """Return the topics that the measure's means are over, and its stored scores, (topics, runs)."""
    import numpy as np

    read = read_all(study, runs)
    over = read.whole[measure]
    if over.sum() < 2:
        over = np.array(read.table.judgments) > 0
    values = read.table.values[columns_of(chosen(study.measures)).index((measure, options(p)))][over]
    named = Topic.objects.select_related("study").in_bulk(read.topics)
    return [named[pk] for pk, there in zip(read.topics, over.tolist(), strict=True) if there], values


def _is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() <= AT_ONCE


# Of the most active assessors, or with an assessor's id of that one alone.
INFLUENCE = CachedResult("leave-one-out", version=standings.version, compute=_compute, is_small=_is_small)
