"""Names of people on the pages of a study and in the files that these offer: one name for each, everywhere.

The ledger and its exports have names of their own (`judging.assessor_names`), as do files for others
(`judging.transfer.pseudonyms`).
"""

from collections.abc import Collection

from collection.models import Study
from config.sql import execute, ids
from judging.models import FROM_FILES, Assessor
from judging.people.roster import EVERYBODY

# Stands for judgments of a file that names nobody.
UNNAMED = "a file without names"
NAMED = f"{EVERYBODY} SELECT id, number, panel, label FROM everybody WHERE id {{among}}"  # noqa: S608 - ours


def names(study: Study, people: Collection[int], *, labels: bool) -> dict[int, str]:
    """Name these people by their number in the list of all and their label: `3 · anna`, or `Person 3`.

    labels: whether the reader may see those that organizers wrote; labels of files are seen by all. One
    query, which grows with the study's people.
    """
    found = dict.fromkeys(people, UNNAMED)
    rows = execute(NAMED, [study.pk, ids(people)]) if people else []
    for pk, number, panel, label in rows:
        found[pk] = worded(number, label if labels or panel == FROM_FILES else "")
    return found


def worded(number: int, label: str) -> str:
    """Return a name of these parts."""
    return f"{number} · {label}" if label else f"Person {number}"


def name_of(assessor: Assessor) -> str:
    """Name one person, for an organizer."""
    return names(assessor.study, [assessor.pk], labels=True)[assessor.pk]
