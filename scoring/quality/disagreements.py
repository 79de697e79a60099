"""Pairs of a study that people see differently, for the page that has them judged once more. Cached."""

from collection.cached_results import CachedResult
from collection.changes import judgments_version
from judging.questions.disagreements import Disagreement, disagreements
from scoring.quality.trust import is_small

DISAGREEMENTS: CachedResult[list[Disagreement]] = CachedResult(
    "disagreements",
    version=judgments_version,
    compute=lambda study, _: disagreements(study),
    is_small=is_small,
)
