"""Names of assessors in exported files, for tests: those of the usual release."""

from judging.transfer import pseudonyms


def names_of(study, release=""):
    """How a release's files name assessors."""
    return pseudonyms.names_in(pseudonyms.release_of(study, release))


def name_of(assessor, release=""):
    """The name of one assessor in a release's files."""
    return names_of(assessor.study, release)(assessor.panel, assessor.label, assessor.pk)
