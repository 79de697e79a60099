"""Votes that were loaded from files, compared with judgments of the same pairs in the study. Cached."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from judging import ledger
from judging.ledger import Preference
from judging.models import FROM_FILES, Assignment, Judgment
from scoring.analysis import head_to_head
from scoring.compute import child_process
from scoring.scores import rankings, topic_scores
from scoring.scores.stored_measures import CUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prefir.measures import CrossAgreement, Strengths

# Pairs that the page lists, those first whose votes are farthest apart.
MOST_PAIRS = 25
Counts = tuple[int, int, int]


class VotedPair(NamedTuple):
    """A pair of items with its votes: for the first, ties, for the second; earlier ones, and those of now."""

    topic: int
    first: int
    second: int
    earlier: Counts
    later: Counts

    @property
    def gap(self) -> float:
        """How far apart the votes are on the whole, from 0 to 2."""
        return abs(_lean(self.earlier) - _lean(self.later))

    @property
    def differs(self) -> bool:
        """Whether the majority is for another item, or for none."""
        one, other = _lean(self.earlier), _lean(self.later)
        return (one > 0) - (one < 0) != (other > 0) - (other < 0)


def _lean(votes: Counts) -> float:
    return (votes[0] - votes[2]) / sum(votes)


@dataclass(frozen=True)
class VoteComparison:
    """Earlier votes and those of now. earlier, later: how many count, of all pairs.

    runs: ids, in the order of the strengths. answers: whether each run has at most one item on each topic.
    differing: how many pairs have another majority now; pairs: the first of them.
    """

    earlier: int
    later: int
    agreement: "CrossAgreement"
    differing: int
    pairs: list[VotedPair]
    runs: list[int]
    answers: bool
    earlier_strengths: "Strengths"
    later_strengths: "Strengths"


def has_earlier_votes(study: Study) -> bool:
    """Whether any votes were loaded from files. One query."""
    loaded = Assignment.objects.filter(assessor__study=study, assessor__panel=FROM_FILES)
    return loaded.filter(state=Assignment.State.KEPT).exists()


def _compute(study: Study, progress: Progress) -> VoteComparison:
    """Compare the votes: some seven queries for each topic. Memory grows with the pairs that have both."""
    import numpy as np

    from prefir.measures import bradley_terry, cross_agreement, duels_of

    runs = head_to_head.runs_of(study)
    dated = dict(Run.objects.filter(pk__in=runs).order_by("pk").values_list("pk", "created_at"))
    topics = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
    duels: tuple[list[NDArray[np.float64]], ...] = ([np.empty((0, 6))], [np.empty((0, 6))])
    both: list[VotedPair] = []
    totals, answers = [0, 0], True
    for done, topic in enumerate(topics):
        progress(done, len(topics))
        preferences = ledger.given(topic).scored(kept_only=study.kept_only)
        if not preferences:
            continue
        loaded = Judgment.objects.filter(topic=topic, assignment__assessor__panel=FROM_FILES)
        known = set(loaded.values_list("pk", flat=True))
        parts = _parted(preferences, known)
        both += _pairs(topic, *parts)
        ranked = rankings.of_topic(topic, dated)
        answers = answers and all(len(ranked[str(run)]) < 2 for run in runs)
        for place, part in enumerate(parts):
            totals[place] += len({one.judgment for one in part})
            graph = topic_scores.graph_of(part)
            rows = head_to_head.rows_of(graph, ranked, runs, CUTS[study.persistence])
            found = child_process.call(duels_of, rows, graph, shared=True) if part else np.empty((0, 5))
            if len(found):
                duels[place].append(np.column_stack([np.full(len(found), topic), found]))
    agreement = child_process.call(
        cross_agreement,
        [one.earlier for one in both],
        [one.later for one in both],
        [one.topic for one in both],
    )
    strengths = [child_process.call(bradley_terry, np.concatenate(own), len(runs)) for own in duels]
    differing = [one for one in both if one.differs]
    listed = nlargest(MOST_PAIRS, differing, key=lambda one: (one.gap, -one.topic, -one.first, -one.second))
    return VoteComparison(
        totals[0], totals[1], agreement, len(differing), listed, runs, answers, strengths[0], strengths[1]
    )


def _parted(preferences: Iterable[Preference], known: set[int]) -> tuple[list[Preference], list[Preference]]:
    """Preferences by votes from files, and the others."""
    parts: tuple[list[Preference], list[Preference]] = ([], [])
    for one in preferences:
        parts[one.judgment not in known].append(one)
    return parts


def _pairs(topic: int, earlier: list[Preference], later: list[Preference]) -> list[VotedPair]:
    """The pairs of a topic that have both kinds of votes."""
    counted: list[dict[tuple[int, int], list[int]]] = []
    for part in (earlier, later):
        votes: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        for pair, leans in ledger.by_pair(part).items():
            for lean in leans:
                votes[pair][1 - ((lean > 0) - (lean < 0))] += 1
        counted.append(votes)
    one, other = counted
    return [
        VotedPair(topic, *pair, _counts(one[pair]), _counts(other[pair]))
        for pair in sorted(one.keys() & other.keys())
    ]


def _counts(votes: list[int]) -> Counts:
    return votes[0], votes[1], votes[2]


VOTES = CachedResult("votes", version=head_to_head.version, compute=_compute, is_small=head_to_head.is_small)
