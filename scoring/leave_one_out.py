"""Rankings as they would be without one assessor: computed anew by the code that scores, stored nowhere.

Each topic is scored once more for each of these people who judged it. So it is done by a job, for the most
active ones and anyone who is asked about, and kept while no score changes.
"""

from typing import TYPE_CHECKING, NamedTuple

from django.core.cache import cache
from django.db.models import Count

from collection.models import Run, Study, Topic
from judging.assessor_names import assessor_name
from judging.models import COUNTING, Assessor
from scoring import child_process, services, standings
from scoring.comparison_scores import read_all
from scoring.influence import Effect, effect
from scoring.score_rows import columns as columns_of
from scoring.stored_measures import chosen, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Values = NDArray[np.float64]

MOST = 10
KEPT_SECONDS, ASKED_SECONDS, LEASE_SECONDS = 7 * 86400, 3600, 120
# Scores are computed while a page waits for so many topics.
AT_ONCE = 5


class Without(NamedTuple):
    """What changes without an assessor. judgments, topics: of theirs that count, and where they are."""

    pk: int
    name: str
    judgments: int
    topics: int
    effect: Effect


class Influence(NamedTuple):
    """Everybody who was looked at, who changes most first: by the lowest tau, then by runs that move, then by
    the largest change of a mean. runs: names, in the order of the effects' numbers. over: topics.
    """

    version: str
    measure: str
    p: float
    runs: list[str]
    over: int
    people: list[Without]


def kept(study: Study, version: str) -> Influence | None:
    """What was computed of the present scores. No query."""
    found: Influence | None = cache.get(_key(study.pk))
    return found if found is not None and found.version == version else None


def state(study: Study) -> tuple[int, int] | None:
    """How many topics of how many are done; None if nobody is at it. No query."""
    found: tuple[int, int] | None = cache.get(_lease(study.pk))
    return found


def ask(study: Study, person: int) -> None:
    """Note that somebody wants to know about an assessor too, besides the most active ones."""
    cache.set(_asked(study.pk), [*cache.get(_asked(study.pk), [])[-MOST:], person], timeout=ASKED_SECONDS)


def compute(study: Study) -> Influence | None:
    """Compute the effect of each person who is looked at, and keep it; None if another process is at it.

    Means are over the topics that the first measure's are over on the leaderboard, with all judgments; one
    on which nothing is left has no score. Some ten queries for each topic; time as for scoring each topic as
    often as these people judged it.
    """
    import numpy as np

    lease = _lease(study.pk)
    if not cache.add(lease, (0, 0), timeout=LEASE_SECONDS):
        return None
    try:
        version = standings.version(study)
        people, names = _people(study)
        measure, p = chosen(study.measures)[0], max(Study.PERSISTENCES)
        runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
        topics, values = _scores(study, [pk for pk, _ in runs], measure, p)
        after = {person: values.copy() for person in people}
        judgments, touched = dict.fromkeys(people, 0), dict.fromkeys(people, 0)
        place = {pk: i for i, (pk, _) in enumerate(runs)}
        column = columns_of([measure]).index((measure, options(p)))
        for line, topic in enumerate(topics):
            for person, (count, scores) in services.scores_without(topic, people, [measure]).items():
                judgments[person] += count
                touched[person] += 1
                after[person][line] = np.nan
                for run, value in zip(scores.runs, scores.values[column], strict=True):
                    after[person][line, place[run]] = value
            cache.set(lease, (line + 1, len(topics)), timeout=LEASE_SECONDS)
        found = [
            Without(pk, names[pk], judgments[pk], touched[pk], child_process.call(effect, values, own))
            for pk, own in after.items()
        ]
        found.sort(key=_change)
        result = Influence(version, measure, p, [name for _, name in runs], len(topics), found)
        cache.set(_key(study.pk), result, timeout=KEPT_SECONDS)
    finally:
        cache.delete(lease)
    return result


def _change(one: Without) -> tuple[float, int, float, int]:
    tau = 1.0 if one.effect.tau is None else one.effect.tau
    return (tau, -one.effect.moved, -one.effect.largest, one.pk)


def _people(study: Study) -> tuple[list[int], dict[int, str]]:
    """Those who are looked at: the most active, and those asked about; and their names."""
    judging = Assessor.objects.filter(study=study, excluded_at=None, assignments__state__in=COUNTING)
    active = judging.annotate(given=Count("assignments__judgments")).order_by("-given", "pk")
    wanted = [*active.values_list("pk", flat=True)[:MOST], *cache.get(_asked(study.pk), [])]
    rows = Assessor.objects.filter(study=study, pk__in=wanted).values_list("pk", "panel", "label")
    names = {pk: assessor_name(panel, label, pk) for pk, panel, label in rows}
    return [pk for pk in dict.fromkeys(wanted) if pk in names], names


def _scores(study: Study, runs: list[int], measure: str, p: float) -> "tuple[list[Topic], _Values]":
    """The topics that the measure's means are over, and its scores as stored, (topics, runs)."""
    import numpy as np

    read = read_all(study, runs)
    over = read.whole[measure]
    if over.sum() < 2:
        over = np.array(read.table.judgments) > 0
    values = read.table.values[columns_of(chosen(study.measures)).index((measure, options(p)))][over]
    named = Topic.objects.select_related("study").in_bulk(read.topics)
    return [named[pk] for pk, there in zip(read.topics, over.tolist(), strict=True) if there], values


def _key(study_id: int) -> str:
    return f"left-out:{study_id}"


def _lease(study_id: int) -> str:
    return f"leaving-out:{study_id}"


def _asked(study_id: int) -> str:
    return f"left-out-asked:{study_id}"
