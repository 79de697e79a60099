"""Doubtful judgments of a study, and what the order of its runs would be without them. Cached.

What makes a judgment doubtful: `scoring.compute.doubtful_judgments`.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Max, Min

from collection.cached_results import CachedResult, Progress
from collection.changes import judgments_version
from collection.material import levels
from collection.models import Grade, Item, Run, Study, Topic
from judging import ledger
from judging.ledger import Preference
from judging.models import COUNTING, Assignment, Judgment, Question, QuestionRole
from judging.questions.reading_time import least_of, sizes
from judging.verdicts.challenge_failures import failed_by_assessor
from scoring.analysis import leave_one_out
from scoring.board import standings
from scoring.compute import child_process
from scoring.compute.doubtful_judgments import Doubt, Reason, Vote, doubtful_judgments, fails_challenges
from scoring.scores.topic_scores import graph_of

# So many are listed for each reason, those with most against them first.
MOST = 500
# Of so many judgments they are found while a page waits.
AT_ONCE = 2000
# And the order without them, of so many topics times runs.
SCORES_AT_ONCE = 1000
Times = dict[int, tuple[float | None, float]]


class Listed(NamedTuple):
    """A doubtful judgment of a topic."""

    topic: int
    doubt: Doubt


@dataclass(frozen=True)
class Doubts:
    """The doubtful judgments of a study.

    judgments: all that count and compare items, without those of pairs that are set aside. reasons: how many
    of the doubtful ones have each. listed: the first MOST of each reason. ids: of all, by topic. failed:
    challenges answered wrongly and all answered, by assessor who fails them. aside: pairs that are set aside.
    """

    judgments: int
    reasons: dict[Reason, int]
    listed: list[Listed]
    ids: dict[int, list[int]]
    failed: dict[int, tuple[int, int]]
    aside: int

    @property
    def doubtful(self) -> int:
        """How many judgments are doubtful."""
        return sum(map(len, self.ids.values()))


def _compute(study: Study, progress: Progress) -> Doubts:
    """Find them topic by topic: some ten queries for each. Memory grows with the doubtful ones alone."""
    answered = failed_by_assessor(study)
    failed = {pk: found for pk, found in answered.items() if fails_challenges(*found)}
    ends = Grade.objects.filter(item__topic__study=study).aggregate(low=Min("value"), high=Max("value"))
    span = (ends["high"] or 0.0) - (ends["low"] or 0.0)
    topics = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
    judgments, reasons = 0, Counter[Reason]()
    first: dict[Reason, list[tuple[tuple[Any, ...], Listed]]] = defaultdict(list)
    ids: dict[int, list[int]] = {}
    for done, topic in enumerate(topics):
        progress(done, len(topics))
        preferences = ledger.given(topic).scored(kept_only=study.kept_only)
        votes, own_times = _votes(study, topic, preferences)
        judgments += len({vote.judgment for vote in votes})
        if not votes:
            continue
        found = child_process.call(
            doubtful_judgments,
            votes,
            again=_again(topic),
            ideal=_ideal(topic, preferences),
            grades=levels.grades(topic) if span else {},
            span=span,
            times=own_times,
            failing=set(failed),
        )
        if found:
            ids[topic] = [doubt.judgment for doubt in found]
            reasons.update(reason for doubt in found for reason in doubt.reasons)
            # With their ranks, by which all are in order, and no two have the same.
            ranked = [(doubt.rank, Listed(topic, doubt)) for doubt in found]
            for reason in Reason:
                known = first[reason]
                own = [
                    one
                    for one in ranked
                    if reason in one[1].doubt.reasons and (len(known) < MOST or one < known[-1])
                ]
                if own:
                    first[reason] = list(islice(merge(known, own), MOST))
    listed = sorted({one for own in first.values() for _, one in own}, key=lambda one: one.doubt.rank)
    return Doubts(judgments, dict(reasons), listed, ids, failed, _aside(study))


def _votes(study: Study, topic: int, preferences: list[Preference]) -> tuple[list[Vote], Times]:
    """The votes of a topic that are scored, without pairs set aside, and the times of its judgments."""
    if not preferences:
        return [], {}
    given = Judgment.objects.filter(topic=topic, role=QuestionRole.COUNTS).order_by()
    rows = list(given.values_list("pk", "assignment_id", "question_id", "seconds"))
    aside = Question.every.filter(topic=topic, set_aside_at__isnull=False)
    left_out = set(aside.values_list("pk", flat=True))
    places = {pk: (batch, question) for pk, batch, question, _ in rows if question not in left_out}
    batches = Assignment.objects.filter(pk__in={batch for batch, _ in places.values()})
    whose = dict(batches.values_list("pk", "assessor_id"))
    # In view over all corrections, as everywhere else.
    seconds: dict[tuple[int, int], float] = defaultdict(float)
    for _, batch, question, took in rows:
        if took is not None:
            seconds[batch, question] += took
    votes = [
        Vote(one.judgment, whose[places[one.judgment][0]], one.first, one.second, one.lean)
        for one in preferences
        if one.judgment in places
    ]
    return votes, _times(study, topic, preferences, places, seconds)


def _times(
    study: Study,
    topic: int,
    preferences: list[Preference],
    places: dict[int, tuple[int, int]],
    seconds: dict[tuple[int, int], float],
) -> Times:
    if not seconds:
        return {}
    known = sizes(study, Item.objects.filter(topic=topic))
    shown: dict[int, set[int]] = defaultdict(set)
    for one in preferences:
        # Answers to a question are all about the items that it shows.
        if one.judgment in places:
            shown[places[one.judgment][1]] |= {one.first, one.second}
    least = {question: least_of(items, known) for question, items in shown.items()}
    judgments = {one.judgment for one in preferences}
    return {
        judgment: (seconds.get(place), least[place[1]])
        for judgment, place in places.items()
        if judgment in judgments
    }


def _ideal(topic: int, preferences: list[Preference]) -> list[int]:
    """The items in the ideal ranking that PGC has where no run breaks its ties; pairs set aside count too."""
    from prefir.measures import ideal_ranking

    pks = dict(Item.objects.filter(topic=topic).values_list("docno", "pk"))
    return [pks[docno] for docno in child_process.call(ideal_ranking, (), graph_of(preferences))]


def _again(topic: int) -> list[Vote]:
    """Answers to questions that people were asked once more, in batches that count."""
    repeats = Judgment.objects.current().filter(
        topic=topic,
        role=QuestionRole.REPEAT,
        assignment__state__in=COUNTING,
        assignment__assessor__excluded_at=None,
    )
    return [
        Vote(one.judgment, assessor, one.first, one.second, one.lean)
        for one, (assessor,) in ledger.derived_with(repeats, "assignment__assessor_id")
    ]


def _aside(study: Study) -> int:
    return Question.every.filter(topic__study=study, set_aside_at__isnull=False, expected=None).count()


def _version(study: Study) -> str:
    return f"{judgments_version(study)}.{_aside(study)}"


def _is_small(study: Study) -> bool:
    return Judgment.objects.filter(topic__study=study)[: AT_ONCE + 1].count() <= AT_ONCE


DOUBTS = CachedResult("doubts", version=_version, compute=_compute, is_small=_is_small, lease_seconds=900)


def _order(study: Study, progress: Progress) -> leave_one_out.Without | None:
    """Compute what changes without all doubtful judgments; None without runs, or without such judgments."""
    ids = DOUBTS.now(study).ids
    if not ids:
        return None
    found = leave_one_out.influence(study, {0: ""}, lambda topic: {0: ids.get(topic.pk, ())}, progress)
    return found.people[0] if found.runs else None


def is_scored_fast(study: Study) -> bool:
    """Whether each topic can be scored once more while a page waits."""
    topics = Topic.objects.filter(study=study).count()
    return _is_small(study) and topics * Run.objects.filter(study=study).count() <= SCORES_AT_ONCE


def order_version(study: Study) -> str:
    """The version of what the order would be without doubtful judgments."""
    return f"{_version(study)}.{standings.version(study)}"


# Of all doubtful judgments together.
WITHOUT_DOUBTFUL = CachedResult(
    "without-doubtful",
    version=order_version,
    compute=_order,
    is_small=is_scored_fast,
    lease_seconds=900,
)
