"""Trust in a study's judgments: agreement, bias, consistency and time. Cached.

All answers are read for them, which takes a minute for a million.
"""

from typing import NamedTuple

from collection.cached_results import CachedResult, Progress
from collection.changes import judgments_version
from collection.models import Study
from judging.assessor_names import assessor_name
from judging.models import FROM_FILES, Assessor, Judgment
from judging.verdicts.challenge_failures import failed_by_assessor
from scoring.compute import child_process
from scoring.compute.answer_columns import of_ledger
from scoring.compute.answer_stats import AnswerReport
from scoring.compute.trust_figures import KnownPerson, Trust, reported
from scoring.quality.answer_quality import ledger_rows

# Figures of at most so many judgments are computed while a page waits.
AT_ONCE = 2000
# Names of the panels of those whom a study invites itself: by links, and by accounts.
LOCAL_PANELS = ("local", "account")
LOCAL, CROWD, RECORDED, JOINED = "invited", "from panels", "from files", "by the open link"


class TrustFigures(NamedTuple):
    """Figures of the answers, and of the trust in them. Two pages show a part each."""

    answers: AnswerReport
    trust: Trust


def is_small(study: Study) -> bool:
    return Judgment.objects.filter(topic__study=study)[: AT_ONCE + 1].count() <= AT_ONCE


def _compute(study: Study, _: Progress) -> TrustFigures:
    """Compute the figures: seven queries, two more for each 500 batches. Time grows with the answers."""
    return TrustFigures(*child_process.call(of_ledger, reported, ledger_rows(study), _people(study)))


def _people(study: Study) -> dict[int, KnownPerson]:
    failed = failed_by_assessor(study)
    rows = Assessor.objects.filter(study=study).values_list("pk", "panel", "label", "by_link", "excluded_at")
    return {
        pk: KnownPerson(
            assessor_name(panel, label, pk),
            group_of(panel, by_link),
            *failed.get(pk, (0, 0)),
            out is not None,
        )
        for pk, panel, label, by_link, out in rows
    }


def group_of(panel: str, by_link: bool) -> str:
    """Where people come from: invited by the study, by its open link, by a marketplace, or from files."""
    if panel == FROM_FILES:
        return RECORDED
    if by_link:
        return JOINED
    return LOCAL if panel in LOCAL_PANELS else CROWD


# Pages show them however old they are.
TRUST = CachedResult(
    "trust", version=judgments_version, compute=_compute, is_small=is_small, days=30, lease_seconds=900
)
