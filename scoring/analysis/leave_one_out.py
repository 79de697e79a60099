"""Leave one assessor out: rankings without the judgments of one person. Cached.

Each topic is scored once more for each assessor who judged it: the most active ones, or a requested one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
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
    """Everybody who was looked at, who changes most first: without whom another leads, then by the change of
    the lead, then by runs that move, then by the largest change of a mean. runs: names, in the order of the
    effects' numbers. over: topics.
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
    Cost as of `scores_without`.
    """
    scored = first_scores(study)
    after = {key: scored.values.copy() for key in names}
    counts, touched = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for line, key, count, values in scores_without(scored, judgments, progress):
        counts[key] += count
        touched[key] += 1
        after[key][line] = values
    found = [
        Without(
            key,
            names[key],
            counts[key],
            touched[key],
            child_process.call(effect, scored.values, own, scored.weights),
        )
        for key, own in after.items()
    ]
    over = len(scored.topics)
    return Influence(scored.measure, scored.p, list(scored.runs.values()), over, sorted(found, key=_change))


def joined(found: Influence, own: Influence) -> Influence:
    """Join the influences of some assessors and of another one, from the same scores."""
    return found._replace(people=sorted([*found.people, *own.people], key=_change))


def _change(one: Without) -> tuple[bool, float, int, float, int]:
    now, then = one.effect.leads or (0.0, 0.0)
    return (then >= 0, -abs(then - now), -one.effect.moved, -one.effect.largest, one.pk)


def _most_active(study: Study) -> list[int]:
    judging = Assessor.objects.filter(study=study, excluded_at=None, assignments__state__in=COUNTING)
    active = judging.annotate(given=Count("assignments__judgments")).order_by("-given", "pk")
    known = active.values_list("pk", "panel", "label")
    people = (pk for pk, panel, label in known if not is_nameless(assessor_name(panel, label, pk)))
    scores = Topic.objects.filter(study=study).count() * Run.objects.filter(study=study).count()
    return list(islice(people, max(LEAST, min(MOST, CELLS // max(1, scores)))))


class Scored(NamedTuple):
    """A study's first measure at its largest persistence: the topics that its means on the leaderboard are
    over, what each weighs in them (topics,), and its stored scores (topics, runs). runs: names by id, in
    their order.
    """

    measure: str
    p: float
    runs: dict[int, str]
    topics: list[Topic]
    values: "_Values"
    weights: "_Values"


def first_scores(study: Study) -> Scored:
    """Read the scores of a study's first measure."""
    import numpy as np

    measure, p = chosen(study.measures)[0], max(Study.PERSISTENCES)
    runs = dict(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    read = read_all(study, list(runs))
    over = read.whole[measure]
    if over.sum() < 2:
        over = np.array(read.table.judgments) > 0
    values = read.table.values[columns_of(chosen(study.measures)).index((measure, options(p)))][over]
    named = Topic.objects.select_related("study").in_bulk(read.topics)
    topics = [named[pk] for pk, there in zip(read.topics, over.tolist(), strict=True) if there]
    return Scored(measure, p, runs, topics, values, read.weights[over])


def scores_without(
    scored: Scored, judgments: Callable[[Topic], Mapping[int, Collection[int]]], progress: Progress
) -> "Iterator[tuple[int, int, int, _Values]]":
    """Score each topic without some judgments. judgments: of a topic, by key.

    Yields a topic's place, a key that has any that count, how many, and the values of all runs without these;
    a topic on which nothing is left has none. Some ten queries for each topic that has any; time as for
    scoring it once for each key.
    """
    import numpy as np

    column = columns_of([scored.measure]).index((scored.measure, options(scored.p)))
    for line, topic in enumerate(scored.topics):
        progress(line, len(scored.topics))
        left_out = {key: own for key, own in judgments(topic).items() if own}
        found = topic_scores.scores_without(topic, left_out, [scored.measure]) if left_out else {}
        for key, (count, scores) in found.items():
            of_run = dict(zip(scores.runs, scores.values[column], strict=True))
            yield line, key, count, np.array([of_run.get(run, np.nan) for run in scored.runs])


def _is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() <= AT_ONCE


# Of the most active assessors, or with an assessor's id of that one alone.
INFLUENCE = CachedResult("leave-one-out", version=standings.version, compute=_compute, is_small=_is_small)
