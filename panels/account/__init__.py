"""The account panel: people who log in, and whom an organizer has made assessors of a study."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from collection.models import Membership
from judging.models import Assessor
from panels.base import Panel, UnknownPerson, register

PANEL = "account"
ASSESSOR = Membership.Role.ASSESSOR


class CannotConnect(Exception):
    """The reason why an account could not be connected to an assessor, as a sentence for the organizer."""


def seat(study_id: int, user_id: int) -> Assessor:
    """Return the assessor of an account in a study; create it on first use.

    Organizers see the username as the label.
    """
    made: dict[str, Any] = {"panel": PANEL, "reference": f"{study_id}-{user_id}"}
    made["label"] = lambda: User.objects.get(pk=user_id).get_username()
    return Assessor.objects.get_or_create(study_id=study_id, user_id=user_id, defaults=made)[0]


def judge_of(user: User | AnonymousUser, slug: str) -> Assessor:
    """Return a user's assessor in the study with this slug, with the study loaded.

    Raises UnknownPerson if the user is not an assessor there.
    """
    found = Assessor.objects.filter(user=user.pk, study__slug=slug) if user.is_authenticated else None
    part = Membership.objects.filter(user=user.pk, study__slug=slug, role=ASSESSOR)
    assessor = (
        None
        if found is None
        else found.filter(study__in=part.values("study")).select_related("study").first()
    )
    if assessor is None:
        raise UnknownPerson("No study is judged at this address by this account.")
    return assessor


def judges(user: User | AnonymousUser) -> list[Assessor]:
    """Return an account's assessors, one for each study, newest study first."""
    part = Membership.objects.filter(user=user.pk, role=ASSESSOR)
    found = Assessor.objects.filter(user=user.pk, study__in=part.values("study"))
    return list(found.select_related("study").order_by("-study"))


@transaction.atomic
def connect(assessor: Assessor, user: User) -> None:
    """Connect an account to an assessor who has already judged, for example by a personal link.

    From then on both are one assessor. Raises CannotConnect if the assessor already has another account, or
    if the account has already judged in this study. Call this before the account gets its membership, because
    a new membership creates an assessor for an account that has none.
    """
    assessor = Assessor.objects.select_for_update(no_key=True).get(pk=assessor.pk)
    if assessor.user_id == user.pk:
        return
    if assessor.user_id is not None:
        raise CannotConnect("This person has an account in this study already.")
    earlier = Assessor.objects.filter(study=assessor.study_id, user=user).first()
    if earlier is not None and earlier.assignments.exists():
        raise CannotConnect(f"{user} has judged in this study already, as somebody else in this list.")
    if earlier is not None:
        # Created with the account's membership and never used; it would be listed as a person who never came.
        earlier.delete()
    assessor.user = user
    assessor.save(update_fields=["user"])


@register
class Account(Panel):
    """People who log in. Nothing is published outside."""

    name = PANEL
    invites_by_name = True
    title = "Has an account"

    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        return judge_of(request.user, parts.get("slug", ""))

    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        return reverse("desk-judge", args=[assessor.study.slug])
