"""The local panel: personal invitations, and an open link through which anybody may join."""

import secrets
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from collection.models import Study
from judging.batches import sql_statements
from judging.models import Assessor
from panels.base import Panel, UnknownPerson, register

PANEL = "local"
LABEL = "joined by the open link"


class UnknownLink(UnknownPerson):
    """No invitation or open link has this token."""


def invite(study: Study, labels: list[str], *, by_link: bool = False) -> list[Assessor]:
    """Create one personal invitation for each label; the token of its link is the assessor's `reference`."""
    return Assessor.objects.bulk_create(
        Assessor(study=study, panel=PANEL, reference=secrets.token_urlsafe(16), label=label, by_link=by_link)
        for label in labels
    )


@transaction.atomic
def join(join_token: str) -> Assessor:
    """Create an invitation for a person who came through the study's open link.

    Raises UnknownLink if no study has this link open.
    """
    study = Study.objects.filter(join_token=join_token).first() if join_token else None
    if study is None:
        raise UnknownLink(_("This link is not open."))
    return invite(study, [LABEL], by_link=True)[0]


def invited(reference: str) -> Assessor:
    """Return the assessor whose personal link has this token. Raises UnknownLink."""
    found = sql_statements.person(PANEL, reference)
    if found is None:
        raise UnknownLink(_("Nobody was invited by this link."))
    return found


@register
class Local(Panel):
    """People invited by a link. Nothing is published outside."""

    name = PANEL
    invites_by_name = True
    title = "Invited people"
    offer = "People whom you invite or who have an account: their measured time is owed by the hour"

    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        return invited(parts.get("reference", ""))

    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        return reverse("invitation", args=[assessor.reference])
