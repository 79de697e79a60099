"""One's own API tokens: created, shown once, revoked."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collection.credentials import api_tokens
from web.accounts.forms import TokenForm
from web.accounts.own_page import own_page, to_part


@login_required
@never_cache
def own_tokens(request: HttpRequest) -> HttpResponse:
    """Make a token and show it; without a form lead on to the page of one's account."""
    me = request.user
    assert isinstance(me, User)  # login_required
    if request.method != "POST":
        return to_part("tokens")
    form = TokenForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        try:
            token, text = api_tokens.make(me, given["name"], given["scopes"], given["days"])
        except api_tokens.CannotMake as error:
            form.add_error(None, str(error))
        else:
            # In the answer to the form itself, so that it is kept nowhere for a next page.
            return render(request, "accounts/shown_once.html", {"token": token, "text": text})
    return own_page(request, me, token=form)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens."""
    assert isinstance(request.user, User)  # login_required
    if not api_tokens.revoke(request.user, pk):
        raise Http404("No such token.")
    messages.success(request, "The token is revoked: whatever uses it is refused from now on.")
    return to_part("tokens")


@login_required
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Lead on from the address that the description of the API had as a page of its own."""
    return to_part("api")
