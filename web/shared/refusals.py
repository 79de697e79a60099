"""The page for somebody who may not do something: why, who can, and where to go instead."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from collection.models import Membership
from web.shared.access import ORGANIZER, NotForRole
from web.shared.navigation import navigation
from web.shared.phrases import listed


def refusal(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say why somebody is refused: by their role in a study, with its organizers, or by their account."""
    said, _, more = str(exception).partition(". ")
    told: dict[str, Any] = {"said": f"{said.rstrip('.')}." if said else "", "more": more}
    if isinstance(exception, NotForRole):
        study = exception.study
        organizers = Membership.objects.filter(study=study, role=ORGANIZER, user__is_active=True)
        names = organizers.order_by("user__username").values_list("user__username", flat=True)
        sections = navigation(study, "", request.GET).sections
        told |= {"study": study, "organizers": listed(list(names)), "sections": sections}
    return render(request, "403.html", told, status=403)
