"""Signs that answers of a study were not given by a person, for the page of people. Cached.

What they are: `scoring.compute.automation_signs`. Nothing follows from them by itself.
"""

from collections import defaultdict
from typing import Any

from collection.cached_results import CachedResult, Progress
from collection.changes import judgments_version
from collection.models import Study
from judging.models import FROM_FILES, Judgment
from scoring.compute import child_process
from scoring.compute.answer_columns import of_ledger
from scoring.compute.automation_signs import PersonInputs, PersonSigns, automation_signs
from scoring.quality.answer_quality import CHUNK, ledger_rows
from scoring.quality.trust import is_small


def _compute(study: Study, _: Progress) -> list[PersonSigns]:
    """Compute the signs of everybody but people of files. Seven queries; time grows with the answers."""
    recorded = set(study.assessors.filter(panel=FROM_FILES).values_list("pk", flat=True))
    return child_process.call(
        of_ledger, automation_signs, ledger_rows(study), _inputs(study), without=recorded
    )


def _inputs(study: Study) -> dict[int, PersonInputs]:
    told: dict[int, list[int]] = defaultdict(lambda: [0] * len(PersonInputs._fields))
    rows = Judgment.objects.filter(topic__study=study, paradata__isnull=False).order_by("pk")
    for person, found in rows.values_list("assignment__assessor", "paradata").iterator(CHUNK):
        paradata: dict[str, Any] = found or {}
        by = paradata["by"]
        still = by == "mouse" and not paradata.get("moves")
        signs = (True, by == "none", still, bool(paradata.get("blurs")), bool(paradata.get("pasted")))
        for at, sign in enumerate(signs):
            told[person][at] += sign
    return {person: PersonInputs(*counts) for person, counts in told.items()}


SIGNS: CachedResult[list[PersonSigns]] = CachedResult(
    "automation-signs",
    version=judgments_version,
    compute=_compute,
    is_small=is_small,
    days=30,
    lease_seconds=900,
)
