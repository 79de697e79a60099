"""The kinds of files that can be loaded into a study, one module each; to add one, add it to the line below.

Rooms above add their own: `judging.kinds` the judgments and challenges.
"""

from collection.upload.kinds import topics, items, images, descriptions, qrels, answers, run, grid, xie  # isort: skip # noqa: F401
from collection.upload.kinds import sources, groups, study_material  # isort: skip # noqa: F401
from collection.upload.kinds.base import (
    GROUPS,
    KINDS,
    CannotLoad,
    Finish,
    Kind,
    Progress,
    Source,
    kind_of,
    register,
)

__all__ = ["GROUPS", "KINDS", "CannotLoad", "Finish", "Kind", "Progress", "Source", "kind_of", "register"]
