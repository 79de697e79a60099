"""Views for what assessors post: an answer, a declined question, a finished batch."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.translation import gettext_lazy as _

from judging.batches import answering, declines, sql_statements
from panels.base import panel_of
from web.assessor import form_data
from web.assessor.view_decorators import assessors_door, see_other, wants_json, without_scripts
from web.judging_page import sitting
from web.shared import tokens


@assessors_door("POST")
def answer(request: HttpRequest) -> HttpResponseBase:
    """Store one answer; reply with short JSON to judge.js, else redirect to the batch.

    A form posted before the page's script had started is not taken as an answer: the question is shown again.
    """
    early = not wants_json(request) and form_data.is_early(request.POST)
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _asked_again(request, tokens.read_trial(token)) if early else _tried(request, token)
    assignment_id, visit = tokens.read_visit(token)
    if early:
        return _asked_again(request, sitting.home(assignment_id))
    answering.answer(assignment_id, **form_data.answer(request.POST), visit=visit)
    if wants_json(request):
        return JsonResponse({"stored": True})
    return _next_page(request, sitting.home(assignment_id))


@assessors_door("POST")
def cannot(request: HttpRequest) -> HttpResponseBase:
    """Store that the assessor cannot judge a question, and why; reply as to an answer."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    assignment_id, visit = tokens.read_visit(token)
    position = form_data.number(request.POST.get("position", ""))
    if position is None:
        raise form_data.BadForm(_("The form does not say which question it is about. Load the page again."))
    # PostgreSQL cannot store NUL, and our own forms never send it.
    note = request.POST.get("note", "").replace("\0", "").strip()
    declines.decline(assignment_id, position, request.POST.get("reason", ""), note, visit=visit)
    if wants_json(request):
        return JsonResponse({"stored": True})
    return _next_page(request, sitting.home(assignment_id))


@assessors_door("POST")
def submit(request: HttpRequest) -> HttpResponseBase:
    """Close a finished batch and send its assessor on to the next page.

    The reply is the same whether the batch was kept or discarded.
    """
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token, submitted=True)
    next_page = close(*tokens.read_visit(token))
    if wants_json(request):
        return JsonResponse({"submitted": True, "next": next_page})
    return see_other(next_page)


def close(assignment_id: int, visit: int) -> str:
    """Close a finished batch by the rules of its panel; return the address at which its assessor goes on."""
    assessor = sql_statements.sender_of(assignment_id)
    panel = panel_of(assessor)
    answering.close(assignment_id, confirmed=not panel.confirms, visit=visit)
    panel.sent(assignment_id)
    return panel.home(assessor, assignment_id)


def _tried(request: HttpRequest, token: str, *, submitted: bool = False) -> HttpResponseBase:
    """Go on in a trial (`web.judging_page.trial`) without storing the answer; submitted: it is at its end."""
    home, position = tokens.read_trial(token), form_data.number(request.POST.get("position", ""))
    if wants_json(request):
        return JsonResponse({"stored": True, "submitted": submitted, "next": home})
    if position is None:
        return see_other(home)
    choice = request.POST.get("choice") or "-".join(filter(None, map(request.POST.get, ("best", "worst"))))
    given = urlencode({"at": position + 1, "answer": choice[:40]})
    return _next_page(request, f"{home}&{given}")


def _asked_again(request: HttpRequest, address: str) -> HttpResponseBase:
    """Redirect to the question that a form was about."""
    position = form_data.number(request.POST.get("position", "")) or 1
    return see_other(f"{address}{'&' if '?' in address else '?'}at={position}")


def _next_page(request: HttpRequest, address: str) -> HttpResponseBase:
    """Redirect to the next page; to its version without scripts if the form came from such a page."""
    return see_other(without_scripts(address) if request.POST.get("plain") == "page" else address)
