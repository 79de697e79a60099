"""The line of a leaderboard that says how far its judgments can be trusted: agreement and doubtful ones."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.models import Task
from scoring.analysis.doubtful_judgments import DOUBTS
from web.coordinator.answers.doubtful_judgments import headline
from web.coordinator.answers.trust_page import agreement_sentence
from web.shared import waiting_pages
from web.shared.access import for_members
from web.shared.latest_trust import PAUSE_SECONDS, latest_trust


@for_members
@require_safe
def trust_line(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the line; 304 if it has not changed. The number of queries does not depend on the judgments."""
    return waiting_pages.changed_part(
        request, "coordinator/_trust_line.html", {"study": study, "sentences": sentences(study)}
    )


def sentences(study: Study) -> list[str]:
    """Return how far people agree and how many judgments are doubtful, as the page of trust says them.

    One that is being computed for the first time is left out.
    """
    trust, _ = latest_trust(study)
    doubts, _ = waiting_pages.latest_result(DOUBTS, study, rest=PAUSE_SECONDS)
    said = []
    if trust is not None and trust.value.trust.all.answers:
        said.append(agreement_sentence(trust.value.trust, Task.objects.filter(study=study).in_bulk()))
    if doubts is not None and doubts.value.judgments:
        said.append(headline(doubts.value))
    return said
