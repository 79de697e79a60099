"""What assessors send: an answer, word that a question cannot be judged, a finished batch."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.translation import gettext_lazy as _

from judging.batches import answering, declines, sql_statements
from panels.base import panel_of
from web.assessor import form_data
from web.assessor.view_decorators import assessors_door, plainly, see_other, wants_json
from web.judging_page import sitting
from web.shared import tokens


@assessors_door("POST")
def answer(request: HttpRequest) -> HttpResponseBase:
    """Take one answer; reply with short JSON to judge.js, else redirect to the batch.

    What was pressed before the page's script had started is no answer: the question is shown again.
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
    """Take word that a question cannot be judged, and why; the reply is that to an answer."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    assignment_id, visit = tokens.read_visit(token)
    position = form_data.number(request.POST.get("position", ""))
    if position is None:
        raise form_data.BadForm(_("The form does not say which question it is about. Load the page again."))
    # PostgreSQL stores no NUL, and no form of ours sends one.
    note = request.POST.get("note", "").replace("\0", "").strip()
    declines.decline(assignment_id, position, request.POST.get("reason", ""), note, visit=visit)
    if wants_json(request):
        return JsonResponse({"stored": True})
    return _next_page(request, sitting.home(assignment_id))


@assessors_door("POST")
def submit(request: HttpRequest) -> HttpResponseBase:
    """Close a finished batch. The next page is the same whether it was kept or not, where nothing is open."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    next_page = close(*tokens.read_visit(token))
    if wants_json(request):
        return JsonResponse({"submitted": True, "next": next_page})
    return see_other(next_page)


def close(assignment_id: int, visit: int) -> str:
    """Close a finished batch, as its panel does; return the address at which its assessor goes on."""
    assessor = sql_statements.sender_of(assignment_id)
    panel = panel_of(assessor)
    answering.close(assignment_id, confirmed=not panel.confirms, visit=visit)
    panel.sent(assignment_id)
    return panel.home(assessor, assignment_id)


def _tried(request: HttpRequest, token: str) -> HttpResponseBase:
    """Go on in a trial (`web.judging_page.trial`): what was answered is thrown away."""
    home, position = tokens.read_trial(token), form_data.number(request.POST.get("position", ""))
    if wants_json(request):
        return JsonResponse({"stored": True, "submitted": True, "next": home})
    if position is None:
        return see_other(home)
    choice = request.POST.get("choice") or "-".join(filter(None, map(request.POST.get, ("best", "worst"))))
    given = urlencode({"at": position + 1, "answer": choice[:40]})
    return _next_page(request, f"{home}&{given}")


def _asked_again(request: HttpRequest, address: str) -> HttpResponseBase:
    """Show the question of a form again."""
    position = form_data.number(request.POST.get("position", "")) or 1
    return see_other(f"{address}{'&' if '?' in address else '?'}at={position}")


def _next_page(request: HttpRequest, address: str) -> HttpResponseBase:
    """Send a browser on; to a page without scripts where it posts from one."""
    return see_other(plainly(address) if request.POST.get("plain") == "page" else address)
