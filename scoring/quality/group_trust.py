"""Figures of a study's judgments by group of topics. Cached."""

import hashlib

from collection.cached_results import CachedResult, Progress
from collection.changes import judgments_version
from collection.models import Study, Topic
from scoring.compute import child_process
from scoring.compute.answer_columns import of_ledger
from scoring.compute.group_figures import GroupTrust, group_figures
from scoring.quality import trust
from scoring.quality.answer_quality import ledger_rows


def _version(study: Study) -> str:
    """A stamp that changes with the judgments that count, and with the groups of topics."""
    rows = Topic.objects.filter(study=study).exclude(groups={}).order_by("pk")
    groups = hashlib.sha256(repr(list(rows.values_list("pk", "groups"))).encode()).hexdigest()[:20]
    return f"{judgments_version(study)}.{groups}"


def _compute(study: Study, _: Progress, column: str) -> tuple[GroupTrust, dict[str, GroupTrust]]:
    """Compute the figures of all topics, and of each group of a column. Six queries; time grows with the
    answers.
    """
    rows = Topic.objects.filter(study=study).values_list("pk", "groups")
    groups = {topic: str(own.get(column, "")) for topic, own in rows}
    return child_process.call(of_ledger, group_figures, ledger_rows(study), groups)


# Of a column by which topics are grouped.
GROUP_TRUST = CachedResult(
    "group-trust", version=_version, compute=_compute, is_small=trust.is_small, lease_seconds=900
)
