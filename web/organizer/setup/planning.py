"""Plans by simulation: choosing one of them, and where their old page leads."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from collection.models import Study
from web.forecast import plans
from web.shared.access import for_organizers


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Make a plan the study's, on POST; then go where plans are shown."""
    query = request.GET.copy()
    query.setdefault("accuracy", str(plans.ACCURACY))
    if request.method == "POST":
        plans.use(request, study)
    where = reverse("progress" if study.opened_at else "tournament-start", args=[study.slug])
    return redirect(f"{where}?{query.urlencode()}#plans")
