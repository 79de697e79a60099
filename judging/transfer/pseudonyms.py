"""Pseudonyms of assessors in files that leave the server: constant within a release, unlinkable between
releases.

HMAC-SHA256 of the assessor under the release's random key: nobody can link the names of two releases or try
out ids without the key. Labels of recorded judgments stay as in their file.
"""

import hmac
import re
from collections.abc import Iterator
from hashlib import sha256

from collection import audit_log
from collection.models import Study
from judging.assessor_names import Namer, assessor_name
from judging.models import FROM_FILES, Assessor, Release

# What a study's files use where nobody names a release.
USUAL = "working"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,59}")
LETTERS = 12  # hexadecimal: of 5,000 people two share a name once in twenty million releases


class BadReleaseName(ValueError):
    """The release name is not allowed."""


def release_of(study: Study, name: str = "") -> Release:
    """Return the release of this name, made on first use; "" is the usual one. Raises BadReleaseName."""
    name = name or USUAL
    if not NAME.fullmatch(name):
        raise BadReleaseName(f"{name!r} is no name of a release: up to 60 letters, digits, spaces, _ . and -")
    made = {"by_id": audit_log.account_id(), "actor": audit_log.actor()}
    return Release.objects.get_or_create(study=study, name=name, defaults=made)[0]


def names_in(release: Release) -> Namer:
    """A function that names assessors, by panel, label and key, as the files of a release do."""
    key = bytes(release.key)

    def name(panel: str, label: str, pk: int) -> str:
        if panel == FROM_FILES:
            return assessor_name(panel, label, pk)
        return f"{panel}-{hmac.new(key, f'{panel}:{pk}'.encode(), sha256).hexdigest()[:LETTERS]}"

    return name


def people(release: Release) -> Iterator[tuple[int, str, str]]:
    """Yield the key of each assessor, their pseudonym in a release, and their name in the ledger."""
    name = names_in(release)
    rows = Assessor.objects.filter(study=release.study_id).exclude(panel=FROM_FILES).order_by("pk")
    for panel, label, pk in rows.values_list("panel", "label", "pk").iterator(2000):
        yield pk, name(panel, label, pk), assessor_name(panel, label, pk)
