"""The local panel: personal invitations, and an open link through which anybody may join."""

import secrets

from django.db import transaction

from collection.models import Study
from judging.models import Assessor

PANEL = "local"


class UnknownLink(Exception):
    """No invitation or open link has this token."""


def invite(study: Study, labels: list[str]) -> list[Assessor]:
    """Make one personal invitation for each label; its link is the assessor's `reference`. One query."""
    return Assessor.objects.bulk_create(
        Assessor(study=study, panel=PANEL, reference=secrets.token_urlsafe(16), label=label)
        for label in labels
    )


@transaction.atomic
def join(join_token: str) -> Assessor:
    """Make an invitation for somebody who came through the study's open link.

    Raises UnknownLink when no study has this link open.
    """
    study = Study.objects.filter(join_token=join_token).first() if join_token else None
    if study is None:
        raise UnknownLink("This link is not open.")
    return invite(study, ["joined by the open link"])[0]


def invited(reference: str) -> Assessor:
    """The assessor whose personal link has this token. Raises UnknownLink."""
    found = Assessor.objects.select_related("study").filter(panel=PANEL, reference=reference).first()
    if found is None:
        raise UnknownLink("Nobody was invited by this link.")
    return found
