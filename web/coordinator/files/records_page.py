"""The page of a study's records: its files to take along, and how far its ledger is sealed."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.audit import hash_chain
from web.forecast import overview
from web.shared.access import for_members, steers


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the files of a study and its seal; organizers find the release and the sealed ledger too."""
    told = {
        "study": study,
        "steers": steers(study),
        "results": study.opened_at is not None or overview.people(study).recorded > 0,
        "seal": hash_chain.last(study.pk),
    }
    return render(request, "coordinator/records.html", told)
