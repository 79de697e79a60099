"""The page of one's own account: password, tokens for programs, and what the HTTP API can do."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from collection.credentials import accounts, api_tokens
from web.accounts.api_reference import reference
from web.accounts.forms import ChangeForm, TokenForm


def own_page(
    request: HttpRequest, me: User, *, password: ChangeForm | None = None, token: TokenForm | None = None
) -> HttpResponse:
    """Show the page, with a form that was refused, whose section is open."""
    told = {
        "rights": accounts.rights_of(me),
        "password": password or ChangeForm(me),
        "token": token or TokenForm(),
        "refused": password or token,
        "tokens": list(api_tokens.own(me)),
        "api": reference(),
    }
    return render(request, "accounts/own.html", told)


def to_part(part: str) -> HttpResponse:
    """Redirect to a part of the page."""
    return redirect(f"{reverse('account')}#{part}")
