"""Files of a campaign on the panel `link`: whom to pay, whom to exclude, the service's list to compare."""

import csv
from collections.abc import Iterator

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collection.models import Study
from panels.link import files
from panels.models import Campaign
from panels.participants import people
from prefir.formats import defused
from web.organizer.recruitment.campaign_lists import campaign_of
from web.shared.access import for_organizers
from web.shared.phrases import count

MOST_BYTES = 10 * 2**20


def _of_a_link(study: Study, pk: int) -> Campaign:
    campaign = campaign_of(study, pk)
    if campaign.panel != "link":
        raise Http404("This panel has no such file.")
    return campaign


@never_cache
@for_organizers
@require_safe
def to_pay(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Download as CSV whom to pay how much, with the service's ids."""
    return _download(request, files.to_pay(_of_a_link(study, pk)), f"{study.slug}-pay.csv")


@never_cache
@for_organizers
@require_safe
def to_exclude(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Download as CSV whom the service should exclude from further places."""
    return _download(request, files.to_exclude(_of_a_link(study, pk)), f"{study.slug}-exclude.csv")


def _download(request: HttpRequest, rows: Iterator[list[str]], name: str) -> HttpResponse:
    if not request.user.has_perm(people.PERMISSION):
        raise PermissionDenied(people.NOT_ALLOWED)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    for row in rows:
        writer.writerow(map(defused, row))
    return response


@for_organizers
@require_POST
def compare(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Compare an uploaded list of the service with our entries, and mark the payments in it as made."""
    campaign = _of_a_link(study, pk)
    given = request.FILES.get("list")
    if given is None or given.size is None or given.size > MOST_BYTES:
        messages.error(request, "Choose the service's list first, a CSV file of 10 MB at most.")
        return redirect(f"{reverse('campaign', args=[study.slug, pk])}#people")
    try:
        found = files.compare(campaign, given.read(), given.name or "the list")
    except files.BadFile as error:
        messages.error(request, f"Nothing was changed. {error}")
    else:
        match = "matches" if found.matched == 1 else "match"
        said = f"{count(found.matched, 'line')} of the list {match}; "
        said += f"{count(found.paid, 'payment')} noted as made."
        if found.unknown:
            said += f" {count(len(found.unknown), 'participant')} of the list did not finish here."
        if found.missing:
            is_ = "is" if found.missing == 1 else "are"
            said += f" {count(found.missing, 'person')} finished here and {is_} not in it."
        messages.success(request, said)
        if found.other_codes:
            named = ", ".join(found.other_codes[:20]) + (" and others" if len(found.other_codes) > 20 else "")
            messages.warning(
                request,
                f"{count(len(found.other_codes), 'line')} of the list with a code that was not shown to them "
                f"here: {named}. They are paid like all others; look there whether the line is theirs.",
            )
    return redirect(f"{reverse('campaign', args=[study.slug, pk])}#people")
