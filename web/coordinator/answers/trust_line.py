"""The words of a leaderboard on how far its judgments can be trusted: agreement and doubtful ones."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from scoring.analysis.doubtful_judgments import DOUBTS
from web.coordinator.answers.trust_verdict import objections
from web.shared import waiting_pages
from web.shared.access import for_members
from web.shared.latest_trust import FEW, PAUSE_SECONDS, alpha_told, latest_trust, widest_agreement
from web.shared.phrases import count, percent


@for_members
@require_safe
def trust_line(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the line; 304 if it has not changed. The number of queries does not depend on the judgments."""
    return waiting_pages.changed_part(
        request,
        "coordinator/_trust_line.html",
        {"study": study} | told(study),
        of=reverse("leaderboard", args=[study.slug]),
    )


def told(study: Study) -> dict[str, Any]:
    """Return how far people agree and how many judgments are doubtful, in few words: they stand in one line
    with what finds runs; and whether that is a reason to doubt them all, as the page of trust says. What is
    being computed for the first time, or is unknown, is left out.
    """
    trust, _ = latest_trust(study)
    doubts, _ = waiting_pages.latest_result(DOUBTS, study, rest=PAUSE_SECONDS)
    known = doubts.value if doubts is not None and doubts.value.judgments else None
    said = []
    best = widest_agreement(trust.value.trust) if trust is not None else None
    if best is not None and best[0].alpha is not None:
        few = f"{count(best[0].questions, 'question')} with two answers, too few to say how far people agree"
        told = f"{percent(best[0].raw)} say the same, α {alpha_told(best[0])}"
        said.append(few if best[0].questions < FEW else told)
    if known is not None:
        said.append(f"{known.doubtful:,} doubtful")
    elif doubts is None and said:
        said.append("doubtful ones are being looked for")
    own = trust.value.trust if trust is not None else None
    doubted = known is not None and bool(objections(known, None, own, study.words))
    return {"facts": said, "doubted": doubted}
